// SPDX-License-Identifier: Apache-2.0
public import Geometry
public import HostAPI
public import Record
import Touch

/// The behaviour of a pad: which page is shown, what touches do, which host is served, what is stored and how each call
/// is answered. A value that does no I/O; for the main thread.
///
/// Times are of the clock that stamps the reports (CLOCK_MONOTONIC). If it runs backwards, the pad waits.
///
/// These rules hold for any order of events. Only Accept, pressed or called by a host, accepts a signature. A capture
/// that is cancelled, times out or cannot be stored leaves nothing. Ink begins and ends in the ink field. A contact
/// that began on a button draws nothing. Each call for a signature gets exactly one final reply.
public struct Pad {
    /// The maximum number of waiting calls: enough for a queue at a counter, and a bound for memory.
    public static let waitingLimit = 16

    /// The page after a capture, with the texts of the capture.
    enum LastPage {
        case thanks(MessageTable, act: PersonAct)
        case declined(MessageTable)
        case failed(MessageTable)

        var page: Page {
            switch self {
            case .thanks(let messages, let act): messages.thanksPage(act)
            case .declined(let messages): messages.declinedPage
            case .failed(let messages): messages.failedPage
            }
        }
    }

    enum State {
        /// The idle or the sketch page.
        case idle
        case signing(Capture)
        /// The record of an accepted capture is being stored. It counts as lost after `until`.
        case saving(Capture, until: Timestamp)
        case pairing(Pairing)
        /// Shows a ``LastPage``, in letters that the capture asked for.
        case closing(LastPage, letters: Double?, until: Timestamp)
    }

    /// The page while no capture runs.
    enum IdlePage {
        /// The touch devices and the store are not known yet.
        case starting
        /// There is no touch device.
        case outOfOrder
        /// Captures cannot be recorded. The sketch page says so in a banner.
        case notRecording
        case sketch
        /// The page of the configuration.
        case welcome
    }

    /// Something that a pad does not know when it starts.
    enum Unknown { case devices, store }

    /// A call whose page is being laid out. The previous page is still shown.
    struct Preparation {
        var requested: RequestedCapture
        /// The date as the page shows it.
        var date: LocalDate
        /// The document to read, when it was opened.
        var document: OpenedDocument?
        /// The pages that are being laid out; nil before the document was opened.
        var layouts: [LayoutID: FlowPage]?
        var pages: [FlowPage: PlacedPage] = [:]
        /// The first page that takes ink.
        var firstInkPage: FlowPage?
        /// The record thread can record it.
        var isReady = false
    }

