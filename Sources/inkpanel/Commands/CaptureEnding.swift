// SPDX-License-Identifier: Apache-2.0
import Capture
import Control
import Glibc

/// How a capture's end is told to scripts.
enum CaptureEnding {
    // Beside those of sysexits(3), which begin at 64, and 1, which anything may mean.
    static let cancelled: Int32 = 10
    static let timedOut: Int32 = 11

    /// - Throws: for all that leave no record.
    static func check(_ result: CaptureOutcome.Result) throws(CommandError) {
        switch result {
        case .accepted: return
        case .cancelledByPerson:
            throw CommandError(message: "cancelled: the person does not want to sign", status: cancelled)
        case .cancelledByHost: throw CommandError(message: "cancelled, not by the person", status: cancelled)
        case .timedOut(.inactivity):
            throw CommandError(message: "timed out: nobody has touched the panel for too long", status: timedOut)
        case .timedOut(.total): throw CommandError(message: "timed out: the time to sign is over", status: timedOut)
        case .failed(let reason):
            throw CommandError(message: "the signature could not be stored: \(reason)", status: EX_IOERR)
        }
    }
}
