// SPDX-License-Identifier: Apache-2.0

/// What a person can press on the sketch page.
public enum SketchButton: Hashable, Sendable {
    case undo, redo, clear, save
    /// Chooses that one of ``SketchTools/colors``.
    case color(Int)
    /// Chooses that one of ``SketchTools/widths``.
    case width(Int)
    /// Chooses the colour after the one that is used, which it shows: on pages where not all have room.
    case nextColor
    case nextWidth
}

/// How a button looks.
public struct SketchButtonState: Hashable, Sendable {
    public var isPressed: Bool
    /// Whether pressing it would do anything.
    public var isEnabled: Bool
    /// Whether it is the colour or the width that is used.
    public var isChosen: Bool
    /// Which of the tools' colours or widths it shows; 0 where it shows none.
    public var tool: Int

    public init(isPressed: Bool = false, isEnabled: Bool = true, isChosen: Bool = false, tool: Int = 0) {
        self.isPressed = isPressed
        self.isEnabled = isEnabled
        self.isChosen = isChosen
        self.tool = tool
    }
}
