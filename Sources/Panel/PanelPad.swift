// SPDX-License-Identifier: Apache-2.0
import Configuration
package import Control
import Geometry
package import HostAPI
import Linux
package import Pad
package import Pages
import Record
import Screen
package import Speech
package import Store
import Touch

/// Shows pages in words and controls, and takes the acts of the people who use them. For the main thread.
package protocol PageReader: AnyObject {
    /// Readable when acts wait.
    var descriptor: CInt { get }
    func takeActs() -> [PageAct]
    /// - Parameter description: may be the one before.
    func show(_ description: PageDescription)
}

/// The settings that a running panel takes from a configuration that was read again.
package struct PanelUpdate: Equatable, Sendable {
    package var pad: PadRevision
    package var retention: CaptureRetention
    package var reply = ReloadReply()

    package init(pad: PadRevision, retention: CaptureRetention) {
        self.pad = pad
        self.retention = retention
    }
}

/// The pad on the main thread. It passes events to ``Pad`` and the pad's actions to the threads that carry them out,
/// and owns the record and the control thread. Its methods do not block, except ``stop()``.
package final class PanelPad {
    /// A pad and what surrounds it.
    package struct Setup {
        package struct Control {
            let socket: ControlSocket
            let access: AccessRule
            let version: String

            /// - Parameter version: the program's, for hosts.
            package init(socket: ControlSocket, access: AccessRule, version: String) {
                self.socket = socket
                self.access = access
                self.version = version
            }
        }

        let settings: PadSettings
        let theme: PageTheme
        package let records: CaptureStore
        /// The folder for saved pictures of the sketch.
        package var sketchFolder: SketchFolder?
        package var retention = CaptureRetention()
        /// How documents are read and signed.
        package var documents = DocumentSettings()
        /// How pages are read aloud; nil if they are not.
        package var voice: Voice?
        /// nil if hosts cannot call.
        package var control: Control?
        /// Called on the main thread after each change of what a person sees, apart from ink.
        package var onView: ((PadView) -> Void)?
        /// Shows the pages to people who do not see the screen, and acts for them; nil if nothing does.
        package var reader: (any PageReader)?
        /// Called on the main thread with an act of the simulated person, and whether it is for the running capture or
        /// the next one; nil if nobody is simulated.
        package var onSimulate: ((SimulatedAct, Bool) -> Void)?
        /// Called on the main thread when a person at the pad asks for a report; nil if nothing writes one.
        package var onReport: (() -> Void)?
        /// Called on the main thread to read the configuration again; nil if the panel reads no configuration.
        package var onReload: (() -> Result<PanelUpdate, PanelError>)?

        package init(_ settings: PadSettings, theme: PageTheme, records: CaptureStore) {
            self.settings = settings
            self.theme = theme
            self.records = records
        }
    }

    /// Losses that the pad does not see, since the start of the panel.
    struct Losses {
        /// How often the kernel dropped reports.
        var drops = 0
        /// Contacts ignored by the ``ContactGate`` and the ``NoiseFilter``.
        var ignoredContacts = 0
    }

    /// The actions that show the first page.
    let firstActions: [PadAction]
    /// The latency of the running capture.
    var glass = GlassLatency()
    var losses = Losses()
    private var lossesBefore = Losses()
    /// When a frame was last shown, and a report read.
    var lastFlip, lastReport: Timestamp?
    private let startedAt = MonotonicClock.now
    private var ended = PanelHealth.Ended()
    /// Calls for the health that wait for an inspection.
    private var inspections: [(call: CallID, health: PanelHealth)] = []
    /// The last inspection, and its time.
    private var inspected: (fits: Bool, at: Timestamp)?
    /// Reading a screen's memory takes tens of milliseconds on small boards.
    private static let inspectionInterval = Duration.seconds(10)
    private var images = PageImages()
    private var pad: Pad
    private let render: RenderLink
    private let record: RecordLink
    private let control: ControlLink?
    private let documents: DocumentLink
    private let voice: Voice?
    private let speech: SpeechLink?
    /// The device of ALSA on which speech can be heard.
    private var heardOn: String?
    private var timer: Timer
    private let onView: ((PadView) -> Void)?
    private let reader: (any PageReader)?
    private let onSimulate: ((SimulatedAct, Bool) -> Void)?
    private let onReport: (() -> Void)?
    private let onReload: (() -> Result<PanelUpdate, PanelError>)?
    private var view = PadView(page: .starting)
    private var recordThread: RecordThread?
    private var speechThread: Thread?
    private var server: ControlServer?

    /// - Parameter screen: the screen at the start.
    init(_ setup: Setup, screen: PadScreen, render: RenderLink, log: Log) throws {
        precondition((setup.settings.sketch == nil) == (setup.sketchFolder == nil), "a sketch is saved in a folder")
        var settings = setup.settings
        settings.isSimulated = setup.onSimulate != nil
        settings.offersReports = setup.onReport != nil
        settings.describesPages = setup.reader != nil
        pad = Pad(settings, screen: screen)
        if settings.sketch != nil, pad.sketch == nil {
            log.warning(
                "the sketch page does not fit on a screen of \(screen.size) pixels; showing the idle page instead")
        }
        firstActions = pad.start(at: MonotonicClock.now)
        self.render = render
        record = try RecordLink()
        control = try setup.control.map { _ in try ControlLink() }
        documents = try DocumentLink()
        voice = setup.voice
        speech = try setup.voice.map { _ in try SpeechLink() }
        timer = try Timer()
        try timer.arm(at: pad.deadline)
        onView = setup.onView
        reader = setup.reader
        reader?.show(pad.description)
        onSimulate = setup.onSimulate
        onReport = setup.onReport
        onReload = setup.onReload
        let sketch = setup.sketchFolder.map {
            RecordSettings.Sketch(page: pad.sketch?.page, folder: $0, background: setup.theme.paper)
        }
        recordThread = try RecordThread(
            RecordSettings(
                store: setup.records, retention: setup.retention, sketch: sketch, documents: setup.documents, log: log),
            link: record)
        try DocumentThread.start(setup.documents, key: DocumentKey(of: setup.records), link: documents)
        if let voice, let speech { speechThread = try SpeechThread.start(voice, link: speech) }
        guard let access = setup.control, let control else { return }
        do throws(Errno) {
            server = try ControlServer(
                socket: access.socket, link: control, access: access.access, store: setup.records,
                info: ServiceInfo(version: access.version), panel: settings.panel,
                captions: RecordCaptions(messages: settings.messages).png,
                documents: { [documents = setup.documents] in documents.abilities }, log: log)
        } catch {
            stop()
            throw error
        }
    }

    /// Creates a pad without threads, for tests.
    init(_ pad: Pad, render: RenderLink, record: RecordLink, documents: DocumentLink? = nil) throws(Errno) {
        self.pad = pad
        firstActions = self.pad.start(at: MonotonicClock.now)
        self.render = render
        self.record = record
        if let documents { self.documents = documents } else { self.documents = try DocumentLink() }
        control = nil
        voice = nil
        speech = nil
        timer = try Timer()
        onView = nil
        reader = nil
        onSimulate = nil
        onReport = nil
        onReload = nil
    }

    /// Waits until all records are on the disk and replies are sent to hosts that read them.
    func stop() {
        documents.finish()
        speech?.finish()
        record.finish()
        recordThread.take()?.join()
        server.take()?.stop()
        // Wait for speech last: a card that hangs must not delay records and replies.
        speechThread.take()?.join()
    }

    var controlDescriptor: CInt? { control?.descriptor }
    var recordDescriptor: CInt { record.descriptor }
    var documentDescriptor: CInt { documents.descriptor }
    var speechDescriptor: CInt? { speech?.descriptor }
    var readerDescriptor: CInt? { reader?.descriptor }
    var timerDescriptor: CInt { timer.number }
    var isStoring: Bool { pad.isStoring }
    var isCapturing: Bool { pad.isCapturing }
    var hasDisplay: Bool { pad.hasDisplay }

    // MARK: events

    /// A display is connected. Its target reaches the render thread before the pages for it.
    func attach(_ target: RenderTarget, _ screen: PadScreen) throws(Errno) {
        try handle(.display(screen), after: [.attach(target)])
    }

    func handle(_ event: PadEvent) throws(Errno) { try handle(event, after: []) }

    func receiveCalls() throws(Errno) {
        for event in control?.receiveEvents() ?? [] { try handle(event) }
    }

    func receiveStoreAnswers() throws(Errno) {
        for answer in record.receiveAnswers() { try handle(.stored(answer)) }
    }

    func receiveDocumentAnswers() throws(Errno) {
        for answer in documents.receiveAnswers() { try handle(.document(answer)) }
    }

    func receiveSpeechAnswers() throws(Errno) {
        for answer in speech?.receiveAnswers() ?? [] { try handle(.speech(answer)) }
    }

    /// A sound card has come or gone, or this is the start.
    func soundChanged() throws(Errno) {
        guard let voice else { return }
        let device = voice.device
        if device == heardOn { return }
        // First report that speech is lost: nobody wears the headset of another card yet.
        if heardOn != nil { try handle(.speech(.ready(false, isPlugged: false))) }
        heardOn = device
        if device == nil { return }
        // Drivers are still being loaded at the start, so a card that appears then was not just plugged in.
        let isPlugged = MonotonicClock.now - startedAt > .seconds(10)
        let canBePlugged = voice.output == .headset || voice.output == .usb
        try handle(.speech(.ready(true, isPlugged: canBePlugged && isPlugged)))
    }

    func receiveActs() throws(Errno) {
        for act in reader?.takeActs() ?? [] { try handle(.act(act)) }
    }

    func timerFired() throws(Errno) {
        timer.acknowledge()
        try handle(.time)
    }

    private func handle(_ event: PadEvent, after first: [RenderStep]) throws(Errno) {
        var steps = first
        // These steps follow all changes of the page.
        var lastSteps: [RenderStep] = []
        var documentActions: [DocumentAction] = []
        var speechActions: [SpeechAction] = []
        var reloads: [CallID] = []
        var isOther = if case .touch = event { false } else { true }
        for action in pad.handle(event, at: MonotonicClock.now) {
            switch action {
            case .render(let action):
                steps.append(.pad(action))
                // Reports that continue a stroke are the most frequent events, and change no words.
                if case .ink = action {} else { isOther = true }
                if case .show(let page) = action { images.noteShown(takesInk: page.inkField != nil) }
            case .store(let action):
                let action = measured(action)
                if images.canSend(action) { record.send(.store(action)) }
            case .reply(let call, .health(let health)): reply(call, health, &lastSteps)
            case .reply(let call, .reloaded): reloads.append(call)
            case .reply(let call, let reply):
                note(reply)
                control?.reply(call, reply)
            case .document(let action): documentActions.append(action)
            case .speech(let action): speechActions.append(action)
            case .simulate(let act, let inRunning): onSimulate?(act, inRunning)
            case .requestReport: onReport?()
            }
        }
        if let id = images.endEvent() { lastSteps.append(.image(id)) }
        render.send(steps + lastSteps)
        documents.send(documentActions)
        speech?.send(speechActions)
        try timer.arm(at: pad.deadline)
        if let reader, isOther { reader.show(pad.description) }
        if let onView, pad.view != view {
            view = pad.view
            onView(view)
        }
        for call in reloads { try reload(call) }
    }

    /// Reads the configuration again, and applies what a running panel can.
    private func reload(_ call: CallID) throws(Errno) {
        let reason = "this panel has no configuration to read again"
        switch onReload?() ?? .failure(.unavailable(reason: reason)) {
        case .failure(let error): control?.reply(call, .failed(error))
        case .success(let update):
            record.send(.retention(update.retention))
            try handle(.revised(update.pad))
            control?.reply(call, .reloaded(update.reply))
        }
    }

    // MARK: health

    private func note(_ reply: PadReply) {
        guard case .capture(let capture) = reply, let outcome = capture.outcome else { return }
        switch outcome {
        case .accepted: ended.accepted += 1
        case .declined: ended.declined += 1
        case .cancelled: ended.cancelled += 1
        case .timedOut: ended.timedOut += 1
        case .failed: ended.failed += 1
        }
    }

    /// Adds the main thread's figures, and sends the reply. The picture is compared only while no capture runs, because
    /// people wait for the render thread then.
    private func reply(_ call: CallID, _ health: PanelHealth, _ steps: inout [RenderStep]) {
        let now = MonotonicClock.now
        var health = health
        health.uptimeSeconds = now.seconds(since: startedAt)
        health.display.secondsSinceFlip = lastFlip.map { now.seconds(since: $0) }
        health.touch.secondsSinceReport = lastReport.map { now.seconds(since: $0) }
        health.touch.drops = losses.drops
        health.ended = ended
        if health.display.connected, !pad.isCapturing {
            guard let inspected, now - inspected.at < Self.inspectionInterval else {
                if inspections.isEmpty { steps.append(.inspect) }
                return inspections.append((call, health))
            }
            health.display.pictureFits = inspected.fits
        }
        control?.reply(call, .health(health))
    }

    /// The render thread has compared the picture.
    func receiveInspection(_ fits: Bool?) {
        inspected = fits.map { ($0, MonotonicClock.now) }
        for (call, health) in inspections {
            var health = health
            health.display.pictureFits = fits
            control?.reply(call, .health(health))
        }
        inspections = []
    }

    func receive(_ image: PageImage, of id: CaptureID) {
        record.send(.image(image, of: id))
        if let commit = images.receive(of: id) { record.send(.store(commit)) }
    }

    /// Adds the main thread's measurements to a record.
    private func measured(_ action: StoreAction) -> StoreAction {
        switch action {
        case .begin(let header):
            glass.reset(since: Timestamp(microseconds: header.startedAtDeviceTime))
            lossesBefore = losses
            return action
        case .commit(let id, var end):
            end.quality.latency = glass.measured
            end.quality.drops = losses.drops - lossesBefore.drops
            end.quality.ignoredContacts += losses.ignoredContacts - lossesBefore.ignoredContacts
            return .commit(id, end)
        case .check, .keepDocument, .append, .discard, .keepScatter, .readKey, .sketch, .openSketch, .saveSketch:
            return action
        }
    }
}

extension PadSettings {
    /// The settings of a pad on this machine: its clocks, its time zone, its random numbers, its name in records.
    /// - Parameter program: name and version, for records.
    package init(
        messages: MessageTable, look: Look, policy: CapturePolicy = .standard, idle: [Page], program: String
    ) {
        let zone = LocalTime.zoneName
        self.init(
            messages: messages, pen: look.pen, color: look.color, paper: look.background, policy: policy, idle: idle,
            program: program, wallClock: { WallClock.microseconds },
            date: { format in
                let time = LocalTime(microseconds: WallClock.microseconds)
                let text = format.text(
                    year: time.year, month: time.month, day: time.day, hour: time.hour, minute: time.minute)
                return LocalDate(text: text, offsetSeconds: time.offsetSeconds, zone: zone)
            }, random: { UInt64.random(in: .min ... .max) })
        machine = CaptureMachine(boot: Machine.bootID, id: Machine.id, kernel: Machine.kernel)
    }
}
