// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Configuration
import Geometry
import Glibc
import Linux
import Pad
import Panel
import Raster
import Screen
import TestSupport
import Testing
import Touch

@testable import inkpanel

/// A recording of touches on a digitizer of 4096 x 4096 units.
private struct RecordedHand {
    /// Maps the digitizer to the panel, both 0...1.
    let truth: Transform
    private(set) var events: [InputEvent] = []
    private var now: Int64 = 1_000_000
    private var id: Int32 = 0

    init(_ truth: Transform) { self.truth = truth }

    /// Adds a touch of three reports at a point of the panel, 0...1.
    mutating func touch(_ place: Point) {
        let reading = truth.inverted!.apply(place)
        id += 1
        add(EventCode.mtTrackingID, id)
        for step in 0..<3 {
            add(EventCode.mtPositionX, Int32(reading.x * 4096) + Int32(step) - 1)
            add(EventCode.mtPositionY, Int32(reading.y * 4096))
            report()
        }
        add(EventCode.mtTrackingID, -1)
        report()
    }

    private mutating func add(_ code: UInt16, _ value: Int32) {
        events.append(InputEvent(time: Timestamp(microseconds: now), type: EventCode.typeAbs, code: code, value: value))
    }

    private mutating func report() {
        events.append(
            InputEvent(time: Timestamp(microseconds: now), type: EventCode.typeSyn, code: EventCode.synReport, value: 0)
        )
        now += 10_000
    }

    func input() throws -> RecordingInput {
        let axis = AxisInfo(minimum: 0, maximum: 4095)
        let device = DeviceDescription(
            name: "made up", properties: [EventCode.propertyDirect], keys: [EventCode.touch],
            axes: [
                EventCode.mtSlot: AxisInfo(minimum: 0, maximum: 9), EventCode.mtPositionX: axis,
                EventCode.mtPositionY: axis, EventCode.mtTrackingID: AxisInfo(minimum: 0, maximum: 65535),
            ])
        return try RecordingInput(Recording(device: device, events: events), name: "hand", pace: .immediate)
    }
}

@Suite("Calibration on a display")
struct CalibrateTests {
    private func calibrate(
        _ hand: RecordedHand, rotation: Rotation? = nil, timeout: Int = 20
    ) throws -> (fit: CalibrationFit, display: HeadlessDisplay) {
        let display = try HeadlessDisplay(size: PixelSize(width: 320, height: 200))
        return (try panel(try hand.input(), display, rotation: rotation, timeout: timeout).run(), display)
    }

    private func panel(
        _ input: any TouchInput, _ display: HeadlessDisplay, rotation: Rotation? = nil, timeout: Int
    ) throws -> TouchTaskPanel<CalibrationTask> {
        let screen = PadScreen(display, look: Look(rotation: rotation))
        let task = try CalibrationTask(input.description, named: input.name, on: screen)
        return try TouchTaskPanel(task, input, display, screen, timeout: timeout, until: [], log: Log())
    }

    @Test("finds the matrix of a rotated, mirrored and shifted digitizer, for each rotation of the picture")
    func finds() throws {
        let truths = [
            Transform.identity, Transform(a: 0, b: -1, tx: 1, c: 1, d: 0, ty: 0),
            Transform(a: -1.2, b: 0.02, tx: 1.08, c: -0.01, d: 1.1, ty: -0.04),
        ]
        for truth in truths {
            for rotation in Rotation.allCases {
                var hand = RecordedHand(truth)
                for place in CalibrationProcedure.places { hand.touch(rotation.pictureToPanel.apply(place)) }
                let fit = try calibrate(hand, rotation: rotation).fit
                for corner in [Point(x: 0, y: 0), Point(x: 1, y: 0), Point(x: 0, y: 1), Point(x: 1, y: 1)] {
                    let off = fit.matrix.apply(corner) - truth.apply(corner)
                    // Crosses are at the centres of the 320 x 200 pixels; touches have whole device units.
                    #expect(off.length < 0.02, "\(rotation) \(truth) \(corner)")
                }
            }
        }
    }

    @Test("shows the current cross, and the last one at the end")
    func shows() throws {
        var hand = RecordedHand(.identity)
        for place in CalibrationProcedure.places { hand.touch(place) }
        let (_, display) = try calibrate(hand)
        let surface = try #require(display.currentSurface)
        let paper = surface.row(0)[0]
        let first = CalibrationProcedure.places[0]
        #expect(surface.row(Int(first.y * 200))[Int(first.x * 320)] != paper)
        #expect(surface.row(100)[310] == paper)
    }

    @Test("repeats a cross after a wrong touch")
    func repeats() throws {
        var hand = RecordedHand(.identity)
        for (number, place) in CalibrationProcedure.places.enumerated() {
            hand.touch(number == 1 ? Point(x: 0.6, y: 0.4) : place)
        }
        hand.touch(CalibrationProcedure.places[1])
        let fit = try calibrate(hand).fit
        #expect(abs(fit.matrix.a - 1) < 0.01 && fit.worst < CalibrationFit.tolerance)
    }

