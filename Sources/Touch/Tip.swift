// SPDX-License-Identifier: Apache-2.0

/// The tip of a pen, or the one contact of another device: whether it touches, and which tool it is.
///
/// BTN_TOOL_* say which tools are near enough to be detected, BTN_TOUCH that the tip is down. Hovering never draws.
/// Tools count as a report leaves them, in whatever order their events come.
///
/// A pressure that is known to work decides before BTN_TOUCH, because there are drivers whose BTN_TOUCH stays set, or
/// is never sent. libinput (evdev-tablet.c, `detect_tool_contact`) ignores BTN_TOUCH of every tool with a pressure
/// axis: it touches from 5 % of the range on and lifts at 1 %. Here BTN_TOUCH still counts between these, so that light
/// lines stay and strokes keep their ends, and alone while a tool's pressure has always been at rest.
struct Tip: Sendable {
    enum Step {
        /// A contact begins, or BTN_TOUCH says that it still touches.
        case down
        /// BTN_TOUCH lifts the contact. A contact that has begun in this report is a tap.
        case up
        /// The contact ends for another reason: the tool has left or is another one, or its pressure is at rest. One
        /// that has begun in this report is not a tap.
        case away
        /// All of the contact was in the air, and a touch begins now.
        case restart
    }

    /// The states that a tool's pressure has reached; no entry while it was always at rest.
    private enum Pressure {
        case pressed
        /// Also at rest again, so it lifts with the tool.
        case released
    }

    /// The pressure of a tool that does not touch; the pressures from which one without BTN_TOUCH touches and no longer
    /// touches.
    private let rest, firm, faint: Int32
    private let hasPressure: Bool
    /// Whether tools matter; false for a device whose one contact is a finger.
    private let isPen: Bool
    /// Whether the device is a screen, on which fingers draw.
    private let isDirect: Bool

    /// Whether the tip touched after the last report.
    private(set) var isDown = false
    private var pressure: Int32?
    private var pressures: [ToolIdentity.Kind?: Pressure] = [:]
    /// The contact began while its tool's pressure, which had never shown anything, was at rest.
    private var mayHover = false

    /// BTN_TOUCH.
    private var isSet = false
    private var hasBeenSet = false
    /// The values of BTN_TOUCH in this report.
    private var changes: [Bool] = []

    /// nil until the device has reported it. Some drivers list BTN_TOOL_PEN and never send it; their BTN_TOUCH counts.
    private var isPenNear: Bool?
    /// The rubber end is near enough to be detected.
    private(set) var isRubberNear = false
    private var isFingerNear = false
    private var isMouseNear = false
    private var isLensNear = false
    /// The pen whose button says that it is near.
    private var pen: ToolIdentity.Kind?
    private var serial: UInt32?
    /// The serial is of this report: before or after the button in it.
    private var isSerialNew = false

    init(_ kind: TouchKind, pressure axis: AxisInfo?) {
        if case .pen(let isDirect) = kind {
            (isPen, self.isDirect) = (true, isDirect)
        } else {
            // Devices for fingers and pens tell by the pen's buttons that a pen is near.
            (isPen, isDirect) = (kind != .singleTouch, true)
        }
        hasPressure = axis != nil
        rest = axis?.minimum ?? 0
        let range = axis.map { max(0, Int64($0.maximum) - Int64($0.minimum)) } ?? 0
        // Rounded up and clamped: above rest, and no greater than the maximum.
        func share(_ percent: Int64) -> Int32 {
            Int32(clamping: Int64(axis?.minimum ?? 0) + max(1, (range * percent + 99) / 100))
        }
        (firm, faint) = (share(5), share(1))
    }

    // MARK: state

    /// Whether the device reports the tip as near.
    var isTipNear: Bool { isPenNear == true }

    /// Whether either end of a pen is near enough to be detected.
    var isPenInRange: Bool { isPenNear == true || isRubberNear }

    /// The value of BTN_TOUCH with which this report ends; nil if the report does not contain it.
    var reportedTouch: Bool? { changes.last }

    /// The tool that is near, as the device reports it.
    var identity: ToolIdentity {
        // Both ends cannot be near.
        if isRubberNear { return ToolIdentity(serial: serial) }
        return ToolIdentity(pen ?? (isFinger ? .finger : nil), serial: serial)
    }

    /// Whether the tool is a finger, on a device that reports fingers and pens by the same axes.
    var isFinger: Bool { isFingerNear && !isPenInRange }

    /// Whether the tool that is near draws. The rubber does not, whatever else the device says is near: drivers leave
    /// BTN_TOOL_PEN set when the pen is turned over. A mouse or a lens has no tip.
    private var isToolDrawing: Bool {
        if isRubberNear { return false }
        if !isPen { return true }
        if isPenNear == true { return true }
        if isFingerNear { return isDirect || isPenNear == nil }
        return isPenNear == nil && !isMouseNear && !isLensNear
    }

