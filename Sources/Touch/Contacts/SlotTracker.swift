// SPDX-License-Identifier: Apache-2.0

/// From a device's events to frames of contacts: the state machine of multitouch protocol B, onto which devices with
/// one contact are mapped as slot 0, and those of protocol A by name or place.
///
/// It reads no device and no clock. Feed it every event in order; it never fails, whatever the device sends: what makes
/// no sense is ignored. Positions are never invented: a contact whose x or y the device has not sent yet has not begun.
///
/// Rules of the kernel it rests on (Documentation/input/multi-touch-protocol.rst, event-codes.rst):
/// a value that did not change is not sent again, not even for a new contact in the slot, so a slot's values outlive
/// its contact; all between two SYN_REPORTs is one report; after SYN_DROPPED everything to the next SYN_REPORT is to be
/// thrown away and the state to be asked for.
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
    /// Where a device with one contact has its place.
    private let place: (x: UInt16, y: UInt16)
    var slots: [Slot]
    /// Nil while the device speaks of a slot it does not have: those events are nobody's.
    private var current: Int? = 0
    /// What the frame being collected has so far.
    private var contacts: [Contact] = []
    private var palmCount = 0
    /// What the last frame said of pens.
    private var wasPenInRange = false
    private var isDiscarding = false
    private var button = TipButton()
    private var nextTrackingID: Int32 = 0
    private var anonymous = AnonymousReport()
    /// The contacts of the next report were there at the start.
    var ignoresContacts = false

    /// - Returns: nil for an unusable device.
    public init?(_ device: DeviceDescription) {
        self.init(device.kind, size: ContactSize(device), place: device.singleContactAxes)
    }

    /// - Returns: nil for an unusable kind.
    public init?(_ kind: TouchKind, size: ContactSize? = nil) {
        self.init(kind, size: size, place: (EventCode.absX, EventCode.absY))
    }

    private init?(_ kind: TouchKind, size: ContactSize?, place: (x: UInt16, y: UInt16)) {
        self.size = size
        self.place = place
        switch kind {
        case .anonymousMultitouch:
            input = .anonymous
            slots = Array(repeating: Slot(tool: .finger, size: size), count: AnonymousReport.contactLimit)
        case .multitouch(let count):
            input = .multitouch
            slots = Array(repeating: Slot(tool: .finger, size: size), count: min(max(count, 1), TouchKind.slotLimit))
        case .singleTouch:
            input = .singleTouch
            slots = [Slot(tool: .finger, size: nil)]
        case .pen:
            input = .pen
            slots = [Slot(tool: .pen, size: nil)]
        case .unusable: return nil
        }
    }

    /// Takes one event.
    /// - Returns: at a SYN_REPORT the frame it completes, nil if that says nothing about a contact or a pen; at a
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
            if event.code > EventCode.mtSlot { anonymous.take(event.code, event.value, size) }
        case (EventCode.typeAbs, .multitouch): takeSlotEvent(event.code, event.value)
        case (EventCode.typeAbs, _): takeAxis(event.code, event.value)
        case (EventCode.typeKey, .singleTouch), (EventCode.typeKey, .pen): takeKey(event.code, event.value)
        // A device for fingers and pens says by the pen's buttons that one is near.
        case (EventCode.typeKey, .multitouch), (EventCode.typeKey, .anonymous):
            _ = button.take(event.code, event.value, isPen: true)
            if input == .anonymous, event.code == EventCode.touch, event.value == 0 { anonymous.release() }
        default: break
        }
        return nil
    }

    /// Takes over what the device holds now: after opening it, and after a SYN_DROPPED.
    ///
    /// A contact that was down before and still is begins again, marked ``Contact/isResumed``; so does a new one,
    /// unmarked.
    /// - Parameter ignoringContactsDown: at the start: whatever rests on the panel is nobody's stroke until it lifts.
    /// - Returns: a frame with the contacts that begin, or nil when there is none.
    public mutating func resynchronise(
        to state: DeviceState, at microseconds: Int64, ignoringContactsDown: Bool = false
    ) -> TouchFrame? {
        endReported(as: .ended)
        isDiscarding = false
        button = TipButton(state)
        if input == .anonymous {
            // The kernel keeps no contacts of this protocol. The next report tells of all.
            anonymous.clear()
            ignoresContacts = ignoringContactsDown && state.isTouching
            return completeFrame(at: microseconds)
        }
        for index in slots.indices {
            let new = index < state.slots.count ? state.slots[index] : DeviceState.Slot()
            var id = new.trackingID
            if input != .multitouch {
                id = tipIsDown ? slots[index].trackingID ?? takeTrackingID() : nil
            }
            slots[index].takeOver(new, trackingID: id, ignoringContact: ignoringContactsDown)
        }
        current = slots.indices.contains(state.currentSlot) ? state.currentSlot : nil
        return completeFrame(at: microseconds)
    }

    /// Ends what is down: the device is gone, or its events are not wanted any more. A contact that stays down draws
    /// nothing more until it lifts.
    ///
    /// The kernel sends no releases for an unplugged device (reading just fails with ENODEV).
    /// - Parameter phase: `ended` keeps what was drawn, `cancelled` takes it back.
    /// - Returns: nil when nothing was down and no pen near.
    public mutating func endAll(as phase: Contact.Phase = .ended, at microseconds: Int64) -> TouchFrame? {
        endReported(as: phase)
        for index in slots.indices { slots[index].mute() }
        return takeFrame(at: microseconds, isPenInRange: false)
    }

    // MARK: Frames

    private mutating func completeFrame(at microseconds: Int64) -> TouchFrame? {
        var hover: PenHover?
        let isTipNear = button.isTipNear && !tipIsDown
        for index in slots.indices {
            let found = slots[index].takeHover(isTipNear: isTipNear)
            hover = hover ?? found
            if let contact = slots[index].report(slot: index, palmCount: &palmCount) { contacts.append(contact) }
        }
        return takeFrame(at: microseconds, isPenInRange: isPenInRange, hover: hover)
    }

    private var isPenInRange: Bool {
        if button.isPenInRange { return true }
        switch input {
        case .multitouch, .anonymous: return slots.contains { $0.hasPen }
        case .singleTouch: return false
        // Where the driver never says that the pen is near, its tip does.
        case .pen: return tipIsDown
        }
    }

    /// - Returns: nil when there is nothing to tell.
    private mutating func takeFrame(
        at microseconds: Int64, isPenInRange: Bool, hover: PenHover? = nil
    ) -> TouchFrame? {
        defer {
            palmCount = 0
            wasPenInRange = isPenInRange
        }
        let contacts = takeContacts()
        guard !contacts.isEmpty || palmCount > 0 || isPenInRange || wasPenInRange else { return nil }
        return TouchFrame(
            microseconds: microseconds, contacts: contacts, isPenInRange: isPenInRange, palmCount: palmCount,
            hover: hover)
    }

    private mutating func takeContacts() -> [Contact] {
        defer { contacts.removeAll(keepingCapacity: true) }
        return contacts
    }

    private mutating func endReported(as phase: Contact.Phase) {
        for index in slots.indices {
            guard let contact = slots[index].endReported(slot: index, as: phase) else { continue }
            contacts.append(contact)
        }
    }

    /// The part of a frame that came before the drop may be incomplete: contacts end at their last whole report.
    private mutating func drop(at microseconds: Int64) -> TouchFrame {
        dropCount &+= 1
        endReported(as: .ended)
        for index in slots.indices { slots[index].markUncertain() }
        anonymous.clear()
        isDiscarding = true
        return TouchFrame(
            microseconds: microseconds, contacts: takeContacts(), isAfterDrop: true, isPenInRange: wasPenInRange)
    }

    // MARK: Multitouch

    private mutating func takeSlotEvent(_ code: UInt16, _ value: Int32) {
        if code == EventCode.mtSlot {
            current = slots.indices.contains(Int(value)) ? Int(value) : nil
            return
        }
        // ABS_X and its like are the kernel's copy of one contact for programs that know no slots.
        guard code > EventCode.mtSlot, let index = current else { return }
        if code == EventCode.mtTrackingID {
            setContact(index, value < 0 ? nil : value)
            return
        }
        switch code {
        case EventCode.mtPositionX: slots[index].x = value
        case EventCode.mtPositionY: slots[index].y = value
        case EventCode.mtPressure: slots[index].pressure = value
        case EventCode.mtDistance: slots[index].distance = value
        case EventCode.mtToolType: slots[index].toolType = value
        case size?.majorCode: slots[index].major = value
        case size?.minorCode: slots[index].minor = value
        default: break
        }
        slots[index].wasHeard()
    }

    mutating func setContact(_ index: Int, _ id: Int32?) {
        if slots[index].trackingID != id { contacts.append(contentsOf: slots[index].lift(slot: index)) }
        slots[index].begin(id)
    }

    // MARK: One contact

    private var tipIsDown: Bool { input == .pen ? button.isPenDown : button.isTouching }

    private mutating func takeAxis(_ code: UInt16, _ value: Int32) {
        switch code {
        case place.x: slots[0].x = value
        case place.y: slots[0].y = value
        case EventCode.absPressure: slots[0].pressure = value
        case EventCode.absDistance where input == .pen: slots[0].distance = value
        // Contacts of a device that is read as a pen, or whose axes for them are empty.
        case EventCode.mtSlot...: return
        default: break
        }
        // A touch panel reports positions only of what touches it; a pen also while it hovers.
        if input == .singleTouch || !slots[0].isUncertain { slots[0].wasHeard() }
    }

    private mutating func takeKey(_ code: UInt16, _ value: Int32) {
        guard button.take(code, value, isPen: input == .pen) else { return }
        if tipIsDown {
            // After lost events only BTN_TOUCH itself proves a pen's tip down: it may have lifted unheard and hover.
            if slots[0].isUncertain, code != EventCode.touch { return }
            setContact(0, slots[0].trackingID ?? takeTrackingID())
        } else if code == EventCode.touch {
            setContact(0, nil)
        } else {
            // The pen went out of reach or turned out to be the rubber, whose button may come after BTN_TOUCH in the
            // same report: what has begun ends, what has not is no tap.
            if let end = slots[0].endReported(slot: 0, as: .ended) { contacts.append(end) }
            slots[0].removeContact()
        }
    }

    mutating func takeTrackingID() -> Int32 {
        defer { nextTrackingID = nextTrackingID == .max ? 0 : nextTrackingID + 1 }
        return nextTrackingID
    }
}
