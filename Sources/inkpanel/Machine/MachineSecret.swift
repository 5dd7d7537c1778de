// SPDX-License-Identifier: Apache-2.0
import Configuration
import Glibc
import Linux

/// Secrets in a settings file.
enum MachineSecret {
    /// Writes ``SettingsFile/kept`` over values, in place: a new file would leave the old one's blocks on the medium. A
    /// card that spreads its writes may keep them all the same.
    /// - Parameter ranges: bytes of the file, with quotes.
    static func overwrite(_ ranges: [Range<Int>], in path: String) throws(Errno) {
        let file = open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW)
        if file < 0 { throw .current }
        defer { close(file) }
        for range in ranges {
            let bytes = replacement(byteCount: range.count)
            guard pwrite(file, bytes, bytes.count, off_t(range.lowerBound)) == bytes.count else { throw .current }
        }
        if fsync(file) != 0 { throw .current }
    }

    /// The word in quotes, and blanks up to the length of the old value, which is greater.
    static func replacement(byteCount: Int) -> [UInt8] {
        let word = Array("\"\(SettingsFile.kept)\"".utf8)
        return word + [UInt8](repeating: UInt8(ascii: " "), count: max(0, byteCount - word.count))
    }
}
