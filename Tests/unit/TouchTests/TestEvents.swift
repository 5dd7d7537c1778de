// SPDX-License-Identifier: Apache-2.0
import Geometry
import Ink
import Pad
import TestSupport
import Testing

@testable import Touch

/// A device's events, to build streams by hand.
enum Event {
    static func abs(_ code: UInt16, _ value: Int32) -> InputEvent {
        InputEvent(time: .zero, type: EventCode.typeAbs, code: code, value: value)
    }

    static func key(_ code: UInt16, _ value: Int32) -> InputEvent {
        InputEvent(time: .zero, type: EventCode.typeKey, code: code, value: value)
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
    static func serial(_ value: Int32) -> InputEvent {
        InputEvent(time: .zero, type: EventCode.typeMsc, code: EventCode.mscSerial, value: value)
    }
    static func tool(_ value: Int32) -> InputEvent { abs(EventCode.mtToolType, value) }

    static let report = InputEvent(time: .zero, type: EventCode.typeSyn, code: EventCode.synReport, value: 0)
    static let mtReport = InputEvent(time: .zero, type: EventCode.typeSyn, code: EventCode.synMTReport, value: 0)
    static let dropped = InputEvent(time: .zero, type: EventCode.typeSyn, code: EventCode.synDropped, value: 0)
}

extension SlotTracker {
    /// Feeds a report and its SYN_REPORT.
    @discardableResult
    mutating func report(_ events: InputEvent..., at time: Timestamp = 0) -> TouchFrame? {
        var frame: TouchFrame?
        for var event in events + [Event.report] {
            event.time = time
            if let next = update(with: event) { frame = next }
        }
        return frame
    }
}

/// A device that draws on a bare sheet.
struct BareSheet {
    var gate: ContactGate
    private(set) var contacts = PageContacts()

    init(_ mapping: PanelMapping) { gate = ContactGate(mappings: [mapping]) }

    mutating func update(with frame: TouchFrame) -> [StrokeEvent] {
        contacts.strokes(of: gate.update(with: frame, of: 0))
    }
}

extension StrokeEvent {
    var position: Point? {
        switch self {
        case .begin(let sample), .move(let sample): sample.position
        case .end, .cancel: nil
        }
    }
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

    /// A panel with one contact that measures pressure, INPUT_PROP_DIRECT set.
    static func directPressure() -> DeviceDescription {
        var device = singleTouch()
        device.properties = [EventCode.propertyDirect]
        device.axes[EventCode.absPressure] = AxisInfo(minimum: 0, maximum: 255)
        return device
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

/// The folder of recordings of real devices.
let recordings = #filePath.split(separator: "/").dropLast(3).reduce("") { $0 + "/" + $1 } + "/data/Recordings/"

extension DeviceDescription {
    /// The description in a `.desc` or `.device` file.
    static func described(_ name: String) throws -> DeviceDescription {
        var parser = RecordingParser(path: recordings + name)
        try parser.parseFile()
        return try #require(parser.device)
    }
}

func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

/// A complete small recording: a multitouch panel and one tap.
let smallRecording = """
    # EVEMU 1.3
    N: A panel
    I: 0018 0123 abcd 0100
    P: 02 00 00 00 00 00 00 00
    B: 00 0b 00 00 00 00 00 00 00
    B: 01 00 00 00 00 00 00 00 00
    B: 01 00 00 00 00 00 00 00 00
    B: 01 00 00 00 00 00 00 00 00
    B: 01 00 00 00 00 00 00 00 00
    B: 01 00 00 00 00 00 00 00 00
    B: 01 00 04 00 00 00 00 00 00
    A: 00 0 799 0 0 0
    A: 01 0 479 0 0 0
    A: 2f 0 4 0 0 0
    A: 35 0 799 4 0 10
    A: 36 -5 479 0 0
    A: 39 0 65535 0 0 0
    E: 0.000001 0003 0039 0006\t# EV_ABS / ABS_MT_TRACKING_ID   6
    E: 0.000001 0003 0035 0361
    E: 0.000001 0003 0036 -004
    E: 0.000001 0001 014a 0001
    E: 0.000001 0000 0000 0000\t# ------------ SYN_REPORT (0) ---------- +0ms
    E: 1.020003 0003 0039 -001
    E: 1.020003 0000 0000 0000

    """