    @Test("reports the end of a recording and touches that never fit")
    func ends() throws {
        var short = RecordedHand(.identity)
        for place in CalibrationProcedure.places.prefix(3) { short.touch(place) }
        let ended = thrownError { try calibrate(short) } as? CommandError
        #expect(ended?.message.contains("ends at cross 4 of 5") == true && ended?.status == EX_DATAERR)

        var wild = RecordedHand(.identity)
        for _ in 0..<8 {
            for place in [(0.1, 0.1), (0.9, 0.9), (0.1, 0.8), (0.9, 0.2), (0.2, 0.5)] {
                wild.touch(Point(x: place.0, y: place.1))
            }
        }
        let failed = thrownError { try calibrate(wild) } as? CommandError
        #expect(failed?.message.contains("no matrix") == true)
    }

    @Test("gives up after a timeout and on a signal")
    func aborted() throws {
        // One touch, and a report an hour later.
        var hand = RecordedHand(.identity)
        hand.touch(CalibrationProcedure.places[0])
        var recording = Recording(device: try hand.input().description, events: hand.events)
        recording.events.append(
            InputEvent(
                time: Timestamp(microseconds: 3_600_000_000), type: EventCode.typeSyn, code: EventCode.synReport,
                value: 0))
        let input = try RecordingInput(recording, name: "hand", pace: .recorded)
        let display = try HeadlessDisplay(size: PixelSize(width: 320, height: 200))
        let panel = try panel(input, display, timeout: 1)
        let error = thrownError { try panel.run() } as? CommandError
        #expect(error?.message.contains("no cross was touched") == true && error?.status == CaptureEnding.timedOut)
    }

    @Test("options")
    func options() throws {
        let command = try #require(
            try Inkpanel.parseAsRoot([
                "calibrate", "--touch", "replay:x", "--display", "headless:320x200", "--udev", "/tmp/x.rules", "--save",
                "--config", "/tmp/x.toml", "--timeout", "5", "--rotate", "90",
            ]) as? CalibrateCommand)
        #expect(command.save && command.udev == "/tmp/x.rules")
        #expect(command.panel.timeout == 5 && command.panel.rotate == .clockwise90)
        for wrong in [["--timeout", "0"], ["--timeout", "3601"], ["--udev", ""]] {
            #expect(throws: (any Error).self) { try Inkpanel.parseAsRoot(["calibrate"] + wrong) }
        }
        let run = try #require(
            try Inkpanel.parseAsRoot(["run", "--touch-filter", "median", "--touch-filter", "skip:2,1"]) as? RunCommand)
        #expect(run.options.filters?.words == ["skip:2,1", "median:3"])
        var file = Configuration()
        file.touch.filters = try #require(NoiseSettings(["dejitter"]))
        file.touch.calibration = Transform(a: 0, b: -1, tx: 1, c: 1, d: 0, ty: 0)
        let settings = try RunSettings(file, overriddenBy: run.options)
        #expect(settings.configuration.touch.filters.words == ["skip:2,1", "median:3"])
        #expect(settings.configuration.touch.calibration == file.touch.calibration)
        let bare = try #require(try Inkpanel.parseAsRoot(["run"]) as? RunCommand)
        #expect(try RunSettings(file, overriddenBy: bare.options).configuration.touch.filters.words == ["dejitter:0.4"])
        let off = try #require(try Inkpanel.parseAsRoot(["run", "--touch-filter", "none"]) as? RunCommand)
        #expect(try RunSettings(file, overriddenBy: off.options).configuration.touch.filters.isEmpty)
        #expect(throws: (any Error).self) { try Inkpanel.parseAsRoot(["run", "--touch-filter", "iir"]) }
    }

    @Test("the configuration is edited, created if it is missing, and left alone if it is invalid")
    func target() throws {
        let folder = try TemporaryDirectory()
        let path = folder.path + "/inkpanel.toml"
        let matrix = Transform(a: 0, b: -1, tx: 1, c: 1, d: 0, ty: 0)
        try CalibrationTarget(path).write(matrix)
        #expect(try Configuration(path: path).touch.calibration == matrix)
        let text = "# mine\n[touch] # the panel\npalm-mm = 12\n"
        try AtomicFile.write(Array(text.utf8), to: path)
        try CalibrationTarget(path).write(matrix)
        let edited = try #require(try InputFile.read(path, maximumByteCount: 1000))
        let expected = "# mine\n[touch] # the panel\ncalibration = \"0 -1 1 1 0 0\"\npalm-mm = 12\n"
        #expect(String(decoding: edited, as: UTF8.self) == expected)
        try AtomicFile.write(Array("[touch]\npalms = 1\n".utf8), to: path)
        #expect(throws: ConfigurationError.self) { try CalibrationTarget(path) }
    }
}
