// SPDX-License-Identifier: Apache-2.0
import Geometry
import Glibc
import Ink
import Linux
import Pad
import Screen
import Touch

/// The panel at work, seen from the main thread: one epoll set with the touch devices, the screen, the other threads,
/// a timer, udev and the signals. It reads every report at once and does nothing that can block; it alone talks to the
/// display.
///
/// Displays and touch devices come and go while it runs: Panel+Display and Panel+Touch.
final class Panel {
    enum Source: UInt64 {
        case display, render, signal, timer, control, record, pad, devices, nodes, power
        /// All touch devices.
        case touch
    }

    /// Why ``run()`` came back.
    enum Ending: Equatable {
        case signal(CInt)
        /// All reports of the recording have been handed to the render thread.
        case endOfRecording
    }

    /// What a panel is made with.
    struct Parts {
        var seat: DisplayConnection
        var touches: TouchDevices
        var link: RenderLink
        /// What the geometry of a display is asked of.
        var look: Look
        /// Millimetres: a contact of this size or larger is a palm.
        var palmLimit: Double
        var filters: NoiseSettings
        /// From 0...1 of the digitizer to 0...1 of the panel, of all devices; nil is as udev says of each.
        var calibration: Transform?
        /// Nil for a bare sheet: what the contact does is drawn as it is.
        var pad: PanelPad?
        /// Whether ``run()`` comes back at the end of a recording, instead of leaving the picture on screen.
        var endsWithRecording: Bool
        /// What ends it; blocked since before any thread was.
        var signals: [CInt]
        /// Nil where the picture is on nobody's terminal.
        var console: PanelConsole?
        /// Nil where the screen's light is left alone.
        var power: ScreenPower?
        /// Nil where no service manager watches over this.
        var health: PanelHealth?
        var log: Log
    }

    /// Nanoseconds more for what was accepted to reach the disk: with ``PanelSession``'s second, three fifths of what
    /// inkpanel.service gives for stopping.
    private static let storingPatience: Int64 = 2_000_000_000

    let parts: Parts
    /// The display, or what is assumed until there is one.
    var screen: PadScreen
    var target: RenderTarget?
    var gate: ContactGate
    var noise: NoiseFilter
    var owner = ContactOwner()
    let poll: EventPoll
    private let timer: Timer
    private let signals: SignalSet
    /// Nil where nothing comes or goes, or the kernel does not tell.
    private let monitor: DeviceMonitor?
    /// Nil where nothing comes or goes. Without it, udev's events and repeated looks have to do.
    private let nodes: NodeWatch?
    /// A first frame is on the display that is there.
    var isStarted = false
    /// A first frame was on some display.
    var hasStarted = false
    /// What ``timer`` is armed for.
    private var armedDeadline: Int64?
    /// Inputs that have been taken out of the set, by their tokens: recordings that are over, devices that are let go.
    var finished: Set<UInt64> = []
    var hasToldOfNoTouch = false
    /// Why the last display was lost, until a frame is on one: a display that fails again and again is told of once.
    var toldLoss: ScreenError?
    /// Of devices that are not read any more.
    var dropsOfGone = 0
    var summary = PanelSummary()

    /// - Parameter target: of the display that is there at the start.
    init(_ parts: Parts, screen: PadScreen, target: RenderTarget?) throws(Errno) {
        self.parts = parts
        self.screen = screen
        self.target = target
        signals = try SignalSet(parts.signals)
        gate = ContactGate(mappings: [], palmLimit: parts.palmLimit)
        noise = NoiseFilter(parts.filters, density: screen.density)
        poll = try EventPoll()
        timer = try Timer()
        monitor = try Self.monitor(parts)
        nodes = monitor == nil ? nil : try? NodeWatch()
        try poll.add(parts.link.descriptor, token: Source.render.rawValue)
        try poll.add(signals.number, token: Source.signal.rawValue)
        try poll.add(timer.number, token: Source.timer.rawValue)
        if let monitor { try poll.add(monitor.descriptor, token: Source.devices.rawValue) }
        if let nodes { try poll.add(nodes.descriptor, token: Source.nodes.rawValue) }
        if let display = parts.seat.display {
            try poll.add(display.eventDescriptor, token: Source.display.rawValue)
        }
        if let power = parts.power { try poll.add(power.timerDescriptor, token: Source.power.rawValue) }
        guard let pad = parts.pad else { return }
        if let control = pad.controlDescriptor { try poll.add(control, token: Source.control.rawValue) }
        try poll.add(pad.recordDescriptor, token: Source.record.rawValue)
        try poll.add(pad.timerDescriptor, token: Source.pad.rawValue)
    }

    /// Without it the panel looks now and then.
    private static func monitor(_ parts: Parts) throws(Errno) -> DeviceMonitor? {
        guard parts.touches.awaitsDevices || !parts.seat.isFixed else { return nil }
        do throws(Errno) {
            return try DeviceMonitor()
        } catch {
            parts.log.warning(
                "no word of devices that come and go (\(error)), so they are looked for every five seconds; under "
                    + "systemd, RestrictAddressFamilies= must have AF_NETLINK")
            parts.seat.polls = true
            parts.touches.polls = true
            return nil
        }
    }

    /// Works until a signal asks to end or, if that is wanted, the recording is over.
    func run() throws -> Ending {
        while true {
            try tend()
            try present()
            try followDeadlines()
            if parts.endsWithRecording, isInputFinished { return .endOfRecording }
            if let signal = try handleEvents() { return .signal(signal) }
        }
    }

