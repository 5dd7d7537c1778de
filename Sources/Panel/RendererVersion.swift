// SPDX-License-Identifier: Apache-2.0
import Glibc
import Linux

/// The version of the program that draws pages, and of the library that draws its letters, as records name them. Two
/// versions may draw a page differently.
struct RendererVersion {
    /// Debian's list of installed packages (deb(5), dpkg(1)).
    private let list: String
    /// The versions of the packages in the list, and which list that was: the clock for times of files has few ticks.
    private var known: (poppler: String?, freetype: String?, modifiedAt: Int64, byteCount: Int)?

    /// The list of a desktop has 5 MB.
    private static let longestList = 64 << 20

    init(list: String = "/var/lib/dpkg/status") { self.list = list }

    /// Names and versions of the packages, with the processor, such as
    /// `poppler 22.12.0-2+deb12u3 (freetype 2.12.1+dfsg-5, x86_64)`.
    /// - Parameter stated: the version that the program itself states, such as `22.12.0`. The package has its version
    ///   only if it begins with it; otherwise another program is in use.
    mutating func text(_ stated: String) -> String {
        read()
        guard let known, let version = known.poppler, Self.upstream(version) == stated else {
            return "poppler " + stated
        }
        return "poppler \(version)" + (known.freetype.map { " (freetype \($0), \(Self.processor))" } ?? "")
    }

    /// As uname(2) names it.
    private static var processor: String {
        #if arch(x86_64)
            "x86_64"
        #elseif arch(arm64)
            "aarch64"
        #else
            "other"
        #endif
    }

    /// An update may come while the panel runs.
    private mutating func read() {
        guard let file = try? InputFile.open(list), let modifiedAt = try? file.modifiedAt,
            let byteCount = try? file.byteCount
        else {
            known = nil
            return
        }
        if let known, known.modifiedAt == modifiedAt, known.byteCount == byteCount { return }
        let bytes = ((try? InputFile.read(list, maximumByteCount: Self.longestList)) ?? nil) ?? []
        known = (
            Self.version(of: "poppler-utils", in: bytes), Self.version(of: "libfreetype6", in: bytes), modifiedAt,
            byteCount
        )
    }

    /// The version of an installed package in the list, which has a paragraph for each.
    static func version(of package: String, in list: [UInt8]) -> String? {
        list.withUnsafeBytes { list -> String? in
            var isPackage = false
            var start = 0
            while start < list.count {
                let rest = UnsafeRawBufferPointer(rebasing: list[start...])
                // Byte for byte, a list of megabytes would take long in programs that are not optimised.
                let end = memchr(rest.baseAddress!, CInt(UInt8(ascii: "\n")), rest.count)
                let count = end.map { UnsafeRawPointer($0) - rest.baseAddress! } ?? rest.count
                let line = rest[..<count]
                start += count + 1
                switch line.first {
                case nil: isPackage = false
                case UInt8(ascii: "P") where line.starts(with: "Package: ".utf8):
                    isPackage = line.dropFirst(9).elementsEqual(package.utf8)
                case UInt8(ascii: "V") where isPackage && line.starts(with: "Version: ".utf8):
                    return String(decoding: line.dropFirst(9), as: UTF8.self)
                default: break
                }
            }
            return nil
        }
    }

    /// The part of a version that its author gave it, without Debian's (deb-version(7)).
    private static func upstream(_ version: String) -> Substring {
        let rest = version.firstIndex(of: ":").map { version[version.index(after: $0)...] } ?? version[...]
        return rest.lastIndex(of: "-").map { rest[..<$0] } ?? rest
    }
}
