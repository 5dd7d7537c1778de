// SPDX-License-Identifier: Apache-2.0
import Configuration
import Geometry
import Glibc
import Ink
import Linux
import Pad
import Record
import Screen
import Touch

/// The main loop of the panel: one epoll set with the touch devices, the display, the other threads, timers, udev and
/// signals. It reads every report at once and never blocks. The main thread alone accesses the display.
///
/// Panel+Display and Panel+Touch handle displays and touch devices, which may be plugged and unplugged at any time.
final class Panel {
    enum Source: UInt64 {
        case display, render, signal, timer, control, record, document, speech, pad, reader, devices, nodes, power, keys
        /// Any touch device.
        case touch
    }

    /// Why ``run()`` returned.
    enum Ending: Equatable {
        case signal(CInt)
        /// All reports of the recording have been sent to the render thread.
        case endOfRecording
    }

    /// The objects of a panel.
    struct Parts {
        var connection: DisplayConnection
        var touches: TouchDevices
        var link: RenderLink
        /// nil for a bare sheet, which draws every stroke as it is.
        var pad: PanelPad?
        /// Signals that end the panel. They were blocked before any thread started.
        var signals: [CInt]
        /// nil if the picture is on no virtual terminal.
        var console: PanelConsole?
        /// nil without pages, and without a terminal of our own.
        var keyboards: Keyboards?
        /// nil if the screen's brightness is not controlled.
        var power: ScreenPower?
        /// nil without a service manager.
        var watchdog: PanelWatchdog?
    }

    /// Additional time for accepted records to reach the disk. With ``PanelSession``'s second it is
    /// three fifths of the stop timeout in inkpanel.service.
    private static let storingPatience = Duration.seconds(2)

    /// The settings.
    let session: PanelSession
    let parts: Parts
    /// The current display, or assumptions until there is one.
    var screen: PadScreen
    var target: RenderTarget?
    var gate: ContactGate
    var noise: NoiseFilter
    /// The contacts of a bare sheet.
    var sheet = PageContacts()
    let poll: EventPoll
    private var timer: Timer
    private let signals: SignalSet
    /// nil if no device can be added, or the kernel reports no changes.
    private let monitor: DeviceMonitor?
    /// nil without a monitor, or if nodes cannot be watched; then only udev's events and repeated scans find devices.
    private let nodes: NodeWatch?
    /// Whether the current display shows a frame.
    var isStarted = false
    /// Whether any display has shown a frame.
    var hasStarted = false
    /// The tokens of inputs removed from the poll set: ended recordings and closed devices.
    var finished: Set<UInt64> = []
    /// Whether to look for keyboards, even if touch devices are not looked for.
    var scansForKeys = true
    var loggedNoTouch = false
    /// Whether the pad knows the touch devices in use.
    var hasReportedDevices = false
    /// The loss that was logged last, until a display shows a frame. A display that fails repeatedly is logged once.
    var loggedLoss: ScreenError?
    var loggedDensityFault: String?
    /// Drops of devices that are no longer read.
    var dropsOfGone = 0
    var summary = PanelSummary()

    /// - Parameter target: the initial display's target; nil without a display.
    init(_ session: PanelSession, _ parts: Parts, screen: PadScreen, target: RenderTarget?) throws(Errno) {
        self.session = session
        self.parts = parts
        self.screen = screen
        self.target = target
        signals = try SignalSet(parts.signals)
        gate = ContactGate(mappings: [], palmLimit: session.touchSettings.palmLimit ?? .infinity)
        noise = NoiseFilter(session.touchSettings.filters, density: screen.density)
        poll = try EventPoll()
        timer = try Timer()
        monitor = try Self.monitor(parts, session.log)
        nodes = monitor == nil ? nil : try? NodeWatch()
        try poll.add(parts.link.descriptor, token: Source.render.rawValue)
        try poll.add(signals.number, token: Source.signal.rawValue)
        try poll.add(timer.number, token: Source.timer.rawValue)
        if let monitor { try poll.add(monitor.descriptor, token: Source.devices.rawValue) }
        if let nodes { try poll.add(nodes.descriptor, token: Source.nodes.rawValue) }
        if let display = parts.connection.display {
            try poll.add(display.eventDescriptor, token: Source.display.rawValue)
        }
        if let power = parts.power { try poll.add(power.timerDescriptor, token: Source.power.rawValue) }
        guard let pad = parts.pad else { return }
        if let control = pad.controlDescriptor { try poll.add(control, token: Source.control.rawValue) }
        try poll.add(pad.recordDescriptor, token: Source.record.rawValue)
        try poll.add(pad.documentDescriptor, token: Source.document.rawValue)
        if let speech = pad.speechDescriptor { try poll.add(speech, token: Source.speech.rawValue) }
        if let reader = pad.readerDescriptor { try poll.add(reader, token: Source.reader.rawValue) }
        try poll.add(pad.timerDescriptor, token: Source.pad.rawValue)
        // After the monitor, so that no card is missed between.
        try pad.soundChanged()
    }

