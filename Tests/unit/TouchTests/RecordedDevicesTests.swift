// SPDX-License-Identifier: Apache-2.0
import Geometry
import Ink
import TestSupport
import Testing
import Touch

@Suite("Recordings of real devices")
struct RecordedDevicesTests {
    /// The contents of a recording according to an independent decoder.
    struct Expectation: Sendable, CustomTestStringConvertible {
        var file: String
        var kind: TouchKind
        /// The number of reports of each contact, in the order of beginnings.
        var reports: [Int]
        /// Sums over all reports, in device units.
        var sumX: Int
        var sumY: Int
        var sumPressure: Int
        /// The time from the first report to the last.
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
        // One report more than the other decoder found: only the tilt changed. It is a report of a still pen.
        Expectation(
            "Wacom Intuos4 6x9.stylus-tap.events", .pen(isDirect: false), [46], x: 872_714 + 19412, y: 487_126 + 10860,
            pressure: 79089 + 2047, milliseconds: 259.97),
        // Two reports 30 microseconds apart, of a real panel that jumps.
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
        Expectation(
            "Atmel maXTouch Touchscreen.1-finger-drag-up-down.events", .multitouch(slots: 10), [149], x: 55718,
            y: 37684, milliseconds: 2130.99),
        Expectation(
            "EP0430M09.1-finger-drag-up-down.events", .multitouch(slots: 5), [182], x: 116_593, y: 65270,
            milliseconds: 1411.73),
        Expectation(
            "EP0430M09.2-finger-scroll-down.events", .multitouch(slots: 5), [97, 85], x: 125_279, y: 75708,
            milliseconds: 739.83),
        Expectation(
            "EP0430M09.4-finger-drag-down.events", .multitouch(slots: 5), [94, 90, 101, 101], x: 264_273, y: 173_197,
            milliseconds: 1158.94),
        // Protocol A without ids: contacts are identified by position.
        Expectation(
            "N-Trig MultiTouch.1-finger-drag-NW-SE.events", .anonymousMultitouch, [106], x: 551_117, y: 423_751,
            milliseconds: 1505.7),
        Expectation(
            "N-Trig MultiTouch.2-fingers-touch-release.events", .anonymousMultitouch, [142, 125], x: 1_125_034,
            y: 1_138_137, milliseconds: 2927.64),
        Expectation(
            "Wacom Cintiq 12WX.events", .pen(isDirect: true), [128], x: 1_900_187, y: 1_282_630, pressure: 57980,
            milliseconds: 950.97),
        Expectation(
            "Wacom ISDv4 E6 Finger.2fg-double-tap.events", .multitouch(slots: 2), [1, 1], x: 2712, y: 1469),
        Expectation(
            "Wacom ISDv4 E6 Finger.double-center-circle.events", .multitouch(slots: 2), [127, 128], x: 347_642,
            y: 176_771, milliseconds: 1451.98),
        Expectation(
            "Wacom ISDv4 E6 Finger.double-center-scroll.events", .multitouch(slots: 2), [73, 80], x: 206_151,
            y: 139_204, milliseconds: 1139.99),
        Expectation(
            "Wacom ISDv4 E6 Finger.double-tap-center.events", .multitouch(slots: 2), [1, 1], x: 2655, y: 1520,
            milliseconds: 171.99),
        Expectation(
            "Wacom ISDv4 E6 Finger.double-top-swipe.events", .multitouch(slots: 2), [139, 136], x: 429_441, y: 69207,
            milliseconds: 1883.98),
        Expectation(
            "Wacom ISDv4 E6 Finger.single-center-circle.events", .multitouch(slots: 2), [83], x: 118_108, y: 57604,
            milliseconds: 859.99),
        Expectation(
            "Wacom ISDv4 E6 Finger.single-center-scroll.events", .multitouch(slots: 2), [62], x: 85185, y: 58386,
            milliseconds: 671.98),
        Expectation(
            "Wacom ISDv4 E6 Finger.single-top-swipe.events", .multitouch(slots: 2), [109], x: 164_234, y: 10891,
            milliseconds: 1199.98),
        Expectation(
            "Wacom Intuos4 6x9.stylus-drag.events", .pen(isDirect: false), [291], x: 5_132_145, y: 4_201_746,
            pressure: 535_326, milliseconds: 1467.98),
        Expectation("Wacom Intuos4 6x9.stylus-move.events", .pen(isDirect: false), []),
        // Only hovers.
        Expectation("Genius EasyPen i405X.events", .pen(isDirect: false), []),
        // Sends BTN_TOUCH with ABS_Z and ABS_RX; ABS_X and ABS_Y belong to the mouse in the same device.
        Expectation(
            "eGalax Inc. USB TouchController.events", .singleTouch, [25, 378], x: 802_863, y: 827_609,
            milliseconds: 5028.12),
    ]

