// SPDX-License-Identifier: Apache-2.0
import Linux

/// What an archive of evidence has for people (``EvidenceArchive``), and what systems put beside files. No seal names
/// it, and nothing rests on it.
enum Companion {
    /// Whether a file has the name of one, and contents of that kind: a contract may have any name.
    static func `is`(_ path: String) -> Bool {
        let name = path.split(separator: "/").last.map(String.init) ?? ""
        guard let start = start(of: path), !start.prefix(1024).contains("%PDF-".utf8) else { return false }
        switch name {
        case "README.txt": return isText(start) && start.starts(with: "Evidence of the capture ".utf8)
        case "verify.html":
            return start.starts(with: "<!DOCTYPE html>".utf8) && start.contains("made by tools/build-verifier".utf8)
        case "allowed_signers": return isText(start) && FileForm.isSigners(start)
        default:
            return isOfMacOS(start, name) || isPicture(name) && start.starts(with: [0x89] + "PNG\r\n\u{1A}\n".utf8)
        }
    }

    /// Whether macOS wrote a file beside others, into an archive or onto a stick: AppleDouble (RFC 1740), or a folder's
    /// looks.
    static func isOfMacOS(_ start: [UInt8], _ name: String) -> Bool {
        let isNamed = name.hasPrefix("._") && start.starts(with: [0x00, 0x05, 0x16, 0x07])
        let isFolder = name == ".DS_Store" && start.starts(with: [0, 0, 0, 1] + "Bud1".utf8)
        return (isNamed || isFolder) && !start.prefix(1024).contains("%PDF-".utf8)
    }

    private static func start(of path: String) -> [UInt8]? {
        guard let file = try? InputFile.open(path), let count = try? file.byteCount else { return nil }
        return try? file.read(min(count, FileForm.startByteCount), from: 0)
    }

    /// `signature.png`, `signature-2.png`
    private static func isPicture(_ name: String) -> Bool {
        guard name.hasPrefix("signature"), name.hasSuffix(".png") else { return false }
        let number = name.dropFirst("signature".count).dropLast(".png".count)
        return number.isEmpty || number.first == "-" && number.count > 1 && number.dropFirst().allSatisfy(\.isNumber)
    }

    private static func isText(_ bytes: [UInt8]) -> Bool {
        String(validating: bytes, as: UTF8.self) != nil
            && bytes.allSatisfy { $0 >= 0x20 && $0 != 0x7F || [0x09, 0x0A, 0x0D].contains($0) }
    }
}
