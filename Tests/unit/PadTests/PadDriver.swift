// SPDX-License-Identifier: Apache-2.0
import Geometry
import HostAPI
import Ink
import PadFixtures
import Raster
import Record
import Touch

@testable import Pad

/// A pad without threads. The test controls layouts and store answers; the driver keeps the pad's actions.
struct PadDriver: DrivenPad {
    static let size = PixelSize(width: 800, height: 480)
    static let date = LocalDate(text: "2026-11-21", offsetSeconds: 3600, zone: "Europe/Berlin")
    static let policy = CapturePolicy(
        minima: CapturePolicy.Minima(strokes: 1, samples: 2, length: 1, extent: 1, breadth: 0, duration: .zero)
    ).merged(over: .standard)

    var pad: Pad
    var now = Timestamp(microseconds: 1_000_000)
    var replies: [CallID: [PadReply]] = [:]
    /// All store actions except checks.
    var stored: [StoreAction] = []
    /// All render actions except layouts.
    var rendered: [RenderAction] = []
    var simulated: [(act: SimulatedAct, inRunning: Bool)] = []
    var reportRequests = 0
    /// The latest signing page.
    var layout: PlacedPage?
    /// The size of the screen that pages are laid out for.
    var size = Self.size
    /// Whether pages are laid out at once, instead of by ``layOut(_:)``.
    var laysOut = true
    /// What the fonts lack for the next pages.
    var missing: [MissingGlyphs] = []
    /// Whether the record thread tells its key at once, instead of by ``tellKey(_:)``.
    var tellsKey = true
    var keyCalls: [CallID] = []
    var layouts: [(id: LayoutID, page: Page)] = []
    /// Whether the store admits captures at once, instead of by ``admit(_:)``.
    var admits = true
    var checks: [CaptureID] = []
    /// Whether entries are on the medium at once, instead of by ``keepEntry()``.
    var keepsEntries = true
    var unkept: [CaptureID] = []
    /// Whether captures are wiped at once.
    var wipes = true
    /// How often watchers were not sent a changed status.
    private(set) var staleStatusCount = 0
    /// All document actions, and the document thread; nil if it does not answer.
    var documents: [DocumentAction] = []
    var answersDocuments: ((DocumentAction) -> DocumentAnswer?)?
    private var calls: UInt64 = 0

    /// - Parameters:
    ///   - sketch: replaces the idle page, and is open from the start.
    ///   - isStarting: whether the pad knows neither its devices nor its store.
    init(
        policy: CapturePolicy = Self.policy, devices: [String] = ["touch"], sketch: SketchSettings? = nil,
        messages: MessageTable = MessageTable.shipped[.english]!, isStarting: Bool = false, isSimulated: Bool = false,
        machine: CaptureMachine? = nil
    ) {
        var settings = Self.settings(policy: policy, sketch: sketch)
        settings.messages = messages
        settings.isSimulated = isSimulated
        settings.machine = machine
        pad = Pad(settings, screen: Self.screen(Self.size))
        start()
        if isStarting { return }
        handle(.devices(devices, devices.isEmpty ? [] : [Self.device, Self.pen]))
        rendered = []
        handle(.stored(.storeChanged(fault: nil)))
        if let page = pad.sketch?.page { handle(.stored(.sketch([], of: page, fault: nil))) }
    }

    static func settings(policy: CapturePolicy, sketch: SketchSettings? = nil) -> PadSettings {
        var ids: UInt64 = 0
        var settings = PadSettings(
            messages: MessageTable.shipped[.english]!, pen: Pen(width: 0.8),
            color: Color(red: 0xC0, green: 0x10, blue: 0x20), paper: .white, policy: policy, idle: [.words("idle")],
            program: "inkpanel test",
            wallClock: { 1_700_000_000_000_000 },
            date: { format in
                let text = format.text(year: 2026, month: 11, day: 21, hour: 14, minute: 26)
                return LocalDate(
                    text: text, offsetSeconds: Self.date.offsetSeconds, zone: Self.date.zone)
            },
            random: {
                ids += 1
                return ids
            })
        settings.panel = "till-3"
        settings.sketch = sketch
        return settings
    }

    static func screen(_ size: PixelSize) -> PadScreen {
        PadScreen(name: "screen", panelSize: size, rotation: .none, density: .standard, pageDensity: .standard)
    }

    /// The pressure of touches.
    var pressure: Int32?

    static let device = CaptureDevice(
        name: "touch", bus: 3, vendor: 1, product: 2, version: 3,
        x: CaptureDevice.Axis(minimum: 0, maximum: 7999, resolution: 0),
        y: CaptureDevice.Axis(minimum: 0, maximum: 4799, resolution: 0), pressure: nil,
        transform: [0.1, 0, 0, 0.1, 0.05, 0.05])

    static let pen = CaptureDevice(
        name: "pen", bus: 3, vendor: 1, product: 4, version: 3,
        x: CaptureDevice.Axis(minimum: 0, maximum: 7999, resolution: 0),
        y: CaptureDevice.Axis(minimum: 0, maximum: 4799, resolution: 0), pressure: nil,
        distance: CaptureDevice.Axis(minimum: 0, maximum: 63, resolution: 0),
        transform: [0.1, 0, 0, 0.1, 0.05, 0.05])

