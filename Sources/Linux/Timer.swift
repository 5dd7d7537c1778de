// SPDX-License-Identifier: Apache-2.0
import CLinux

/// A one-shot timer on ``MonotonicClock``, readable by ``EventPoll`` when it fires. Disarmed until it is armed, so an
/// idle program has none running.
public struct Timer: ~Copyable, Sendable {
    private let descriptor: FileDescriptor

    public init() throws(Errno) {
        descriptor = FileDescriptor(owning: try retryingOnInterrupt { clinux_timerfd() })
    }

    public var number: CInt { descriptor.number }

    /// Fires at `nanoseconds` on ``MonotonicClock``, at once when that is past. Replaces an earlier arming.
    public func arm(at nanoseconds: Int64) throws(Errno) {
        // Zero would disarm (timerfd_settime(2)).
        try retryingOnInterrupt { clinux_timerfd_set(descriptor.number, max(nanoseconds, 1)) }
    }

    public func disarm() throws(Errno) {
        try retryingOnInterrupt { clinux_timerfd_set(descriptor.number, 0) }
    }

    /// Takes the expiry, so that the descriptor is not ready any more.
    public func acknowledge() {
        var count: UInt64 = 0
        withUnsafeMutableBytes(of: &count) { bytes in
            // EAGAIN: re-armed between the wake-up and this call.
            _ = try? descriptor.read(into: bytes)
        }
    }
}
