// SPDX-License-Identifier: Apache-2.0
import Touch

/// Events as a device sends them, for building streams by hand.
enum Event {
    static func abs(_ code: UInt16, _ value: Int32) -> InputEvent {
        InputEvent(microseconds: 0, type: EventCode.typeAbs, code: code, value: value)
    }

    static func key(_ code: UInt16, _ value: Int32) -> InputEvent {
        InputEvent(microseconds: 0, type: EventCode.typeKey, code: code, value: value)
    }

    static func slot(_ value: Int32) -> InputEvent { abs(EventCode.mtSlot, value) }
    static func id(_ value: Int32) -> InputEvent { abs(EventCode.mtTrackingID, value) }
    static func mtX(_ value: Int32) -> InputEvent { abs(EventCode.mtPositionX, value) }
    static func mtY(_ value: Int32) -> InputEvent { abs(EventCode.mtPositionY, value) }
    static func x(_ value: Int32) -> InputEvent { abs(EventCode.absX, value) }
    static func y(_ value: Int32) -> InputEvent { abs(EventCode.absY, value) }
    static func pressure(_ value: Int32) -> InputEvent { abs(EventCode.absPressure, value) }
    static func touch(_ value: Int32) -> InputEvent { key(EventCode.touch, value) }
    static func pen(_ value: Int32) -> InputEvent { key(EventCode.toolPen, value) }
    static func tool(_ value: Int32) -> InputEvent { abs(EventCode.mtToolType, value) }

    static let report = InputEvent(microseconds: 0, type: EventCode.typeSyn, code: EventCode.synReport, value: 0)
    static let mtReport = InputEvent(microseconds: 0, type: EventCode.typeSyn, code: EventCode.synMTReport, value: 0)
    static let dropped = InputEvent(microseconds: 0, type: EventCode.typeSyn, code: EventCode.synDropped, value: 0)
}

extension SlotTracker {
    /// Feeds one report, a SYN_REPORT added.
    @discardableResult
    mutating func report(_ events: InputEvent..., at microseconds: Int64 = 0) -> TouchFrame? {
        var frame: TouchFrame?
        for var event in events + [Event.report] {
            event.microseconds = microseconds
            if let next = update(with: event) { frame = next }
        }
        return frame
    }
}

/// A device on a bare page: what may draw, and of that what does.
struct BarePage {
    var gate: ContactGate
    private(set) var owner = ContactOwner()

    init(_ mapping: PanelMapping) { gate = ContactGate(mappings: [mapping]) }

    mutating func update(with frame: TouchFrame) -> [TouchEvent] { owner.update(with: gate.update(with: frame, of: 0)) }
}

/// A contact without its position, for comparing what happened.
struct Step: Equatable, CustomStringConvertible {
    var slot: Int
    var id: Int32
    var phase: Contact.Phase

    init(_ slot: Int, _ id: Int32, _ phase: Contact.Phase) {
        self.slot = slot
        self.id = id
        self.phase = phase
    }

    var description: String { "\(slot)/\(id) \(phase)" }
}

extension TouchFrame? {
    var steps: [Step] { self?.contacts.map { Step($0.slot, $0.trackingID, $0.phase) } ?? [] }
    var readings: [DeviceReading] { self?.contacts.map(\.reading) ?? [] }
}

extension DeviceDescription {
    static func multitouch(_ width: Int32 = 800, _ height: Int32 = 480, slots: Int32 = 10) -> DeviceDescription {
        DeviceDescription(
            name: "panel", properties: [EventCode.propertyDirect], keys: [EventCode.touch],
            axes: [
                EventCode.absX: AxisInfo(minimum: 0, maximum: 4095),
                EventCode.absY: AxisInfo(minimum: 0, maximum: 4095),
                EventCode.mtSlot: AxisInfo(minimum: 0, maximum: slots - 1),
                EventCode.mtPositionX: AxisInfo(minimum: 0, maximum: width - 1),
                EventCode.mtPositionY: AxisInfo(minimum: 0, maximum: height - 1),
                EventCode.mtTrackingID: AxisInfo(minimum: 0, maximum: 65535),
            ])
    }

    static func singleTouch(_ width: Int32 = 800, _ height: Int32 = 480) -> DeviceDescription {
        DeviceDescription(
            name: "resistive", keys: [EventCode.touch],
            axes: [
                EventCode.absX: AxisInfo(minimum: 0, maximum: width - 1),
                EventCode.absY: AxisInfo(minimum: 0, maximum: height - 1),
            ])
    }

    static func pen(isDirect: Bool = true) -> DeviceDescription {
        var device = singleTouch(10000, 6000)
        device.name = "pen"
        device.keys.insert(EventCode.toolPen)
        device.axes[EventCode.absPressure] = AxisInfo(minimum: 0, maximum: 1023)
        if isDirect { device.properties.insert(EventCode.propertyDirect) }
        return device
    }
}
