// SPDX-License-Identifier: Apache-2.0

/// One line of a record after its header.
public enum CaptureEntry: Equatable, Sendable {
    case stroke(CaptureStroke)
    /// What a pen did above the page since the entry before; a long movement is several of these.
    case inAir(CaptureInAir)
    /// What the person or the host did with the strokes so far, microseconds as those of samples.
    case action(Action, microseconds: Int64)

    public enum Action: String, Codable, Sendable, CaseIterable {
        case undo, redo, clear
    }
}
