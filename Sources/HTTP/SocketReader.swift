// SPDX-License-Identifier: Apache-2.0
package import FlyingSocks
import Foundation
import Glibc

/// Reads from a connection, in portions. The library reads requests and frames byte by byte, at 6 us each,
/// without a limit of their length, and cannot be given another reader.
package actor SocketReader {
    private static let portion = 16 << 10

    package let socket: AsyncSocket
    private let pool: any AsyncSocketPool
    private var bytes: [UInt8] = []
    /// The first of `bytes` that nobody has taken.
    private var position = 0

    package init(_ socket: AsyncSocket, pool: any AsyncSocketPool) {
        self.socket = socket
        self.pool = pool
    }

    /// Bytes that have come and were not taken.
    private var count: Int { bytes.count - position }

    /// Takes a line, and returns it without its end.
    /// - Parameter problem: if it has more than `limit` bytes.
    /// - Returns: nil if the connection has ended before it.
    /// - Throws: ``Problem`` also if the line ends without CR; `SocketError` if the connection ends in it.
    package func line(atMost limit: Int, else problem: Problem) async throws -> ArraySlice<UInt8>? {
        let line = try await bytes(through: UInt8(ascii: "\n"), atMost: limit + 2, else: problem)
        guard let line else { return nil }
        guard line.dropLast().last == UInt8(ascii: "\r") else { throw Problem.malformed("Lines end with CR and LF.") }
        return line.dropLast(2)
    }

    /// Takes the bytes up to the first of a value, with it.
    /// - Parameter problem: if they are more than `limit`.
    /// - Returns: nil if the connection has ended before them.
    /// - Throws: `SocketError` if the connection ends in them.
    package func bytes(through end: UInt8, atMost limit: Int, else problem: Problem) async throws -> ArraySlice<UInt8>?
    {
        var searched = 0
        while true {
            if let offset = offset(of: end, from: searched) {
                guard offset < limit else { throw problem }
                return take(offset + 1)
            }
            searched = count
            if searched >= limit { throw problem }
            guard try await receive() else {
                if count == 0 { return nil }
                throw SocketError.disconnected
            }
        }
    }

    /// Takes exactly `count` bytes.
    /// - Throws: `SocketError.disconnected` if the connection ends before.
    package func bytes(_ count: Int) async throws -> ArraySlice<UInt8> {
        while self.count < count {
            guard try await receive() else { throw SocketError.disconnected }
        }
        return take(count)
    }

    /// Waits until something has come.
    /// - Returns: false if the connection has ended.
    package func hasMore() async throws -> Bool {
        if count > 0 { return true }
        return try await receive()
    }

    /// Takes what has come, but at most `limit` bytes; waits for it if there is nothing.
    /// - Returns: nil if the connection has ended.
    package func portion(atMost limit: Int = .max) async throws -> ArraySlice<UInt8>? {
        guard try await hasMore() else { return nil }
        return take(min(count, limit))
    }

    private func take(_ count: Int) -> ArraySlice<UInt8> {
        let taken = bytes[position..<position + count]
        position += count
        if position == bytes.count {
            // The taken slices keep their memory.
            (bytes, position) = ([], 0)
        }
        return taken
    }

    private func offset(of byte: UInt8, from start: Int) -> Int? {
        bytes.withUnsafeBytes { bytes in
            let rest = UnsafeRawBufferPointer(rebasing: bytes[(position + start)...])
            guard let base = rest.baseAddress, let found = memchr(base, CInt(byte), rest.count) else { return nil }
            return start + (UnsafeRawPointer(found) - base)
        }
    }

    /// Waits for more bytes.
    /// - Returns: false if the connection has ended.
    private func receive() async throws -> Bool {
        if position > 0 {
            bytes.removeFirst(position)
            position = 0
        }
        while true {
            try Task.checkCancellation()
            let (result, error) = withUnsafeTemporaryAllocation(byteCount: Self.portion, alignment: 1) { portion in
                let result = read(socket.socket.file.rawValue, portion.baseAddress, portion.count)
                let error = errno
                if result > 0 { bytes.append(contentsOf: portion[..<result]) }
                return (result, error)
            }
            if result >= 0 { return result > 0 }
            switch error {
            case EAGAIN: try await pool.suspendSocket(socket.socket, untilReadyFor: .read)
            case EINTR: continue
            default: throw SocketError.disconnected
            }
        }
    }
}
