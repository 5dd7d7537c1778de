// SPDX-License-Identifier: Apache-2.0
import Linux

/// A file of an archive of evidence for people (``EvidenceArchive``), or one that systems put beside files. No seal
/// names it, and it changes no verdict.
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
            return isOfMacOS(start, name) || isOfWindows(start, name)
                || isPicture(name) && start.starts(with: [0x89] + "PNG\r\n\u{1A}\n".utf8)
        }
    }

    /// Whether macOS wrote a file beside others, into an archive or onto a stick: AppleDouble (RFC 1740), or a folder's
    /// looks.
    static func isOfMacOS(_ start: [UInt8], _ name: String) -> Bool {
        let isNamed = name.hasPrefix("._") && start.starts(with: [0x00, 0x05, 0x16, 0x07])
        let isFolder = name == ".DS_Store" && start.starts(with: [0, 0, 0, 1] + "Bud1".utf8)
        return (isNamed || isFolder) && !start.prefix(1024).contains("%PDF-".utf8)
    }

    /// Whether Windows wrote a file into a folder that it has shown.
    private static func isOfWindows(_ start: [UInt8], _ name: String) -> Bool {
        if name == "Thumbs.db" { return start.starts(with: [0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1]) }
        guard name.lowercased() == "desktop.ini" else { return false }
        // Windows writes UTF-16, too.
        let text = start.drop { $0 >= 0xFE }.prefix(200).filter { $0 != 0 }.drop { $0 == 0x20 || 0x09...0x0D ~= $0 }
        return text.starts(with: "[.ShellClassInfo]".utf8)
    }

    /// The finding about keys in a file of a folder: they are the reader's only if they were given by themselves.
    static func keys(in start: [UInt8], _ name: String) -> String? {
        let lines = start.split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
            .filter { !$0.allSatisfy { $0 == 0x20 || 0x09...0x0D ~= $0 } }
        let isNamed = name == "allowed_signers" || name == "signers"
        let mayBe =
            !name.contains(".") || [".txt", ".pub", ".signers", ".allowed_signers"].contains(where: name.hasSuffix)
        let isList = isNamed ? lines.contains(where: isKeyLine) : mayBe && !lines.isEmpty && lines.allSatisfy(isBareKey)
        if isList { return "is a list of keys, which is not used: whoever made the folder could have made it, too" }
        let isIdentity = !lines.isEmpty && lines.allSatisfy(isIdentityLine)
        return isIdentity ? "is an identity of age, which is not used: give it with --identity" : nil
    }

    private static func isKeyLine(_ line: ArraySlice<UInt8>) -> Bool {
        line.first != UInt8(ascii: "#") && line.dropFirst().contains("AAAA".utf8)
    }

    /// Names, perhaps options, a key and at most one word: nothing that somebody could read.
    private static func isBareKey(_ line: ArraySlice<UInt8>) -> Bool {
        let words = line.split { $0 == 0x20 || $0 == 0x09 }
        let key = words.indices.prefix(3).dropFirst().first { index in
            ["ecdsa-sha2-", "ssh-", "sk-"].contains {
                words[index].starts(with: $0.utf8) && words[index].count > $0.count
            }
        }
        guard let key, key + 1 < words.count, words[key + 1].starts(with: "AAAA".utf8) else { return false }
        return words[key + 1].count > 4 && words.count <= key + 3 && line.first != 0x20 && line.first != 0x09
    }

    /// Those of age-keygen.
    private static func isIdentityLine(_ line: ArraySlice<UInt8>) -> Bool {
        if ["# created: ", "# public key: age1"].contains(where: { line.starts(with: $0.utf8) }) {
            return !line.dropFirst(2).contains("  ".utf8) && line.split(separator: 0x20).count <= 4
        }
        let digits = line.dropFirst("AGE-SECRET-KEY-1".utf8.count)
        let upper = Array("QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L".utf8)
        return line.starts(with: "AGE-SECRET-KEY-1".utf8) && digits.count == 58 && digits.allSatisfy(upper.contains)
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
