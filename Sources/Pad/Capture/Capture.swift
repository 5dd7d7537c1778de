// SPDX-License-Identifier: Apache-2.0
import Document
import Geometry
import HostAPI
import Ink
import Record
import Touch

/// The running capture: its page, its ink and its record.
struct Capture {
    let requested: RequestedCapture
    let policy: CapturePolicy
    /// The page on the screen.
    private(set) var page: PlacedPage
    /// The course through the pages.
    var flow: Flow
    /// The number of pages that were shown.
    private(set) var pageCount = 0
    let header: CaptureHeader
    /// The times of the record count from here.
    let start: Timestamp
    var lastTouch: Timestamp
    /// The message on the page, and when it disappears. A refusal of the ink counts as a state of its own for hosts.
    private(set) var message: (refusal: Refusal?, until: Timestamp)?
    /// The text over the page.
    private(set) var banner: Banner?
    private(set) var bannerCount = 0
    /// The page asks whether anybody is there, until somebody touches it.
    private var asksPresence = false
    /// The end of the total limit for which the page has asked already.
    private var askedEnd: Timestamp?
    /// The time between the question whether anybody is there and the end (EN 301 549 V3.2.1, 9.2.2.1: at least 20 s).
    /// A limit shorter than twice this time has the question at its half.
    private static let presenceTime = Duration.seconds(20)
    /// The time by which an answer extends the total limit, and the most extensions: the same clause demands at least
    /// ten.
    private static let (extensionTime, mostExtensions) = (Duration.seconds(60), 10)
    private var extensions = 0
    var contacts: PageContacts
    private(set) var ink = History<FinishedStroke>()
    /// The strokes of the fields that were accepted.
    private(set) var acceptedStrokes: [FinishedStroke] = []
    /// The number of contacts that were ignored on earlier pages.
    private var ignoredBefore = 0
    private(set) var meter = QualityMeter()
    /// The pressures of each device, and the devices that have measured some, here or in captures before.
    private var pressures: [Int: MeasuredPressure] = [:]
    private(set) var measuring: Set<Int>
    let pen: Pen
    let color: Color
    private var stroke: OpenStroke?
    /// Strokes that the owner of the page has finished. ``PageContacts`` may count more, because strokes beyond the
    /// sample limit draw nothing.
    private var ownStrokes = 0
    private let sampleLimit: Int
    /// The number of texts that were read aloud, and the time that this took.
    private var spokenCount = 0
    private var spokenTime = Duration.zero
    /// The texts of the page on the screen that were read aloud.
    private(set) var heard: Set<String> = []
    /// Whether the record has room for more texts that were read aloud.
    var canHear: Bool { spokenCount < CaptureLimits.spokenCount }
    /// Samples of all finished strokes; the record also has those that were undone.
    private var sampleCount = 0
    private var trail: InAirTrail
    /// The replies that wait for the entries that are not on the medium yet, one element for each entry. A host learns
    /// of a stroke only when a power cut can no longer destroy it.
    private var unsent: [Unsent] = []
    /// Strokes on the page, as far as hosts may know of them.
    private(set) var sentStrokeCount = 0
    /// Whether the page is read aloud, for the host; nil if nobody has asked.
    var speech: SpeechState?
    /// The record is being stored.
    var isSaving = false
    private var pressed: PageButton?
    /// When the page before this one was left; in the distant past for the first page.
    var leftAt = Timestamp.distantPast
    /// The page of the document that the host knows of.
    var toldPage: Int?
    private let flowLimit: Duration
    /// The scene on the page with the document, and the label of its button.
    private(set) var shownScene: DocumentScene?
    private(set) var shownLead: String?
    private var shownButtons = ShownButtons()
    private var showsHint = true

    private struct Unsent {
        var replies: [PadAction] = []
        /// Strokes on the page at the last of them.
        var strokes = 0
    }

