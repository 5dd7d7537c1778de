// SPDX-License-Identifier: Apache-2.0
import CLinux
import Glibc

/// "Something is there", from one thread to another, over an eventfd.
///
/// Several signals before the receiver looks are one: the receiver drains its mailbox, it does not count.
public struct EventSignal: ~Copyable, Sendable {
    private let descriptor: FileDescriptor

    /// - Parameter blocking: true for a thread that waits in ``wait()``; false for one that polls ``number``.
    public init(blocking: Bool) throws(Errno) {
        descriptor = FileDescriptor(owning: try retryingOnInterrupt { clinux_eventfd(blocking ? 1 : 0) })
    }

    /// For ``EventPoll/add(_:token:)``.
    public var number: CInt { descriptor.number }

    /// Wakes the receiver. Any thread; never blocks in practice (the counter would have to reach 2^64 - 1).
    public func signal() {
        var one: UInt64 = 1
        withUnsafeBytes(of: &one) { bytes in
            // EAGAIN means the counter is full, that is: the receiver has a wake-up waiting already.
            try? descriptor.writeAll(bytes)
        }
    }

    /// As ``wait()``, but no longer than until `nanoseconds` on ``MonotonicClock``, to the millisecond after it.
    public func wait(until nanoseconds: Int64) {
        let rest = max(0, nanoseconds - MonotonicClock.nanoseconds)
        var request = pollfd(fd: descriptor.number, events: Int16(POLLIN), revents: 0)
        // Interrupted is as good as woken: the caller looks at its work and waits again.
        if poll(&request, 1, CInt(clamping: rest / 1_000_000 + 1)) > 0 { wait() }
    }

    /// Clears the signal; for a blocking one, waits for it first.
    public func wait() {
        var count: UInt64 = 0
        withUnsafeMutableBytes(of: &count) { bytes in
            // EAGAIN: it was cleared already, which is what the caller wants.
            _ = try? descriptor.read(into: bytes)
        }
    }
}
