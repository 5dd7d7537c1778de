// SPDX-License-Identifier: Apache-2.0

/// What a capture allows and asks for.
public struct CapturePolicy: Equatable, Sendable {
    /// Whether single strokes can be taken back; forensic use wants a signature in one go.
    public var allowsUndo: Bool
    public var minima: InkMinima
    /// The name of the pen that the screen shows strokes with, for the record.
    public var pen: String
    /// Microseconds without a touch until the capture ends.
    public var inactivityLimit: Int64
    /// Microseconds from the request until the capture ends, whatever happens.
    public var totalLimit: Int64

    /// Defaults: a minute without a touch, and five in all: longer than people read and sign, shorter than the next
    /// one waits.
    public init(
        allowsUndo: Bool = true, minima: InkMinima = InkMinima(), pen: String, inactivityLimit: Int64 = 60_000_000,
        totalLimit: Int64 = 300_000_000
    ) {
        self.allowsUndo = allowsUndo
        self.minima = minima
        self.pen = pen
        self.inactivityLimit = inactivityLimit
        self.totalLimit = totalLimit
    }

    /// Those that the page has.
    public var buttons: [PageButton] { PageButton.allCases.filter { $0 != .undo || allowsUndo } }
}
