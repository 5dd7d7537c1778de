// SPDX-License-Identifier: Apache-2.0
import Linux

/// The version of the program that draws pages, and of the library that draws its letters, as records name them. Two
/// versions may draw a page differently.
struct RendererVersion {
    /// Debian's program that lists installed packages (dpkg-query(1)). Its files are no interface.
    private let query: String
    /// The time limit of that program. It takes a few hundredths of a second, but longer on a busy board with a slow
    /// medium.
    private let seconds: Int

    init(query: String = "/usr/bin/dpkg-query", seconds: Int = 5) {
        self.query = query
        self.seconds = seconds
    }

    /// Names and versions of the packages, with the processor, such as
    /// `poppler 22.12.0-2+deb12u3 (freetype 2.12.1+dfsg-5, x86_64)`. Runs a program each time, because an update may
    /// come while the panel runs.
    /// - Parameter stated: the version that the program itself states, such as `22.12.0`. If the package has another
    ///   version, another program draws, and only this version is named.
    func text(_ stated: String) -> String {
        let packages = packages()
        guard let poppler = packages.first(where: { $0.name == "poppler-utils" }),
            Self.upstream(poppler.version) == stated
        else { return "poppler " + stated }
        // The library may be installed for other processors, too.
        let freetype = packages.first { $0.name == "libfreetype6" && $0.architecture == poppler.architecture }
        return "poppler \(poppler.version)"
            + (freetype.map { " (freetype \($0.version), \(Self.processor))" } ?? "")
    }

    /// The name that uname(2) has for it.
    static var processor: String {
        #if arch(x86_64)
            "x86_64"
        #elseif arch(arm64)
            "aarch64"
        #else
            "other"
        #endif
    }

    private struct Package {
        let name, architecture, version: Substring
    }

    /// The packages that are installed; none on a system without Debian's packages.
    private func packages() -> [Package] {
        let program = FilterProgram(
            path: query,
            arguments: [
                "--show", "--showformat=${Package} ${Architecture} ${db:Status-Status} ${Version}\\n", "poppler-utils",
                "libfreetype6",
            ], environment: ["PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8"])
        let deadline = MonotonicClock.nanoseconds + Int64(seconds) * 1_000_000_000
        // Its exit status is 1 if one of the packages is missing.
        guard let outcome = try? program.outcome(input: [], mostOutput: 1 << 16, deadline: deadline) else { return [] }
        return String(decoding: outcome.output, as: UTF8.self).split(separator: "\n").compactMap { line in
            // A removed package whose configuration remains still has a version.
            let words = line.split(separator: " ")
            guard words.count == 4, words[2] == "installed" else { return nil }
            return Package(name: words[0], architecture: words[1], version: words[3])
        }
    }

    /// The part of a version that its author gave it, without Debian's (deb-version(7)).
    private static func upstream(_ version: Substring) -> Substring {
        let rest = version.firstIndex(of: ":").map { version[version.index(after: $0)...] } ?? version
        return rest.lastIndex(of: "-").map { rest[..<$0] } ?? rest
    }
}
