// SPDX-License-Identifier: Apache-2.0
import Document
import Geometry
import HostAPI
import PadFixtures
import Raster
import Record
import Touch

@testable import Pad

/// A pad, a person who reads and signs, and a document thread that answers at once.
struct FlowDriver: DrivenPad {
    static let screen = PadScreen(
        name: "screen", panelSize: PixelSize(width: 400, height: 300), rotation: .none,
        density: PixelDensity(dotsPerInch: 254), pageDensity: PixelDensity(dotsPerInch: 254))
    /// Where documents are read.
    static let viewport = PixelRect(minX: 0, minY: 0, maxX: 400, maxY: 220)

    var pad: Pad
    var now = Timestamp(microseconds: 1_000_000)
    private(set) var actions: [PadAction] = []
    private(set) var replies: [PadReply] = []
    private(set) var entries: [CaptureEntry] = []
    private(set) var header: CaptureHeader?
    private(set) var end: CaptureEnd?
    private(set) var scene: DocumentScene?
    private(set) var lead: String?
    private(set) var banner: String?
    private(set) var isOpen = false
    /// The pages that are laid out too large.
    var tooLarge: (Page) -> Bool = { _ in false }
    /// Whether layouts wait for ``answerLayouts()``.
    var holdsLayouts = false
    private var held: [(LayoutID, Page)] = []
    /// What no font has, on all pages.
    var missingGlyphs: [MissingGlyphs] = []
    var refusal: PanelError?
    /// Whether pages are drawn at once, instead of by ``answerDraws()``.
    var draws = true
    /// What the comparison of the pages says; nil if it does not end.
    var comparison: DocumentCheck? = DocumentCheck(second: "mupdf 1")
    /// What was said, and whether it is at once said to its end.
    var spoken: [String] = []
    var speaks = true
    /// The capture whose pages are compared.
    private(set) var compared: CaptureID?
    private var asked: [(CaptureID, HelperRequest.Rendering)] = []
    let document: OpenedDocument
    /// The screen that pages are laid out for; nil for rows of buttons and answers.
    private let screen: PadScreen?

    /// - Parameters:
    ///   - pages: of A4.
    ///   - screen: lays pages out as real ones; nil for rows of buttons and answers.
    init(
        pages: Int = 2, fields: [Field] = [], policy: CapturePolicy = PadDriver.policy,
        limit: Duration = PadTimes.standardFlow, screen: PadScreen? = nil
    ) {
        self.screen = screen
        var settings = PadDriver.settings(policy: policy)
        settings.times.flow = limit
        settings.describesPages = true
        settings.mirror = .ink
        pad = Pad(settings, screen: screen ?? Self.screen)
        let sizes = (0..<pages).map { _ in DocumentFacts.PageSize(width: 595, height: 842) }
        document = OpenedDocument(
            bytes: Array("%PDF".utf8),
            facts: DocumentFacts(pages: sizes, fields: [], warnings: [], missingFonts: []),
            plan: DocumentPlan(fields: fields), renderer: "none")
        _ = pad.handle(.devices(["touch"], [PadDriver.device, PadDriver.pen]), at: now)
        handle(.stored(.storeChanged(fault: nil)))
    }

    mutating func carryOut(_ action: PadAction) -> PadEvent? {
        actions.append(action)
        switch action {
        case .render(.layOut(let id, let page)):
            if holdsLayouts {
                held.append((id, page))
                return nil
            }
            return laidOut(id, page)
        case .render(.document(let scene)): self.scene = scene
        case .render(.label(.lead, let text)): lead = text
        case .render(.banner(let banner)): self.banner = banner?.text
        case .render(.show): (scene, lead, banner) = (nil, nil, nil)
        case .reply(_, let reply): replies.append(reply)
        case .document(.open(let id, _, _)):
            isOpen = true
            return .document(refusal.map { .refused(id, $0) } ?? .opened(id, document))
        case .document(.draw(let id, let part)):
            if draws { return .document(Self.drawn(id, part)) }
            asked.append((id, part))
        case .document(.read(let id, let page)): return .document(.text(id, page: page, "Text \(page)"))
        case .document(.compare(let id)):
            compared = id
            return comparison.map { .document(.compared(id, $0)) }
        case .document(.close): isOpen = false
        case .speech(.say(let utterance)):
            spoken.append(utterance.text)
            if speaks { return .speech(.spoken(utterance.number)) }
        case .store(.begin(let header)): self.header = header
        case .store(.append(let id, let entry)):
            entries.append(entry)
            return .stored(.appended(id))
        case .store(.commit(let id, let end)):
            self.end = end
            return .stored(.committed(id, seal: nil, hasDocument: header?.flow?.document != nil))
        case .store(let action): return action.answer.map { .stored($0) }
        default: break
        }
        return nil
    }

    private static func drawn(_ id: CaptureID, _ part: HelperRequest.Rendering) -> DocumentAnswer {
        let digest = part.crop == nil ? String(repeating: "\(part.page % 10)", count: 64) : nil
        return .drawn(id, part, DrawnPage(PixelBuffer(size: part.pictureSize), sha256: digest))
    }

