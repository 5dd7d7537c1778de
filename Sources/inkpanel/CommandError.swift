// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Glibc
import Linux

/// Why a command ends: one line for the person, one number for scripts.
struct CommandError: Error {
    /// All of it in one; what is in it from outside, such as a panel's reason, makes no line of its own.
    var message: String { lines.joined(separator: "; ") }
    /// More than one where several things are wrong.
    let lines: [String]
    /// As in sysexits(3).
    let status: Int32

    init(lines: [String], status: Int32) {
        self.lines = lines
        self.status = status
    }

    init(message: String, status: Int32) { self.init(lines: [message], status: status) }

    static func unusableInput(_ message: String) -> CommandError { CommandError(message: message, status: EX_DATAERR) }
    static func wrongUsage(_ message: String) -> CommandError { CommandError(message: message, status: EX_USAGE) }
    static func wrongConfiguration(_ message: String) -> CommandError {
        CommandError(message: message, status: EX_CONFIG)
    }
    static func missingInput(_ message: String) -> CommandError { CommandError(message: message, status: EX_NOINPUT) }
    static func unavailable(_ message: String) -> CommandError {
        CommandError(message: message, status: EX_UNAVAILABLE)
    }
    static func notPermitted(_ message: String) -> CommandError { CommandError(message: message, status: EX_NOPERM) }
    /// - Parameter option: what names the place.
    static func cannotWrite(_ path: String, _ errno: Errno, option: String = "--output") -> CommandError {
        CommandError(
            message: "cannot write \(path): \(errno); name another place with \(option), in a directory that is yours",
            status: EX_CANTCREAT)
    }
    static func cannotRead(_ path: String, _ errno: Errno) -> CommandError {
        switch errno {
        case .permissionDenied: .notPermitted("cannot read \(path): \(errno)")
        default: .missingInput("cannot read \(path): \(errno)")
        }
    }
}

extension ParsableCommand {
    /// Runs `body`; an error becomes a line on standard error, or several, and an exit status.
    func reportingErrors(_ log: Log = Log(), _ body: () throws -> Void) throws {
        // A reader that goes away is an error of the write (EPIPE), not a death that leaves the console in graphics
        // mode.
        signal(SIGPIPE, SIG_IGN)
        do {
            try body()
        } catch let exit as ExitCode {
            throw exit
        } catch {
            let failure = CommandError(error)
            for line in failure.lines { log.error(line) }
            throw ExitCode(failure.status)
        }
    }
}
