// SPDX-License-Identifier: Apache-2.0

/// Turns a device's events into frames of contacts: the state machine of multitouch protocol B. Devices with one
/// contact use slot 0; contacts of protocol A are assigned to slots by id or position.
///
/// It reads no device and no clock. Feed it every event in order. It never fails, whatever the device sends: senseless
/// events are ignored. Positions are never invented: a contact without an x or y has not begun.
///
/// It relies on these rules of the kernel (Documentation/input/multi-touch-protocol.rst, event-codes.rst): an unchanged
/// value is not sent again, not even for a new contact in the slot, so a slot's values outlive its contact; all events
/// between two SYN_REPORTs are one report; after SYN_DROPPED, discard everything up to the next SYN_REPORT and query
/// the state.
public struct SlotTracker: Sendable {
    private enum Input: Sendable {
        case multitouch
        case anonymous
        case singleTouch
        case pen
    }

    /// How often the kernel's buffer overran.
    public private(set) var dropCount = 0

    private let input: Input
    private let size: ContactSize?
    /// The position axes of a device with one contact.
    private let place: (x: UInt16, y: UInt16)
    var slots: [Slot]
    /// nil while the device reports a slot that it does not have: those events are ignored.
    private var current: Int? = 0
    /// The contacts of the unfinished frame.
    private var contacts: [Contact] = []
    private var palmCount = 0
    /// `isPenInRange` of the last frame.
    private var wasPenInRange = false
    private var isDiscarding = false
    private var button = TipButton() {
        didSet {
            if input == .pen { slots[0].identity = button.identity }
        }
    }
    private var nextTrackingID: Int32 = 0
    private var anonymous = ProtocolAReport()
    /// Protocol A: the contacts of the next report were down at the start.
    var ignoresContacts = false

    /// - Returns: nil for an unusable device.
    public init?(_ device: DeviceDescription) {
        self.init(
            device.kind, size: ContactSize(device), place: device.singleContactAxes,
            tellsTool: device.axes[EventCode.mtToolType] != nil)
    }

    /// - Returns: nil for an unusable kind.
    public init?(_ kind: TouchKind, size: ContactSize? = nil) {
        self.init(kind, size: size, place: (EventCode.absX, EventCode.absY), tellsTool: false)
    }

    private init?(_ kind: TouchKind, size: ContactSize?, place: (x: UInt16, y: UInt16), tellsTool: Bool) {
        self.size = size
        self.place = place
        switch kind {
        case .anonymousMultitouch:
            input = .anonymous
            slots = Array(repeating: Slot(tool: .finger, size: size), count: ProtocolAReport.contactLimit)
        case .multitouch(let count):
            input = .multitouch
            slots = Array(
                repeating: Slot(tool: .finger, size: size, tellsTool: tellsTool),
                count: min(max(count, 1), TouchKind.slotLimit))
        case .singleTouch:
            input = .singleTouch
            slots = [Slot(tool: .finger, size: nil)]
        case .pen:
            input = .pen
            slots = [Slot(tool: .pen, size: nil)]
        case .unusable: return nil
        }
    }

    /// Receives one event.
    /// - Returns: the frame that a SYN_REPORT completes, nil if it says nothing about a contact or a pen; for a
    ///   SYN_DROPPED always a frame, which ends all contacts.
    public mutating func update(with event: InputEvent) -> TouchFrame? {
        if event.isSynDropped { return drop(at: event.microseconds) }
        if isDiscarding {
            if event.isSynReport { isDiscarding = false }
            return nil
        }
        switch (event.type, input) {
        case (EventCode.typeSyn, .anonymous) where event.code == EventCode.synMTReport: anonymous.endContact()
        case (EventCode.typeSyn, _):
            guard event.isSynReport else { return nil }
            if input == .anonymous, let found = anonymous.end() { assign(found) }
            return completeFrame(at: event.microseconds)
        case (EventCode.typeAbs, .anonymous):
            if event.code > EventCode.mtSlot { anonymous.receive(event.code, event.value, size) }
        case (EventCode.typeAbs, .multitouch): receiveSlotAxis(event.code, event.value)
        case (EventCode.typeAbs, _): receiveAxis(event.code, event.value)
        case (EventCode.typeKey, .singleTouch), (EventCode.typeKey, .pen): receiveKey(event.code, event.value)
        case (EventCode.typeMsc, .pen) where event.code == EventCode.mscSerial:
            button.receiveSerial(event.value)
        // A device for fingers and pens reports a pen that is near by the pen's buttons.
        case (EventCode.typeKey, .multitouch), (EventCode.typeKey, .anonymous):
            _ = button.receive(event.code, event.value, isPen: true)
            if input == .anonymous, event.code == EventCode.touch, event.value == 0 { anonymous.release() }
        default: break
        }
        return nil
    }

