// SPDX-License-Identifier: Apache-2.0
import Canvas
import Formats
import Geometry
import HostAPI
import Ink
import Pad
import PadFixtures
import Panel
import Raster
import Record
import TestSupport
import Testing
import Touch

@testable import inkpanel

/// The ink field, row by row.
private struct Pictures {
    var screen, export: [[UInt32]]
}

/// Signs on a pad and keeps what its display and its record got.
private struct Signing: DrivenPad, ~Copyable {
    private let screen: PadScreen
    var pad: Pad
    private var gate: ContactGate
    private var noise: NoiseFilter
    var now = Timestamp(microseconds: 1_000_000)
    private var canvas: Canvas
    private(set) var record: CaptureRecord?

    init(_ mapping: PanelMapping, on screen: PadScreen, pen: Pen, filters: NoiseSettings = NoiseSettings()) {
        self.screen = screen
        let settings = PadSettings(
            messages: MessageTable(.english), pen: pen, color: .black, paper: .white, policy: .standard,
            idle: [.words("Inkpanel")], program: "inkpanel 1", wallClock: { 1_773_500_966_000_000 },
            date: { _ in LocalDate(text: "14.03.2026", offsetSeconds: 0) }, random: { 7 })
        pad = Pad(settings, screen: screen)
        gate = ContactGate(mappings: [mapping])
        noise = NoiseFilter(filters, density: screen.density)
        canvas = Canvas(size: screen.size, pen: pen, color: .black, background: .white, density: screen.density)
    }

    /// A host asks for a signature.
    mutating func begin(_ device: DeviceDescription, _ mapping: PanelMapping) throws {
        let described = try #require(CaptureDevice(device, mapping: mapping))
        handle(.devices([device.name], [described]))
        handle(.call(CallID(1), .capture(CaptureCall(request: CaptureRequest(prompt: ["Sign"]))), .all))
        #expect(pad.page == .signing)
    }

    mutating func draw(_ frame: TouchFrame) {
        now = frame.time
        for touch in noise.update(with: gate.update(with: frame, of: 0)) { handle(.touch(touch, reported: now)) }
    }

    mutating func carryOut(_ action: PadAction) -> PadEvent? {
        switch action {
        case .render(.layOut(let id, let page)):
            let screen = screen
            return .laidOut(id, Result { () throws(PageTooSmall) in try page.placed(on: screen) })
        case .render(.ink(let event, _)): canvas.apply(event)
        case .render(.undo): canvas.undo()
        case .render(.clear): canvas.clear()
        case .store(let action):
            if case .begin(let header) = action { record = CaptureRecord(header: header) }
            if case .append(_, let entry) = action { record?.entries.append(entry) }
            return action.answer.map { .stored($0) }
        case .render, .reply, .simulate, .requestReport, .document, .speech: break
        }
        return nil
    }