    /// Takes no more reports, ends a stroke that is still being drawn at its last sample, and shows all that is left.
    /// - Parameter nanoseconds: how long that may take; nil is as long as it takes. A second signal ends it at once.
    func finish(within nanoseconds: Int64?) throws {
        parts.health?.stopping()
        for number in parts.touches.present { try stopWatching(number) }
        if let pad = parts.pad {
            try pad.handle(.stop)
        } else if owner.isDrawing {
            parts.link.send([.pad(.ink(.end, reported: MonotonicClock.microseconds))])
        }
        parts.link.finish()
        let deadline = nanoseconds.map { MonotonicClock.nanoseconds + $0 }
        // Whoever waits for a record hears of it, or that there is none.
        while !isDrained || parts.pad?.isStoring == true {
            let more = parts.pad?.isStoring == true ? Self.storingPatience : 0
            if let deadline, MonotonicClock.nanoseconds > deadline + more {
                try parts.pad?.handle(.stop)
                return parts.log.warning("what was left did not reach the screen and the disk in time")
            }
            try present()
            // Nothing is looked for any more; what is due is not waited for, either.
            try follow(deadline: parts.seat.display?.retryDeadlineNanoseconds)
            if try handleEvents(milliseconds: 20) != nil { return }
        }
    }

    /// Whether the render thread has ended and its last frame is on screen, if there is one.
    private var isDrained: Bool { parts.link.hasEnded && target?.isSettled != false }

    /// Waits for whatever comes first and deals with it.
    /// - Returns: a signal that asks to end.
    private func handleEvents(milliseconds: Int32? = nil) throws -> CInt? {
        var hasReadTouches = false
        for event in try poll.wait(milliseconds: milliseconds) {
            switch Source(rawValue: event.token) {
            case nil: break
            case .touch:
                // All of them at once, and once.
                if !hasReadTouches { try readTouches() }
                hasReadTouches = true
            case .display: try finishFlips()
            case .render: try hearRender()
            case .control: try parts.pad?.receiveCalls()
            case .record: try parts.pad?.receiveStoreAnswers()
            case .pad: try parts.pad?.timerFired()
            case .power: try parts.power?.timerFired()
            case .devices: noteDevices()
            case .nodes: noteNodes()
            case .signal:
                while let signal = signals.next() {
                    guard try followSwitch(signal) else { return signal }
                }
            case .timer:
                timer.acknowledge()
                armedDeadline = nil
                try finishFlips()
            }
        }
        return nil
    }

    private func hearRender() throws {
        parts.link.acknowledge()
        for event in try parts.link.takeEvents() { try parts.pad?.handle(event) }
        if parts.link.takeDetached() { noteDetached() }
    }

    private func noteDevices() {
        let now = MonotonicClock.nanoseconds
        while let report = monitor?.next() {
            switch report {
            case .change(let change): note(change, at: now)
            case .lost:
                parts.seat.devicesChanged(at: now)
                parts.touches.devicesChanged(at: now)
                parts.power?.backlightsChanged()
            }
        }
    }

    private func noteNodes() {
        let changed = nodes?.changed() ?? []
        let now = MonotonicClock.nanoseconds
        if changed.contains(.input) { parts.touches.nodesChanged(at: now) }
        if changed.contains(.drm) || changed.contains(.graphics) { parts.seat.nodesChanged(at: now) }
    }

    private func note(_ change: DeviceMonitor.Change, at now: Int64) {
        switch change.subsystem {
        case .drm, .graphics: parts.seat.devicesChanged(at: now)
        case .input: if change.action != .removed { parts.touches.devicesChanged(at: now) }
        // It changes whenever it is set, too.
        case .backlight: if change.action != .changed { parts.power?.backlightsChanged() }
        }
    }

    /// Does what it is time for: looks for displays and devices, and tells the service manager that all is well.
    private func tend() throws {
        let now = MonotonicClock.nanoseconds
        let isCapturing = parts.pad?.isCapturing == true
        if !postponesLooks, let change = parts.seat.update(at: now) { try follow(change) }
        if looksForTouch { try follow(parts.touches.scan(at: now, mayJoin: !isCapturing)) }
        try parts.power?.setCapturing(isCapturing)
        parts.health?.pass(at: now, renderSilence: parts.link.silence(at: now / 1000) * 1000)
    }

    /// To ask a monitor or a device may take longer than reports may wait: what is looked for without an event waits
    /// while somebody draws, who sees that all is there.
    private var postponesLooks: Bool { parts.seat.polls && gate.isTouched }
    private var looksForTouch: Bool { !parts.seat.isSuspended && !postponesLooks }

    /// Keeps the timer in step with what is waited for, and off when nothing is: a timer left over from a flip that has
    /// completed would wake an idle panel.
    private func followDeadlines() throws(Errno) {
        let deadlines = [
            parts.seat.display?.retryDeadlineNanoseconds, postponesLooks ? nil : parts.seat.deadline,
            looksForTouch ? parts.touches.deadline : nil, parts.health?.deadline,
        ]
        try follow(deadline: deadlines.compactMap { $0 }.min())
    }

    private func follow(deadline: Int64?) throws(Errno) {
        guard deadline != armedDeadline else { return }
        armedDeadline = deadline
        if let deadline { try timer.arm(at: deadline) } else { try timer.disarm() }
    }
}
