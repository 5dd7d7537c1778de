// SPDX-License-Identifier: Apache-2.0
import CPango
import Glibc
import Linux

/// The document that is signed: its digest binds it to the record.
enum DocumentFile {
    private static let chunk = 1 << 20

    /// SHA-256 of the file, as 64 lower-case hexadecimal digits, by GLib, which Pango brings. It is read piece by
    /// piece, whatever its size.
    static func digest(of path: String) throws(CommandError) -> String {
        // Never nil for a kind of digest that GLib knows.
        guard let hash = g_checksum_new(G_CHECKSUM_SHA256) else {
            throw CommandError(message: "GLib computes no SHA-256", status: EX_SOFTWARE)
        }
        defer { g_checksum_free(hash) }
        do throws(Errno) {
            let file = try InputFile.open(path)
            var bytes = [UInt8](repeating: 0, count: chunk)
            while true {
                let count = try file.read(into: &bytes)
                if count == 0 { break }
                g_checksum_update(hash, bytes, count)
            }
        } catch {
            throw .cannotRead(path, error)
        }
        return String(cString: g_checksum_get_string(hash))
    }

    /// How the host names it, unless it says so: the file's name without its folder.
    static func reference(to path: String) -> String { path.split(separator: "/").last.map(String.init) ?? path }
}
