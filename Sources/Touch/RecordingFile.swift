// SPDX-License-Identifier: Apache-2.0
import Glibc
import Linux

/// A text file read in pieces, so that a file of any size needs the memory of a line.
enum RecordingFile {
    /// Hands out each line without its end; the last one may lack a line end.
    static func forEachLine(
        of path: String, _ body: (ArraySlice<UInt8>) throws(RecordingError) -> Void
    ) throws(RecordingError) {
        let file: FileDescriptor
        do {
            // Non-blocking: opening a FIFO would wait for a writer.
            file = try FileDescriptor(opening: path, O_RDONLY | O_NONBLOCK)
        } catch {
            throw .cannotOpen(path: path, error)
        }
        var status = stat()
        guard fstat(file.number, &status) == 0 else { throw .cannotOpen(path: path, .current) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .notAFile(path: path) }

        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        var pending: [UInt8] = []
        var lineCount = 0
        var byteCount = 0
        while true {
            let count: Int
            switch read(file, into: &chunk) {
            case .success(0):
                if !pending.isEmpty { try body(pending[...]) }
                return
            case .success(let read): count = read
            case .failure(let error): throw .readFailed(path: path, error)
            }
            byteCount += count
            if byteCount > Recording.byteLimit { throw .tooLarge(path: path, line: lineCount + 1) }
            var rest = chunk[..<count]
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
    }

    /// A Result, because Array's closures do not carry typed errors.
    private static func read(_ file: borrowing FileDescriptor, into chunk: inout [UInt8]) -> Result<Int, Errno> {
        chunk.withUnsafeMutableBytes { bytes in
            do throws(Errno) {
                return .success(try file.read(into: bytes))
            } catch {
                return .failure(error)
            }
        }
    }
}
