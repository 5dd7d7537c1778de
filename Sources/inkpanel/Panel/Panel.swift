// SPDX-License-Identifier: Apache-2.0
import Canvas
import Geometry
import Glibc
import Ink
import Linux
import Screen
import Touch

/// The panel at work, seen from the main thread: one epoll set with the touch devices, the screen, the other threads,
/// timers and the signals. It reads every report at once and does nothing that can block; it alone talks to the
/// display.
final class Panel {
    private enum Source: UInt64 {
        case display, frame, signal, retry, control, record, pad
        /// The first of the touch devices; the others follow.
        case touch
    }

    /// Why ``run(isReady:)`` came back.
    enum Ending: Equatable {
        case signal(CInt)
        /// All reports of the recording have been handed to the render thread.
        case endOfRecording
    }

    /// Nanoseconds more for what was accepted to reach the disk: with ``PanelSession``'s second, three fifths of what
    /// inkpanel.service gives for stopping.
    private static let storingPatience: Int64 = 2_000_000_000

    private let inputs: [any TouchInput]
    private let display: any Display
    private let link: RenderLink
    private let rotation: Rotation
    /// Whether ``run(isReady:)`` comes back at the end of a recording, instead of leaving the picture on screen.
    private let endsWithRecording: Bool
    private let log: Log
    private let poll: EventPoll
    private let retry: Timer
    private let signals: SignalSet
    private var gate: ContactGate
    private var owner = ContactOwner()
    /// Nil for a bare sheet: what the contact does is drawn as it is.
    private let pad: PadDesk?
    private var isStarted = false
    /// What ``retry`` is armed for.
    private var armedDeadline: Int64?
    private var isInputFinished = false
    /// Of the inputs, by their numbers: those that reports may still come from.
    private var watched: Set<Int>
    private(set) var summary = PanelSummary()

    /// - Parameters:
    ///   - signals: what ends it; blocked since before any thread was.
    ///   - inputs: one at least; what they are numbered by elsewhere is their order here.
    ///   - gate: for the inputs in that order.
    ///   - pad: nil for a bare sheet.
    init(
        inputs: [any TouchInput], display: any Display, link: RenderLink, gate: ContactGate, rotation: Rotation,
        pad: PadDesk?, endsWithRecording: Bool, signals: [CInt], log: Log
    ) throws(Errno) {
        self.inputs = inputs
        watched = Set(inputs.indices)
        self.display = display
        self.link = link
        self.rotation = rotation
        self.pad = pad
        self.endsWithRecording = endsWithRecording
        self.log = log
        self.signals = try SignalSet(signals)
        self.gate = gate
        poll = try EventPoll()
        retry = try Timer()
        for (number, input) in inputs.enumerated() {
            try poll.add(input.descriptor, token: Source.touch.rawValue + UInt64(number))
        }
        try poll.add(display.eventDescriptor, token: Source.display.rawValue)
        try poll.add(link.frameReadyDescriptor, token: Source.frame.rawValue)
        try poll.add(self.signals.number, token: Source.signal.rawValue)
        try poll.add(retry.number, token: Source.retry.rawValue)
        guard let pad else { return }
        if let control = pad.controlDescriptor { try poll.add(control, token: Source.control.rawValue) }
        try poll.add(pad.recordDescriptor, token: Source.record.rawValue)
        try poll.add(pad.timerDescriptor, token: Source.pad.rawValue)
    }

    /// Works until a signal asks to end or, if that is wanted, the recording is over.
    /// - Parameter isReady: called once, when the first frame has been handed to the display.
    func run(isReady: () -> Void) throws -> Ending {
        while true {
            if let signal = try handleEvents() { return .signal(signal) }
            if try present() {
                isReady()
                for input in inputs { try input.start() }
            }
            try followRetryDeadline()
            if isInputFinished && endsWithRecording { return .endOfRecording }
        }
    }

    /// Takes no more reports, ends a stroke that is still being drawn at its last sample, and shows all that is left.
    /// - Parameter nanoseconds: how long that may take; nil is as long as it takes. A second signal ends it at once.
    func finish(within nanoseconds: Int64?) throws {
        for number in watched { try stopWatching(number) }
        if let pad {
            try pad.take(.end)
        } else if owner.isDrawing {
            link.send([.stroke(.end, reportedMicroseconds: MonotonicClock.microseconds)])
        }
        link.finish()
        let deadline = nanoseconds.map { MonotonicClock.nanoseconds + $0 }
        // Whoever waits for a record hears of it, or that there is none.
        while !link.isDrained || pad?.isStoring == true {
            let more = pad?.isStoring == true ? Self.storingPatience : 0
            if let deadline, MonotonicClock.nanoseconds > deadline + more {
                try pad?.take(.end)
                return log.warning("what was left did not reach \(display.details.name) and the disk in time")
            }
            _ = try present()
            try followRetryDeadline()
            if try handleEvents(milliseconds: 20) != nil { return }
        }
    }

