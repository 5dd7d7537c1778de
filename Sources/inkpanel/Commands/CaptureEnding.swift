// SPDX-License-Identifier: Apache-2.0
import Pad
import Control
import Glibc
import Record

/// How a capture's end is told to scripts.
enum CaptureEnding {
    // Beside those of sysexits(3), which begin at 64, and 1, which anything may mean.
    static let cancelled: Int32 = 10
    static let timedOut: Int32 = 11

    /// - Throws: for all that leave no record.
    static func check(_ outcome: CaptureOutcome) throws(CommandError) {
        switch outcome {
        case .accepted: return
        case .cancelled(by: .person):
            throw CommandError(message: "cancelled: the person does not want to sign", status: cancelled)
        case .cancelled(by: .host): throw CommandError(message: "cancelled, not by the person", status: cancelled)
        case .timedOut(.inactivity):
            throw CommandError(message: "timed out: nobody has touched the panel for too long", status: timedOut)
        case .timedOut(.total): throw CommandError(message: "timed out: the time to sign is over", status: timedOut)
        case .failed(let reason):
            throw CommandError(message: "the signature could not be stored: \(reason)", status: EX_IOERR)
        }
    }

    /// A call that ended without a capture.
    static func refusal(_ error: ControlClientError) -> CommandError {
        guard case .refused(.storeFailed(let reason, _)) = error else { return CommandError(error) }
        return CommandError(
            message: "nobody is asked for a signature, because it could not be stored: \(reason)", status: EX_IOERR)
    }

    /// An accepted signature whose file could not be left.
    static func withoutFile(_ id: CaptureID, _ error: any Error) -> CommandError {
        let message = CommandError(error).message
        switch error {
        // It was stored, or it would not have been accepted, but whoever runs this must not rely on that any more.
        case ControlClientError.refused(.noSuchCapture):
            return CommandError(
                message: "the signature was accepted, and its record \(id) is not in the store any more: somebody, or a "
                    + "limit in [record], has removed it; the panel's log says which", status: EX_IOERR)
        case ControlClientError.refused(.unreadableCapture):
            return CommandError(
                message: "the signature was accepted, and its record is damaged: \(message)", status: EX_IOERR)
        default:
            return CommandError(
                message: "\(message); the signature is stored: inkpanel export \(id)", status: EX_CANTCREAT)
        }
    }
}