    /// The ink field as the screen shows it and as a picture of the record does, read back from its file.
    mutating func pictures() throws -> Pictures {
        let recorded = self.record
        var record = try CaptureDecoder.decode(CaptureEncoder.encode(try #require(recorded)))
        record.end = CaptureEnd(outcome: .accepted, endedAt: 0, quality: CaptureQuality())
        let picture = try CapturePicture(of: record, part: .signingArea, resolution: .density(screen.density))
        let export = picture.pixels()
        let area = record.header.screen.signingArea
        let field = PixelRect(minX: area[0], minY: area[1], maxX: area[0] + area[2], maxY: area[1] + area[3])
        let shown = canvas.dryPixels
        return Pictures(
            screen: shown.rows(field),
            export: export.surface.rows(PixelRect(size: export.surface.size)))
    }
}

@Suite("The ink on the screen and in the files")
struct ShownInkTests {
    private static let panel = PixelSize(width: 400, height: 300)

    private func device(_ x: AxisInfo, _ y: AxisInfo, pressure: AxisInfo? = nil) -> DeviceDescription {
        var axes = [
            EventCode.mtSlot: AxisInfo(minimum: 0, maximum: 4),
            EventCode.mtTrackingID: AxisInfo(minimum: 0, maximum: 99),
            EventCode.mtPositionX: x, EventCode.mtPositionY: y,
        ]
        axes[EventCode.mtPressure] = pressure
        return DeviceDescription(
            name: "Panel", properties: [EventCode.propertyDirect], keys: [EventCode.touch], axes: axes)
    }

    private func screen(_ rotation: Rotation, dotsPerInch: Double) -> PadScreen {
        let density = PixelDensity(dotsPerInch: dotsPerInch)
        return PadScreen(
            name: "test", panelSize: Self.panel, rotation: rotation, density: density,
            pageDensity: PixelDensity(dotsPerInch: 100))
    }

    @Test(
        "the picture of a record has the pixels of the screen: any ranges, calibration, rotation, filters",
        arguments: Breadth.seeds(13, long: 80))
    func samePixels(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        func axis() -> AxisInfo {
            let minimum = Int32.random(in: -300...300, using: &random)
            return AxisInfo(minimum: minimum, maximum: minimum + .random(in: 100...5000, using: &random))
        }
        let (x, y) = (axis(), axis())
        let device = device(x, y, pressure: Bool.random(using: &random) ? AxisInfo(minimum: 0, maximum: 255) : nil)
        let rotation = Rotation.allCases.randomElement(using: &random)!
        let calibration =
            seed % 3 == 0
            ? Transform.identity
            : Rotation.allCases.randomElement(using: &random)!.panelToPicture.then(
                Transform(
                    a: .random(in: 0.3...2, using: &random), b: .random(in: -0.2...0.2, using: &random),
                    tx: .random(in: -0.3...0.3, using: &random), c: .random(in: -0.2...0.2, using: &random),
                    d: .random(in: 0.3...2, using: &random), ty: .random(in: -0.3...0.3, using: &random)))
        let mapping = try #require(
            PanelMapping(device, panel: Self.panel, rotation: rotation, calibration: calibration))
        let pen = Pen(PenName.allCases.randomElement(using: &random)!, width: seed % 2 == 0 ? 0.7 : nil)
        let screen = screen(rotation, dotsPerInch: .random(in: 60...300, using: &random))
        let filters = ["median:5", "dejitter", "skip:2,1", "debounce", "evthres:3"].map { name in
            seed % 4 < 2 || Bool.random(using: &random) ? [] : [name]
        }
        var signing = Signing(
            mapping, on: screen, pen: pen, filters: try #require(NoiseSettings(filters.flatMap(\.self))))
        try signing.begin(device, mapping)
        var time: Int64 = 2_000_000
        func value(_ axis: AxisInfo) -> Double {
            let range = Double(axis.maximum - axis.minimum)
            return Double(axis.minimum) + range * .random(in: -0.4...1.4, using: &random)
        }
        for stroke in 0..<Int32(4) {
            var place = Point(x: value(x), y: value(y))
            var target = Point(x: value(x), y: value(y))
            let count = Int.random(in: 2...40, using: &random)
            for step in 0..<count {
                let reading = DeviceReading(
                    x: Int32(place.x), y: Int32(place.y),
                    pressure: device.pressureAxis == nil ? nil : .random(in: -9...300, using: &random))
                let phase: Contact.Phase = step == 0 ? .began : step == count - 1 ? .ended : .moved
                let contact = Contact(slot: 0, trackingID: stroke, phase: phase, reading: reading)
                signing.draw(TouchFrame(time: Timestamp(microseconds: time), contacts: [contact]))
                time += .random(in: 0...20_000, using: &random)
                if step % 8 == 7 { target = Point(x: value(x), y: value(y)) }
                place = place.interpolated(to: target, 0.25)
            }
            time += 200_000
        }
        let pictures = try signing.pictures()
        #expect(pictures.screen == pictures.export, "seed \(seed)")
    }

    @Test("a calibration repairs exchanged and too small ranges: screen and files show what a good driver gives")
    func wrongRanges() throws {
        func pictures(
            _ x: Int32, _ y: Int32, _ calibration: String, _ reading: (Int32, Int32) -> (Int32, Int32)
        ) throws -> Pictures {
            let device = device(AxisInfo(minimum: 0, maximum: x), AxisInfo(minimum: 0, maximum: y))
            let calibration = try Calibration.matrix(calibration)
            let mapping = try #require(PanelMapping(device, panel: Self.panel, calibration: calibration))
            var signing = Signing(mapping, on: screen(.none, dotsPerInch: 100), pen: Pen())
            try signing.begin(device, mapping)
            for step in 0..<Int32(60) {
                let (x, y) = reading(60 + step * 5, 120 + step * step % 61)
                let contact = Contact(
                    slot: 0, trackingID: 1, phase: step == 0 ? .began : step == 59 ? .ended : .moved,
                    reading: DeviceReading(x: x, y: y))
                signing.draw(
                    TouchFrame(time: Timestamp(microseconds: 2_000_000 + Int64(step) * 10_000), contacts: [contact]))
            }
            return try signing.pictures()
        }
        let good = try pictures(399, 299, "1 0 0 0 1 0") { ($0, $1) }
        let exchanged = try pictures(399, 299, "0 0.75 0 1.3333333333333333 0 0") { ($1, $0) }
        let small = try pictures(99, 74, "0.25 0 0 0 0.25 0") { ($0, $1) }
        #expect(good.screen == good.export && good.screen.contains { $0.contains { $0 != 0xFF_FFFF } })
        for wrong in [exchanged, small] { #expect(wrong.screen == good.screen && wrong.export == good.screen) }
    }

    @Test("a pressure that never changes is not recorded; one that changes is", arguments: [0, 127, 255] as [Int32])
    func constantPressure(value: Int32) throws {
        let axis = AxisInfo(minimum: 0, maximum: 255)
        let device = device(
            AxisInfo(minimum: 0, maximum: 399), AxisInfo(minimum: 0, maximum: 299), pressure: axis)
        let mapping = try #require(PanelMapping(device, panel: Self.panel))
        var signing = Signing(mapping, on: screen(.none, dotsPerInch: 100), pen: Pen())
        try signing.begin(device, mapping)
        for stroke in 0..<Int32(3) {
            for step in 0..<Int32(9) {
                let contact = Contact(
                    slot: 0, trackingID: stroke, phase: step == 0 ? .began : step == 8 ? .ended : .moved,
                    reading: DeviceReading(
                        x: 150 + step * 6, y: 140 + stroke * 9, pressure: stroke < 2 ? value : 20 + step))
                let time = 2_000_000 + Int64(stroke) * 500_000 + Int64(step) * 9000
                signing.draw(TouchFrame(time: Timestamp(microseconds: time), contacts: [contact]))
            }
        }
        let recorded = signing.record
        let strokes = try #require(recorded).visibleStrokes
        #expect(strokes.map { $0.samples.allSatisfy { $0.pressure != nil } } == [false, false, true])
        #expect(strokes.prefix(2).allSatisfy { $0.samples.allSatisfy { $0.pressure == nil } })
        let pictures = try signing.pictures()
        #expect(pictures.screen == pictures.export)
    }
}