    init(
        _ requested: RequestedCapture, policy: CapturePolicy, pen: Pen, color: Color, page: PlacedPage,
        header: CaptureHeader,
        measuring: Set<Int>, start: Timestamp, sampleLimit: Int, flow: Flow, flowLimit: Duration = PadTimes.standardFlow
    ) {
        self.flowLimit = flowLimit
        self.requested = requested
        self.flow = flow
        self.policy = policy
        self.pen = pen
        self.color = color
        self.page = page
        self.header = header
        self.measuring = measuring
        self.start = start
        self.sampleLimit = sampleLimit
        lastTouch = start
        contacts = PageContacts(page: page)
        trail = InAirTrail(start: start)
    }

    var inactivityEnd: Timestamp { policy.inactivityLimit.map { lastTouch + $0 } ?? .distantFuture }
    var totalEnd: Timestamp {
        guard let limit = policy.totalLimit else { return .distantFuture }
        let time =
            max(limit, min(limit + extraTime, flowLimit)) + demandedTime
            + (requested.capture.policy.totalLimit == nil ? spokenTime : .zero)
        return start + time + Self.extensionTime * extensions
    }

    /// The time for which the host demands that all people read the document. It is added to the limit, which may be
    /// shorter.
    private var demandedTime: Duration {
        .seconds(1) * ((flow.policy.minimumSeconds ?? 0) * Double(flow.people.count))
    }

    /// The total limit is for one page to sign on. Each page to read, question and further person needs more.
    private var extraTime: Duration {
        let pages = (flow.document?.facts.pages.count ?? 0) + flow.addedPages.count
        return .seconds(60) * (pages + flow.questions.count + flow.people.count - 1)
    }

    var deadline: Timestamp {
        let reading = isReading ? flow.reading?.deadline : nil
        return min(end, message?.until ?? questionTime ?? .distantFuture, reading ?? .distantFuture)
    }
    private var end: Timestamp { min(inactivityEnd, totalEnd) }

    /// When to ask whether anybody is there; nil while the page asks or shows a message, and without limits.
    private var questionTime: Timestamp? {
        if asksPresence || message != nil { return nil }
        let ends = [(inactivityEnd, lastTouch), (totalEnd, start)].filter { $0.0 != .distantFuture && $0.0 != askedEnd }
        return ends.map { end, begin in end - min(Self.presenceTime, (end - begin) / 2) }.min()
    }

    /// Extends the total limit after an answer, unless the host has set that limit: the host does not wait longer.
    private mutating func answer(at now: Timestamp) {
        guard asksPresence, totalEnd != .distantFuture, totalEnd - now <= Self.presenceTime,
            requested.capture.policy.totalLimit == nil, extensions < Self.mostExtensions
        else { return }
        extensions += 1
    }

    /// Why the ink is not a signature; nil if it is. Initials and notes need only some ink.
    var refusal: Refusal? {
        let sum = ink.visible.reduce(into: InkMeasure()) { $0.add($1.measure) }
        let minima = isSignature ? policy.minima : CapturePolicy.Minima(strokes: 1)
        return minima.refusal(of: sum, pixelsPerMillimetre: page.density.pixelsPerMillimetre)
    }

    private func progress(_ state: CaptureState, stroke: HostStroke?) -> PadAction {
        var reply = CaptureReply(
            id: requested.id, state: state, strokes: strokeCount, stroke: stroke,
            missingGlyphs: requested.missingGlyphs)
        reply.describe(flow)
        reply.speech = speech
        return .reply(requested.call, .capture(reply))
    }

    var strokeCount: Int { ink.visibleNumbers.count }

    /// Tells the host of a change as soon as all entries before it are on the medium.
    mutating func tell(_ state: CaptureState, stroke: HostStroke? = nil, _ actions: inout [PadAction]) {
        let reply = progress(state, stroke: stroke)
        if unsent.isEmpty {
            sentStrokeCount = strokeCount
            return actions.append(reply)
        }
        unsent[unsent.count - 1].replies.append(reply)
        unsent[unsent.count - 1].strokes = strokeCount
    }

    /// Sends the replies that waited for the first unstored entry, which is on the medium now.
    mutating func noteStored(_ actions: inout [PadAction]) {
        if unsent.isEmpty { return }
        let first = unsent.removeFirst()
        if !first.replies.isEmpty { sentStrokeCount = first.strokes }
        actions += first.replies
    }

    /// Sends all waiting replies: all entries are on the medium.
    mutating func noteAllStored(_ actions: inout [PadAction]) {
        while !unsent.isEmpty { noteStored(&actions) }
    }

