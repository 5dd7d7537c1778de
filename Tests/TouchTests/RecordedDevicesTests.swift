// SPDX-License-Identifier: Apache-2.0
import Geometry
import Testing
import Touch

@Suite("Recordings of real devices")
struct RecordedDevicesTests {
    /// What a decoder written independently of this one found in a recording.
    struct Expectation: Sendable, CustomTestStringConvertible {
        var file: String
        var kind: TouchKind
        /// Reports of each contact, in the order they begin.
        var reports: [Int]
        /// Of all reports, in device units.
        var sumX: Int
        var sumY: Int
        var sumPressure: Int
        /// Of the last report, counted from the first.
        var milliseconds: Double

        var testDescription: String { file }

        init(
            _ file: String, _ kind: TouchKind, _ reports: [Int], x: Int = 0, y: Int = 0, pressure: Int = 0,
            milliseconds: Double = 0
        ) {
            (self.file, self.kind, self.reports) = (file, kind, reports)
            (sumX, sumY, sumPressure, self.milliseconds) = (x, y, pressure, milliseconds)
        }
    }

    static let expectations = [
        Expectation(
            "UC-LOGIC Tablet WP5540U Pen.events", .pen(isDirect: false), [459], x: 6_075_677, y: 5_881_715,
            pressure: 144_689, milliseconds: 4007.96),
        Expectation(
            "Wacom Cintiq 13HD touch Pen.events", .pen(isDirect: true), [5, 30], x: 1_033_582, y: 522_391,
            pressure: 27751, milliseconds: 339),
        Expectation(
            "Wacom Cintiq 13HD touch Finger.events", .multitouch(slots: 10), [4], x: 5786, y: 3137,
            milliseconds: 149.99),
        Expectation(
            "Wacom ISDv4 E6 Finger.2fg-tap.events", .multitouch(slots: 2), [1, 1], x: 2775, y: 1424),
        Expectation("Wacom ISDv4 E6 Finger.single-tap-center.events", .multitouch(slots: 2), [1], x: 1269, y: 710),
        // One report more than the other decoder has: the tilt alone changed. It is a report of a pen held still.
        Expectation(
            "Wacom Intuos4 6x9.stylus-tap.events", .pen(isDirect: false), [46], x: 872_714 + 19412, y: 487_126 + 10860,
            pressure: 79089 + 2047, milliseconds: 259.97),
        // Two reports 30 microseconds apart; a real panel's, which jumps.
        Expectation(
            "eGalax_eMPIA Technology Inc. PCAP MultiTouch Controller.tap.events", .multitouch(slots: 10), [2], x: 44992,
            y: 36048, milliseconds: 0.03),
        Expectation(
            "Atmel maXTouch Touchscreen.1-finger-fast-taps.events", .multitouch(slots: 10),
            Array(repeating: 1, count: 9), x: 3195, y: 2232, milliseconds: 1823.54),
        Expectation(
            "Atmel maXTouch Touchscreen.2-fingers-touch-release.events", .multitouch(slots: 10), [7, 9], x: 5786,
            y: 4061, milliseconds: 700.59),
        Expectation(
            "Atmel maXTouch Touchscreen.4-finger-drag-down.events", .multitouch(slots: 10), [28, 25, 27, 22], x: 36394,
            y: 25862, milliseconds: 443.05),
        Expectation(
            "EP0430M09.2-fingers-touch-release.events", .multitouch(slots: 5), [7, 8], x: 10281, y: 6199,
            milliseconds: 513.46),
        // Protocol A, read through ABS_X and ABS_Y.
        Expectation(
            "N-Trig MultiTouch.1-finger-drag-NW-SE.events", .singleTouch, [106], x: 551_117, y: 423_751,
            milliseconds: 1505.7),
        // Hovers all the time.
        Expectation("Genius EasyPen i405X.events", .pen(isDirect: false), []),
        // Sends BTN_TOUCH with ABS_Z and ABS_RX and never ABS_X or ABS_Y, although it claims them.
        Expectation("eGalax Inc. USB TouchController.events", .pen(isDirect: false), []),
    ]

    @Test("decode as an independent decoder decoded them", arguments: expectations)
    func decoded(expected: Expectation) throws {
        let recording = try Recording(path: recordings + expected.file)
        #expect(recording.device.kind == expected.kind)
        var contacts: [[(time: Int64, reading: DeviceReading)]] = []
        var open: [Int: Int] = [:]
        for frame in recording.frames() {
            for contact in frame.contacts {
                switch contact.phase {
                case .began:
                    open[contact.slot] = contacts.count
                    contacts.append([(frame.microseconds, contact.reading)])
                case .moved: contacts[try #require(open[contact.slot])].append((frame.microseconds, contact.reading))
                case .ended, .cancelled: #expect(open.removeValue(forKey: contact.slot) != nil)
                }
            }
        }
        #expect(open.isEmpty)
        #expect(contacts.map(\.count) == expected.reports)
        let all = contacts.joined()
        #expect(all.reduce(0) { $0 + Int($1.reading.x) } == expected.sumX)
        #expect(all.reduce(0) { $0 + Int($1.reading.y) } == expected.sumY)
        #expect(all.reduce(0) { $0 + Int($1.reading.pressure ?? 0) } == expected.sumPressure)
        let times = all.map(\.time)
        let duration = Double((times.max() ?? 0) - (times.min() ?? 0)) / 1000
        #expect(abs(duration - expected.milliseconds) < 0.02)
    }

    @Test("four fingers draw one stroke, the first one's")
    func oneOwner() throws {
        let recording = try Recording(path: recordings + "Atmel maXTouch Touchscreen.4-finger-drag-down.events")
        var page = BarePage(try #require(PanelMapping(recording.device, panel: .init(width: 800, height: 480))))
        let events = recording.frames().flatMap { page.update(with: $0) }
        let downs = events.filter { if case .down = $0 { true } else { false } }
        let ups = events.filter { if case .up = $0 { true } else { false } }
        #expect(downs.count == 1 && ups.count == 1)
        #expect(events.first?.sample.device == DeviceReading(x: 415, y: 107))
        #expect(events.first?.sample.position.x == 415.5)
        #expect(events.count == 28 + 1)
    }

    @Test("protocol A without ABS_X and ABS_Y is refused, and has no frames")
    func protocolA() throws {
        var recording = try Recording(path: recordings + "N-Trig MultiTouch.1-finger-drag-NW-SE.events")
        recording.device.axes[EventCode.absX] = nil
        guard case .unusable(let reason) = recording.device.kind else {
            Issue.record("taken for \(recording.device.kind)")
            return
        }
        #expect(reason.contains("protocol A"))
        #expect(recording.frames().isEmpty)
    }

    @Test("a played recording gives the frames of the recording")
    func played() throws {
        let recording = try Recording(path: recordings + "Wacom Cintiq 13HD touch Pen.events")
        var tracker = try #require(SlotTracker(recording.device))
        var player = RecordingPlayer(recording, startMicroseconds: recording.events[0].microseconds, pace: .immediate)
        var frames: [TouchFrame] = []
        while let report = player.next() { frames += report.compactMap { tracker.update(with: $0) } }
        #expect(frames == recording.frames())
    }
}
