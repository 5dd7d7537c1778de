// SPDX-License-Identifier: Apache-2.0
import FlyingSocks
import Foundation
import Glibc

@testable import HTTP

/// What a client has sent before it ended the connection, for readers of sockets.
func reader(of bytes: [UInt8]) throws -> SocketReader {
    var ends: [CInt] = [0, 0]
    guard socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &ends) == 0 else { throw SocketError.disconnected }
    defer { close(ends[1]) }
    // The kernel takes as much as any test sends, so nothing has to wait.
    var size = CInt(1 << 20)
    setsockopt(ends[1], SOL_SOCKET, SO_SNDBUF, &size, socklen_t(MemoryLayout<CInt>.size))
    guard write(ends[1], bytes, bytes.count) == bytes.count else { throw SocketError.disconnected }
    let socket = Socket(file: Socket.FileDescriptor(rawValue: ends[0]))
    return SocketReader(try AsyncSocket(socket: socket, pool: EndedPool()), pool: EndedPool())
}

/// Nothing comes after what has been sent.
private struct EndedPool: AsyncSocketPool {
    func prepare() {}

    func run() {}

    func suspendSocket(_ socket: Socket, untilReadyFor events: Socket.Events) throws { throw SocketError.disconnected }
}
