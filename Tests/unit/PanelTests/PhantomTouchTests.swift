// SPDX-License-Identifier: Apache-2.0
import Configuration
import Geometry
import HostAPI
import Ink
import Linux
import Pad
import Record
import Screen
import TestSupport
import Testing
import Touch

@testable import Panel

/// A touch device with reports that a test queues.
private final class QueuedInput: TouchInput {
    let name = "finger"
    var path: String? { nil }
    let description: DeviceDescription
    let dropCount = 0
    var frames: [TouchFrame] = []
    private let signal: EventSignal

    init() throws(Errno) {
        let axis = AxisInfo(minimum: 0, maximum: 199)
        description = DeviceDescription(
            name: name, properties: [EventCode.propertyDirect], keys: [EventCode.touch],
            axes: [
                EventCode.mtSlot: AxisInfo(minimum: 0, maximum: 4), EventCode.mtPositionX: axis,
                EventCode.mtPositionY: axis, EventCode.mtTrackingID: AxisInfo(minimum: 0, maximum: 65535),
            ])
        signal = try EventSignal(blocking: false)
    }

    var descriptor: CInt { signal.number }

    func start() {}

    func read() -> TouchReading {
        defer { frames = [] }
        return TouchReading(frames: frames)
    }
}

/// A panel that has shown its first frame. The test triggers reads of its device.
private final class Rig {
    let input: QueuedInput
    let panel: Panel
    private let display: HeadlessDisplay
    private let power: ScreenPower
    private let light = Light()
    private var milliseconds: Int64 = 0
    private var trackingID: Int32 = 0

    init(filters: NoiseSettings) throws {
        input = try QueuedInput()
        display = try HeadlessDisplay(size: PixelSize(width: 200, height: 200), pace: .immediate)
        let log = Log(threshold: .error)
        let look = Look()
        let screen = PadScreen(display, look: look)
        let link = try RenderLink()
        let touches = TouchDevices(sources: [])
        touches.add([input])
        let settings = PadSettings(
            messages: MessageTable(.english), pen: look.pen, color: look.color, paper: look.background,
            policy: .standard, idle: [.words("idle")], program: "test", wallClock: { 0 },
            date: { _ in LocalDate(text: "", offsetSeconds: 0) }, random: { 0 })
        let pad = try PanelPad(Pad(settings, screen: screen), render: link, record: try RecordLink())
        var powerSettings = Configuration().power
        powerSettings.offAfter = .seconds(1)
        power = try ScreenPower(
            powerSettings, log: log, findBacklight: { nil }, now: { [light] in light.now },
            blank: { [light] in light.isDark = $0 })
        var session = PanelSession(look: look, log: log)
        (session.touchSettings.palmLimit, session.touchSettings.filters) = (nil, filters)
        panel = try Panel(
            session,
            Panel.Parts(
                connection: DisplayConnection(display), touches: touches, link: link, pad: pad, signals: [],
                power: power),
            screen: screen, target: nil)
        _ = touches.scan(at: 0, mayJoin: true)
        panel.isStarted = true
        panel.updateMappings()
    }

    deinit { display.close() }

    /// A clock, and whether the screen was made black.
    private final class Light {
        /// An hour from now, so that no real timer fires.
        let start = MonotonicClock.now + .seconds(3600)
        lazy var now = start
        var isDark = false
    }

    var isDark: Bool { light.isDark }

    /// Makes a contact with this number of reports.
    /// - Returns: the number, from 1, of the report that switched the screen on; nil if the screen stayed off.
    func touch(reports: Int, lifts: Bool = true) throws -> Int? {
        trackingID += 1
        var lit: Int?
        for number in 1...reports + (lifts ? 1 : 0) {
            milliseconds += 10
            let phase: Contact.Phase = number == 1 ? .began : number > reports ? .ended : .moved
            let reading = DeviceReading(x: 100 + Int32(number), y: 100)
            input.frames = [
                TouchFrame(
                    time: Timestamp(microseconds: milliseconds * 1000),
                    contacts: [Contact(slot: 0, trackingID: trackingID, phase: phase, reading: reading)])
            ]
            try panel.readTouches()
            if !isDark, lit == nil { lit = number }
        }
        milliseconds += 100
        return lit
    }

    /// - Parameter microseconds: after the start.
    func pass(to microseconds: Int64) throws {
        light.now = light.start + .microseconds(microseconds)
        try power.timerFired()
    }

    var ignored: Int { panel.parts.pad?.losses.ignoredContacts ?? -1 }
}

@Suite("Contacts that the noise filter drops")
struct PhantomTouchTests {
    private static func filters(_ words: String...) throws -> NoiseSettings { try #require(NoiseSettings(words)) }

    @Test("do not wake a dark screen; a touch does once it passes the filter")
    func dark() throws {
        let rig = try Rig(filters: try Self.filters("evthres:3"))
        try rig.pass(to: 3_000_000)
        #expect(rig.isDark)
        for reports in [1, 2, 1] { #expect(try rig.touch(reports: reports) == nil) }
        #expect(try rig.touch(reports: 8) == 3)
    }

    @Test("do not wake the screen if they bounce after the touch that woke it")
    func bounce() throws {
        let rig = try Rig(filters: try Self.filters("debounce:1000"))
        try rig.pass(to: 3_000_000)
        #expect(try rig.touch(reports: 1) == 1)
        try rig.pass(to: 6_000_000)
        #expect(rig.isDark)
        #expect(try rig.touch(reports: 1) == nil)
    }

    @Test("do not keep the screen on, even if one stays down")
    func activity() throws {
        let rig = try Rig(filters: try Self.filters("evthres:3"))
        for time in stride(from: 200_000, through: 800_000, by: 200_000) {
            try rig.pass(to: Int64(time))
            _ = try rig.touch(reports: 1)
        }
        _ = try rig.touch(reports: 2, lifts: false)
        try rig.pass(to: 1_000_000)
        #expect(rig.isDark)
    }

    @Test("without filters the first report wakes the screen")
    func unfiltered() throws {
        let rig = try Rig(filters: NoiseSettings())
        try rig.pass(to: 3_000_000)
        #expect(try rig.touch(reports: 1) == 1)
        #expect(rig.ignored == 0)
    }

    @Test("are counted when they end")
    func counted() throws {
        let rig = try Rig(filters: try Self.filters("evthres:3"))
        _ = try rig.touch(reports: 2, lifts: false)
        #expect(rig.ignored == 0)
        _ = try rig.touch(reports: 2)
        // The first report of this contact has ended the previous one.
        #expect(rig.ignored == 2)
        _ = try rig.touch(reports: 5)
        #expect(rig.ignored == 2)
    }
}
