// SPDX-License-Identifier: Apache-2.0
import Glibc
import Linux
import TestSupport
import Testing

@testable import Panel

@Suite("The version of the program that draws pages")
struct RendererVersionTests {
    /// A program in place of dpkg-query.
    private final class Query {
        private let folder: TemporaryFolder
        let path: String

        init(_ script: String) throws {
            folder = try TemporaryFolder(prefix: "version")
            path = folder.path + "/dpkg-query"
            try Array("#!/bin/sh\n\(script)\n".utf8).withUnsafeBytes { bytes in
                let file = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0o700)
                defer { close(file) }
                try #require(write(file, bytes.baseAddress, bytes.count) == bytes.count)
            }
        }

        /// Prints lines in dpkg-query's form, and has its exit status if a package is missing.
        convenience init(lines: [String]) throws {
            try self.init("cat <<'END'\n" + lines.map { $0 + "\n" }.joined() + "END\nexit 1")
        }

        func text(_ stated: String) -> String { RendererVersion(query: path, seconds: 1).text(stated) }
    }

    private static let poppler = "poppler-utils amd64 installed 22.12.0-2+deb12u3"

    @Test("The package's version is used if it is that of the program")
    func package() throws {
        let query = try Query(lines: [Self.poppler])
        #expect(query.text("22.12.0") == "poppler 22.12.0-2+deb12u3")
        #expect(query.text("25.3.0") == "poppler 25.3.0" && query.text("22.12") == "poppler 22.12")
        let epoch = try Query(lines: ["poppler-utils arm64 installed 1:22.12.0-9"])
        #expect(epoch.text("22.12.0") == "poppler 1:22.12.0-9")
    }

    @Test("The library is that of the program's processor, and of no other one")
    func library() throws {
        func text(_ lines: String...) throws -> String { try Query(lines: lines + [Self.poppler]).text("22.12.0") }
        let both = try text("libfreetype6 i386 installed 9-9", "libfreetype6 amd64 installed 2.12.1+dfsg-5")
        #expect(
            both == "poppler 22.12.0-2+deb12u3 (freetype 2.12.1+dfsg-5, \(RendererVersion.processor))")
        #expect(try text("libfreetype6 i386 installed 9-9") == "poppler 22.12.0-2+deb12u3")
    }

    @Test("A package that is not installed has no version")
    func removed() throws {
        let removed = try Query(lines: ["poppler-utils amd64 config-files 22.12.0-2", "other amd64 installed 1"])
        #expect(removed.text("22.12.0") == "poppler 22.12.0")
        let library = try Query(lines: [Self.poppler, "libfreetype6 amd64 unpacked 2.12.1"])
        #expect(library.text("22.12.0") == "poppler 22.12.0-2+deb12u3")
    }

    @Test(
        "Without an answer the version is the one that the program states",
        arguments: ["exit 2", "echo poppler-utils", "printf 'poppler-utils \\377 \\377'", "yes", "exec sleep 60"])
    func silent(script: String) throws {
        #expect(try Query(script).text("22.12.0") == "poppler 22.12.0")
        #expect(RendererVersion(query: "/nonexistent").text("22.12.0") == "poppler 22.12.0")
    }
}
