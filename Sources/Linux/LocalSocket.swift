// SPDX-License-Identifier: Apache-2.0
import CLinux
public import Glibc

/// Stream sockets between programs on one machine (unix(7)). All are close-on-exec. Writing to a socket whose peer is
/// gone is an error (EPIPE), never a signal.
public enum LocalSocket {
    /// The process at the other end, as the kernel recorded it at connect(2).
    public struct Peer: Equatable, Sendable {
        public var process: pid_t
        public var user: uid_t
        /// Primary and supplementary groups.
        public var groups: Set<gid_t>

        public init(process: pid_t, user: uid_t, groups: Set<gid_t>) {
            self.process = process
            self.user = user
            self.groups = groups
        }
    }

    /// Creates a non-blocking socket at `path`, which must not exist. It listens after ``listen(_:backlog:)``.
    public static func bind(to path: String) throws(Errno) -> FileDescriptor {
        let socket = FileDescriptor(owning: try retryingOnInterrupt { clinux_unix_socket(0) })
        try retryingOnInterrupt { clinux_unix_bind(socket.number, path) }
        return socket
    }

    public static func listen(_ socket: borrowing FileDescriptor, backlog: CInt) throws(Errno) {
        try retryingOnInterrupt { Glibc.listen(socket.number, backlog) }
    }

    /// Connects to the socket at `path`.
    /// - Throws: ``Errno/noSuchFile``, or ``Errno/connectionRefused`` if the program that made the socket has ended.
    public static func connect(to path: String, blocking: Bool = true) throws(Errno) -> FileDescriptor {
        let socket = FileDescriptor(owning: try retryingOnInterrupt { clinux_unix_socket(blocking ? 1 : 0) })
        try retryingOnInterrupt { clinux_unix_connect(socket.number, path) }
        return socket
    }

    /// Accepts the next connection, as a non-blocking socket.
    /// - Throws: ``Errno/wouldBlock`` if none waits.
    public static func accept(on listener: borrowing FileDescriptor) throws(Errno) -> FileDescriptor {
        FileDescriptor(owning: try retryingOnInterrupt { clinux_accept(listener.number) })
    }

    public static func peer(of socket: borrowing FileDescriptor) throws(Errno) -> Peer {
        var (process, user, group): (Int32, UInt32, UInt32) = (0, 0, 0)
        try retryingOnInterrupt { clinux_peer(socket.number, &process, &user, &group) }
        var groups: [UInt32] = []
        while true {
            let capacity = groups.count
            let count = try retryingOnInterrupt {
                clinux_peer_groups(socket.number, &groups, CInt(capacity))
            }
            if count <= capacity { return Peer(process: process, user: user, groups: Set(groups + [group])) }
            groups = [UInt32](repeating: group, count: Int(count))
        }
    }

    /// Writes as many bytes as there is room for.
    /// - Returns: how many bytes were written, at least one.
    public static func send(_ bytes: ArraySlice<UInt8>, to socket: borrowing FileDescriptor) throws(Errno) -> Int {
        let number = socket.number
        return try retryingOnInterrupt { bytes.withUnsafeBytes { clinux_send(number, $0.baseAddress, $0.count) } }
    }

    /// Ends the outgoing direction: the peer reads an end of file, and this side can still read.
    public static func endWriting(to socket: borrowing FileDescriptor) throws(Errno) {
        try retryingOnInterrupt { shutdown(socket.number, CInt(SHUT_WR)) }
    }

    /// Takes ownership of a descriptor that the process was started with.
    /// - Returns: nil if it is not a listening stream socket of this kind.
    public static func inherited(_ number: CInt) throws(Errno) -> FileDescriptor? {
        if try retryingOnInterrupt({ clinux_is_listening_unix_stream(number) }) == 0 { return nil }
        try retryingOnInterrupt { clinux_take_over(number) }
        return FileDescriptor(owning: number)
    }
}
