// SPDX-License-Identifier: Apache-2.0

/// A text of the pad, by the key that it has in a file of messages.
public enum Message: String, Sendable, CaseIterable {
    case idle
    case accept
    case clear
    case cancel
    case undo
    /// These two have a place for what the host says.
    case signer
    case reason
    case refusedNoInk = "refused-no-ink"
    case refusedFewStrokes = "refused-few-strokes"
    case refusedSmall = "refused-small"
    case refusedStraight = "refused-straight"
    case refusedQuick = "refused-quick"
    case saving
    case thanks
    case failed
    /// Under a picture of what was signed.
    case notAccepted = "not-accepted"
    case notRecording = "not-recording"
    case sketchSaving = "sketch-saving"
    case sketchSaved = "sketch-saved"
    case sketchNotSaved = "sketch-not-saved"
    case sketchNotKept = "sketch-not-kept"

    /// Whether the text has ``MessageTable/place`` in it.
    var hasPlace: Bool { self == .signer || self == .reason }

    /// What stands on a button.
    public init(labelOf button: PageButton) {
        switch button {
        case .accept: self = .accept
        case .clear: self = .clear
        case .cancel: self = .cancel
        case .undo: self = .undo
        }
    }
}