    var settings: PadSettings
    /// Settings that wait until no capture is shown or prepared.
    var revision: PadRevision?
    /// The number of samples in a capture's strokes after which ink ends.
    let sampleLimit: Int
    /// The latest time of an event.
    var now = Timestamp.distantPast
    var state = State.idle
    /// Empty, at the latest, at `startEnd`.
    var unknown: Set<Unknown> = []
    private var startEnd = Timestamp.distantFuture
    var preparing: Preparation?
    /// Waiting calls in order of arrival.
    var waiting: [RequestedCapture] = []
    var watchers: [(call: CallID, reach: CaptureReach)] = []
    var mirrors: [Mirror] = []
    var events = EventLog()
    /// A pairing or an identity whose page is being prepared.
    var preparedPairing: PreparedPairing?
    var preparedName: PreparedName?
    /// The last touch of the sketch page.
    var sketchTouch: Timestamp?
    /// When the last pairings were asked for.
    var pairingTimes: [Timestamp] = []
    /// The names of the touch devices in use.
    var devices: [String] = []
    /// The devices that touches and hovers refer to by index.
    var captureDevices: [CaptureDevice] = []
    var known = KnownDevices()
    var screen: PadScreen
    /// Why the display shows nothing; nil while there is a display.
    var displayFault: String?
    /// nil if the idle page is a text or a picture.
    public internal(set) var sketch: Sketch?
    /// The program is ending, so no capture starts.
    var isStopping = false
    /// Final replies that wait until their captures are wiped.
    var wiping: [CaptureID: (call: CallID, reply: PadReply)] = [:]
    /// The pictures of the sketch are being written.
    var isSavingSketch = false
    /// The message over the sketch page; it stays until the next one if `until` is nil.
    var notice: (message: Message, until: Timestamp?)?
    /// Why captures cannot be recorded.
    var recordFault: String?
    /// Why the last record could not be written or wiped, or the sketch's pictures could not be saved.
    var storeFault: String?
    /// Why the sketch will not survive a restart.
    var sketchFault: String?
    /// The records that wait for delivery; nil without delivery.
    var delivery: PanelStatus.Delivery?
    /// The status that watchers know, as far as they may see it.
    var watchedStatus: PanelStatus?
    var layoutCount: UInt64 = 0
    /// The page that is shown, and the number of pages that were shown, with this one.
    private(set) var shownPage: Page?
    private(set) var shownPages: UInt32 = 0
    private(set) var shownAt = Timestamp(microseconds: 0)
    /// The page as it is read aloud; nil while speech is off.
    var speech: Speech?
    /// Whether the pages show the sign for speech.
    var showsSpeech = false
    /// Whether speech can be heard.
    var isSpeechReady = false
    /// A headset was plugged in while no capture ran: the next one is read aloud.
    var wasPlugged = false
    /// Whether speech has begun in the running capture, or could not.
    var hasTriedSpeech = false
    /// The number of the last utterance, when nothing is spoken.
    var speechNumber: UInt32 = 0
    /// The finger that asks for speech by resting.
    var longTouch = LongTouch(of: .seconds(3))
    /// The finger that asks for a report by resting in a corner.
    var cornerTouch = LongTouch(of: .seconds(10))
    /// The control that a key presses; nil if none has been shown.
    var focus: PageFocus?
    /// The index of the idle page.
    var slide = 0
    /// When the next idle page is shown, and the time of the next minute; nil if never.
    var slideEnd, minuteEnd: Timestamp?

    public init(
        _ settings: PadSettings, screen: PadScreen, sampleLimit: Int = CaptureLimits.strokeSampleCount
    ) {
        self.settings = settings
        self.screen = screen
        self.sampleLimit = sampleLimit
        sketch = settings.sketch.flatMap { Sketch($0, settings.messages.direction, on: screen) }
    }

    /// When to send ``PadEvent/time`` at the latest; nil if the pad waits for no time.
    public var deadline: Timestamp? {
        let end: Timestamp? =
            switch state {
            case .idle where hasDisplay && idlePage == .welcome: [slideEnd, minuteEnd].compactMap { $0 }.min()
            case .idle: nil
            case .pairing(let pairing): pairing.until
            case .signing(let capture): capture.deadline
            case .saving(_, let until), .closing(_, _, let until): until
            }
        let others =
            [notice?.until, focus?.stepEnd, speech?.deadline, longTouch.end, cornerTouch.end]
            + [isStarting ? startEnd : nil]
            + mirrors.map(\.deadline)
        return ([end] + others).compactMap { $0 }.min()
    }

    /// The running capture.
    var running: Capture? {
        switch state {
        case .signing(let capture), .saving(let capture, _): capture
        case .idle, .pairing, .closing: nil
        }
    }

    /// Whether a capture runs or is being prepared, or a program asks to be paired, or the identity is shown.
    public var isCapturing: Bool {
        switch state {
        case .signing, .saving, .pairing: true
        case .idle, .closing: preparing != nil
        }
    }

    /// Whether a record is being stored or wiped, and a person or a host waits for the result.
    public var isStoring: Bool {
        if case .saving = state { return true }
        return !wiping.isEmpty
    }

    /// Whether the page is visible.
    public var hasDisplay: Bool { displayFault == nil }

    /// The signing page, while it is shown.
    public var signingPage: PlacedPage? { running?.page }

