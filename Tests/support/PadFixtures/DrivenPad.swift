// SPDX-License-Identifier: Apache-2.0
public import Geometry
import HostAPI
import Ink
public import Pad
import Raster
import Record
public import Touch

/// The real ``Pad`` without threads, devices and a clock: what it asks of other threads is carried out in memory, and
/// the person is a script.
public protocol DrivenPad: ~Copyable {
    var pad: Pad { get set }
    var now: Timestamp { get set }

    /// Carries out an action.
    /// - Returns: the answer of the render or record thread; nil if there is none, or it comes later.
    mutating func carryOut(_ action: PadAction) -> PadEvent?

    /// Sees what the pad did about an event, after it was carried out.
    mutating func see(_ event: PadEvent, _ actions: [PadAction])
}

extension DrivenPad where Self: ~Copyable {
    public mutating func see(_ event: PadEvent, _ actions: [PadAction]) {}

    /// Has the pad handle an event, then the answers to its actions, in their order.
    public mutating func handle(_ event: PadEvent) {
        var events = [event]
        while !events.isEmpty {
            let event = events.removeFirst()
            let actions = pad.handle(event, at: now)
            for action in actions {
                if let answer = carryOut(action) { events.append(answer) }
            }
            see(event, actions)
        }
    }

    /// Carries out the pad's first actions.
    public mutating func start() {
        for action in pad.start(at: now) {
            if let answer = carryOut(action) { handle(answer) }
        }
    }

    public mutating func wait(until deadline: Timestamp) {
        now = max(now, deadline)
        handle(.time)
    }

    /// Lets time pass until the pad has no deadline.
    public mutating func rest() {
        while let deadline = pad.deadline { wait(until: deadline) }
    }

    /// Moves a contact, 8 ms after what came before.
    /// - Parameter pressure: in thousandths.
    public mutating func touch(
        _ phase: Contact.Phase, at place: Point, contact: Int32 = 1, pressure: Int32? = nil,
        tool: ToolIdentity = ToolIdentity()
    ) {
        now += .milliseconds(8)
        var event = TouchEvent(phase, at: place, contact: contact, pressure: pressure, time: now)
        event.reading.tool = tool
        handle(.touch(event, reported: now))
    }

    /// Presses the middle of a button, if the page has it.
    public mutating func press(_ button: PageButton, on page: PlacedPage?, lifts: Bool = true) {
        guard let rect = page?.element(of: button)?.rect.rect else { return }
        let place = Point(x: (rect.minX + rect.maxX) / 2, y: (rect.minY + rect.maxY) / 2)
        touch(.began, at: place)
        if lifts { touch(.ended, at: place) }
    }
}

extension TouchEvent {
    /// A report of a device with ten units a pixel.
    /// - Parameter pressure: in thousandths.
    public init(
        _ phase: Contact.Phase, at place: Point, contact: Int32 = 1, pressure: Int32? = nil, time: Timestamp
    ) {
        func units(_ value: Double) -> Int32 { abs(value) < 1e6 ? Int32(value * 10) : -1 }
        self.init(
            phase, contact: contact,
            sample: Sample(
                time: time, position: place, pressure: pressure.map { Double($0) / 1000 }),
            reading: DeviceReading(x: units(place.x), y: units(place.y), pressure: pressure))
    }
}

extension StoreAction {
    /// The answer of a store that keeps everything at once, but for the commit, with which a capture succeeds or fails.
    public var answer: StoreAnswer? {
        switch self {
        case .check(let id): .ready(id)
        case .append(let id, _): .appended(id)
        case .discard(let id): .discarded(id, fault: nil)
        case .readKey(let call): .key(call, fingerprint: nil)
        case .begin, .keepDocument, .commit, .keepScatter, .sketch, .openSketch, .saveSketch: nil
        }
    }
}

extension Page {
    /// The page on a screen, with texts as ``PlainMeasure`` measures them, after those that come before it.
    public func placed(on screen: PadScreen) throws(PageTooSmall) -> PlacedPage {
        let measure = PlainMeasure()
        return try PlacedPage.withTexts(
            self, size: screen.size, density: screen.pageDensity, gloves: screen.gloves, letters: screen.letters,
            measure: { measure.measure($0, $1, $2) }, lines: { measure.lines($0, $1, $2) })
    }
}
