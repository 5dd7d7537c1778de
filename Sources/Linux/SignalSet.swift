// SPDX-License-Identifier: Apache-2.0
import Glibc
import CLinux

/// Signals delivered as readable events instead of interrupting whatever runs.
public struct SignalSet: ~Copyable {
    /// What asks a program to end: a service manager, Ctrl-C, Ctrl-\ and a terminal that goes away.
    public static let ending = [SIGTERM, SIGINT, SIGQUIT, SIGHUP]

    private let descriptor: FileDescriptor

    /// Blocks `signals` in this thread and in every thread started after it, so only reading here sees them. Call it on
    /// the main thread before any other thread exists.
    public init(_ signals: [CInt]) throws(Errno) {
        descriptor = FileDescriptor(
            owning: try retryingOnInterrupt { clinux_signalfd(signals, CInt(signals.count)) })
    }

    public var number: CInt { descriptor.number }

    /// The next signal that arrived, or nil.
    public func next() -> CInt? {
        let signal = clinux_signalfd_read(descriptor.number)
        return signal < 0 ? nil : signal
    }
}