    /// - Parameter time: the time of the event; the time of a report is in the event itself.
    public mutating func handle(_ event: PadEvent, at time: Timestamp) -> [PadAction] {
        now = max(now, time)
        var actions: [PadAction] = []
        let touchedPage = page
        if let deadline, now >= deadline { endWhatIsOver(&actions) }
        if case .touch(let touch, let reported) = event {
            // The person meant the page that was shown, not the sketch page that has just replaced it.
            if page != .sketch || touchedPage == .sketch { self.touch(touch, reported: reported, &actions) }
        } else {
            handle(event, &actions)
        }
        applyRevision(&actions)
        prepareNext(&actions)
        // Neither the pages of a capture nor the sketch page pass on that the finger has left.
        if case .idle = state, idlePage != .sketch {} else { cornerTouch.reset() }
        // A touch that takes a message away may uncover a question whose time has come.
        if let deadline, now >= deadline { endWhatIsOver(&actions) }
        for case .render(.show(let page)) in actions { noteShown(page) }
        if focus != nil { updateFocus(after: event, &actions) }
        updateSpeech(after: event, &actions)
        showSpeechSign(&actions)
        if !mirrors.isEmpty { replyToMirrors(&actions) }
        replyToListeners(&actions)
        if case .touch = event, !touchChangedStatus { return actions }
        replyToWatchers(&actions)
        return actions
    }

    private mutating func noteShown(_ page: Page) {
        shownPage = page
        shownPages &+= 1
        shownAt = now
    }

    private mutating func handle(_ event: PadEvent, _ actions: inout [PadAction]) {
        switch event {
        case .call(let call, let asked, let reach): receive(asked, call, reach, &actions)
        case .hostGone(let call): forget(call, &actions)
        case .touch, .time: break
        case .hover(let hover, let device, let time):
            guard case .signing(var capture) = state else { break }
            // Clear `state` first: with a second reference, changing `capture` would copy its strokes.
            state = .idle
            capture.hover(hover, device: device, at: time, &actions)
            state = .signing(capture)
        case .laidOut(let id, let result): laidOut(id, result, &actions)
        case .stored(let answer): receive(answer, &actions)
        case .document(let answer): receive(answer, &actions)
        case .act(let act): perform(act, &actions)
        case .key(let key): press(key, &actions)
        case .speech(let answer): receive(answer, &actions)
        case .screenshot(let call, let screenshot): actions.append(.reply(call, .screenshot(screenshot)))
        case .backdrop(let call, let backdrop): actions.append(.reply(call, .backdrop(backdrop)))
        case .devices(let names, let described):
            change(&actions) { pad in
                (pad.devices, pad.captureDevices) = (names, described)
                pad.unknown.remove(.devices)
            }
        case .touchAltered(let reason):
            guard case .signing = state else { break }
            end(.failed(reason: reason), showsFailure: true, &actions)
        case .display(let next): change(to: next, &actions)
        case .displayShows: displayFault = nil
        case .displayLost(let reason): displayFault = reason
        case .revised(let next):
            // Idle pages that wait for the end of a capture stay if the next revision has none.
            let waiting = revision?.idle
            revision = next
            revision?.idle = next.idle ?? waiting
            // The next capture uses these settings, so the status names them now.
            settings.configuration = next.configuration
        case .stop: stop(&actions)
        }
    }

    func after(_ duration: Duration) -> Timestamp { now + duration }

    // MARK: time

    private mutating func endWhatIsOver(_ actions: inout [PadAction]) {
        stepFocus(&actions)
        advanceSpeech(&actions)
        requestReport(&actions)
        switch state {
        case .idle: if idlePage == .welcome { changeWelcome(&actions) }
        case .pairing(let pairing): if now >= pairing.until { endPairing(allowed: false, &actions) }
        case .signing(var capture):
            if now >= capture.totalEnd {
                end(.timedOut(.total), &actions)
            } else if now >= capture.inactivityEnd {
                end(.timedOut(.inactivity), &actions)
            } else {
                // Clear `state` first: with a second reference, changing `capture` would copy its strokes.
                state = .idle
                capture.advance(to: now, &actions)
                state = .signing(capture)
            }
        case .saving(_, let until):
            if now >= until { end(.failed(reason: "the record was not stored in time"), showsFailure: true, &actions) }
        case .closing(let page, let letters, let until):
            if now < until { break }
            if speech?.isSpeaking == true {
                // The page is still being read aloud. Speech ends, or fails, in a bounded time.
                state = .closing(page, letters: letters, until: after(.seconds(1)))
            } else {
                enter(.idle, &actions)
            }
        }
        if isStarting, now >= startEnd { change(&actions) { $0.unknown = [] } }
        if let until = notice?.until, now >= until {
            notice = nil
            showNotice(&actions)
        }
    }

