// SPDX-License-Identifier: Apache-2.0
import Linux

/// When to look for a display again after a look has failed.
///
/// Most of what can change comes with an event of udev. That another program lets go of a card does not, nor that a
/// node's group has been set where no udev tells: then it is tried again and again, first soon, then less often.
struct DisplayRetry: Equatable {
    /// The first and the longest wait for another program to let go, and how often it is waited for so eagerly. A
    /// splash screen or a display manager that ends takes less than that in all, four seconds.
    static let eagerStart: Int64 = 20_000_000
    static let eagerLimit: Int64 = 250_000_000
    static let eagerAttempts = 20
    /// While another program has the screen for long, or a driver fails.
    static let patient: Int64 = 1_000_000_000
    /// While there is nothing to show a picture on, for what comes without an event; and where events never come.
    static let idle: Int64 = 5_000_000_000

    private var attempts = 0

    /// - Returns: when, in nanoseconds on the scale of `now`.
    mutating func next(after error: ScreenError, at now: Int64) -> Int64 {
        switch error {
        // A program that ends, udev that comes late, and a screen that was switched over set it right without telling.
        case .lostMaster, .refused, .cannotOpen(_, .busy), .cardGone, .away, .disconnected,
            .modeGone:
            attempts += 1
        // The driver's doing, which it may do again.
        case .noBuffers, .badBuffer, .modesetFailed, .callFailed, .flipTimedOut, .linkFailed: return now + Self.patient
        case .noCard, .noDisplay, .noSuchDisplay, .noFramebuffer, .unusableFramebuffer, .cannotOpen, .closed:
            attempts = 0
            return now + Self.idle
        }
        if attempts > Self.eagerAttempts { return now + Self.patient }
        return now + min(Self.eagerStart << Int64(min(attempts - 1, 10)), Self.eagerLimit)
    }
}
