// SPDX-License-Identifier: Apache-2.0

/// What the host that asked is told. The last one is always `ended`, and there is one of it for each request.
public enum HostEvent: Equatable, Sendable {
    case started
    /// So many strokes stand on the pad now: one was finished, or some were taken back.
    case strokes(Int)
    /// Accept was pressed, or the operator's, but the ink is no signature. The capture goes on.
    case refused(Refusal)
    /// The ink was accepted; the record is being stored.
    case saving
    case ended(CaptureResult)
}
