// SPDX-License-Identifier: Apache-2.0
import CLinux
public import Glibc

/// Stream sockets between programs of one machine (unix(7)). All are close-on-exec; writing to one whose other end is
/// gone is an error (EPIPE), never a signal.
public enum LocalSocket {
    /// Who is at the other end, as the kernel noted it when that one connected.
    public struct Peer: Equatable, Sendable {
        public var process: pid_t
        public var user: uid_t
        /// The primary one and all others.
        public var groups: Set<gid_t>

        public init(process: pid_t, user: uid_t, groups: Set<gid_t>) {
            self.process = process
            self.user = user
            self.groups = groups
        }
    }

    /// A socket at `path`, where nothing is yet; not blocking. It listens only after ``listen(_:backlog:)``.
    public static func bind(to path: String) throws(Errno) -> FileDescriptor {
        let socket = FileDescriptor(owning: try retryingOnInterrupt { clinux_unix_socket(0) })
        try retryingOnInterrupt { clinux_unix_bind(socket.number, path) }
        return socket
    }

    public static func listen(_ socket: borrowing FileDescriptor, backlog: CInt) throws(Errno) {
        try retryingOnInterrupt { Glibc.listen(socket.number, backlog) }
    }

    /// A connection to who listens at `path`.
    /// - Throws: ``Errno/noSuchFile``, or ``Errno/connectionRefused`` where the program has ended that made the socket.
    public static func connect(to path: String, blocking: Bool = true) throws(Errno) -> FileDescriptor {
        let socket = FileDescriptor(owning: try retryingOnInterrupt { clinux_unix_socket(blocking ? 1 : 0) })
        try retryingOnInterrupt { clinux_unix_connect(socket.number, path) }
        return socket
    }

    /// The next one who has connected; not blocking.
    /// - Throws: ``Errno/wouldBlock`` when there is none.
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

    /// Writes what there is room for.
    /// - Returns: how many bytes, at least one of those that there are.
    public static func send(_ bytes: UnsafeRawBufferPointer, to socket: borrowing FileDescriptor) throws(Errno) -> Int {
        try retryingOnInterrupt { clinux_send(socket.number, bytes.baseAddress, bytes.count) }
    }

    /// The other end reads an end after what was written; this one can still read.
    public static func endWriting(to socket: borrowing FileDescriptor) throws(Errno) {
        try retryingOnInterrupt { shutdown(socket.number, CInt(SHUT_WR)) }
    }

    /// Takes over a descriptor that the process was started with.
    /// - Returns: nil when it is none of a listening stream socket of this kind.
    public static func inherited(_ number: CInt) throws(Errno) -> FileDescriptor? {
        if try retryingOnInterrupt({ clinux_is_listening_unix_stream(number) }) == 0 { return nil }
        try retryingOnInterrupt { clinux_take_over(number) }
        return FileDescriptor(owning: number)
    }
}
