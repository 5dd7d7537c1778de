// SPDX-License-Identifier: Apache-2.0
import Linux

/// What waits to be written to a connection.
struct OutputQueue {
    /// Bytes that are written at once, so that a host that takes a large answer fast does not keep others waiting.
    private static let portion = 1 << 20

    private var bytes: [UInt8] = []
    private var written = 0

    var count: Int { bytes.count - written }
    var isEmpty: Bool { count == 0 }

    mutating func append(_ message: [UInt8]) {
        if isEmpty {
            bytes = message
            written = 0
        } else {
            // What was written goes when it is the larger part, so that each byte moves once or so.
            if written > count {
                bytes.removeFirst(written)
                written = 0
            }
            bytes += message
        }
    }

    /// Writes what there is room for, a portion at most.
    /// - Returns: whether anything was written.
    mutating func flush(to socket: borrowing FileDescriptor) throws(Errno) -> Bool {
        let start = written
        while !isEmpty {
            if written - start >= Self.portion { return true }
            let result: Result<Int, Errno> = bytes.withUnsafeBytes { buffer in
                do throws(Errno) {
                    let rest = UnsafeRawBufferPointer(rebasing: buffer[written...].prefix(Self.portion))
                    return .success(try LocalSocket.send(rest, to: socket))
                } catch {
                    return .failure(error)
                }
            }
            do throws(Errno) {
                written += try result.get()
            } catch {
                if error == .wouldBlock { return written > start }
                throw error
            }
        }
        let hasWritten = written > start
        // A large answer's memory is not kept for the next one.
        bytes = []
        written = 0
        return hasWritten
    }
}