    /// The contacts that were ignored, on all pages.
    var ignoredContacts: Int { ignoredBefore + contacts.ignoredContacts }

    /// All ink on the page, as steps.
    var allSteps: [MirrorChange.Step] {
        ink.visible.flatMap { [.samples($0.drawn), .end] } + (stroke.map { [.samples($0.drawn)] } ?? [])
    }

    // MARK: the page

    /// Begins a page without ink.
    mutating func turn(to next: PlacedPage) {
        page = next
        pageCount += 1
        ignoredBefore += contacts.ignoredContacts
        contacts = PageContacts(page: next)
        ink = History()
        (stroke, pressed, shownScene, shownLead) = (nil, nil, nil, nil)
        ownStrokes = 0
        heard = []
        shownButtons = ShownButtons()
        showsHint = true
        (message, banner, asksPresence) = (nil, nil, false)
    }

    /// The ink on the page is accepted for its field.
    mutating func acceptSheet(at now: Timestamp, _ actions: inout [PadAction]) {
        guard let name = sheetName else { return }
        recordTrail(&actions)
        removeMessage(&actions)
        acceptedStrokes += ink.visible
        append(.accepted(AcceptedField(name: name)), at: now, &actions)
        let (ink, isInitials) = (signedInk, flow.shownField?.kind == .initials)
        if case .instead(_, let part) = flow.step {
            flow.accept(ink, part, of: name)
        } else {
            flow.accept(ink, of: name, isInitials: isInitials)
        }
    }

    /// The person uses their first initials for this field, too.
    mutating func acceptInitialsAgain(at now: Timestamp, _ actions: inout [PadAction]) -> Bool {
        guard let name = sheetName, let first = flow.initials, first != name, let ink = flow.inks[first] else {
            return false
        }
        release(keepingInk: false, &actions)
        recordTrail(&actions)
        append(.accepted(AcceptedField(name: name, same: first)), at: now, &actions)
        flow.accept(ink, of: name, isInitials: true)
        return true
    }

    /// Shows the document, and the label of its button, if they have changed.
    mutating func show(_ scene: DocumentScene, lead: String, _ actions: inout [PadAction]) {
        if scene != shownScene { actions.append(.render(.document(scene))) }
        if lead != shownLead { actions.append(.render(.label(.lead, lead))) }
        (shownScene, shownLead) = (scene, lead)
    }

    func state(of button: PageButton) -> ButtonState { shownButtons[button] }

    /// Shows which buttons have an effect, and the hint while there is no ink.
    mutating func showState(_ actions: inout [PadAction]) {
        let isBlank = strokeCount == 0
        let canPass = refusal == nil
        for placed in page.buttons {
            guard let button = placed.button else { continue }
            var state = ButtonState(isPressed: pressed == button, isEnabled: !isSaving)
            switch button {
            // A press on a disabled Accept shows why the ink is not a signature.
            case .accept: (state.isEnabled, state.isBusy) = ((canPass || mayStayEmpty) && !isSaving, isSaving)
            case .lead: state.isBusy = isSaving
            case .option(let index): state.isChosen = flow.isChosen(index)
            case .again: state.isEnabled = flow.initials != nil && flow.initials != sheetName && !isSaving
            // Undo also reverts a clear.
            case .undo: state.isEnabled = ink.canUndo && !isSaving
            case .clear: state.isEnabled = !isBlank && !isSaving
            case .cancel, .redo, .save, .color, .width, .nextColor, .nextWidth, .next, .back, .decline, .instead: break
            }
            shownButtons.show(button, state, &actions)
        }
        showHint(&actions)
    }

    /// Shows the hint while the field has neither ink nor a banner, which could cover the hint.
    private mutating func showHint(_ actions: inout [PadAction]) {
        if page.inkField.isEmpty { return }
        let showsHint = strokeCount == 0 && stroke == nil && message == nil && !asksPresence
        if showsHint != self.showsHint { actions.append(.render(.hint(showsHint))) }
        self.showsHint = showsHint
    }

