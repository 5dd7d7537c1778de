// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Formats
import Glibc
import Linux
import Touch

/// Benchmarks that print figures and judge none. `make bench` and `make bench-peers` build and run them.
@main
struct InkpanelBench: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inkpanel-bench",
        abstract: "Measure the panel, its delay, the ink, the rasterizer or the evidence on this machine.",
        subcommands: [PanelBench.self, LatencyBench.self, InkBench.self, RasterBench.self, EvidenceBench.self],
        defaultSubcommand: PanelBench.self)
}

/// Why a benchmark ends early.
struct BenchError: Error {
    var message: String
    /// Exit status of sysexits(3).
    var status: Int32

    init(_ message: String, status: Int32) {
        self.message = message
        self.status = status
    }

    static func cannotRead(_ path: String, _ errno: Errno) -> BenchError {
        BenchError("cannot read \(path): \(errno)", status: errno == .permissionDenied ? EX_NOPERM : EX_NOINPUT)
    }

    /// - Parameter option: names the path.
    static func cannotWrite(_ path: String, _ errno: Errno, option: String) -> BenchError {
        BenchError("cannot write \(path): \(errno); name another place with \(option)", status: EX_CANTCREAT)
    }

    init(_ error: any Error) {
        switch error {
        case let error as BenchError: self = error
        case is RasterWorkloadError, is ImportError, is TouchError: self.init("\(error)", status: EX_DATAERR)
        case RecordingError.cannotOpen, RecordingError.notAFile: self.init("\(error)", status: EX_NOINPUT)
        case is RecordingError: self.init("\(error)", status: EX_DATAERR)
        default: self.init("\(error)", status: EX_SOFTWARE)
        }
    }
}

extension ParsableCommand {
    /// Runs `body`; an error becomes one line on standard error and an exit status.
    func reportingErrors(_ body: () throws -> Void) throws {
        // A closed pipe then fails the write instead of killing the process.
        signal(SIGPIPE, SIG_IGN)
        do {
            try body()
        } catch {
            let failure = BenchError(error)
            Log().error(failure.message)
            throw ExitCode(failure.status)
        }
    }
}

/// Prints text to standard output at once, without control characters.
func printResult(_ text: String) throws(BenchError) {
    do throws(Errno) {
        let output = FileDescriptor(owning: try retryingOnInterrupt { dup(STDOUT_FILENO) })
        try output.writeAll(Array(text.printableLines.utf8))
    } catch {
        throw BenchError("cannot write to standard output: \(error)", status: EX_IOERR)
    }
}

/// - Parameter option: names the path.
func writeFile(_ bytes: [UInt8], to path: String, option: String) throws(BenchError) {
    do throws(Errno) { try AtomicFile.write(bytes, to: path, permissions: 0o600) } catch {
        throw .cannotWrite(path, error, option: option)
    }
}
