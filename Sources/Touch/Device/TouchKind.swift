// SPDX-License-Identifier: Apache-2.0

/// How a device's events are to be read, decided by what it can do and never by its name or event number.
///
/// The tests follow udev's `input_id`, which every desktop relies on, so that a device works here if it works there.
public enum TouchKind: Equatable, Sendable {
    /// Multitouch protocol B (Documentation/input/multi-touch-protocol.rst), with slots `0..<slots`.
    case multitouch(slots: Int)
    /// Multitouch protocol A: contacts without slots, most without names. All of the kernel's own drivers have been
    /// converted to B; drivers of boards' makers have not.
    case anonymousMultitouch
    /// One contact through BTN_TOUCH, ABS_X and ABS_Y: resistive panels.
    case singleTouch
    /// A pen that hovers before it touches; `isDirect` where the tip is on the screen itself.
    case pen(isDirect: Bool)
    /// Not for ink; the reason in words, to follow "it ".
    case unusable(reason: String)

    /// The kernel allows no more slots (input_mt_init_slots); a description that claims more is not believed.
    public static let slotLimit = 1024

    public init(_ device: DeviceDescription) {
        self = TouchKind.classify(device)
    }

    private static func classify(_ device: DeviceDescription) -> TouchKind {
        let isDirect = device.properties.contains(EventCode.propertyDirect)
        let hasTouch = device.keys.contains(EventCode.touch)
        let hasFinger = device.keys.contains(EventCode.toolFinger)
        let hasPen = device.keys.contains(EventCode.toolPen) || device.keys.contains(EventCode.stylus)
        let hasXY = device.axes[EventCode.absX] != nil && device.axes[EventCode.absY] != nil
        let isFake = device.axes[EventCode.absReserved] != nil
        let hasPositions =
            !isFake && device.axes[EventCode.mtPositionX] != nil && device.axes[EventCode.mtPositionY] != nil

        if device.properties.contains(EventCode.propertyAccelerometer) {
            return .unusable(reason: "is an accelerometer")
        }
        // Old touchscreen drivers do not set INPUT_PROP_DIRECT; a touchpad gives itself away by BTN_TOOL_FINGER.
        let isPad = !isDirect && !hasPen && (hasFinger || device.properties.contains(EventCode.propertyPointer))
        if isPad && (hasPositions || hasTouch) { return .unusable(reason: "is a touchpad") }

        if hasPositions, let slot = device.axes[EventCode.mtSlot], isDirect || hasTouch && !hasPen {
            if let reason = emptyAxis(device, EventCode.mtPositionX, EventCode.mtPositionY) {
                return .unusable(reason: reason)
            }
            return .multitouch(slots: min(max(Int(slot.maximum) + 1, 1), slotLimit))
        }
        let isAnonymous = hasPositions && device.axes[EventCode.mtSlot] == nil && (isDirect || !hasPen)
        if isAnonymous, emptyAxis(device, EventCode.mtPositionX, EventCode.mtPositionY) == nil {
            return .anonymousMultitouch
        }
        if device.hasDisplacedAxes { return .singleTouch }
        if hasXY, hasPen || hasTouch {
            if let reason = emptyAxis(device, EventCode.absX, EventCode.absY) { return .unusable(reason: reason) }
            if !hasTouch { return .unusable(reason: "is a pen that does not say when its tip touches (no BTN_TOUCH)") }
            return hasPen ? .pen(isDirect: isDirect) : .singleTouch
        }
        if isAnonymous, let reason = emptyAxis(device, EventCode.mtPositionX, EventCode.mtPositionY) {
            return .unusable(reason: reason)
        }
        if hasTouch { return .unusable(reason: "has BTN_TOUCH but no ABS_X and ABS_Y to say where") }
        if device.keys.contains(EventCode.buttonLeft) { return .unusable(reason: "is a mouse") }
        return .unusable(reason: "is not a touch device (no BTN_TOUCH and no multitouch positions)")
    }

    /// Why one of two axes is no use, or nil. A driver that failed to read the panel's configuration reports 0...0.
    private static func emptyAxis(_ device: DeviceDescription, _ x: UInt16, _ y: UInt16) -> String? {
        for (code, name) in [(x, "x"), (y, "y")] {
            guard let axis = device.axes[code], !axis.hasRange else { continue }
            return "has no range in \(name) (\(axis.minimum)...\(axis.maximum)): its driver does not know the panel"
        }
        return nil
    }
}