    @Test("recordings decode as an independent decoder decoded them", arguments: expectations)
    func decoded(expected: Expectation) throws {
        let recording = try Recording(path: recordings + expected.file)
        #expect(recording.device.kind == expected.kind)
        var contacts: [[(time: Timestamp, reading: DeviceReading)]] = []
        var open: [Int: Int] = [:]
        for frame in recording.frames() {
            for contact in frame.contacts {
                switch contact.phase {
                case .began, .resumed:
                    open[contact.slot] = contacts.count
                    contacts.append([(frame.time, contact.reading)])
                case .moved: contacts[try #require(open[contact.slot])].append((frame.time, contact.reading))
                case .ended, .retired, .cancelled: #expect(open.removeValue(forKey: contact.slot) != nil)
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
        let duration = ((times.max() ?? 0) - (times.min() ?? 0)).seconds * 1000
        #expect(abs(duration - expected.milliseconds) < 0.02)
    }

    @Test("four fingers draw one stroke, the first one's")
    func oneOwner() throws {
        let recording = try Recording(path: recordings + "Atmel maXTouch Touchscreen.4-finger-drag-down.events")
        var sheet = BareSheet(try #require(PanelMapping(recording.device, panel: .init(width: 800, height: 480))))
        let events = recording.frames().flatMap { sheet.update(with: $0) }
        let begins = events.filter { if case .begin = $0 { true } else { false } }
        #expect(begins.count == 1 && events.count { $0 == .end } == 1)
        let first = try #require(events.first?.position)
        #expect(Int(first.x) == 415 && Int(first.y) == 107)
        #expect(events.count == 28 + 1)
    }

    @Test("with protocol A, a finger that lifts before the other draws no line to it")
    func protocolA() throws {
        let recording = try Recording(path: recordings + "N-Trig MultiTouch.2-fingers-touch-release.events")
        var sheet = BareSheet(try #require(PanelMapping(recording.device, panel: .init(width: 960, height: 720))))
        let events = recording.frames().flatMap { sheet.update(with: $0) }
        let places = events.compactMap(\.position)
        let longest = zip(places, places.dropFirst()).map { $0.distance(to: $1) }.max() ?? 0
        // ABS_X and ABS_Y jump from one finger to the other here, 690 pixels.
        #expect(events.count == 142 + 1 && longest < 10)
    }

    @Test("devices with only a description are classified correctly")
    func descriptions() throws {
        let kinds: [(String, TouchKind)] = [
            ("Beijing IRTOUCHSYSTEMS Co.,LtD IRTOUCH InfraRed USB TouchScreen.desc", .multitouch(slots: 2)),
            ("ELAN Touchscreen.desc", .multitouch(slots: 10)),
            ("Wacom ISDv4 90.desc", .pen(isDirect: false)),
            ("Wacom Serial Penabled 2FG Touchscreen.desc", .multitouch(slots: 2)),
            ("eGalaxTouch Virtual Device for Multi.device", .multitouch(slots: 21)),
        ]
        for (file, kind) in kinds {
            let device = try DeviceDescription.described(file)
            #expect(device.kind == kind, "\(file)")
        }
    }

    @Test("a played recording gives the frames of the recording")
    func played() throws {
        let recording = try Recording(path: recordings + "Wacom Cintiq 13HD touch Pen.events")
        var tracker = try #require(SlotTracker(recording.device))
        var player = RecordingPlayer(recording, from: recording.events[0].time, pace: .immediate)
        var frames: [TouchFrame] = []
        while let report = player.next() { frames += report.compactMap { tracker.update(with: $0) } }
        #expect(frames == recording.frames())
    }
}