    /// Adopts the device's present state, after opening it and after a SYN_DROPPED.
    ///
    /// A contact that was down before and still is begins again, marked ``Contact/isResumed``; a new one begins
    /// unmarked.
    /// - Parameter ignoringContactsDown: at the start: contacts that are down draw nothing until they lift.
    /// - Returns: a frame with the contacts that begin, or nil.
    public mutating func resynchronise(
        to state: DeviceState, at microseconds: Int64, ignoringContactsDown: Bool = false
    ) -> TouchFrame? {
        endReported(as: .ended)
        isDiscarding = false
        button = TipButton(state)
        if input == .anonymous {
            // The kernel keeps no contacts of this protocol. The next report lists all.
            anonymous.clear()
            ignoresContacts = ignoringContactsDown && state.isTouching
            return completeFrame(at: microseconds)
        }
        for index in slots.indices {
            let new = index < state.slots.count ? state.slots[index] : DeviceState.Slot()
            var id = new.trackingID
            if input != .multitouch {
                id = tipIsDown ? slots[index].trackingID ?? makeTrackingID() : nil
            }
            slots[index].resynchronise(to: new, trackingID: id, ignoringContact: ignoringContactsDown)
        }
        current = slots.indices.contains(state.currentSlot) ? state.currentSlot : nil
        return completeFrame(at: microseconds)
    }

    /// Ends all contacts, for a device that is gone (the kernel then sends no releases; reading fails with ENODEV) or
    /// no longer wanted. A contact that stays down draws nothing more until it lifts.
    /// - Parameter phase: `ended` keeps what was drawn, `cancelled` removes it.
    /// - Returns: nil if no contact was down and no pen near.
    public mutating func endAll(as phase: Contact.Phase = .ended, at microseconds: Int64) -> TouchFrame? {
        endReported(as: phase)
        for index in slots.indices { slots[index].mute() }
        return makeFrame(at: microseconds, isPenInRange: false)
    }

    // MARK: Frames

    private mutating func completeFrame(at microseconds: Int64) -> TouchFrame? {
        var hover: PenHover?
        let isTipNear = button.isTipNear && !tipIsDown
        for index in slots.indices {
            let found = slots[index].reportHover(isTipNear: isTipNear)
            hover = hover ?? found
            if let contact = slots[index].report(slot: index, palmCount: &palmCount) { contacts.append(contact) }
        }
        return makeFrame(at: microseconds, isPenInRange: isPenInRange, hover: hover)
    }

    private var isPenInRange: Bool {
        if button.isPenInRange { return true }
        switch input {
        case .multitouch, .anonymous: return slots.contains { $0.hasPen }
        case .singleTouch: return false
        // If the driver never reports that the pen is near, its tip does.
        case .pen: return tipIsDown
        }
    }

    /// - Returns: nil for a frame without content.
    private mutating func makeFrame(
        at microseconds: Int64, isPenInRange: Bool, hover: PenHover? = nil
    ) -> TouchFrame? {
        defer {
            palmCount = 0
            button.endReport()
            wasPenInRange = isPenInRange
        }
        let contacts = drainContacts()
        guard !contacts.isEmpty || palmCount > 0 || isPenInRange || wasPenInRange else { return nil }
        return TouchFrame(
            microseconds: microseconds, contacts: contacts, isPenInRange: isPenInRange, palmCount: palmCount,
            hover: hover)
    }

    private mutating func drainContacts() -> [Contact] {
        defer { contacts.removeAll(keepingCapacity: true) }
        return contacts
    }

    private mutating func endReported(as phase: Contact.Phase) {
        for index in slots.indices {
            guard let contact = slots[index].endReported(slot: index, as: phase) else { continue }
            contacts.append(contact)
        }
    }

    /// Contacts end at their last complete report: the part of a report before the drop may be incomplete.
    private mutating func drop(at microseconds: Int64) -> TouchFrame {
        dropCount &+= 1
        endReported(as: .ended)
        for index in slots.indices { slots[index].markUncertain() }
        anonymous.clear()
        button.loseSerial()
        isDiscarding = true
        return TouchFrame(
            microseconds: microseconds, contacts: drainContacts(), isAfterDrop: true, isPenInRange: wasPenInRange)
    }

    // MARK: Multitouch

    private mutating func receiveSlotAxis(_ code: UInt16, _ value: Int32) {
        if code == EventCode.mtSlot {
            current = slots.indices.contains(Int(value)) ? Int(value) : nil
            return
        }
        // ABS_X etc. repeat one contact for programs without multitouch.
        guard code > EventCode.mtSlot, let index = current else { return }
        if code == EventCode.mtTrackingID {
            setContact(index, value < 0 ? nil : value)
        } else {
            slots[index].update { $0.set(code, value, size) }
        }
    }

    mutating func setContact(_ index: Int, _ id: Int32?) {
        if slots[index].trackingID != id { contacts.append(contentsOf: slots[index].lift(slot: index)) }
        slots[index].begin(id)
    }