    /// Creates the monitor. If that fails, the panel scans for devices regularly.
    private static func monitor(_ parts: Parts, _ log: Log) throws(Errno) -> DeviceMonitor? {
        guard parts.touches.awaitsDevices || !parts.connection.isFixed else { return nil }
        do throws(Errno) {
            return try DeviceMonitor()
        } catch {
            log.warning(
                "cannot receive hotplug events (\(error)); looking for devices every five seconds instead; under "
                    + "systemd, RestrictAddressFamilies= must include AF_NETLINK")
            parts.connection.polls = true
            parts.touches.polls = true
            return nil
        }
    }

    /// Runs until a signal requests the end or, if ``PanelSession/endsWithRecording`` is set, until the recording ends.
    func run() throws -> Ending {
        while true {
            try update()
            try present()
            try setTimer()
            if session.endsWithRecording, isInputFinished { return .endOfRecording }
            if let signal = try handleEvents() { return .signal(signal) }
        }
    }

    /// Stops reading reports, ends a stroke being drawn at its last sample, and shows the remaining ink.
    /// - Parameter limit: the longest time; nil for none. A second signal ends it at once.
    func finish(within limit: Duration?) throws {
        parts.watchdog?.stopping()
        for number in parts.touches.present { try stopWatching(number) }
        parts.keyboards?.close()
        if let pad = parts.pad {
            try pad.handle(.stop)
        } else if sheet.isOwned {
            parts.link.send([.pad(.ink(.end, reported: MonotonicClock.now))])
        }
        parts.link.finish()
        let deadline = limit.map { MonotonicClock.now + $0 }
        // Hosts that wait for a record get their final reply first.
        while !isDrained || parts.pad?.isStoring == true {
            let more = parts.pad?.isStoring == true ? Self.storingPatience : .zero
            if let deadline, MonotonicClock.now > deadline + more {
                try parts.pad?.handle(.stop)
                return session.log.warning("the last frames and records were not finished in time")
            }
            try present()
            // Only flips still have deadlines: scans have stopped.
            try timer.arm(at: parts.connection.display?.retryDeadline)
            if try handleEvents(until: MonotonicClock.now + .milliseconds(20)) != nil { return }
        }
    }

    /// Whether the render thread has ended and its last frame, if any, is on screen.
    private var isDrained: Bool { parts.link.hasEnded && target?.isSettled != false }

    /// Waits for events and handles them.
    /// - Returns: a signal that requests the end.
    private func handleEvents(until deadline: Timestamp? = nil) throws -> CInt? {
        var (hasReadTouches, hasReadKeys) = (false, false)
        for event in try poll.wait(until: deadline) {
            switch Source(rawValue: event.token) {
            case nil: break
            case .touch:
                // One call reads all devices.
                if !hasReadTouches { try readTouches() }
                hasReadTouches = true
            case .display: try finishFlips()
            case .render: try receiveFromRender()
            case .control: try parts.pad?.receiveCalls()
            case .record: try parts.pad?.receiveStoreAnswers()
            case .document: try parts.pad?.receiveDocumentAnswers()
            case .speech: try parts.pad?.receiveSpeechAnswers()
            case .pad: try parts.pad?.timerFired()
            case .reader: try parts.pad?.receiveActs()
            case .power: try parts.power?.timerFired()
            case .keys:
                if !hasReadKeys { try readKeys() }
                hasReadKeys = true
            case .devices: try receiveDeviceChanges()
            case .nodes: receiveNodeChanges()
            case .signal:
                while let signal = signals.next() {
                    guard try handleTerminalSignal(signal) else { return signal }
                }
            case .timer:
                timer.acknowledge()
                try finishFlips()
            }
        }
        return nil
    }

