// SPDX-License-Identifier: Apache-2.0
import Linux

/// A text file read in pieces, so that a file of any size needs the memory of a line.
enum RecordingFile {
    /// Hands out each line without its end; the last one may lack a line end.
    static func forEachLine(
        of path: String, _ body: (ArraySlice<UInt8>) throws(RecordingError) -> Void
    ) throws(RecordingError) {
        let file = try open(path)
        // Bytes go through memory of a fixed size, and from there line by line.
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 1)
        defer { buffer.deallocate() }
        var pending: [UInt8] = []
        var lineCount = 0
        var byteCount = 0
        while true {
            let count: Int
            do {
                count = try file.read(into: buffer)
            } catch {
                throw .readFailed(path: path, error)
            }
            if count == 0 { break }
            byteCount += count
            if byteCount > Recording.byteLimit { throw .tooLarge(path: path, line: lineCount + 1) }
            var rest = Array(buffer[..<count])[...]
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                lineCount += 1
                if pending.isEmpty {
                    try body(rest[..<end])
                } else {
                    pending += rest[..<end]
                    try body(pending[...])
                    pending.removeAll(keepingCapacity: true)
                }
                rest = rest[(end + 1)...]
            }
            pending += rest
            if pending.count > Recording.lineLimit { throw .lineTooLong(path: path, line: lineCount + 1) }
        }
        if !pending.isEmpty { try body(pending[...]) }
    }

    private static func open(_ path: String) throws(RecordingError) -> FileDescriptor {
        do throws(Errno) {
            return try InputFile.open(path)
        } catch {
            throw error == .isDirectory || error == .notAFile ? .notAFile(path: path) : .cannotOpen(path: path, error)
        }
    }
}