    // MARK: One contact

    private var tipIsDown: Bool { input == .pen ? button.isPenDown : button.isTouching }

    private mutating func receiveAxis(_ code: UInt16, _ value: Int32) {
        // Multitouch axes of a device that is read as a pen, or that are empty.
        if code >= EventCode.mtSlot { return }
        let (place, isPen) = (place, input == .pen)
        func change(_ values: inout DeviceState.Slot) {
            switch code {
            case place.x: values.x = value
            case place.y: values.y = value
            case EventCode.absPressure: values.pressure = value
            case EventCode.absDistance where isPen: values.distance = value
            default: break
            }
        }
        // A touch panel reports positions only of contacts that touch, a pen also while it hovers.
        if input == .singleTouch { slots[0].update(change) } else { slots[0].updateUncertain(change) }
    }

    private mutating func receiveKey(_ code: UInt16, _ value: Int32) {
        guard button.receive(code, value, isPen: input == .pen) else { return }
        if tipIsDown {
            // After lost events only BTN_TOUCH itself proves that a pen's tip is down: its lift may have been lost, and
            // it may hover.
            if slots[0].isUncertain, code != EventCode.touch { return }
            setContact(0, slots[0].trackingID ?? makeTrackingID())
        } else if code == EventCode.touch {
            setContact(0, nil)
        } else {
            // The pen has left, or is the rubber, whose button may come after BTN_TOUCH in the same report: a contact
            // that has begun ends, and one that has not is not a tap.
            if let end = slots[0].endReported(slot: 0, as: .ended) { contacts.append(end) }
            slots[0].removeContact()
        }
    }

    mutating func makeTrackingID() -> Int32 {
        defer { nextTrackingID = nextTrackingID == .max ? 0 : nextTrackingID + 1 }
        return nextTrackingID
    }
}

/// The state of a pen or of a device with one contact, from its buttons.
///
/// BTN_TOOL_PEN, or _BRUSH, _PENCIL or _AIRBRUSH for other pens of a tablet, says that a pen is near enough to be
/// detected, BTN_TOUCH that its tip is down. Hovering never draws.
private struct TipButton: Sendable {
    private(set) var isTouching = false
    /// nil until the device has reported it. Some drivers list BTN_TOOL_PEN and never send it; their BTN_TOUCH counts.
    private var isPenNear: Bool?
    private var isRubberNear = false
    /// The pen whose button says that it is near.
    private var pen: ToolIdentity.Kind?
    private var serial: UInt32?
    /// The serial is of this report: before or after the button in it.
    private var isSerialNew = false

    init() {}

    init(_ state: DeviceState) {
        isTouching = state.isTouching
        pen = state.isPenNear ? .pen : state.otherPen
        isPenNear = pen == nil ? nil : true
        isRubberNear = state.isRubberNear
    }

    /// Whether the tip draws. The other end of the pen erases in drawing programs; here it does nothing.
    var isPenDown: Bool { isTouching && (isPenNear ?? !isRubberNear) }

    /// Whether the device reports the tip as near.
    var isTipNear: Bool { isPenNear == true }

    /// Whether either end of a pen is near enough to be detected.
    var isPenInRange: Bool { isPenNear == true || isRubberNear }

    /// What the device tells of the tool that is near.
    var identity: ToolIdentity {
        // Both ends cannot be near.
        ToolIdentity(isRubberNear ? nil : pen, serial: serial)
    }

    /// Receives MSC_SERIAL. Drivers send 0 for a pen without a number; Wacom's sends all ones for its buttons.
    mutating func receiveSerial(_ value: Int32) {
        let number = UInt32(bitPattern: value)
        serial = number == 0 || number == .max ? nil : number
        isSerialNew = true
    }

    /// Events were lost: the pen may be another one.
    mutating func loseSerial() { serial = nil }

    /// The report is complete.
    mutating func endReport() { isSerialNew = false }

    /// A tool comes near or goes. The number of the one before is not its own.
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

    /// Receives a key event.
    /// - Returns: whether it was about the tip.
    mutating func receive(_ code: UInt16, _ value: Int32, isPen: Bool) -> Bool {
        switch code {
        case EventCode.touch:
            isTouching = value != 0
            // Without buttons for tools, each touch may be another pen.
            if isPenNear == nil, !isRubberNear { forgetSerial() }
        case EventCode.toolPen where isPen: receivePen(.pen, isNear: value != 0)
        case EventCode.toolBrush where isPen: receivePen(.brush, isNear: value != 0)
        case EventCode.toolPencil where isPen: receivePen(.pencil, isNear: value != 0)
        case EventCode.toolAirbrush where isPen: receivePen(.airbrush, isNear: value != 0)
        case EventCode.toolRubber where isPen:
            isRubberNear = value != 0
            forgetSerial()
        default: return false
        }
        return true
    }
}
