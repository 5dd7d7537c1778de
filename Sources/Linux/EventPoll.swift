// SPDX-License-Identifier: Apache-2.0
import CLinux

/// The one place a thread waits: an epoll set of descriptors, each with a caller's token.
///
/// Level-triggered, so a handler that does not drain its descriptor is called again instead of being lost.
public struct EventPoll: ~Copyable {
    /// One ready descriptor.
    public struct Event: Sendable {
        public let token: UInt64
        /// The device or peer is gone (EPOLLERR or EPOLLHUP); the descriptor must be read once more and removed, or
        /// it stays ready for ever and burns a core.
        public let isHangup: Bool
        public let isReadable: Bool
        public let isWritable: Bool
    }

    /// What a descriptor is watched for. Hangups are told of in any case.
    public struct Interest: OptionSet, Sendable {
        public let rawValue: UInt32
        public init(rawValue: UInt32) { self.rawValue = rawValue }

        public static let reading = Interest(rawValue: UInt32(CLINUX_EPOLLIN))
        public static let writing = Interest(rawValue: UInt32(CLINUX_EPOLLOUT))
    }

    private let descriptor: FileDescriptor

    public init() throws(Errno) {
        descriptor = FileDescriptor(owning: try retryingOnInterrupt { clinux_epoll_create() })
    }

    /// Watches `number`. The caller keeps the descriptor open until it is removed.
    public func add(_ number: CInt, token: UInt64, for interest: Interest = .reading) throws(Errno) {
        try retryingOnInterrupt { clinux_epoll_add(descriptor.number, number, interest.rawValue, token) }
    }

    /// Watches `number`, which was added, for something else.
    public func change(_ number: CInt, token: UInt64, to interest: Interest) throws(Errno) {
        try retryingOnInterrupt { clinux_epoll_change(descriptor.number, number, interest.rawValue, token) }
    }

    public func remove(_ number: CInt) throws(Errno) {
        try retryingOnInterrupt { clinux_epoll_remove(descriptor.number, number) }
    }

    /// Blocks until something is ready and returns it; empty when a signal interrupted the wait or `milliseconds`
    /// passed.
    /// - Parameter milliseconds: nil waits without end, which is what an idle panel does.
    public func wait(milliseconds: Int32? = nil) throws(Errno) -> [Event] {
        var ready = (0..<16).map { _ in clinux_epoll_event() }
        let count = clinux_epoll_wait(descriptor.number, &ready, 16, milliseconds ?? -1)
        if count < 0 {
            let error = Errno.current
            if error == .interrupted { return [] }
            throw error
        }
        let hangup = UInt32(CLINUX_EPOLLERR | CLINUX_EPOLLHUP)
        return ready.prefix(Int(count)).map { event in
            Event(
                token: event.data, isHangup: event.events & hangup != 0,
                isReadable: event.events & Interest.reading.rawValue != 0,
                isWritable: event.events & Interest.writing.rawValue != 0)
        }
    }
}
