// SPDX-License-Identifier: Apache-2.0
public import Control
import Document
import Geometry
import HostAPI
import Ink
public import Linux
public import Pad
import PadFixtures
import Raster
import Record
public import Store
import Synchronization
import Touch

/// The real ``Pad`` without a screen, on a thread that stands for the main, render and record threads. A scripted
/// person does what the reason of a request says (``Act``). Time passes only while the person does something.
public final class PadFixture: Sendable {
    /// The reason of a request. With any other reason the capture runs until a host ends it.
    public enum Act: String, Sendable {
        /// Signs and presses Accept.
        case accept
        /// Presses Accept after a stroke that is too small, then signs and presses Accept again.
        case refuse
        /// Presses Cancel.
        case cancel
        /// Does nothing until the time is over.
        case timeout
        /// Signs and presses Accept; the record cannot be stored.
        case fail
        /// Signs, and presses nothing.
        case sign
        /// Draws strokes without end.
        case scribble
        /// Does not see the page: it does not fit.
        case tiny
    }

    private struct Shared: Sendable {
        var events: [PadEvent] = []
        var isEnding = false
    }

    private let link: ControlLink
    private let store: CaptureStore
    private let standardAct: Act?
    private let shared = Mutex(Shared())
    private let wake: EventSignal

    /// - Parameter standardAct: for requests with another reason.
    public init(link: ControlLink, store: CaptureStore, standardAct: Act? = nil) throws(Errno) {
        self.link = link
        self.store = store
        self.standardAct = standardAct
        wake = try EventSignal(blocking: false)
    }

    /// All events that hosts have caused.
    public var events: [PadEvent] { shared.withLock { $0.events } }

    /// Makes ``run()`` return.
    public func finish() {
        shared.withLock { $0.isEnding = true }
        wake.signal()
    }

    public func run() throws(Errno) {
        let poll = try EventPoll()
        try poll.add(link.descriptor, token: 0)
        try poll.add(wake.number, token: 1)
        var person = ScriptedPerson(link: link, store: store, standardAct: standardAct)
        while !shared.withLock({ $0.isEnding }) {
            _ = try poll.wait(until: person.isScribbling ? .zero : nil)
            for event in link.receiveEvents() {
                shared.withLock { $0.events.append(event) }
                person.receive(event)
            }
            person.scribble()
        }
    }
}

/// A pad, what carries out its actions, and the person in front of it.
private struct ScriptedPerson: DrivenPad, ~Copyable {
    /// The time, for the pad and for records.
    private final class Clock {
        /// 2026-03-14 15:09:26 UTC.
        static let start: Int64 = 1_773_500_966_000_000
        var now = Timestamp(microseconds: 1_000_000)
    }

    private static let screen = PadScreen(
        name: "DSI-1", panelSize: PixelSize(width: 800, height: 480), rotation: .none,
        density: PixelDensity(dotsPerInch: 127), pageDensity: PixelDensity(dotsPerInch: 127))

    /// 10 units a pixel.
    private static let device = CaptureDevice(
        name: "Test Pad", bus: 3, vendor: 1, product: 2, version: 1,
        x: CaptureDevice.Axis(minimum: 0, maximum: 7999, resolution: 50),
        y: CaptureDevice.Axis(minimum: 0, maximum: 4799, resolution: 50),
        pressure: CaptureDevice.Axis(minimum: 0, maximum: 1000, resolution: 0), transform: [0.1, 0, 0, 0.1, 0, 0])

    private let link: ControlLink
    private let store: CaptureStore
    private let standardAct: PadFixture.Act?
    private let clock: Clock
    var now: Timestamp { didSet { clock.now = now } }
    var pad: Pad
    private var writer: JournalWriter?
    /// The act of the running capture.
    private var act: PadFixture.Act?
    private var hasActed = true

    init(link: ControlLink, store: CaptureStore, standardAct: PadFixture.Act?) {
        self.link = link
        self.store = store
        self.standardAct = standardAct
        let clock = Clock()
        self.clock = clock
        now = clock.now
        var count: UInt64 = 0
        let settings = PadSettings(
            messages: MessageTable(.english), pen: Pen(width: 0.8), color: Color(red: 0x10, green: 0x20, blue: 0x80),
            paper: .white, policy: .standard, idle: [.words("Inkpanel")], program: "inkpanel 1",
            wallClock: { Clock.start + clock.now.microseconds },
            date: { _ in LocalDate(text: "14.03.2026", offsetSeconds: 3600, zone: "Europe/Berlin") },
            random: {
                count += 1
                return count
            })
        pad = Pad(settings, screen: Self.screen)
        // Not `handle`: Swift 6.0.3 rejects mutating methods in the initialiser of a move-only value.
        _ = pad.handle(.devices([Self.device.name], [Self.device]), at: clock.now)
    }

    mutating func receive(_ event: PadEvent) {
        handle(event)
        actOnce()
        // The end of one capture may be the beginning of the next.
        while pad.page == .thanks || pad.page == .failed, let deadline = pad.deadline {
            wait(until: deadline)
            actOnce()
        }
    }

    var isScribbling: Bool { act == .scribble && pad.page == .signing }

    /// More strokes than any socket takes at once.
    mutating func scribble() {
        for _ in 0..<100 where isScribbling { draw(8) { Point(x: Double($0) * 8, y: Double($0 % 2) * 20) } }
    }

    // MARK: what the pad asks for