    /// The display accepted a frame that is the first to show these reports, by the kernel's times.
    func noteQueued(_ reports: [Timestamp]) {
        summary.glass.queued(reports)
        parts.pad?.glass.queued(reports)
    }

    /// The last queued frame appeared on screen at this time.
    func noteShown(at time: Timestamp) {
        summary.glass.shown(at: time)
        parts.pad?.glass.shown(at: time)
        parts.pad?.lastFlip = time
        summary.flipCount += 1
    }

    /// The last queued frame will never be shown.
    func forgetQueued() {
        summary.glass.forget()
        parts.pad?.glass.forget()
    }

    private func receiveFromRender() throws {
        for report in parts.link.receive() {
            switch report {
            case .pad(let event): try parts.pad?.handle(event)
            case .image(let image, let id): parts.pad?.receive(image, of: id)
            case .inspected(let fits): parts.pad?.receiveInspection(fits)
            case .detached: noteDetached()
            case .failed(let error): throw error
            }
        }
    }

    private func receiveDeviceChanges() throws {
        let now = MonotonicClock.now
        while let report = monitor?.next() {
            switch report {
            case .change(let change): try apply(change, at: now)
            case .lost:
                parts.connection.devicesChanged(at: now)
                parts.touches.devicesChanged(at: now)
                parts.power?.backlightsChanged()
                try parts.pad?.soundChanged()
            }
        }
    }

    private func receiveNodeChanges() {
        let changed = nodes?.changed() ?? []
        let now = MonotonicClock.now
        if changed.contains(.input) {
            parts.touches.nodesChanged(at: now)
            scansForKeys = true
        }
        if changed.contains(.drm) || changed.contains(.graphics) { parts.connection.nodesChanged(at: now) }
    }

    private func apply(_ change: DeviceMonitor.Change, at now: Timestamp) throws {
        switch change.subsystem {
        case .drm, .graphics: parts.connection.devicesChanged(at: now)
        case .input: if change.action != .removed { parts.touches.devicesChanged(at: now) }
        // Setting the brightness also causes change events.
        case .backlight: if change.action != .changed { parts.power?.backlightsChanged() }
        case .sound: try parts.pad?.soundChanged()
        }
    }

    /// Performs due work: scans for displays and devices, updates the screen's power, and pings the watchdog.
    private func update() throws {
        let now = MonotonicClock.now
        try releaseLifts(at: now)
        let isCapturing = parts.pad?.isCapturing == true
        // Touch devices first: when a display returns together with them, no page says that they are missing.
        if scansForTouch {
            let isDue = parts.touches.deadline.map { $0 <= now } ?? false
            try apply(parts.touches.scan(at: now, mayJoin: !isCapturing))
            if isDue || scansForKeys { try addKeyboards() }
        }
        if !postponesScans, let change = parts.connection.update(at: now) { try apply(change) }
        try parts.power?.setCapturing(isCapturing)
        parts.watchdog?.pass(at: now, renderSilence: parts.link.silence(at: now))
    }

    /// Querying a monitor or a device may take longer than reports may wait. Regular scans are postponed during a
    /// touch, when display and device evidently work: until then.
    private var scansPostponedUntil: Timestamp? {
        guard parts.connection.polls, let end = gate.touchEnd, MonotonicClock.now < end else { return nil }
        return end
    }
    private var postponesScans: Bool { scansPostponedUntil != nil }
    private var scansForTouch: Bool { !parts.connection.isSuspended && !postponesScans }

    /// Arms the timer for the next deadline, and disarms it without one: a timer left over from a completed flip would
    /// wake an idle panel.
    private func setTimer() throws(Errno) {
        let deadlines = [
            parts.connection.display?.retryDeadline, scansPostponedUntil ?? parts.connection.deadline,
            scansForTouch ? parts.touches.deadline : nil, parts.watchdog?.deadline, noise.deadline,
        ]
        try timer.arm(at: deadlines.compactMap { $0 }.min())
    }
}
