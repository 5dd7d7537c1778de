// SPDX-License-Identifier: Apache-2.0

/// Whether the tip of a device with one contact is down, from its buttons.
///
/// A pen's BTN_TOOL_PEN says that it is near enough to be felt, BTN_TOUCH that its tip is down. Hovering never inks.
struct TipButton: Sendable {
    private(set) var isTouching = false
    /// Nil until the device has spoken of it. Some drivers list BTN_TOOL_PEN and never send it; their tip is believed.
    private var isPenNear: Bool?
    private var isRubberNear = false

    init() {}

    init(_ state: DeviceState) {
        isTouching = state.isTouching
        isPenNear = state.isPenNear ? true : nil
        isRubberNear = state.isRubberNear
    }

    /// The other end of the pen rubs out in drawing programs; here it does nothing.
    var isPenDown: Bool { isTouching && (isPenNear ?? !isRubberNear) }

    /// Whether the device says that the pen's tip is near; the tip of a pen whose device never does is so only by
    /// touching.
    var isTipNear: Bool { isPenNear == true }

    /// Whether a pen, either end of it, is near enough to be felt.
    var isPenInRange: Bool { isPenNear == true || isRubberNear }

    /// Takes a key event.
    /// - Returns: whether it was one about the tip.
    mutating func take(_ code: UInt16, _ value: Int32, isPen: Bool) -> Bool {
        switch code {
        case EventCode.touch: isTouching = value != 0
        case EventCode.toolPen where isPen: isPenNear = value != 0
        case EventCode.toolRubber where isPen: isRubberNear = value != 0
        default: return false
        }
        return true
    }
}