    mutating func carryOut(_ action: PadAction) -> PadEvent? {
        switch action {
        case .reply(let call, let reply): replies[call, default: []].append(reply)
        case .document(let action):
            documents.append(action)
            return answersDocuments?(action).map { .document($0) }
        case .simulate(let act, let inRunning): simulated.append((act, inRunning))
        case .requestReport: reportRequests += 1
        case .speech: break
        case .render(.layOut(let id, let page)):
            if laysOut { return laidOut(id, page) }
            layouts.append((id, page))
        case .render(let action): rendered.append(action)
        case .store(.check(let id)):
            if admits { return .stored(.ready(id)) }
            checks.append(id)
        case .store(.readKey(let call)):
            if tellsKey { return .stored(.key(call, fingerprint: nil)) }
            keyCalls.append(call)
        case .store(let action):
            stored.append(action)
            if case .append(let id, _) = action, !keepsEntries {
                unkept.append(id)
                return nil
            }
            if case .discard = action, !wipes { return nil }
            return action.answer.map { .stored($0) }
        }
        return nil
    }

    mutating func see(_ event: PadEvent, _ actions: [PadAction]) {
        if !pad.watchers.isEmpty, pad.watchedStatus != pad.status { staleStatusCount += 1 }
        // From when they were held back.
        if laysOut { layOut() }
        if admits { admit() }
    }

    private mutating func laidOut(_ id: LayoutID, _ page: Page, fits: Bool = true) -> PadEvent {
        let made = Result { () throws(PageTooSmall) in
            if !fits { throw PageTooSmall() }
            var placed = try page.placed(on: Self.screen(size))
            placed.missingGlyphs = missing
            return placed
        }
        layout = try? made.get()
        return .laidOut(id, made)
    }

    mutating func layOut(_ fits: Bool = true) {
        guard !layouts.isEmpty else { return }
        let (id, page) = layouts.removeFirst()
        handle(laidOut(id, page, fits: fits))
    }

    mutating func keepEntry() {
        if !unkept.isEmpty { handle(.stored(.appended(unkept.removeFirst()))) }
    }

    mutating func tellKey(_ fingerprint: String? = nil) {
        guard !keyCalls.isEmpty else { return }
        handle(.stored(.key(keyCalls.removeFirst(), fingerprint: fingerprint)))
    }

    /// - Parameter fault: why captures cannot be recorded.
    mutating func admit(_ fault: String? = nil) {
        guard !checks.isEmpty else { return }
        let id = checks.removeFirst()
        handle(.stored(fault.map { .refused(id, reason: $0, isFull: false) } ?? .ready(id)))
    }

    @discardableResult
    mutating func call(_ asked: PadCall, _ reach: CaptureReach = .all) -> CallID {
        calls += 1
        handle(.call(CallID(calls), asked, reach))
        return CallID(calls)
    }

    /// The banner, or the headline of a page without an ink field.
    var shownText: String? {
        for action in rendered.reversed() {
            switch action {
            case .show(let page): return page.headline
            case .banner(let banner): return banner?.text
            default: continue
            }
        }
        return nil
    }

    @discardableResult
    mutating func capture(waits: Bool = false, prompt: String = "Sign") -> CallID {
        call(.capture(CaptureCall(request: CaptureRequest(prompt: [prompt]), waits: waits, follows: true)))
    }

    mutating func touch(_ phase: Contact.Phase, _ x: Double, _ y: Double) {
        touch(phase, at: Point(x: x, y: y), pressure: pressure)
    }

    /// Reports after which strokes turn, and pixels between these.
    var zigzag = (period: 3, step: 20)

    /// A stroke across the signing field.
    mutating func sign() {
        guard let area = layout?.inkField else { return }
        touch(.began, Double(area.minX + 20), Double(area.minY + 20))
        for step in 1..<10 {
            let y = area.minY + 20 + step % zigzag.period * zigzag.step
            touch(.moved, Double(area.minX + 20 + step * 20), Double(y))
        }
        touch(.ended, Double(area.minX + 200), Double(area.minY + 20))
    }

    mutating func press(_ button: PageButton) { press(button, on: layout) }

    var runningID: CaptureID? { pad.status.running?.id }

    func last(_ call: CallID) -> PadReply? { replies[call]?.last }
}

extension Page {
    var headline: String? { texts { $0.role == .headline || inkField == nil && $0.role == .heading }.first }

    func texts(of field: PageText.Field) -> [String] { texts { $0.field == field } }

    func texts(_ isWanted: (PageText) -> Bool = { _ in true }) -> [String] {
        elements.compactMap { if case .text(let text) = $0, isWanted(text) { text.text } else { nil } }
    }

    func label(of wanted: PageButton) -> String? {
        for case .button(wanted, let label) in elements { return label }
        return nil
    }
}

extension PadReply {
    var isFinal: Bool {
        switch self {
        case .capture(let reply): reply.outcome != nil
        case .changed, .events, .mirrored, .backdrop: false
        case .done, .status, .health, .reloaded, .abilities, .screenshot, .paired, .failed: true
        }
    }
}
