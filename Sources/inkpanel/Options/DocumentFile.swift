// SPDX-License-Identifier: Apache-2.0
import Crypto
import Linux

/// The document that is signed: its digest binds it to the record.
enum DocumentFile {
    private static let chunk = 1 << 20

    /// SHA-256 of the file, as 64 lower-case hexadecimal digits. It is read piece by piece, whatever its size.
    static func digest(of path: String) throws(CommandError) -> String {
        var hash = SHA256()
        do throws(Errno) {
            let file = try InputFile.open(path)
            var bytes = [UInt8](repeating: 0, count: chunk)
            while true {
                let count = try file.read(into: &bytes)
                if count == 0 { break }
                bytes.withUnsafeBytes { hash.update(bufferPointer: UnsafeRawBufferPointer(rebasing: $0[..<count])) }
            }
        } catch {
            throw .cannotRead(path, error)
        }
        return hash.finalize().map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
    }

    /// How the host names it, unless it says so: the file's name without its folder.
    static func reference(to path: String) -> String { path.split(separator: "/").last.map(String.init) ?? path }
}
