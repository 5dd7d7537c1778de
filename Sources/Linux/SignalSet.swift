// SPDX-License-Identifier: Apache-2.0
import Glibc
import CLinux

/// Signals delivered as readable events instead of interrupting whatever runs.
public struct SignalSet: ~Copyable {
    /// What asks a program to end: a service manager, Ctrl-C, Ctrl-\ and a terminal that goes away.
    public static let ending = [SIGTERM, SIGINT, SIGQUIT, SIGHUP]

    private let descriptor: FileDescriptor

    /// Holds `signals` back in this thread and in every thread started after it, so that none of them ends the program
    /// before a set of them is read. Call it first of all, before anything that must be put back is taken.
    public static func block(_ signals: [CInt]) throws(Errno) {
        try retryingOnInterrupt { clinux_block_signals(signals, CInt(signals.count)) }
    }

    /// Reads `signals`, those that arrived since they were blocked included.
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
