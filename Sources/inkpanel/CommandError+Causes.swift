// SPDX-License-Identifier: Apache-2.0
import Configuration
import Control
import Formats
import Glibc
import Linux
import Pad
import Record
import Screen
import Store
import Text
import Touch

// Which exit status each kind of failure has. The words are those of the module where it happened.
extension CommandError {
    init(_ error: any Error) {
        switch error {
        case let error as CommandError: self = error
        case let error as TouchError: self.init(error)
        case let error as RecordingError: self.init(error)
        case let error as ScreenError: self.init(error)
        case let error as ImportError: self.init(message: error.description, status: EX_DATAERR)
        case let error as ControlClientError: self.init(error)
        case let error as ControlSocketError: self.init(error)
        case let error as RecordExportError: self.init(message: error.description, status: EX_DATAERR)
        case let error as StoreError: self.init(error)
        case let error as ExportError: self.init(message: error.description, status: EX_DATAERR)
        case let error as TextError: self.init(message: error.description, status: EX_UNAVAILABLE)
        case let error as ConfigurationError: self.init(error)
        case let error as Errno: self.init(message: "a system call failed: \(error)", status: EX_OSERR)
        default: self.init(message: "\(error)", status: EX_SOFTWARE)
        }
    }

    init(_ error: TouchError) {
        let status: Int32 =
            switch error {
            case .refused: EX_NOPERM
            case .cannotList(_, .noSuchFile): EX_UNAVAILABLE
            case .cannotOpen, .notAnInputDevice, .cannotList: EX_NOINPUT
            case .unusable: EX_DATAERR
            case .deviceGone: EX_UNAVAILABLE
            case .readFailed: EX_IOERR
            }
        self.init(message: error.message, status: status)
    }

    init(_ error: ConfigurationError) {
        let status: Int32 =
            switch error {
            case .cannotRead(_, .permissionDenied): EX_NOPERM
            case .cannotRead: EX_NOINPUT
            case .tooLarge, .wrong, .cannotEdit: EX_CONFIG
            }
        self.init(lines: error.lines, status: status)
    }

    init(_ error: StoreError) {
        let status: Int32 =
            switch error {
            case .failed(_, _, .permissionDenied): EX_NOPERM
            case .diskFull, .failed, .inUse, .fullDirectory: EX_CANTCREAT
            case .exists, .missing: EX_NOINPUT
            case .unreadable, .renamed, .refused: EX_DATAERR
            }
        self.init(message: error.description, status: status)
    }

    init(_ error: RecordingError) {
        let status: Int32 =
            switch error {
            case .cannotOpen(_, .permissionDenied): EX_NOPERM
            case .cannotOpen, .notAFile: EX_NOINPUT
            case .readFailed: EX_IOERR
            case .malformed, .lineTooLong, .tooManyEvents, .tooLarge, .noEvents, .noDescription: EX_DATAERR
            }
        self.init(message: error.message, status: status)
    }

    init(_ error: ScreenError) {
        let status: Int32 =
            switch error {
            case .refused: EX_NOPERM
            case .noCard, .noDisplay, .noSuchDisplay, .noFramebuffer, .cannotOpen, .lostMaster, .cardGone,
                .disconnected, .modeGone, .linkFailed, .away:
                EX_UNAVAILABLE
            case .noBuffers: EX_OSERR
            case .badBuffer, .unusableFramebuffer, .modesetFailed, .callFailed, .flipTimedOut, .closed: EX_IOERR
            }
        self.init(message: error.description, status: status)
    }

    init(_ error: ControlSocketError) {
        let status: Int32 =
            switch error {
            case .noDirectory, .failed: EX_CANTCREAT
            case .pathTooLong, .notASocket, .noSuchGroup, .inheritance: EX_CONFIG
            case .inUse: EX_TEMPFAIL
            case .cannotGive: EX_NOPERM
            }
        self.init(message: error.description, status: status)
    }

    init(_ error: ControlClientError) {
        let status: Int32 =
            switch error {
            case .notRunning, .ended: EX_UNAVAILABLE
            case .denied: EX_NOPERM
            case .cannotConnect: EX_OSERR
            case .notUnderstood: EX_PROTOCOL
            case .refused(let error): Self.status(of: error)
            }
        self.init(message: error.description, status: status)
    }

    private static func status(of error: PanelError) -> Int32 {
        switch error {
        case .permissionDenied: EX_NOPERM
        case .busy, .beingStored, .tooManyConnections: EX_TEMPFAIL
        case .noSuchCapture: EX_NOINPUT
        case .unreadableCapture, .notExportable: EX_DATAERR
        case .storeFailed: EX_IOERR
        case .invalidParameter: EX_USAGE
        case .notRunning, .tooSmallScreen, .unavailable: EX_UNAVAILABLE
        case .interfaceNotFound, .methodNotFound, .methodNotImplemented, .expectedMore, .malformedMessage: EX_PROTOCOL
        }
    }
}