    mutating func carryOut(_ action: PadAction) -> PadEvent? {
        switch action {
        case .reply(let call, let reply): link.reply(call, reply)
        case .render(.layOut(let id, let page)): return .laidOut(id, layOut(page))
        case .render(.backdrop(let call)):
            return .backdrop(call, Screenshot(PixelBuffer(size: PixelSize(width: 4, height: 3))))
        case .render(.screenshot(let call)):
            let pixels = PixelBuffer(size: Self.screen.size)
            pixels.surface.fill(pixels.surface.bounds, with: .white)
            return .screenshot(call, Screenshot(pixels))
        case .render, .simulate, .requestReport, .speech, .document(.close): break
        case .document(.read(let id, let page)): return .document(.text(id, page: page, "Page \(page)"))
        case .document(.compare(let id)): return .document(.compared(id, DocumentCheck()))
        case .document(.open(let id, let call, _)): return .document(.opened(id, Self.opened(call)))
        case .document(.draw(let id, let rendering)):
            let pixels = PixelBuffer(size: rendering.pictureSize)
            pixels.surface.fill(pixels.surface.bounds, with: .white)
            let digest = String(repeating: "0", count: 64)
            return .document(.drawn(id, rendering, DrawnPage(pixels, sha256: rendering.crop == nil ? digest : nil)))
        case .store(let action): return carryOut(action).map { .stored($0) }
        }
        return nil
    }

    /// Any document: a white page of A4, with the fields of the call in a row.
    private static func opened(_ call: CaptureCall) -> OpenedDocument {
        let read = call.flow.document
        let fields = (read?.fields ?? []).enumerated().map { index, field in
            Field(
                name: field.name ?? "S0\(index)", kind: field.kind,
                person: call.flow.people.firstIndex { $0.role == field.person } ?? 0, page: 1,
                rectangle: DocumentRectangle(
                    minX: 50, minY: 100 + Double(index) * 60, maxX: 210, maxY: 150 + Double(index) * 60),
                isRequired: field.mustBeFilled,
                label: field.label)
        }
        return OpenedDocument(
            bytes: call.documentBytes ?? [],
            facts: DocumentFacts(
                pages: [.init(width: 595, height: 842)], fields: [], warnings: [], missingFonts: []),
            plan: DocumentPlan(fields: fields), renderer: "test 1")
    }

    private func layOut(_ page: Page) -> Result<PlacedPage, PageTooSmall> {
        Result { () throws(PageTooSmall) in
            for case .text(let text) in page.elements where text.text.contains(PadFixture.Act.tiny.rawValue) {
                throw PageTooSmall(field: .reason)
            }
            return try page.placed(on: Self.screen)
        }
    }

    private mutating func carryOut(_ action: StoreAction) -> StoreAnswer? {
        switch action {
        case .begin(let header):
            act = header.request.reason.flatMap(PadFixture.Act.init(rawValue:)) ?? standardAct
            hasActed = false
            do throws(StoreError) {
                var header = header
                header.sequence = try store.nextSequence()
                writer = try JournalWriter(header, in: store)
            } catch {
                return CaptureID(header.id).map { .failed($0, reason: error.description) }
            }
        case .keepDocument: break
        case .append(let id, let entry):
            // Nobody reads those records, and each stroke would wait for the disk.
            if act == .scribble { break }
            do throws(StoreError) { try writer?.append(entry) } catch {
                return .failed(id, reason: error.description)
            }
        case .commit(let id, let end):
            if act == .fail { return .failed(id, reason: "the disk is full") }
            var end = end
            end.quality.latency = CaptureQuality.Latency(p50: 9, p95: 15, p99: 18)
            do throws(StoreError) { try writer?.finish(end) } catch {
                return .failed(id, reason: error.description)
            }
            writer = nil
            return .committed(id)
        case .discard(let id):
            do throws(StoreError) { try writer?.wipe() } catch {
                return .discarded(id, fault: error.description)
            }
            writer = nil
        case .check, .keepScatter, .readKey, .sketch, .openSketch, .saveSketch: break
        }
        return action.answer
    }

    // MARK: the person

    private mutating func actOnce() {
        while !hasActed, pad.page == .signing {
            hasActed = true
            perform()
        }
    }

    private mutating func perform() {
        switch act {
        case .accept, .fail:
            sign()
            press(.accept)
        case .refuse:
            // 2.5 mm.
            draw(6) { Point(x: Double($0) * 2.5, y: 0) }
            press(.accept)
            sign()
            press(.accept)
        case .cancel: press(.cancel)
        case .timeout: while hasActed, pad.page == .signing, let deadline = pad.deadline { wait(until: deadline) }
        case .sign: sign()
        case .scribble, .tiny, nil: break
        }
    }

    private mutating func sign() {
        for _ in 0..<2 { draw(25) { Point(x: Double($0 * 8), y: Double($0 % 4 * 15)) } }
    }

    /// A stroke in the middle of the signing area, at 125 reports/s.
    private mutating func draw(_ count: Int, _ place: (Int) -> Point) {
        guard let area = pad.signingPage?.inkField else { return }
        let start = Point(x: Double(area.minX + area.width / 3), y: Double(area.minY + area.height / 2))
        touch(.began, at: start + place(0), pressure: 500)
        for step in 1..<count { touch(.moved, at: start + place(step), pressure: 500 + Int32(step % 2)) }
        touch(.ended, at: start + place(count - 1), pressure: 500)
    }

    private mutating func press(_ button: PageButton) { press(button, on: pad.signingPage) }
}
