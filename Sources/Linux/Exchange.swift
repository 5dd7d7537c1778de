// SPDX-License-Identifier: Apache-2.0
import CLinux
import Glibc

/// Sends bytes to a peer and receives its answer at the same time, until the peer closes, within limits.
public enum Exchange {
    public enum Failure: Error, Equatable, Sendable {
        case tooSlow
        /// The ``Stop`` was set.
        case stopped
        /// The peer sends more than it may.
        case tooLong
        case failed(Errno)
    }

    /// Ends an exchange before its time.
    public struct Stop: Sendable {
        /// Readable when ``isSet`` may have changed.
        let descriptor: CInt
        let isSet: @Sendable () -> Bool

        public init(descriptor: CInt, isSet: @escaping @Sendable () -> Bool) {
            self.descriptor = descriptor
            self.isSet = isSet
        }
    }

    /// Over a connected socket. Blocks; any thread.
    /// - Parameters:
    ///   - pieces: sent one after the other.
    ///   - mostOutput: bytes that the peer may send.
    ///   - deadline: of ``MonotonicClock/nanoseconds``.
    public static func run(
        _ pieces: [[UInt8]], over socket: borrowing FileDescriptor, mostOutput: Int, deadline: Int64, stop: Stop? = nil
    ) throws(Failure) -> [UInt8] {
        try run(
            pieces, to: socket.number, from: socket.number, mostOutput: mostOutput, deadline: deadline, stop: stop,
            write: { clinux_send($0, $1, $2) }, finish: {})
    }

    /// Through two pipes, of which that to the peer is closed after the last piece. The thread must ignore SIGPIPE: a
    /// peer may end without reading everything.
    static func run(
        _ pieces: [[UInt8]], to writeEnd: consuming FileDescriptor, from readEnd: borrowing FileDescriptor,
        mostOutput: Int, deadline: Int64, stop: Stop?
    ) throws(Failure) -> [UInt8] {
        var open: FileDescriptor? = consume writeEnd
        let number = open?.number ?? -1
        return try run(
            pieces, to: number, from: readEnd.number, mostOutput: mostOutput, deadline: deadline, stop: stop,
            write: { Glibc.write($0, $1, $2) }, finish: { open = nil })
    }

    private static func run(
        _ pieces: [[UInt8]], to writeNumber: CInt, from readNumber: CInt, mostOutput: Int, deadline: Int64,
        stop: Stop?, write: (CInt, UnsafeRawPointer, Int) -> Int, finish: () -> Void
    ) throws(Failure) -> [UInt8] {
        var output: [UInt8] = []
        // Memory that is not written to costs nothing; growing would copy.
        output.reserveCapacity(min(mostOutput, 64 << 20))
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        var pieces = pieces.filter { !$0.isEmpty }[...]
        var written = 0
        var isFinished = false
        if fcntl(writeNumber, F_SETFL, O_NONBLOCK) == -1 { throw .failed(.current) }
        while true {
            if pieces.isEmpty, !isFinished {
                finish()
                isFinished = true
            }
            let left = deadline - MonotonicClock.nanoseconds
            if left <= 0 { throw .tooSlow }
            if stop?.isSet() == true { throw .stopped }
            // A negative number is passed over.
            var waiting = [
                pollfd(fd: readNumber, events: Int16(POLLIN), revents: 0),
                pollfd(fd: isFinished ? -1 : writeNumber, events: Int16(POLLOUT), revents: 0),
                pollfd(fd: stop?.descriptor ?? -1, events: Int16(POLLIN), revents: 0),
            ]
            let ready = poll(&waiting, nfds_t(waiting.count), CInt(min(left / 1_000_000 + 1, 60_000)))
            if ready < 0 {
                let error = Errno.current
                if error == .interrupted { continue }
                throw .failed(error)
            }
            if waiting[1].revents != 0, let piece = pieces.first {
                let start = written
                let count = piece.withUnsafeBytes { write(writeNumber, $0.baseAddress! + start, $0.count - start) }
                if count > 0 {
                    written += count
                    if written == piece.count { (pieces, written) = (pieces.dropFirst(), 0) }
                } else if ![.wouldBlock, .interrupted].contains(Errno.current) {
                    // The peer reads no more; its answer may be there all the same.
                    pieces = []
                }
            }
            if waiting[0].revents != 0 {
                let count = chunk.withUnsafeMutableBytes { read(readNumber, $0.baseAddress, $0.count) }
                if count == 0 { return output }
                if count > 0 {
                    if output.count + count > mostOutput { throw .tooLong }
                    output += chunk[..<count]
                } else {
                    let error = Errno.current
                    // A peer that ends with something unread resets the connection.
                    if error == Errno(code: ECONNRESET) { return output }
                    if ![.wouldBlock, .interrupted].contains(error) { throw .failed(error) }
                }
            }
        }
    }
}
