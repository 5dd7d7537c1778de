// SPDX-License-Identifier: Apache-2.0
import Control
import Linux
import Record
import Screen

/// The pad's place on the main thread: takes what other threads and the clock have for the ``PadController``, and what
/// it wants done to those that do it. Nothing here waits.
final class PadDesk {
    private var controller: PadController
    private let render: RenderLink
    private let record: RecordLink
    /// Nil where no host has a way in.
    private let control: ControlLink?
    private let timer: Timer
    /// What ``timer`` is armed for.
    private var armedDeadline: Int64?
    /// Of the capture that runs.
    var glass = GlassLatency()
    private weak var observer: (any PadObserver)?
    private var observedPage = PanelStatus.Page.idle
    /// Since the panel began.
    var losses = Losses()
    private var lossesBefore = Losses()

    /// What of the touches the pad has not been told.
    struct Losses {
        /// Times that the kernel dropped reports.
        var drops = 0
        /// By the ``ContactGate`` and the ``NoiseFilter``.
        var ignoredContacts = 0
    }

    init(
        _ controller: PadController, render: RenderLink, record: RecordLink, control: ControlLink?,
        observer: (any PadObserver)?
    ) throws(Errno) {
        self.observer = observer
        self.controller = controller
        self.render = render
        self.record = record
        self.control = control
        timer = try Timer()
    }

    /// Whether to wait, when the panel ends, for what becomes of records.
    var isStoring: Bool { controller.isStoring }

    var controlDescriptor: CInt? { control?.descriptor }
    var recordDescriptor: CInt { record.descriptor }
    var timerDescriptor: CInt { timer.number }

    /// Whether a record is being written, or soon will be.
    var isCapturing: Bool { controller.running != nil || controller.preparing != nil }

    /// Whether the pad knows that people see what they do.
    var isTold: Bool { controller.displayFault == nil }

    /// A display is there, to be drawn on; pages that change with it are on it from its first frame.
    func attach(_ target: RenderTarget, _ details: DisplayDetails) throws(Errno) {
        try take(.display(PadScreen(name: "\(details)", target.geometry)), after: [.attach(target)])
    }

    func take(_ input: PadInput) throws(Errno) { try take(input, after: []) }

    private func take(_ input: PadInput, after first: [RenderStep]) throws(Errno) {
        var steps = first
        for output in controller.handle(input, at: MonotonicClock.microseconds) {
            switch output {
            case .render(let step): steps.append(step)
            case .record(let job): record.send(measured(job))
            case .answer(let call, let answer): control?.answer(call, answer)
            }
        }
        render.send(steps)
        try followDeadline()
        if let observer, controller.page != observedPage {
            observedPage = controller.page
            observer.padShows(controller.page, controller.running?.layout)
        }
    }

    func takeCalls() throws(Errno) {
        for call in control?.takeInputs() ?? [] { try take(.host(call)) }
    }

    func takeRecordAnswers() throws(Errno) {
        for answer in record.takeAnswers() { try take(.record(answer)) }
    }

    func passTime() throws(Errno) {
        timer.acknowledge()
        armedDeadline = nil
        try take(.time)
    }

    /// Fills in what is measured here.
    private func measured(_ job: RecordJob) -> RecordJob {
        switch job {
        case .start(let header):
            glass.reset(since: header.startedAtDeviceTime)
            lossesBefore = losses
            return job
        case .keep(let id, var end):
            end.quality.latency = glass.measured
            end.quality.drops = losses.drops - lossesBefore.drops
            end.quality.ignoredContacts += losses.ignoredContacts - lossesBefore.ignoredContacts
            return .keep(id, end)
        case .admit, .append, .discard, .sketch, .openSketch, .saveSketch: return job
        }
    }

    private func followDeadline() throws(Errno) {
        guard controller.deadline != armedDeadline else { return }
        armedDeadline = controller.deadline
        guard let armedDeadline else { return try timer.disarm() }
        // A limit that nobody lives to see is in no clock.
        try timer.arm(at: min(armedDeadline, Int64.max / 1000) * 1000)
    }
}
