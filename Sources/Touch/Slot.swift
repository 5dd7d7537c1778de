// SPDX-License-Identifier: Apache-2.0

/// The state that a device holds at one moment, for the start and after lost events.
public struct DeviceState: Equatable, Sendable {
    /// The values of a slot of a multitouch device, or of the one contact of other devices, in device units.
    public struct Slot: Equatable, Sendable {
        /// nil if the slot is empty, and for devices without tracking ids.
        public var trackingID: Int32?
        /// nil until the device has sent it, as all optional values.
        public var x: Int32?
        public var y: Int32?
        public var pressure: Int32?
        /// ABS_MT_DISTANCE, above 0 for a hovering contact, or a pen's ABS_DISTANCE.
        public var distance: Int32?
        /// ABS_MT_TOOL_TYPE.
        public var toolType: Int32
        /// Values of the axes of ``ContactSize``.
        public var major: Int32?
        public var minor: Int32?

        public init(
            trackingID: Int32? = nil, x: Int32? = 0, y: Int32? = 0, pressure: Int32? = nil, distance: Int32? = nil,
            toolType: Int32 = 0, major: Int32? = nil, minor: Int32? = nil
        ) {
            self.trackingID = trackingID
            self.x = x
            self.y = y
            self.pressure = pressure
            self.distance = distance
            self.toolType = toolType
            self.major = major
            self.minor = minor
        }

        /// A slot about which the device has sent nothing.
        static let unknown = Slot(x: nil, y: nil)

        /// Sets the value of an ABS_MT_* axis other than the tracking id.
        mutating func set(_ code: UInt16, _ value: Int32, _ size: ContactSize?) {
            switch code {
            case EventCode.mtPositionX: x = value
            case EventCode.mtPositionY: y = value
            case EventCode.mtPressure: pressure = value
            case EventCode.mtDistance: distance = value
            case EventCode.mtToolType: toolType = value
            case size?.majorCode: major = value
            case size?.minorCode: minor = value
            default: break
            }
        }
    }

    /// One for each slot of a multitouch device; one for other devices.
    public var slots: [Slot]
    /// The slot to which events before the next ABS_MT_SLOT belong.
    public var currentSlot: Int
    /// BTN_TOUCH.
    public var isTouching: Bool
    /// BTN_TOOL_PEN.
    public var isPenNear: Bool
    /// BTN_TOOL_RUBBER.
    public var isRubberNear: Bool
    /// BTN_TOOL_FINGER, BTN_TOOL_MOUSE and BTN_TOOL_LENS.
    public var isFingerNear, isMouseNear, isLensNear: Bool
    /// The one of BTN_TOOL_BRUSH, _PENCIL and _AIRBRUSH that is near. It draws as a pen does.
    public var otherPen: ToolIdentity.Kind?

    public init(
        slots: [Slot], currentSlot: Int = 0, isTouching: Bool = false, isPenNear: Bool = false,
        isRubberNear: Bool = false, isFingerNear: Bool = false, isMouseNear: Bool = false, isLensNear: Bool = false,
        otherPen: ToolIdentity.Kind? = nil
    ) {
        self.slots = slots
        self.currentSlot = currentSlot
        self.isTouching = isTouching
        self.isPenNear = isPenNear
        self.isRubberNear = isRubberNear
        (self.isFingerNear, self.isMouseNear, self.isLensNear) = (isFingerNear, isMouseNear, isLensNear)
        self.otherPen = otherPen
    }
}

