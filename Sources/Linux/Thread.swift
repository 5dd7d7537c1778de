// SPDX-License-Identifier: Apache-2.0
import CLinux
import Glibc

/// A named POSIX thread.
///
/// Not a dispatch queue or a task: their pool threads may wait a whole scheduler slice when the processors are busy
/// (worst case measured ten times that of a thread woken through an eventfd).
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
        let error = pthread_create(&thread, nil, { argument in
            let body = Unmanaged<Body>.fromOpaque(argument!).takeRetainedValue()
            // A name that is refused (too long) is no reason not to run.
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

    /// Nanoseconds of processor time that the calling thread has used: what its work costs, whatever else the machine
    /// does.
    public static var processorNanoseconds: Int64 { clinux_thread_processor_ns() }

    /// Waits for the thread to return.
    public consuming func join() { pthread_join(thread, nil) }
}
