// SPDX-License-Identifier: Apache-2.0
public import Geometry

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
    private var size: ContactSize?
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
    private var tip: Tip
    /// Protocol B: whether the device has BTN_TOUCH, and its pressure.
    private let hasTouch: Bool
    /// A key that is read as BTN_TOUCH.
    private let touchKey: UInt16
    private var pressure: LiftSign
    private var nextTrackingID: Int32 = 0
    private var anonymous: ProtocolAReport
    /// Protocol A: the contacts of the next report were down at the start.
    var ignoresContacts = false

    /// - Returns: nil for an unusable device.
    public init?(_ device: DeviceDescription) { self.init(device.kind, of: device, size: ContactSize(device)) }

    /// Tracks a device of which nothing else is known.
    /// - Returns: nil for an unusable kind.
    public init?(_ kind: TouchKind, size: ContactSize? = nil) {
        self.init(kind, of: DeviceDescription(), size: size)
    }

    private init?(_ kind: TouchKind, of device: DeviceDescription, size: ContactSize?) {
        self.size = size
        place = device.singleContactAxes
        hasTouch = device.keys.contains(EventCode.touch)
        touchKey = kind == .singleTouch ? device.touchKey : EventCode.touch
        tip = Tip(kind, pressure: device.axes[EventCode.absPressure])
        pressure = LiftSign(rest: device.axes[EventCode.mtPressure]?.minimum ?? 0)
        anonymous = ProtocolAReport(pressure: pressure)
        let tellsTool = device.axes[EventCode.mtToolType] != nil
        switch kind {
        case .anonymousMultitouch:
            input = .anonymous
            slots = Array(repeating: Slot(tool: .finger), count: ProtocolAReport.contactLimit)
        case .multitouch(let count):
            input = .multitouch
            slots = Array(
                repeating: Slot(tool: .finger, tellsTool: tellsTool),
                count: min(max(count, 1), TouchKind.slotLimit))
        case .singleTouch:
            input = .singleTouch
            slots = [Slot(tool: .finger)]
        case .pen:
            input = .pen
            slots = [Slot(tool: .pen)]
        case .unusable: return nil
        }
    }

    /// Receives one event.
    /// - Returns: the frame that a SYN_REPORT completes, nil if it says nothing about a contact or a pen; for a
    ///   SYN_DROPPED always a frame, which ends all contacts.
    public mutating func update(with event: InputEvent) -> TouchFrame? {
        if event.isSynDropped { return drop(at: event.time) }
        if isDiscarding {
            if event.isSynReport { isDiscarding = false }
            return nil
        }
        switch (event.type, input) {
        case (EventCode.typeSyn, .anonymous) where event.code == EventCode.synMTReport: anonymous.endContact()
        case (EventCode.typeSyn, _):
            guard event.isSynReport else { return nil }
            switch input {
            case .anonymous:
                if let found = anonymous.end() { assign(found) }
                turnPens()
            case .multitouch:
                applyTouch()
                turnPens()
            case .singleTouch, .pen: applyTip()
            }
            return completeFrame(at: event.time)
        case (EventCode.typeAbs, .anonymous):
            if event.code > EventCode.mtSlot {
                size?.learn(event.code, event.value)
                anonymous.receive(event.code, event.value, size)
            }
        case (EventCode.typeAbs, .multitouch): receiveSlotAxis(event.code, event.value)
        case (EventCode.typeAbs, _): receiveAxis(event.code, event.value)
        case (EventCode.typeMsc, .pen) where event.code == EventCode.mscSerial: tip.receiveSerial(event.value)
        case (EventCode.typeKey, _):
            tip.receiveKey(event.code == touchKey ? EventCode.touch : event.code, event.value)
            if input == .anonymous, event.code == EventCode.touch, event.value == 0 { anonymous.release() }
        default: break
        }
        return nil
    }

    /// Adopts the device's present state, after opening it and after a SYN_DROPPED.
    ///
    /// A contact that was down before and still is begins again, as ``Contact/Phase/resumed``; a new one begins
    /// unmarked.
    /// - Parameter ignoringContactsDown: at the start: contacts that are down draw nothing until they lift.
    /// - Returns: a frame with the contacts that begin, or nil.
    public mutating func resynchronise(
        to state: DeviceState, at time: Timestamp, ignoringContactsDown: Bool = false
    ) -> TouchFrame? {
        endReported(as: .ended)
        isDiscarding = false
        tip.adopt(state)
        if input == .pen { slots[0].identity = tip.identity }
        if input == .anonymous {
            // The kernel keeps no contacts of this protocol. The next report lists all.
            anonymous.clear()
            ignoresContacts = ignoringContactsDown && state.isTouching
            return completeFrame(at: time)
        }
        for index in slots.indices {
            let new = index < state.slots.count ? state.slots[index] : DeviceState.Slot()
            var id = new.trackingID
            if input == .multitouch {
                pressure.learn(new.pressure, of: new.toolType)
                if let code = size?.majorCode, let value = new.major { size?.learn(code, value) }
                if let code = size?.minorCode, let value = new.minor { size?.learn(code, value) }
                slots[index].isPressureAtRest = pressure.saysLifted(new.pressure, of: new.toolType)
            } else {
                id = tip.isDown ? slots[index].trackingID ?? makeTrackingID() : nil
            }
            slots[index].resynchronise(
                to: new, trackingID: id, isReleased: input == .multitouch && hasTouch && !state.isTouching,
                ignoringContact: ignoringContactsDown)
        }
        current = slots.indices.contains(state.currentSlot) ? state.currentSlot : nil
        return completeFrame(at: time)
    }

    /// Ends all contacts, for a device that is gone (the kernel then sends no releases; reading fails with ENODEV) or
    /// no longer wanted. A contact that stays down draws nothing more until it lifts.
    /// - Parameter phase: `ended` keeps what was drawn, `cancelled` removes it.
    /// - Returns: nil if no contact was down and no pen near.
    public mutating func endAll(as phase: Contact.Phase = .ended, at time: Timestamp) -> TouchFrame? {
        endReported(as: phase)
        for index in slots.indices { slots[index].mute() }
        return makeFrame(at: time, isPenInRange: false)
    }

    // MARK: Frames

    private mutating func completeFrame(at time: Timestamp) -> TouchFrame? {
        var hover: PenHover?
        let isTipNear = tip.isTipNear && !tip.isDown
        for index in slots.indices {
            let found = slots[index].reportHover(isTipNear: isTipNear)
            hover = hover ?? found
            if let contact = slots[index].report(slot: index, size, palmCount: &palmCount) { contacts.append(contact) }
        }
        return makeFrame(at: time, isPenInRange: isPenInRange, hover: hover)
    }

    private var isPenInRange: Bool {
        if input != .singleTouch, tip.isPenInRange { return true }
        switch input {
        case .multitouch, .anonymous: return slots.contains { $0.hasPen }
        case .singleTouch: return false
        // If the driver never reports that the pen is near, its tip does.
        case .pen: return tip.isDown && !tip.isFinger
        }
    }

    /// - Returns: nil for a frame without content.
    private mutating func makeFrame(
        at time: Timestamp, isPenInRange: Bool, hover: PenHover? = nil
    ) -> TouchFrame? {
        defer {
            palmCount = 0
            tip.endReport()
            wasPenInRange = isPenInRange
        }
        let contacts = drainContacts()
        guard !contacts.isEmpty || palmCount > 0 || isPenInRange || wasPenInRange else { return nil }
        return TouchFrame(
            time: time, contacts: contacts, isPenInRange: isPenInRange, palmCount: palmCount,
            hover: hover)
    }

    private mutating func drainContacts() -> [Contact] {
        defer { contacts.removeAll(keepingCapacity: true) }
        return contacts
    }

    private mutating func endReported(as phase: Contact.Phase) {
        for index in slots.indices {
            guard let contact = slots[index].endReported(slot: index, as: phase, size) else { continue }
            contacts.append(contact)
        }
    }

    /// Contacts end at their last complete report: the part of a report before the drop may be incomplete.
    private mutating func drop(at time: Timestamp) -> TouchFrame {
        dropCount &+= 1
        endReported(as: .ended)
        for index in slots.indices { slots[index].markUncertain() }
        anonymous.clear()
        tip.loseSerial()
        tip.endReport()
        isDiscarding = true
        return TouchFrame(
            time: time, contacts: drainContacts(), isAfterDrop: true, isPenInRange: wasPenInRange)
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
            size?.learn(code, value)
            slots[index].update { [size] in $0.set(code, value, size) }
            guard code == EventCode.mtPressure || code == EventCode.mtToolType else { return }
            let (value, tool) = (slots[index].pressure, slots[index].toolType)
            if code == EventCode.mtPressure { pressure.learn(value, of: tool) }
            slots[index].isPressureAtRest = pressure.saysLifted(value, of: tool)
        }
    }

    /// Drivers that never send a tracking id of -1 lift by BTN_TOUCH, which for others goes with it (input-mt.c,
    /// `input_mt_report_pointer_emulation`).
    private mutating func applyTouch() {
        switch tip.reportedTouch {
        case false?: for index in slots.indices { slots[index].release() }
        case true?: if let current, !slots.contains(where: \.isMentioned) { slots[current].revive() }
        case nil: break
        }
    }

    /// The buttons of a pen's ends are of no slot: while the rubber is near, pens in slots are turned over.
    private mutating func turnPens() {
        for index in slots.indices { slots[index].turn(isRubber: tip.isRubberNear) }
    }

    mutating func setContact(_ index: Int, _ id: Int32?) {
        if slots[index].trackingID != id { contacts.append(contentsOf: slots[index].lift(slot: index, size)) }
        slots[index].begin(id)
    }

    // MARK: One contact

    private mutating func receiveAxis(_ code: UInt16, _ value: Int32) {
        // Multitouch axes of a device that is read as a pen, or that are empty.
        if code >= EventCode.mtSlot { return }
        let (place, isPen) = (place, input == .pen)
        func change(_ values: inout DeviceState.Slot) {
            switch code {
            case place.x: values.x = value
            case place.y: values.y = value
            case EventCode.absPressure:
                values.pressure = value
                tip.receivePressure(value)
            case EventCode.absDistance where isPen: values.distance = value
            default: break
            }
        }
        // A touch panel reports positions only of contacts that touch, a pen also while it hovers.
        if input == .singleTouch { slots[0].update(change) } else { slots[0].updateUncertain(change) }
    }

    /// Begins and ends the contact of a device with one, at the end of a report.
    private mutating func applyTip() {
        if input == .pen { slots[0].identity = tip.identity }
        for step in tip.contactSteps() {
            switch step {
            case .down: setContact(0, slots[0].trackingID ?? makeTrackingID())
            case .up: setContact(0, nil)
            case .away: removeContact(as: .ended)
            case .restart:
                removeContact(as: .cancelled)
                setContact(0, makeTrackingID())
            }
        }
    }

    private mutating func removeContact(as phase: Contact.Phase) {
        if let end = slots[0].endReported(slot: 0, as: phase, size) { contacts.append(end) }
        slots[0].removeContact()
    }

    mutating func makeTrackingID() -> Int32 {
        defer { nextTrackingID = nextTrackingID == .max ? 0 : nextTrackingID + 1 }
        return nextTrackingID
    }
}