    /// Shows why the ink cannot be accepted.
    mutating func refuse(_ refusal: Refusal, until: Timestamp, _ actions: inout [PadAction]) {
        message = (refusal, until)
        showHint(&actions)
        var text = refusal.message
        // A note has no line to sign on.
        if case .note = flow.step { text = .pleaseAnswer }
        show(Banner(requested.messages[text], isWarning: true), &actions)
        tell(.refused(refusal), &actions)
    }

    /// Shows what the person has to do first.
    mutating func show(_ text: Message, until: Timestamp, _ actions: inout [PadAction]) {
        message = (nil, until)
        showHint(&actions)
        show(Banner(requested.messages[text]), &actions)
    }

    private mutating func show(_ banner: Banner?, _ actions: inout [PadAction]) {
        self.banner = banner
        if banner != nil { bannerCount += 1 }
        actions.append(.render(.banner(banner)))
    }

    mutating func removeMessage(_ actions: inout [PadAction]) {
        if message == nil, !asksPresence { return }
        (message, asksPresence) = (nil, false)
        show(nil, &actions)
        showHint(&actions)
    }

    /// Removes a message whose time is over, and asks whether anybody is there when it is time.
    mutating func advance(to now: Timestamp, _ actions: inout [PadAction]) {
        if let message, now >= message.until { removeMessage(&actions) }
        if isReading {
            flow.reading?.advance(to: now)
            updateReading(at: now, &actions)
        }
        guard let questionTime, now >= questionTime else { return }
        asksPresence = true
        if end == totalEnd { askedEnd = end }
        showHint(&actions)
        show(Banner(requested.messages[.stillThere]), &actions)
    }

    // MARK: touches

    /// A contact on the document counts as use of the page.
    mutating func noteUse(_ event: TouchEvent, at now: Timestamp, _ actions: inout [PadAction]) {
        if event.phase == .moved && event.isResting { return }
        lastTouch = now
        answer(at: now)
        if asksPresence || event.phase == .began { removeMessage(&actions) }
    }

    /// A key counts as use of the page, too. It removes the message, which the person has read.
    mutating func noteUse(at now: Timestamp, _ actions: inout [PadAction]) {
        lastTouch = now
        answer(at: now)
        removeMessage(&actions)
    }

    /// - Returns: what was pressed.
    mutating func receive(
        _ event: TouchEvent, at now: Timestamp, reported: Timestamp, _ actions: inout [PadAction]
    ) -> Pressed? {
        if isReading, flow.reading?.wants(event) == true { return read(event, at: now, &actions) }
        var effects: [PageContacts.Effect] = []
        if !contacts.isOwned { ownStrokes = 0 }
        if contacts.receive(event, &effects) { lastTouch = now }
        // A new contact answers the question wherever it is on the page.
        if asksPresence, event.phase == .began || lastTouch == now {
            lastTouch = now
            answer(at: now)
            removeMessage(&actions)
        }
        return apply(effects, reported: reported, &actions).map { .button($0) }
    }

    /// Ends the stroke or the press of the contact that owns the page. Further reports of this contact are ignored.
    mutating func release(keepingInk: Bool, _ actions: inout [PadAction]) {
        var effects: [PageContacts.Effect] = []
        contacts.release(keepingInk: keepingInk, &effects)
        _ = apply(effects, reported: lastTouch, &actions)
    }

    private mutating func apply(
        _ effects: [PageContacts.Effect], reported: Timestamp, _ actions: inout [PadAction]
    ) -> PageButton? {
        var activated: PageButton?
        // A report that continues a stroke changes nothing but ink.
        var changesState = false
        for effect in effects {
            if case .ink(.move, _) = effect {} else { changesState = true }
            switch effect {
            case .button(let button, let isPressed): pressed = isPressed ? button : nil
            case .pressed(let button): activated = button
            case .ink(.begin(let sample), let reading):
                if sampleCount >= sampleLimit { break }
                stroke = OpenStroke(first: sample, reading, start: start)
                actions.append(.render(.ink(.begin(sample), reported: reported)))
            case .ink(.move(let sample), let reading):
                guard stroke != nil else { break }
                stroke?.add(sample, reading)
                actions.append(.render(.ink(.move(sample), reported: reported)))
                // The rest of this contact draws nothing; the ink on the page can still be accepted.
                if sampleCount + (stroke?.samples.count ?? 0) >= sampleLimit { endStroke(reported, &actions) }
            case .ink(.end, _): endStroke(reported, &actions)
            case .ink(.cancel, _):
                if stroke != nil { actions.append(.render(.ink(.cancel, reported: reported))) }
                stroke = nil
            case .undo(let strokes):
                for _ in 0..<min(strokes, ownStrokes) { undo(&actions) }
            }
        }
        if changesState { showState(&actions) }
        return activated
    }