extension SlotTracker {
    /// A slot: its values, which outlive contacts, and how far frames have reported the contact in it.
    struct Slot: Sendable {
        /// The tool of contacts that do not report theirs.
        private let tool: Contact.Tool
        /// Whether the device has ABS_MT_TOOL_TYPE. Its value is 0, a finger, until the device sends another.
        private let tellsTool: Bool
        /// The tool that a pen's buttons report, for a device with one contact.
        var identity = ToolIdentity()
        private var values = DeviceState.Slot.unknown
        /// The last reading that frames have reported; nil while they have not reported a beginning.
        private var reported: DeviceReading?
        /// The contact is ignored until it lifts: it was down at the start, or is a palm.
        private var isMuted = false
        /// The contact was here before events were lost, and has not been mentioned since.
        private(set) var isUncertain = false
        /// The contact begins again after lost events.
        private var isResumed = false
        /// The pressure says that the contact here has lifted, though it keeps its tracking id. Android, too, takes
        /// such a contact as hovering (TouchInputMapper, ABS_MT_PRESSURE).
        var isPressureAtRest = false
        /// BTN_TOUCH has said that no contact touches, though this one keeps its tracking id, until the device mentions
        /// it again.
        private var isReleased = false
        /// The pen here is turned over.
        private var isRubber = false
        /// The report has mentioned the contact here.
        private var isDirty = false
        /// The report has mentioned this slot, whatever happened to its contact since.
        private(set) var isMentioned = false

        init(tool: Contact.Tool, tellsTool: Bool = false) {
            self.tool = tool
            self.tellsTool = tellsTool
        }

        /// The device's contact in this slot.
        var trackingID: Int32? { values.trackingID }

        /// Whether a pen is here, touching or not.
        var hasPen: Bool { trackingID != nil && values.toolType == EventCode.toolTypePen }

        private var reading: DeviceReading? {
            guard let x = values.x, let y = values.y else { return nil }
            return DeviceReading(x: x, y: y, pressure: values.pressure, tool: toldTool)
        }

        private var toldTool: ToolIdentity {
            switch values.toolType {
            case EventCode.toolTypePen: ToolIdentity(.pen)
            case EventCode.toolTypeFinger where tellsTool: ToolIdentity(.finger)
            default: identity
            }
        }

        private var isPalm: Bool { values.toolType == EventCode.toolTypePalm }

        /// Whether the contact hovers. A pen with a device of its own reports by its button whether it touches, and may
        /// report a distance even then.
        private var isAbove: Bool { tool != .pen && (values.distance ?? 0) > 0 }

        /// ABS_MT_PRESSURE and ABS_MT_TOOL_TYPE.
        var pressure: Int32? { values.pressure }
        var toolType: Int32 { values.toolType }

        /// Whether the contact has lifted without losing its tracking id, or is a rubber, which does not draw.
        private var hasLifted: Bool { isPressureAtRest || isReleased || isRubber && hasPen }

        private var isTouching: Bool {
            trackingID != nil && !isMuted && !isUncertain && !isPalm && !isAbove && !hasLifted
        }

        /// The squared distance in device units; nil while one of the positions is unknown.
        func squaredDistance(to other: DeviceState.Slot) -> Double? {
            guard let x = values.x, let y = values.y, let otherX = other.x, let otherY = other.y else { return nil }
            let (dx, dy) = (Double(x) - Double(otherX), Double(y) - Double(otherY))
            return dx * dx + dy * dy
        }

        // MARK: Events

        /// Changes values, except the tracking id, by an event of the contact here.
        mutating func update(_ change: (inout DeviceState.Slot) -> Void) {
            change(&values)
            markMentioned()
        }

        /// Changes values of a pen, whose events after lost ones do not prove that it still touches.
        mutating func updateUncertain(_ change: (inout DeviceState.Slot) -> Void) {
            change(&values)
            if !isUncertain { markMentioned() }
        }

        /// An event shows that the contact is still here.
        private mutating func markMentioned() {
            isDirty = true
            isMentioned = true
            isReleased = false
            guard isUncertain else { return }
            isUncertain = false
            isResumed = true
        }

        /// Puts a contact in. The previous one has lifted, or is the same.
        mutating func begin(_ id: Int32?) {
            if trackingID != id { removeContact() }
            values.trackingID = id
            if id != nil { markMentioned() }
        }

        mutating func removeContact() {
            values.trackingID = nil
            reported = nil
            isMuted = false
            isUncertain = false
            isResumed = false
            isReleased = false
            isDirty = false
        }

        /// BTN_TOUCH says that nothing touches. A contact that has begun in this report stays.
        mutating func release() {
            guard isMuted || reported != nil else { return }
            isReleased = true
            isDirty = true
        }