    /// Waits for whatever comes first and deals with it.
    /// - Returns: a signal that asks to end.
    private func handleEvents(milliseconds: Int32? = nil) throws -> CInt? {
        for event in try poll.wait(milliseconds: milliseconds) {
            if event.token >= Source.touch.rawValue {
                try readTouch(Int(event.token - Source.touch.rawValue))
                continue
            }
            switch Source(rawValue: event.token) {
            case .touch, nil: break
            case .display: try finishFlips()
            case .frame:
                link.acknowledgeFrameReady()
                for layout in try link.takeLayouts() { try pad?.take(.laidOut(layout)) }
            case .control: try pad?.takeCalls()
            case .record: try pad?.takeRecordAnswers()
            case .pad: try pad?.passTime()
            case .signal: if let signal = signals.next() { return signal }
            case .retry:
                retry.acknowledge()
                armedDeadline = nil
                try finishFlips()
            }
        }
        return nil
    }

    /// A device that is gone stays readable for ever; left in the set it would burn a core.
    private func stopWatching(_ number: Int) throws(Errno) {
        guard watched.remove(number) != nil else { return }
        try poll.remove(inputs[number].descriptor)
    }

    private func readTouch(_ number: Int) throws {
        // An event from before it was taken out of the set.
        guard watched.contains(number) else { return }
        let input = inputs[number]
        let reading: TouchReading
        do {
            reading = try input.read()
        } catch {
            try stopWatching(number)
            let now = MonotonicClock.microseconds
            try take(gate.remove(number, at: now), at: now)
            try pad?.take(.devices(watched.sorted().map { inputs[$0].name }))
            if watched.isEmpty { throw error }
            return log.warning("\(error.message); going on with \(namesOfWatched)")
        }
        let dropCount = inputs.reduce(0) { $0 + $1.dropCount }
        for frame in reading.frames {
            if !frame.contacts.isEmpty { summary.reportCount += 1 }
            let time = reading.handedOutMicroseconds ?? frame.microseconds
            let touches = gate.update(with: frame, of: number)
            pad?.losses = PadDesk.Losses(drops: dropCount, ignoredContacts: gate.ignoredCount)
            try take(touches, at: time)
        }
        if summary.dropCount != dropCount {
            summary.dropCount = dropCount
            log.warning("\(input.name): the kernel dropped reports (SYN_DROPPED), \(input.dropCount) times so far")
        }
        if reading.isFinished {
            try stopWatching(number)
            isInputFinished = watched.isEmpty
        }
    }

    private var namesOfWatched: String { watched.sorted().map { inputs[$0].name }.joined(separator: " and ") }

    /// On to the pad, which wants to know of all contacts, or to the paper, where the owner's is drawn.
    private func take(_ touches: [ContactGate.Touch], at microseconds: Int64) throws(Errno) {
        if let pad {
            for touch in touches {
                try pad.take(.touch(touch.event, contact: touch.contact, reportedMicroseconds: microseconds))
            }
        } else {
            link.send(
                owner.update(with: touches).map { .stroke(StrokeEvent($0), reportedMicroseconds: microseconds) })
        }
    }

    /// Keeps the timer in step with the display, and off when the display waits for nothing: a timer left over from a
    /// flip that has completed would wake an idle panel.
    private func followRetryDeadline() throws(Errno) {
        guard display.retryDeadlineNanoseconds != armedDeadline else { return }
        armedDeadline = display.retryDeadlineNanoseconds
        if let armedDeadline { try retry.arm(at: armedDeadline) } else { try retry.disarm() }
    }

    private func finishFlips() throws {
        for completion in try display.readEvents() {
            if completion.wasLost { log.warning("\(display.details.name): a page flip was never reported as done") }
            summary.flipCount += 1
            // The time of a lost one is that of the modeset that made up for it, not of a vblank.
            link.flipCompleted(at: completion.wasLost ? nil : completion.nanoseconds)
            pad?.glass.shown(at: completion.nanoseconds / 1000)
        }
    }

    /// Hands a finished frame to the display if there is one and the last is on screen.
    /// - Returns: whether it was the first.
    private func present() throws -> Bool {
        guard let ready = link.takeReady() else { return false }
        let frame = ready.frame
        guard isStarted else {
            try display.start(showing: frame.index)
            link.updateSwapchain { $0.flipCompleted() }
            isStarted = true
            return true
        }
        let picture = rotation.pictureSize(onPanel: display.size)
        var damage = Damage()
        for rect in frame.damage.rects { damage.add(rotation.panelRect(of: rect, picture: picture)) }
        switch try display.present(frame.index, damage: damage) {
        case .queued: pad?.glass.queued(ready.reports)
        case .busy: link.refused(ready)
        case .shown:
            summary.flipCount += 1
            pad?.glass.queued(ready.reports)
            pad?.glass.shown(at: MonotonicClock.microseconds)
            link.updateSwapchain { $0.flipCompleted() }
        }
        return false
    }
}

extension StrokeEvent {
    /// What a contact does, as the canvas takes it.
    init(_ event: TouchEvent) {
        func sample(_ touch: TouchSample) -> Sample {
            Sample(microseconds: touch.microseconds, position: touch.position, pressure: touch.pressure)
        }
        switch event {
        case .down(let touch), .resume(let touch): self = .begin(sample(touch))
        case .motion(let touch): self = .move(sample(touch))
        case .up: self = .end
        case .cancel: self = .cancel
        }
    }
}