    private mutating func endStroke(_ reported: Timestamp, _ actions: inout [PadAction]) {
        guard let finished = stroke else { return }
        stroke = nil
        ownStrokes += 1
        sampleCount += finished.samples.count
        ink.append(FinishedStroke(measure: finished.measure, device: finished.device, drawn: finished.drawn))
        var recorded = CaptureStroke(
            pen: pen.name.rawValue, device: finished.device, samples: finished.samples, tool: finished.tool,
            enters: finished.enters, leaves: finished.leaves, places: finished.places(on: header))
        for sample in finished.drawn { pressures[finished.device, default: MeasuredPressure()].add(sample.pressure) }
        if pressures[finished.device]?.isMeasured == true { measuring.insert(finished.device) }
        if !measuring.contains(finished.device) { recorded.removePressure() }
        meter.add(recorded)
        recordTrail(&actions)
        let hostStroke = requested.capture.follows ? HostStroke(recorded, of: sheetHeader) : nil
        actions.append(.render(.ink(.end, reported: reported)))
        append(.stroke(recorded), &actions)
        tell(.signing, stroke: hostStroke, &actions)
    }

    mutating func undo(_ actions: inout [PadAction]) {
        guard ink.undo() != nil else { return }
        recordTrail(&actions)
        actions.append(.render(.undo))
        append(.action(.undo, microseconds: (lastTouch - start).microseconds), &actions)
        tell(.signing, &actions)
        showState(&actions)
    }

    mutating func clear(_ actions: inout [PadAction]) {
        guard ink.clearSheet() != nil else { return }
        recordTrail(&actions)
        actions.append(.render(.clear))
        append(.action(.clear, microseconds: (lastTouch - start).microseconds), &actions)
        tell(.signing, &actions)
        showState(&actions)
    }

    // MARK: the record

    mutating func append(_ entry: CaptureEntry, _ actions: inout [PadAction]) {
        actions.append(.store(.append(requested.id, entry)))
        unsent.append(Unsent())
    }

    /// A text was read aloud to its end.
    /// - Parameter time: the duration of the speech. It extends the total limit, unless the host has set that.
    mutating func noteSpoken(
        _ text: String, for time: Duration, at now: Timestamp, _ actions: inout [PadAction]
    ) {
        lastTouch = max(lastTouch, now)
        spokenTime += time
        if asksPresence, text != requested.messages[.stillThere] { removeMessage(&actions) }
        if spokenCount >= CaptureLimits.spokenCount { return }
        spokenCount += 1
        heard.insert(text)
        append(.spoken(text, microseconds: (now - start).microseconds), &actions)
    }

    /// Records a hovering pen, if the record describes its device. This does not count as a touch.
    mutating func hover(_ hover: PenHover, device: Int, at time: Timestamp, _ actions: inout [PadAction]) {
        guard header.devices.indices.contains(device) else { return }
        var hover = hover
        if header.devices[device].distance == nil { hover.distance = nil }
        if let entry = trail.add(hover, device: device, at: time) {
            append(entry, &actions)
        }
    }

    /// Records the movements of pens in the air before the next entry.
    mutating func recordTrail(_ actions: inout [PadAction]) {
        if let entry = trail.removeEntry() { append(entry, &actions) }
    }
}

/// The states of a page's buttons, as the display shows them.
struct ShownButtons {
    private var states: [PageButton: ButtonState] = [:]

    subscript(button: PageButton) -> ButtonState { states[button] ?? ButtonState() }

    mutating func show(_ button: PageButton, _ state: ButtonState, _ actions: inout [PadAction]) {
        if states.updateValue(state, forKey: button) ?? ButtonState() == state { return }
        actions.append(.render(.button(button, state)))
    }
}
