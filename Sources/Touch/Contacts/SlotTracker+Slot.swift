// SPDX-License-Identifier: Apache-2.0

extension SlotTracker {
    /// One slot: the device's values, which outlive contacts, and the contact in it.
    struct Slot: Sendable {
        var x: Int32?
        var y: Int32?
        var pressure: Int32?
        /// Above 0 the contact hovers (ABS_MT_DISTANCE).
        var distance: Int32 = 0
        var isPalm = false

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

        private var reading: DeviceReading? {
            guard let x, let y else { return nil }
            return DeviceReading(x: x, y: y, pressure: pressure)
        }

        private var isTouching: Bool {
            trackingID != nil && !isMuted && !isUncertain && !isPalm && distance <= 0
        }

        /// An event proves that the contact here is still here.
        mutating func wasHeard() {
            isDirty = true
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
                Contact(slot: slot, trackingID: id, phase: .began, reading: reading, isResumed: isResumed),
                Contact(slot: slot, trackingID: id, phase: .ended, reading: reading),
            ]
        }

        /// Ends for the frames what they were told of, without taking it out of the slot.
        mutating func endReported(slot: Int, as phase: Contact.Phase) -> Contact? {
            guard let id = trackingID, let last = reported else { return nil }
            reported = nil
            return Contact(slot: slot, trackingID: id, phase: phase, reading: last)
        }

        /// What the report that is now complete says of this slot.
        mutating func report(slot: Int) -> Contact? {
            guard isDirty else { return nil }
            isDirty = false
            guard let id = trackingID, !isMuted else { return nil }
            if isPalm {
                // Once a palm, a palm until it lifts, even if the device changes its mind.
                isMuted = true
                return endReported(slot: slot, as: .cancelled)
            }
            guard isTouching else { return endReported(slot: slot, as: .ended) }
            guard let reading else { return nil }
            defer {
                reported = reading
                isResumed = false
            }
            return Contact(
                slot: slot, trackingID: id, phase: reported == nil ? .began : .moved, reading: reading,
                isResumed: reported == nil && isResumed)
        }

        /// Events were lost: the contact here may have lifted.
        mutating func markUncertain() {
            isDirty = false
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
            isPalm = state.toolType == EventCode.toolTypePalm
            trackingID = id
            isUncertain = false
            isResumed = isSame
            isMuted = isMuted || ignoringContact && id != nil
            isDirty = id != nil
        }
    }
}