        mutating func turn(isRubber: Bool) {
            if isRubber != self.isRubber, hasPen { isDirty = true }
            self.isRubber = isRubber
        }

        /// BTN_TOUCH says that something touches, and nothing else: the contact here is back in its old place.
        mutating func revive() {
            if isReleased, trackingID != nil { markMentioned() }
        }

        /// Ignores the contact here, if there is one, until it lifts.
        mutating func mute() { isMuted = trackingID != nil }

        /// Events were lost: the contact here may have lifted.
        mutating func markUncertain() {
            isDirty = false
            isMentioned = false
            isUncertain = trackingID != nil
        }

        /// Replaces the values by those that the device reported when queried.
        /// - Parameter isReleased: BTN_TOUCH is 0.
        mutating func resynchronise(
            to state: DeviceState.Slot, trackingID id: Int32?, isReleased: Bool, ignoringContact: Bool
        ) {
            let isSame = id != nil && id == trackingID
            if !isSame { removeContact() }
            values = state
            values.trackingID = id
            isUncertain = false
            self.isReleased = isReleased && id != nil
            isResumed = isSame && !self.isReleased
            isMuted = !self.isReleased && (isMuted || ignoringContact && id != nil)
            isDirty = id != nil
            isMentioned = false
        }

        // MARK: Frames

        /// Removes the contact.
        /// - Returns: its end; for one that came and went within this report its beginning, too.
        mutating func lift(slot: Int, _ size: ContactSize?) -> [Contact] {
            defer { removeContact() }
            if let end = endReported(slot: slot, as: .ended, size) { return [end] }
            guard isTouching, let id = trackingID, let reading else { return [] }
            return [
                contact(slot, id, isResumed ? .resumed : .began, reading, size),
                contact(slot, id, .ended, reading, size),
            ]
        }

        /// Ends the contact that frames have reported, without removing it from the slot.
        mutating func endReported(slot: Int, as phase: Contact.Phase, _ size: ContactSize?) -> Contact? {
            guard let id = trackingID, let last = reported else { return nil }
            reported = nil
            return contact(slot, id, phase, last, size)
        }

        /// The position of a hovering pen, if the completed report contains it. Call it once a report, before
        /// ``report(slot:_:palmCount:)``.
        /// - Parameter isTipNear: for a pen with a device of its own: the tip is near and up.
        mutating func reportHover(isTipNear: Bool) -> PenHover? {
            defer { isMentioned = false }
            guard isMentioned, tool == .pen ? isTipNear : hasPen && isAbove && !isUncertain, let x = values.x,
                let y = values.y
            else { return nil }
            return PenHover(x: x, y: y, distance: values.distance, tool: toldTool)
        }

        /// The contact, if the completed report mentions it.
        /// - Parameter palmCount: counts a contact that turns out to be a palm before frames have reported it.
        mutating func report(slot: Int, _ size: ContactSize?, palmCount: inout Int) -> Contact? {
            guard isDirty else { return nil }
            isDirty = false
            // The next touch with this tracking id is another one.
            if hasLifted { isMuted = false }
            guard let id = trackingID, !isMuted else { return nil }
            if hasLifted { return endReported(slot: slot, as: .ended, size) }
            if isPalm {
                // It stays a palm until it lifts, even if the device changes its mind.
                isMuted = true
                if reported == nil { palmCount += 1 }
                return endReported(slot: slot, as: .cancelled, size)
            }
            guard isTouching else { return endReported(slot: slot, as: .ended, size) }
            guard let reading else { return nil }
            defer {
                reported = reading
                isResumed = false
            }
            let first: Contact.Phase = isResumed ? .resumed : .began
            return contact(slot, id, reported == nil ? first : .moved, reading, size)
        }

        private func contact(
            _ slot: Int, _ id: Int32, _ phase: Contact.Phase, _ reading: DeviceReading, _ size: ContactSize?
        ) -> Contact {
            Contact(
                slot: slot, trackingID: id, phase: phase, reading: reading,
                tool: values.toolType == EventCode.toolTypePen ? .pen : identity.kind == .finger ? .finger : tool,
                size: size?.millimetres(major: values.major, minor: values.minor))
        }
    }
}
