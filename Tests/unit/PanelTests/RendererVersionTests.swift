// SPDX-License-Identifier: Apache-2.0
import Linux
import TestSupport
import Testing

@testable import Panel

@Suite("The version of the program that draws pages")
struct RendererVersionTests {
    private static let list = """
        Package: poppler-utils-doc
        Version: 1

        Package: poppler-utils
        Status: install ok installed
        Source: poppler
        Version: 22.12.0-2+deb12u3
        Description: PDF utilities
         Version: 9

        Package: last
        Version: 3
        """

    @Test("A package has the version of its own paragraph")
    func list() {
        func version(_ package: String) -> String? {
            RendererVersion.version(of: package, in: Array(Self.list.utf8))
        }
        #expect(version("poppler-utils") == "22.12.0-2+deb12u3" && version("last") == "3")
        #expect(version("poppler") == nil && RendererVersion.version(of: "a", in: []) == nil)
    }

    @Test("The package's version is used if it is that of the program, also after an update")
    func package() throws {
        let folder = try TemporaryFolder(prefix: "version")
        let path = folder.path + "/status"
        try AtomicFile.write(Array(Self.list.utf8), to: path)
        var version = RendererVersion(list: path)
        #expect(version.text("22.12.0") == "poppler 22.12.0-2+deb12u3")
        #expect(version.text("25.3.0") == "poppler 25.3.0")
        try Directory.remove(path)
        #expect(version.text("22.12.0") == "poppler 22.12.0")
        try AtomicFile.write(Array("Package: poppler-utils\nVersion: 1:22.12.0-9".utf8), to: path)
        #expect(version.text("22.12.0") == "poppler 1:22.12.0-9")
        let both = Self.list + "\n\nPackage: libfreetype6\nArchitecture: amd64\nVersion: 2.12.1+dfsg-5"
        try AtomicFile.write(Array(both.utf8), to: path)
        #expect(version.text("22.12.0").hasPrefix("poppler 22.12.0-2+deb12u3 (freetype 2.12.1+dfsg-5, "))
    }
}