    private func laidOut(_ id: LayoutID, _ page: Page) -> PadEvent {
        if tooLarge(page) { return .laidOut(id, .failure(PageTooSmall(field: .prompt))) }
        if let screen {
            return .laidOut(id, Result { () throws(PageTooSmall) in try page.placed(on: screen) })
        }
        var placed = Self.place(page)
        placed.missingGlyphs = missingGlyphs
        return .laidOut(id, .success(placed))
    }

    mutating func answerLayouts() {
        holdsLayouts = false
        let waiting = held
        held = []
        for (id, page) in waiting { handle(laidOut(id, page)) }
    }

    mutating func answerDraws() {
        draws = true
        let waiting = asked
        asked = []
        for (id, part) in waiting { handle(.document(Self.drawn(id, part))) }
    }

    /// Places buttons and options in rows.
    static func place(_ page: Page) -> PlacedPage {
        var (x, y, text) = (0, 0, 200)
        let elements = page.elements.compactMap { element -> PlacedElement? in
            switch element {
            case .document: return PlacedElement(element, viewport)
            case .inkField: return PlacedElement(element, PixelRect(minX: 20, minY: 60, maxX: 380, maxY: 200))
            case .button:
                x += 66
                return PlacedElement(element, PixelRect(minX: x - 66, minY: 230, maxX: x - 2, maxY: 290))
            case .option:
                y += 30
                return PlacedElement(element, PixelRect(minX: 0, minY: y - 30, maxX: 400, maxY: y))
            case .text, .row:
                text += 10
                return PlacedElement(element, PixelRect(minX: 0, minY: text - 10, maxX: 400, maxY: text))
            default: return nil
            }
        }
        return PlacedPage(page, size: screen.size, density: screen.density, elements: elements)
    }

    // MARK: the host

    mutating func call(
        _ flow: CaptureFlow, prompt: [String] = [], signer: String? = nil, letters: Double? = nil,
        assistance: Set<Assistance> = [], alternatives: [Alternative]? = nil
    ) {
        var call = CaptureCall(request: CaptureRequest(prompt: prompt, signer: signer), follows: true)
        call.flow = flow
        call.letters = letters
        call.assistance = assistance
        call.policy.alternatives = alternatives
        if flow.document != nil {
            call.documentBytes = document.bytes
            // The control thread computes it.
            call.request.document = CaptureRequest.Document(sha256: String(repeating: "0", count: 64), computed: true)
        }
        handle(.call(CallID(1), .capture(call), .all))
    }

    static func read(_ policy: ReadingPolicy = ReadingPolicy()) -> ReadDocument {
        ReadDocument(id: "1", policy: policy)
    }

    // MARK: the person

    var page: PlacedPage? { pad.signingPage }
    var step: FlowStep? { pad.running?.flow.step }

    mutating func press(_ button: PageButton) { press(button, on: page) }

    mutating func sign() {
        let field = page?.inkField ?? .empty
        let (x, y, height) = screen == nil ? (40, 80, 30) : (field.minX + 20, field.minY + 10, (field.height - 20) / 2)
        touch(.began, at: Point(x: Double(x), y: Double(y)))
        for step in 1..<10 {
            touch(.moved, at: Point(x: Double(x + step * 20), y: Double(y + step % 3 * height)))
        }
        touch(.ended, at: Point(x: Double(x + 180), y: Double(y)))
    }

    mutating func signAndAccept() {
        sign()
        press(.accept)
    }

    mutating func tap(_ place: Point) {
        touch(.began, at: place)
        touch(.ended, at: place)
        now += .seconds(1)
    }

    /// Taps the middle of a mark.
    mutating func tap(_ mark: DocumentScene.Mark?) {
        guard let place = mark?.place else { return }
        tap(Point(x: (place.minX + place.maxX) / 2, y: (place.minY + place.maxY) / 2))
    }

    /// Drags a finger up or down, and waits until all rests.
    mutating func drag(by distance: Double) {
        touch(.began, at: Point(x: 200, y: 110))
        for step in 1...10 {
            now += .milliseconds(40)
            touch(.moved, at: Point(x: 200, y: 110 + distance * Double(step) / 10))
        }
        now += .milliseconds(200)
        touch(.ended, at: Point(x: 200, y: 110 + distance))
        wait(until: now + .milliseconds(300))
    }

    /// Lets time pass until nothing moves.
    mutating func wait(_ time: Duration) {
        let end = now + time
        while let deadline = pad.deadline, deadline < end { wait(until: deadline) }
        wait(until: end)
    }

    var events: [FlowEvent] { entries.compactMap { if case .flow(let event, _) = $0 { event } else { nil } } }

    var outcome: CaptureOutcome? {
        for case .capture(let reply) in replies { if let outcome = reply.outcome { return outcome } }
        return nil
    }

    var last: CaptureReply? {
        for case .capture(let reply) in replies.reversed() { return reply }
        return nil
    }
}

extension Field {
    static func made(
        _ kind: Field.Kind, _ name: String, page: Int = 1, at y: Double = 700, person: Int = 0,
        required: Bool = true, value: String? = nil, x: Double = 100
    ) -> Field {
        let isBox = kind == .check || kind == .choice
        return Field(
            name: name, kind: kind, person: person, page: page,
            rectangle: DocumentRectangle(minX: x, minY: y, maxX: x + (isBox ? 20 : 160), maxY: y + (isBox ? 20 : 50)),
            isRequired: required, choice: value)
    }
}
