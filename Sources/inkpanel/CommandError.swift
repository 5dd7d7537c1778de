// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Configuration
import Control
import Document
import Evidence
import Formats
import Glibc
import HostAPI
import Linux
import PNG
import Pad
import Pages
import Panel
import Record
import Screen
import Signing
import Store
import Touch

/// Why a command fails: a message for people, an exit status for scripts.
struct CommandError: Error {
    var message: String { lines.joined(separator: "; ") }
    /// One for each error.
    let lines: [String]
    /// Exit status of sysexits(3).
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
    static func unavailable(_ message: String) -> CommandError {
        CommandError(message: message, status: EX_UNAVAILABLE)
    }
    /// - Parameter option: names the path; nil if an argument does.
    static func cannotWrite(_ path: String, _ errno: Errno, option: String? = "--output") -> CommandError {
        let other = "another path" + (option.map { " with \($0)" } ?? "")
        return CommandError(
            message: "cannot write \(path): \(errno); choose \(other), in a directory that you can write to",
            status: EX_CANTCREAT)
    }
    static func cannotRead(_ path: String, _ errno: Errno) -> CommandError {
        CommandError(
            message: "cannot read \(path): \(errno)", status: errno == .permissionDenied ? EX_NOPERM : EX_NOINPUT)
    }
}

extension ParsableCommand {
    /// Runs `body` and reports an error as lines on standard error and an exit status.
    func reportingErrors(_ log: Log = Log(), _ body: () throws -> Void) throws {
        // A closed pipe then fails the write (EPIPE) instead of killing the process with the console in graphics mode.
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

// The exit status of each kind of error. The messages are those of the libraries.
extension CommandError {
    init(_ error: any Error) {
        switch error {
        case let error as CommandError: self = error
        case let error as ConfigurationError: self.init(lines: error.lines, status: Self.status(of: error))
        case let error as TouchError: self.init(message: error.message, status: Self.status(of: error))
        case let error as RecordingError: self.init(message: error.message, status: Self.status(of: error))
        case let error as ScreenError: self.init(message: error.description, status: Self.status(of: error))
        case let error as SealFault: self.init(message: error.description, status: EX_CONFIG)
        case EvidenceFileError.cannotRead(let path, let errno): self = .cannotRead(path, errno)
        case let error as EvidenceFileError: self = .unusableInput(error.description)
        case let error as EvidenceError: self.init(message: error.description, status: EX_DATAERR)
        case let error as StoreError: self.init(message: error.description, status: Self.status(of: error))
        case let error as ControlSocketError: self.init(message: error.description, status: Self.status(of: error))
        case let error as PanelClientError: self.init(message: error.description, status: Self.status(of: error))
        case let error as DocumentHelperError: self.init(message: error.description, status: Self.status(of: error))
        case is DocumentPlanFault, is AppearanceFault, is FieldTextFault, is SignedFileFault,
            is SignedPictureFault, is DocumentComparisonFault:
            self.init(message: "\(error)", status: EX_DATAERR)
        case let error as SignedDocumentError: self.init(message: error.description, status: EX_SOFTWARE)
        case is ImportError, is ExportError, is PNGError: self.init(message: "\(error)", status: EX_DATAERR)
        case is TextError: self.init(message: "\(error)", status: EX_UNAVAILABLE)
        case let error as Errno: self.init(message: "a system call failed: \(error)", status: EX_OSERR)
        default: self.init(message: "\(error)", status: EX_SOFTWARE)
        }
    }

    private static func status(of error: TouchError) -> Int32 {
        switch error {
        case .refused: EX_NOPERM
        case .cannotList(_, .noSuchFile): EX_UNAVAILABLE
        case .cannotOpen, .notAnInputDevice, .cannotList: EX_NOINPUT
        case .unusable: EX_DATAERR
        case .deviceGone: EX_UNAVAILABLE
        case .readFailed: EX_IOERR
        }
    }

    private static func status(of error: DocumentHelperError) -> Int32 {
        switch error {
        case .notInstalled, .noAnswer, .stopped: EX_UNAVAILABLE
        case .refused(let fault):
            switch fault.name {
            case .missingProgram: EX_UNAVAILABLE
            case .failed, .badRequest: EX_SOFTWARE
            default: EX_DATAERR
            }
        case .tooSlow: EX_DATAERR
        case .wrongAnswer: EX_SOFTWARE
        }
    }

    private static func status(of error: ConfigurationError) -> Int32 {
        switch error {
        case .cannotRead(_, .permissionDenied): EX_NOPERM
        case .cannotRead: EX_NOINPUT
        case .tooLarge, .wrong, .cannotEdit, .overridden: EX_CONFIG
        }
    }

    private static func status(of error: StoreError) -> Int32 {
        switch error {
        case .failed(_, _, .permissionDenied), .unsafe: EX_NOPERM
        case .diskFull, .failed, .inUse, .fullDirectory: EX_CANTCREAT
        case .exists, .missing: EX_NOINPUT
        case .undelivered: EX_UNAVAILABLE
        case .unreadable, .damaged, .renamed, .refused, .encrypted, .unsealed: EX_DATAERR
        case .seals, .onMedium, .restoring: EX_CONFIG
        case .encryption, .unsigned: EX_SOFTWARE
        }
    }

    private static func status(of error: RecordingError) -> Int32 {
        switch error {
        case .cannotOpen(_, .permissionDenied): EX_NOPERM
        case .cannotOpen, .notAFile: EX_NOINPUT
        case .readFailed: EX_IOERR
        case .malformed, .lineTooLong, .tooManyEvents, .tooLarge, .noEvents, .noDescription: EX_DATAERR
        }
    }

    private static func status(of error: ScreenError) -> Int32 {
        switch error {
        case .refused: EX_NOPERM
        case .noCard, .noDisplay, .noSuchDisplay, .noFramebuffer, .cannotOpen, .lostMaster, .cardGone,
            .disconnected, .modeGone, .linkFailed, .otherTerminalShown:
            EX_UNAVAILABLE
        case .noBuffers: EX_OSERR
        case .badBuffer, .unusableFramebuffer, .modesetFailed, .callFailed, .flipTimedOut, .closed: EX_IOERR
        }
    }

    private static func status(of error: ControlSocketError) -> Int32 {
        switch error {
        case .noDirectory, .failed: EX_CANTCREAT
        case .pathTooLong, .notASocket, .noSuchGroup, .noSuchUser, .inheritance: EX_CONFIG
        case .inUse: EX_TEMPFAIL
        case .cannotGive: EX_NOPERM
        }
    }

    private static func status(of error: PanelClientError) -> Int32 {
        switch error {
        case .notRunning, .ended: EX_UNAVAILABLE
        case .denied: EX_NOPERM
        case .cannotConnect: EX_OSERR
        case .notUnderstood: EX_PROTOCOL
        case .refused(let error): Self.status(of: error)
        }
    }

    private static func status(of error: PanelError) -> Int32 {
        switch error {
        case .permissionDenied: EX_NOPERM
        case .busy, .beingStored, .notSigning, .tooManyConnections: EX_TEMPFAIL
        case .noSuchCapture: EX_NOINPUT
        case .unreadableCapture, .encrypted, .notExportable, .documentRefused: EX_DATAERR
        case .storeFailed: EX_IOERR
        case .invalidParameter: EX_USAGE
        case .notRunning, .tooSmallScreen, .missingGlyphs, .unavailable, .noSuchDocument: EX_UNAVAILABLE
        case .interfaceNotFound, .methodNotFound, .methodNotImplemented, .expectedMore, .malformedMessage: EX_PROTOCOL
        }
    }
}