    // MARK: pages

    /// The name of the current page.
    public var page: PanelStatus.Page {
        switch state {
        case .idle:
            switch idlePage {
            case .starting: .starting
            case .outOfOrder, .notRecording: .fault
            case .sketch: .sketch
            case .welcome: .idle
            }
        case .pairing(let pairing): pairing.kind == .pairing ? .pairing : .identity
        case .signing(let capture): capture.statusPage
        case .saving: .saving
        case .closing(.thanks, _, _): .thanks
        case .closing(.declined, _, _): .declined
        case .closing(.failed, _, _): .failed
        }
    }

    private var isStarting: Bool { !unknown.isEmpty }

    var idlePage: IdlePage {
        if isStarting { return .starting }
        if devices.isEmpty { return .outOfOrder }
        if sketch != nil { return .sketch }
        return recordFault == nil ? .welcome : .notRecording
    }

    /// Changes the state that determines the page without a capture, and shows that page if it has changed.
    mutating func change(_ actions: inout [PadAction], _ change: (inout Pad) -> Void) {
        let last = idlePage
        change(&self)
        guard case .idle = state, idlePage != last else { return }
        if last == .sketch { sketch?.release(&actions) }
        show(&actions)
        restoreSketch(&actions)
        showNotice(&actions)
    }

    /// Shows the first page. Until its touch devices and its store are known, or a few seconds have passed, the pad
    /// says that it starts. The caller sends the actions before any other.
    public mutating func start(at time: Timestamp) -> [PadAction] {
        now = max(now, time)
        unknown = [.devices, .store]
        startEnd = after(settings.times.starting)
        var actions: [PadAction] = []
        show(&actions)
        for case .render(.show(let page)) in actions { noteShown(page) }
        return actions
    }

    /// Shows the page of the current state.
    mutating func show(_ actions: inout [PadAction]) {
        switch state {
        case .idle:
            let messages = settings.messages
            switch idlePage {
            case .starting: actions.append(.render(.show(messages.page(.starting))))
            case .outOfOrder: actions.append(.render(.show(messages.faultPage(.outOfOrderLine))))
            case .notRecording: actions.append(.render(.show(messages.faultPage(.notRecording))))
            case .sketch: sketch?.show(&actions)
            case .welcome: showWelcome(&actions)
            }
        case .pairing(let pairing): actions.append(.render(.show(pairing.page.page)))
        case .signing(let capture), .saving(let capture, _): actions.append(.render(.show(capture.page.page)))
        case .closing(let last, let letters, _):
            var page = last.page
            page.letters = letters
            actions.append(.render(.show(page)))
        }
    }

    /// Changes to a state with another page and shows it.
    mutating func enter(_ next: State, _ actions: inout [PadAction]) {
        if page == .sketch { sketch?.release(&actions) }
        state = next
        show(&actions)
        restoreSketch(&actions)
        showNotice(&actions)
    }

    // MARK: display

    /// Why a capture fails if its display is replaced by a different one.
    static let exchanged = "the screen was replaced by one of another size; nothing was kept"

    /// A display is connected. If its picture differs from the last one in size or place, a running capture ends,
    /// because its record and its page no longer match. A capture that is being stored is finished.
    private mutating func change(to next: PadScreen, _ actions: inout [PadAction]) {
        let last = screen
        screen = next
        let isMoved = next.panelSize != last.panelSize || next.rotation != last.rotation
        let isOther = !next.showsSame(as: last)
        if isOther {
            if let preparation = preparing { prepare(preparation.requested, &actions) }
            replaceSketch(&actions)
            endPairing(allowed: false, &actions)
        }
        if case .signing = state {
            if isMoved || isOther { end(.failed(reason: Self.exchanged), &actions) }
        } else if case .saving(let capture, _) = state, isOther {
            // Its page belongs to the previous screen.
            var page = capture.requested.messages.page(.saving)
            page.letters = capture.requested.capture.letters
            actions.append(.render(.show(page)))
        } else if isOther {
            show(&actions)
            showNotice(&actions)
        }
    }
}
