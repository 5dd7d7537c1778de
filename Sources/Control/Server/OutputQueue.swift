// SPDX-License-Identifier: Apache-2.0
import Linux

/// What waits to be written to a connection.
struct OutputQueue {
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

    /// Writes what there is room for.
    /// - Returns: whether anything was written.
    mutating func flush(to socket: borrowing FileDescriptor) throws(Errno) -> Bool {
        var hasWritten = false
        while !isEmpty {
            let result: Result<Int, Errno> = bytes.withUnsafeBytes { buffer in
                do throws(Errno) {
                    let rest = UnsafeRawBufferPointer(rebasing: buffer[written...])
                    return .success(try LocalSocket.send(rest, to: socket))
                } catch {
                    return .failure(error)
                }
            }
            do throws(Errno) {
                written += try result.get()
                hasWritten = true
            } catch {
                if error == .wouldBlock { return hasWritten }
                throw error
            }
        }
        // A large answer's memory is not kept for the next one.
        bytes = []
        written = 0
        return hasWritten
    }
}
