// SPDX-License-Identifier: Apache-2.0
import CLinux
import Glibc

/// A program that reads a file from its standard input and writes another to its standard output.
public struct FilterProgram: Sendable {
    /// The reason why there is no output.
    public enum Failure: Error, Equatable, Sendable {
        /// The program could not be started; ``Errno/noSuchFile`` if it is not installed.
        case notStarted(Errno)
        /// It was killed at the deadline.
        case tooSlow
        /// It was killed, because the ``Exchange/Stop`` was set.
        case stopped
        /// It was killed, because it wrote more than it may.
        case tooLong
        case ended(status: CInt)
        case killed(signal: CInt)
        case failed(Errno)
    }

    public var path: String
    /// The arguments, without the program's name.
    public var arguments: [String]
    /// Items of the form NAME=VALUE; the program gets no others.
    public var environment: [String]

    public init(path: String, arguments: [String], environment: [String] = []) {
        self.path = path
        self.arguments = arguments
        self.environment = environment
    }

    /// The results of a program that has ended by itself.
    public struct Outcome: Sendable {
        /// How it ended.
        public enum End: Equatable, Sendable {
            case status(CInt)
            case signal(CInt)
        }

        public var output: [UInt8]
        /// The beginning of what it wrote to standard error: what a pipe holds, 64 KiB, of any kind.
        public var errors: [UInt8]
        public var end: End

        /// The first line of ``errors``, without its end: 500 bytes at most.
        public var message: [UInt8] { Array(errors.prefix(500).prefix { $0 != UInt8(ascii: "\n") }) }
    }

    /// Runs the program to its end. Its standard error is lost. Any thread, which must ignore SIGPIPE: a program may
    /// end without reading everything.
    /// - Parameters:
    ///   - input: pieces that the program reads one after the other.
    ///   - mostOutput: bytes that it may write.
    ///   - deadline: the time of ``MonotonicClock/nanoseconds`` at which the program is killed.
    public func run(input: [[UInt8]], mostOutput: Int, deadline: Int64) throws(Failure) -> [UInt8] {
        let outcome = try outcome(input: input, mostOutput: mostOutput, deadline: deadline)
        switch outcome.end {
        case .status(0): return outcome.output
        case .status(let status): throw .ended(status: status)
        case .signal(let signal): throw .killed(signal: signal)
        }
    }

    /// Runs the program as ``run(input:mostOutput:deadline:)`` does. Its output counts however it ends.
    public func outcome(
        input: [[UInt8]], mostOutput: Int, deadline: Int64, stop: Exchange.Stop? = nil
    ) throws(Failure) -> Outcome {
        // Swift 6.0.3 crashes on three noncopyable pipes here, so these are numbers.
        var ends: [CInt] = []
        let pid: pid_t
        do throws(Failure) {
            ends += try Self.pipe()
            ends += try Self.pipe()
            // This pipe is read only at the end: what does not fit is lost, and the program does not wait.
            ends += try Self.pipe(flags: O_NONBLOCK)
            pid = try start(input: ends[0], output: ends[3], errors: ends[5])
        } catch {
            for end in ends { close(end) }
            throw error
        }
        // The program's ends are closed here, so that its end is seen.
        for end in [ends[0], ends[3], ends[5]] { close(end) }
        return try Self.finish(
            pid, input, to: FileDescriptor(owning: ends[1]), from: FileDescriptor(owning: ends[2]),
            errors: FileDescriptor(owning: ends[4]), mostOutput: mostOutput, deadline: deadline, stop: stop)
    }

    private static func finish(
        _ pid: pid_t, _ input: [[UInt8]], to writeEnd: consuming FileDescriptor,
        from readEnd: consuming FileDescriptor, errors messages: consuming FileDescriptor, mostOutput: Int,
        deadline: Int64, stop: Exchange.Stop?
    ) throws(Failure) -> Outcome {
        let exchange: Result<[UInt8], Failure>
        do throws(Exchange.Failure) {
            let output = try Exchange.run(
                input, to: writeEnd, from: readEnd, mostOutput: mostOutput, deadline: deadline, stop: stop)
            exchange = .success(output)
        } catch {
            kill(pid, SIGKILL)
            switch error {
            case .tooSlow: exchange = .failure(.tooSlow)
            case .stopped: exchange = .failure(.stopped)
            case .tooLong: exchange = .failure(.tooLong)
            case .failed(let error): exchange = .failure(.failed(error))
            }
        }
        let status = wait(for: pid, until: deadline)
        let output = try exchange.get()
        // The signal is in the lower bits (wait(2)).
        if status & 0x7F == SIGKILL, MonotonicClock.nanoseconds >= deadline { throw .tooSlow }
        let signal = status & 0x7F
        return Outcome(
            output: output, errors: contents(of: messages),
            end: signal != 0 ? .signal(signal) : .status(status >> 8 & 0xFF))
    }

    /// Reads the bytes that the pipe holds now. It does not read to the end: other processes may still have the other
    /// end.
    private static func contents(of pipe: borrowing FileDescriptor) -> [UInt8] {
        var contents: [UInt8] = []
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        // A process that still writes must not keep this one.
        while contents.count < bytes.count, let count = try? pipe.read(into: &bytes), count > 0 {
            contents += bytes[..<count]
        }
        return contents
    }

    /// Makes a pipe that other programs do not inherit.
    /// - Returns: the end to read, then the end to write.
    private static func pipe(flags: CInt = 0) throws(Failure) -> [CInt] {
        var ends: [CInt] = [0, 0]
        do throws(Errno) { try retryingOnInterrupt { clinux_pipe(&ends, flags) } } catch { throw .failed(error) }
        return ends
    }

    private func start(input: CInt, output: CInt, errors: CInt) throws(Failure) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
        posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
        posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO)
        // The program does not inherit the signals that are ignored or blocked here.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var (ignored, none) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        sigemptyset(&ignored)
        sigaddset(&ignored, SIGPIPE)
        posix_spawnattr_setsigdefault(&attributes, &ignored)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))
        var argv: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) } + [nil]
        var variables: [UnsafeMutablePointer<CChar>?] = environment.map { strdup($0) } + [nil]
        defer { for text in argv + variables { free(text) } }
        var pid = pid_t()
        let error = posix_spawn(&pid, path, &actions, &attributes, &argv, &variables)
        if error != 0 { throw .notStarted(Errno(code: error)) }
        return pid
    }

    /// Waits for the end of the program, and kills it at the deadline.
    /// - Returns: the status of waitpid(2).
    private static func wait(for pid: pid_t, until deadline: Int64) -> CInt {
        var status: CInt = 0
        while true {
            let ended = waitpid(pid, &status, WNOHANG)
            if ended == pid { return status }
            if ended < 0, Errno.current != .interrupted { return 0 }
            if MonotonicClock.nanoseconds >= deadline { kill(pid, SIGKILL) }
            // It has closed its output, or it was killed: it ends at once.
            usleep(1000)
        }
    }
}
