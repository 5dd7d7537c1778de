// SPDX-License-Identifier: Apache-2.0
import Glibc

/// A program that reads a file from its standard input and writes another to its standard output.
public struct FilterProgram: Sendable {
    /// Why there is no output.
    public enum Failure: Error, Equatable, Sendable {
        /// The program could not be started; ``Errno/noSuchFile`` if it is not installed.
        case notStarted(Errno)
        /// It was killed at the deadline.
        case tooSlow
        /// It was killed, because it wrote more than it may.
        case tooLong
        case ended(status: CInt)
        case killed(signal: CInt)
        case failed(Errno)
    }

    public var path: String
    /// Without the program's name.
    public var arguments: [String]
    /// Items of the form NAME=VALUE; the program gets no others.
    public var environment: [String]

    public init(path: String, arguments: [String], environment: [String] = []) {
        self.path = path
        self.arguments = arguments
        self.environment = environment
    }

    /// Runs the program to its end. What it writes to standard error is lost. Any thread, which must ignore SIGPIPE:
    /// a program may end without reading everything.
    /// - Parameters:
    ///   - input: pieces that the program reads one after the other.
    ///   - mostOutput: bytes that it may write.
    ///   - deadline: of ``MonotonicClock/nanoseconds``. The program is killed then.
    ///   - acceptsFailure: an exit status other than 0 is no failure.
    public func run(
        input: [[UInt8]], mostOutput: Int, deadline: Int64, acceptsFailure: Bool = false
    ) throws(Failure) -> [UInt8] {
        let (toProgram, fromProgram) = (try Self.pipe(), try Self.pipe())
        let writeEnd = FileDescriptor(owning: toProgram.write)
        let readEnd = FileDescriptor(owning: fromProgram.read)
        let pid: pid_t
        do {
            // Closed here, so that the program's end is seen.
            let input = FileDescriptor(owning: toProgram.read)
            let output = FileDescriptor(owning: fromProgram.write)
            pid = try start(input: input.number, output: output.number)
        }
        let exchange: Result<[UInt8], Failure>
        do throws(Exchange.Failure) {
            let output = try Exchange.run(
                input, to: writeEnd, from: readEnd, mostOutput: mostOutput, deadline: deadline)
            exchange = .success(output)
        } catch {
            kill(pid, SIGKILL)
            switch error {
            case .tooSlow: exchange = .failure(.tooSlow)
            case .tooLong: exchange = .failure(.tooLong)
            case .failed(let error): exchange = .failure(.failed(error))
            }
        }
        let status = Self.wait(for: pid, until: deadline)
        let output = try exchange.get()
        // The signal is in the lower bits (wait(2)).
        if status & 0x7F == SIGKILL, MonotonicClock.nanoseconds >= deadline { throw .tooSlow }
        if status & 0x7F != 0 { throw .killed(signal: status & 0x7F) }
        if status != 0, !acceptsFailure { throw .ended(status: status >> 8 & 0xFF) }
        return output
    }

    /// A pipe that other programs do not inherit.
    private static func pipe() throws(Failure) -> (read: CInt, write: CInt) {
        var ends: [CInt] = [0, 0]
        do throws(Errno) {
            try retryingOnInterrupt { Glibc.pipe(&ends) }
            for end in ends { try retryingOnInterrupt { fcntl(end, F_SETFD, FD_CLOEXEC) } }
        } catch {
            throw .failed(error)
        }
        return (ends[0], ends[1])
    }

    private func start(input: CInt, output: CInt) throws(Failure) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
        posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
        // The program does not inherit what is ignored or blocked here.
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
