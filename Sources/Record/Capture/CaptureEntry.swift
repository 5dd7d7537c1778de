// SPDX-License-Identifier: Apache-2.0

/// One line of a record after its header.
public enum CaptureEntry: Equatable, Sendable {
    case stroke(CaptureStroke)
    /// What the person or the host did with the strokes so far, microseconds as those of samples.
    case action(Action, microseconds: Int64)

    public enum Action: String, Codable, Sendable, CaseIterable {
        case undo, redo, clear
    }
}
