// SPDX-License-Identifier: Apache-2.0
import CLinux
public import Geometry
import Glibc

/// The one place where a thread waits: an epoll set of descriptors, each with a token chosen by the caller.
///
/// Level-triggered: if a handler does not drain its descriptor, the event is reported again.
public struct EventPoll: ~Copyable, Sendable {
    /// A ready descriptor.
    public struct Event: Sendable {
        public let token: UInt64
        /// The device or peer is gone (EPOLLERR or EPOLLHUP). Read the descriptor once more and remove it: it stays
        /// ready for ever and would keep a core busy.
        public let isHangup: Bool
        public let isReadable: Bool
        public let isWritable: Bool
    }

    /// The events to report for a descriptor. Hangups are always reported.
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

    /// The descriptor of the set itself, readable when one of its descriptors is ready; for another set.
    public var number: CInt { descriptor.number }

    /// Watches `number`. The caller keeps the descriptor open until it is removed.
    public func add(_ number: CInt, token: UInt64, for interest: Interest = .reading) throws(Errno) {
        try retryingOnInterrupt { clinux_epoll_add(descriptor.number, number, interest.rawValue, token) }
    }

    /// Changes what `number`, which was added before, is watched for.
    public func change(_ number: CInt, token: UInt64, to interest: Interest) throws(Errno) {
        try retryingOnInterrupt { clinux_epoll_change(descriptor.number, number, interest.rawValue, token) }
    }

    public func remove(_ number: CInt) throws(Errno) {
        try retryingOnInterrupt { clinux_epoll_remove(descriptor.number, number) }
    }

    /// Waits until a descriptor is ready.
    /// - Parameter deadline: when to return anyway, on ``MonotonicClock``; nil waits without end, which is what an idle
    ///   panel does.
    /// - Returns: the ready descriptors; none after a signal or when the time is over.
    public func wait(until deadline: Timestamp? = nil) throws(Errno) -> [Event] {
        // Rounded up: the kernel must not return before the deadline, or the caller would wait again in a loop.
        let milliseconds = deadline.map {
            Int32(clamping: (max(.zero, $0 - MonotonicClock.now) + .microseconds(999)).microseconds / 1000)
        }
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

/// A wake-up call from one thread to another, through an eventfd.
///
/// Signals are not counted: several before the receiver wakes are one.
public struct EventSignal: ~Copyable, Sendable {
    private let descriptor: FileDescriptor

    /// - Parameter blocking: true for a thread that waits in ``wait()``; false for one that polls ``number``.
    public init(blocking: Bool) throws(Errno) {
        descriptor = FileDescriptor(owning: try retryingOnInterrupt { clinux_eventfd(blocking ? 1 : 0) })
    }

    /// The descriptor, for ``EventPoll``.
    public var number: CInt { descriptor.number }

    /// Wakes the receiver. Any thread; never blocks in practice (the counter would have to reach 2^64 - 1).
    public func signal() {
        var one: UInt64 = 1
        withUnsafeBytes(of: &one) { bytes in
            // EAGAIN: the counter is full, so the receiver already has a wake-up waiting.
            try? descriptor.writeAll(bytes)
        }
    }

    /// Clears the signal; a blocking one waits for it first.
    public func wait() {
        // EAGAIN: there was no signal to clear.
        descriptor.readCounter()
    }

    /// Waits like ``wait()``, but at most until a time of ``MonotonicClock``.
    public func wait(until time: Timestamp) {
        // An interruption counts as a wake-up: the caller checks its work and waits again.
        let rest = max(.zero, time - MonotonicClock.now)
        if clinux_wait_readable(descriptor.number, rest.clampedNanoseconds) > 0 { wait() }
    }
}

/// A one-shot timer on ``MonotonicClock``. Its descriptor becomes readable when it fires. It is disarmed at first, so
/// an idle program has no timer running.
public struct Timer: ~Copyable, Sendable {
    private let descriptor: FileDescriptor
    /// The time that it is armed for; nil after ``disarm()``, or after ``acknowledge()`` when it has
    /// fired.
    public private(set) var deadline: Timestamp?

    public init() throws(Errno) {
        descriptor = FileDescriptor(owning: try retryingOnInterrupt { clinux_timerfd() })
    }

    /// The descriptor, for ``EventPoll``.
    public var number: CInt { descriptor.number }

    /// Fires at a time of ``MonotonicClock``, immediately if that is past. Replaces an earlier time; nil disarms. Makes
    /// no system call if that is the time already.
    public mutating func arm(at time: Timestamp?) throws(Errno) {
        if time == deadline { return }
        // Zero disarms (timerfd_settime(2)).
        let nanoseconds = time.map { max(1, ($0 - .zero).clampedNanoseconds) } ?? 0
        try retryingOnInterrupt { clinux_timerfd_set(descriptor.number, nanoseconds) }
        deadline = time
    }

    public mutating func disarm() throws(Errno) { try arm(at: nil) }

    /// Consumes the expiry, so that the descriptor is no longer readable. Does nothing if the timer has not fired.
    public mutating func acknowledge() {
        // Nil: armed again between the wake-up and this call.
        if descriptor.readCounter() != nil { deadline = nil }
    }
}

extension Duration {
    /// The time for the kernel, clamped to 64 bits: 292 years.
    fileprivate var clampedNanoseconds: Int64 {
        let (nanoseconds, isOverflow) = microseconds.multipliedReportingOverflow(by: 1000)
        return isOverflow ? (microseconds < 0 ? .min : .max) : nanoseconds
    }
}

extension FileDescriptor {
    /// Reads the counter of an eventfd or a timerfd, which sets it to 0.
    /// - Returns: nil if it is 0 already.
    @discardableResult
    fileprivate func readCounter() -> UInt64? {
        var count: UInt64 = 0
        return withUnsafeMutableBytes(of: &count) { (try? read(into: $0)) != nil } ? count : nil
    }
}