    /// Adopts the device's present state.
    mutating func adopt(_ state: DeviceState) {
        pen = state.isPenNear ? .pen : state.otherPen
        isPenNear = pen == nil ? nil : true
        (isRubberNear, isFingerNear) = (state.isRubberNear, state.isFingerNear)
        (isMouseNear, isLensNear) = (state.isMouseNear, state.isLensNear)
        loseSerial()
        isSerialNew = false
        isSet = state.isTouching
        if isSet { hasBeenSet = true }
        changes.removeAll(keepingCapacity: true)
        pressure = state.slots.first?.pressure
        learn()
        let isTouching = isTouching(isSet)
        if isTouching, !isDown { begin() }
        isDown = isTouching
    }

    /// Events were lost: the pen may be another one.
    mutating func loseSerial() { serial = nil }

    // MARK: events

    mutating func receivePressure(_ value: Int32) { pressure = value }

    /// Receives MSC_SERIAL. Drivers send 0 for a pen without a number; Wacom's sends all ones for its buttons.
    mutating func receiveSerial(_ value: Int32) {
        let number = UInt32(bitPattern: value)
        serial = number == 0 || number == .max ? nil : number
        isSerialNew = true
    }

    mutating func receiveKey(_ code: UInt16, _ value: Int32) {
        let isOn = value != 0
        switch code {
        case EventCode.touch:
            isSet = isOn
            if isOn { hasBeenSet = true }
            if changes.last != isOn { changes.append(isOn) }
            // Without buttons for tools, each touch may be another pen.
            if isPenNear == nil, !isRubberNear { forgetSerial() }
        case EventCode.toolPen: receivePen(.pen, isNear: isOn)
        case EventCode.toolBrush: receivePen(.brush, isNear: isOn)
        case EventCode.toolPencil: receivePen(.pencil, isNear: isOn)
        case EventCode.toolAirbrush: receivePen(.airbrush, isNear: isOn)
        case EventCode.toolRubber:
            isRubberNear = isOn
            forgetSerial()
        case EventCode.toolFinger: isFingerNear = isOn
        case EventCode.toolMouse: isMouseNear = isOn
        case EventCode.toolLens: isLensNear = isOn
        default: break
        }
    }

    /// A tool comes near or goes. The serial number of the previous tool does not apply to the next.
    private mutating func forgetSerial() {
        if !isSerialNew { serial = nil }
    }

    private mutating func receivePen(_ kind: ToolIdentity.Kind, isNear: Bool) {
        forgetSerial()
        if isNear {
            pen = kind
            isPenNear = true
        } else if pen == kind || pen == nil {
            pen = nil
            isPenNear = false
        }
    }

    // MARK: reports

    /// The report is complete: what happened to the contact.
    mutating func contactSteps() -> [Step] {
        learn()
        var steps: [Step] = []
        for (index, isOn) in changes.enumerated() {
            // A pressure is that of the end of the report.
            let isLast = index == changes.count - 1
            let isTouching = isLast ? isTouching(isOn) : isOn && isToolDrawing
            if isTouching, !isDown { begin() }
            steps.append(isTouching ? .down : isOn ? .away : .up)
            isDown = isTouching
        }
        let isTouching = isTouching(isSet)
        if isTouching != isDown {
            if isTouching { begin() }
            steps.append(isTouching ? .down : .away)
        } else if isDown, mayHover, isPressed {
            mayHover = false
            steps.append(.restart)
        }
        isDown = isTouching
        return steps
    }

    /// Begins the next report.
    mutating func endReport() {
        changes.removeAll(keepingCapacity: true)
        isSerialNew = false
    }

    private mutating func begin() { mayHover = hasPressure && !isPressed && pressures[identity.kind] == nil }

    private var isPressed: Bool { pressure.map { $0 > rest } ?? false }

    private mutating func learn() {
        if pressure == nil || isRubberNear { return }
        let tool = identity.kind
        if isPressed {
            if pressures[tool] == nil { pressures[tool] = .pressed }
        } else if pressures[tool] == .pressed {
            pressures[tool] = .released
        }
    }

    private func isTouching(_ isSet: Bool) -> Bool {
        guard isToolDrawing else { return false }
        guard let pressure, let known = pressures[identity.kind] else { return isSet }
        if !isPressed { return false }
        if isSet { return true }
        // A pressure that does not lift with the tool proves nothing against BTN_TOUCH.
        return (known == .released || !hasBeenSet) && pressure >= (isDown ? faint : firm)
    }
}

/// An axis whose value at rest says that a contact has lifted, once the device has sent a higher one of the same kind
/// of tool: drivers that do not measure it send it as a constant, for fingers even if they measure it for a pen.
struct LiftSign: Sendable {
    private let rest: Int32
    /// The kinds of tools (ABS_MT_TOOL_TYPE) for which the device measures it.
    private var tools: Set<Int32> = []

    init(rest: Int32) { self.rest = rest }

    /// Whether the device measures it for any tool.
    var isKnown: Bool { !tools.isEmpty }

    /// - Parameter value: nil while the device has sent none.
    mutating func learn(_ value: Int32?, of tool: Int32) {
        if let value, value > rest, !tools.contains(tool) { tools.insert(tool) }
    }

    /// - Parameter value: nil while the device has sent none.
    func saysLifted(_ value: Int32?, of tool: Int32) -> Bool {
        value.map { $0 <= rest } ?? false && tools.contains(tool)
    }
}
