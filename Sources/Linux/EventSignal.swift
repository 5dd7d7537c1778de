// SPDX-License-Identifier: Apache-2.0
import CLinux

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

    /// Clears the signal; for a blocking one, waits for it first.
    public func wait() {
        var count: UInt64 = 0
        withUnsafeMutableBytes(of: &count) { bytes in
            // EAGAIN: it was cleared already, which is what the caller wants.
            _ = try? descriptor.read(into: bytes)
        }
    }
}
