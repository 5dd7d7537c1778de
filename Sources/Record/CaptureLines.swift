// SPDX-License-Identifier: Apache-2.0

/// The lines of a journal, of which the last may be torn.
package enum CaptureLines {
    package static let newline = UInt8(ascii: "\n")

    /// How many of the bytes are whole lines. What follows was being written when the process or the power went: a line
    /// without its end or, since a file system may have stored a block and not those before it, one with bytes that
    /// were never written and read as zeros. There is one such line at most, because each is forced to the medium
    /// before the next.
    package static func wholeByteCount(_ bytes: some BidirectionalCollection<UInt8>) -> Int {
        guard let end = bytes.lastIndex(of: newline) else { return 0 }
        let start = bytes[..<end].lastIndex(of: newline).map { bytes.index(after: $0) } ?? bytes.startIndex
        let cut = bytes[start..<end].contains(0) ? start : bytes.index(after: end)
        return bytes.distance(from: bytes.startIndex, to: cut)
    }

    /// The whole lines, without their ends.
    package static func whole(_ bytes: [UInt8]) -> [ArraySlice<UInt8>] {
        bytes[..<wholeByteCount(bytes)].split(separator: newline, omittingEmptySubsequences: false).dropLast()
    }
}
