// SPDX-License-Identifier: Apache-2.0

extension SlotTracker {
    /// One slot: the device's values, which outlive contacts, and the contact in it.
    struct Slot: Sendable {
        /// What touches where the slot does not say.
        let tool: Contact.Tool
        let size: ContactSize?
        var x: Int32?
        var y: Int32?
        var pressure: Int32?
        /// ABS_MT_DISTANCE or, of a pen with a device of its own, ABS_DISTANCE; nil until the device has told one.
        var distance: Int32?
        /// ABS_MT_TOOL_TYPE.
        var toolType: Int32 = 0
        /// As ``ContactSize`` wants them.
        var major: Int32?
        var minor: Int32?

        /// The contact that the device says is here.
        private(set) var trackingID: Int32?
        /// What frames said of it last; nil when they have not said that it began.
        private var reported: DeviceReading?
        /// Ignored until it lifts: it was there at the start, or it is a palm.
        private var isMuted = false
        /// It was here before events were lost, and nothing has been heard of it since.
        private(set) var isUncertain = false
        /// It begins again after a drop.
        private var isResumed = false
        /// Something was sent for this slot in the frame being collected.
        private var isDirty = false
        /// The same, whatever became of a contact here since.
        private var isNew = false

        init(tool: Contact.Tool, size: ContactSize?) {
            self.tool = tool
            self.size = size
        }

        private var reading: DeviceReading? {
            guard let x, let y else { return nil }
            return DeviceReading(x: x, y: y, pressure: pressure)
        }

        private var isPalm: Bool { toolType == EventCode.toolTypePalm }

        /// A pen is here, touching or not.
        var hasPen: Bool { trackingID != nil && toolType == EventCode.toolTypePen }

        private var isTouching: Bool {
            trackingID != nil && !isMuted && !isUncertain && !isPalm && !isAbove
        }

        /// A contact of several that does not touch. A pen with a device of its own tells by its button whether it
        /// does, and may tell a distance even then.
        private var isAbove: Bool { tool != .pen && (distance ?? 0) > 0 }

        /// An event proves that the contact here is still here.
        mutating func wasHeard() {
            isDirty = true
            isNew = true
            guard isUncertain else { return }
            isUncertain = false
            isResumed = true
        }

        /// Puts a contact in; the one before has lifted, or is the same.
        mutating func begin(_ id: Int32?) {
            if trackingID != id { removeContact() }
            trackingID = id
            if id != nil { wasHeard() }
        }

        mutating func removeContact() {
            trackingID = nil
            reported = nil
            isMuted = false
            isUncertain = false
            isResumed = false
            isDirty = false
        }

        /// Ignores the contact here, if there is one, until it lifts.
        mutating func mute() { isMuted = trackingID != nil }

        /// Takes the contact out.
        /// - Returns: its end; for one that came and went within this report its beginning too.
        mutating func lift(slot: Int) -> [Contact] {
            defer { removeContact() }
            if let end = endReported(slot: slot, as: .ended) { return [end] }
            guard isTouching, let id = trackingID, let reading else { return [] }
            return [
                contact(slot, id, .began, reading, isResumed: isResumed), contact(slot, id, .ended, reading),
            ]
        }

        /// Ends for the frames what they were told of, without taking it out of the slot.
        mutating func endReported(slot: Int, as phase: Contact.Phase) -> Contact? {
            guard let id = trackingID, let last = reported else { return nil }
            reported = nil
            return contact(slot, id, phase, last)
        }

        private func contact(
            _ slot: Int, _ id: Int32, _ phase: Contact.Phase, _ reading: DeviceReading, isResumed: Bool = false
        ) -> Contact {
            Contact(
                slot: slot, trackingID: id, phase: phase, reading: reading, isResumed: isResumed,
                tool: toolType == EventCode.toolTypePen ? .pen : tool,
                size: size?.millimetres(major: major, minor: minor))
        }

        /// Where a pen is that does not touch, if the report that is now complete says so.
        /// - Parameter isTipNear: of a pen with a device of its own: it is felt, and its tip is up.
        mutating func takeHover(isTipNear: Bool) -> PenHover? {
            defer { isNew = false }
            guard isNew, tool == .pen ? isTipNear : hasPen && isAbove && !isUncertain, let x, let y else { return nil }
            return PenHover(x: x, y: y, distance: distance)
        }

        /// What the report that is now complete says of this slot.
        /// - Parameter palmCount: counts a contact that is a palm before anything was reported of it.
        mutating func report(slot: Int, palmCount: inout Int) -> Contact? {
            guard isDirty else { return nil }
            isDirty = false
            guard let id = trackingID, !isMuted else { return nil }
            if isPalm {
                // Once a palm, a palm until it lifts, even if the device changes its mind.
                isMuted = true
                if reported == nil { palmCount += 1 }
                return endReported(slot: slot, as: .cancelled)
            }
            guard isTouching else { return endReported(slot: slot, as: .ended) }
            guard let reading else { return nil }
            defer {
                reported = reading
                isResumed = false
            }
            return contact(
                slot, id, reported == nil ? .began : .moved, reading, isResumed: reported == nil && isResumed)
        }

        /// Events were lost: the contact here may have lifted.
        mutating func markUncertain() {
            isDirty = false
            isNew = false
            isUncertain = trackingID != nil
        }

        /// The device was asked what it holds.
        mutating func takeOver(_ state: DeviceState.Slot, trackingID id: Int32?, ignoringContact: Bool) {
            let isSame = id != nil && id == trackingID
            if !isSame { removeContact() }
            x = state.x
            y = state.y
            pressure = state.pressure
            distance = state.distance
            toolType = state.toolType
            major = state.major
            minor = state.minor
            trackingID = id
            isUncertain = false
            isResumed = isSame
            isMuted = isMuted || ignoringContact && id != nil
            isDirty = id != nil
            isNew = false
        }
    }
}
