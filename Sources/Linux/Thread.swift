// SPDX-License-Identifier: Apache-2.0
import CLinux
import Glibc

/// A named POSIX thread.
///
/// Not a dispatch queue or a task: threads of their pools may wait a whole scheduler slice when the processors are
/// busy. Their worst delay was ten times that of a thread woken through an eventfd.
public struct Thread: ~Copyable {
    private let thread: pthread_t

    private final class Body {
        let name: String
        let run: @Sendable () -> Void
        init(name: String, run: @escaping @Sendable () -> Void) {
            self.name = name
            self.run = run
        }
    }

    /// Starts `run` on a new thread.
    /// - Parameter name: shown by ps and gdb; the kernel keeps 15 bytes.
    public init(name: String, run: @escaping @Sendable () -> Void) throws(Errno) {
        let body = Unmanaged.passRetained(Body(name: name, run: run))
        var thread = pthread_t()
        let error = pthread_create(
            &thread, nil,
            { argument in
                let body = Unmanaged<Body>.fromOpaque(argument!).takeRetainedValue()
                // The kernel refuses a name that is too long; the thread runs anyway.
                _ = clinux_thread_set_name(body.name)
                body.run()
                return nil
            }, body.toOpaque())
        if error != 0 {
            body.release()
            throw Errno(code: error)
        }
        self.thread = thread
    }

    /// Processor time that the calling thread has used, in nanoseconds.
    public static var processorNanoseconds: Int64 { clinux_thread_processor_ns() }

    /// Asks for short slices of a busy processor for the calling thread: it gets no more of it, but waits less after it
    /// wakes. Works since Linux 6.12 (sched_setattr(2), EEVDF), and needs no privilege; otherwise nothing changes.
    public static func useShortSlices() { _ = clinux_thread_set_slice(100_000) }

    /// Waits for the thread to return.
    public consuming func join() { pthread_join(thread, nil) }
}

/// Signals delivered as readable events, instead of interrupting the program.
public struct SignalSet: ~Copyable {
    /// Signals that ask a program to end: from a service manager, Ctrl-C, Ctrl-\ and a terminal that is closed.
    public static let ending = [SIGTERM, SIGINT, SIGQUIT, SIGHUP]

    private let descriptor: FileDescriptor

    /// Blocks `signals` in this thread and in every thread started after it, so that they cannot end the program before
    /// a set reads them. Call it before acquiring anything that must be restored at the end.
    public static func block(_ signals: [CInt]) throws(Errno) {
        try retryingOnInterrupt { clinux_block_signals(signals, CInt(signals.count)) }
    }

    /// Reads `signals`, including those that arrived since they were blocked.
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

/// The memory that malloc(3) holds. For a program that runs for months on a small board and sometimes needs a lot of
/// memory for a moment.
public enum Heap {
    /// Makes malloc return blocks of a mebibyte and more to the kernel when they are freed. By default glibc raises
    /// that size to 32 MiB after the first large block, and keeps smaller ones (mallopt(3), M_MMAP_THRESHOLD). Call it
    /// when the program starts.
    public static func keepNoLargeBlocks() { clinux_heap_set_mmap_threshold(1 << 20) }

    /// Returns free memory to the kernel, after a job with very many small blocks (malloc_trim(3)). Takes milliseconds.
    /// Any thread.
    public static func trim() { clinux_heap_trim() }
}
