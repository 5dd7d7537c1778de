// SPDX-License-Identifier: Apache-2.0
import Canvas
import Capture
import Control
import Geometry
import Ink
import Record

/// What the machine wants done, as those are told who do it.
extension PadController {
    /// Tells the machine something.
    /// - Returns: why a command was not followed.
    @discardableResult
    mutating func step(
        _ input: CaptureInput, at now: Int64, reportedMicroseconds: Int64? = nil, _ outputs: inout [PadOutput]
    ) -> CommandRejection? {
        var rejection: CommandRejection?
        for effect in machine.handle(input, at: now) {
            switch effect {
            case .show(let page): show(page, at: now, &outputs)
            case .button(let button, let isPressed): outputs.append(.render(.button(button, isPressed: isPressed)))
            case .beginStroke(let point): draw(.begin(Sample(point)), reportedMicroseconds ?? now, &outputs)
            case .extendStroke(let point): draw(.move(Sample(point)), reportedMicroseconds ?? now, &outputs)
            case .endStroke: draw(.end, now, &outputs)
            case .cancelStroke: draw(.cancel, now, &outputs)
            case .undo: outputs.append(.render(.undo))
            case .clear: outputs.append(.render(.clear))
            case .wipe: outputs.append(.render(.wipe))
            case .record(let request, let step): record(request, step, at: now, &outputs)
            case .tell(let request, let event): tell(request, event, &outputs)
            case .reject(_, let why): rejection = why
            }
        }
        return rejection
    }

    func draw(_ event: StrokeEvent, _ reported: Int64, _ outputs: inout [PadOutput]) {
        outputs.append(.render(.stroke(event, reportedMicroseconds: reported)))
    }

    private mutating func show(_ next: CapturePage, at now: Int64, _ outputs: inout [PadOutput]) {
        // What is being drawn there ends here.
        if page == .sketch { step(SketchInput.leave, reportedMicroseconds: now, &outputs) }
        let (name, view) = view(of: next)
        page = name
        if let view { outputs.append(.render(.show(view))) }
        restoreWhereShown(at: now, &outputs)
        // One that was given before a signature may be over, or another meanwhile.
        showNotice(&outputs)
    }

    private func view(of page: CapturePage) -> (PanelStatus.Page, PageView?) {
        let messages = setting.messages
        func signature(_ message: Message? = nil, hasButtons: Bool = true) -> PageView? {
            guard let layout = running?.layout else { return nil }
            return .signature(layout, message: message.map { messages[$0] }, hasButtons: hasButtons)
        }
        switch page {
        case .idle: return sketch.map { (.sketch, $0.view) } ?? (.idle, idleView)
        case .signing: return (.signing, signature())
        case .refused(let refusal): return (.refused, signature(refusal.message))
        case .saving: return (.saving, signature(.saving, hasButtons: false))
        case .thanks: return (.thanks, .words(messages[.thanks]))
        case .failed: return (.failed, .words(messages[.failed]))
        }
    }

    private mutating func record(
        _ request: RequestID, _ step: RecordStep, at now: Int64, _ outputs: inout [PadOutput]
    ) {
        guard var ticket = running, ticket.request == request else { return }
        switch step {
        case .start(let asked, let microseconds):
            let header = header(of: ticket, asked, at: microseconds, now)
            ticket.header = header
            outputs.append(.record(.start(header)))
        case .append(let entry):
            if case .stroke(let stroke) = entry {
                ticket.meter.add(stroke)
                if ticket.capture.follows { ticket.finishedStroke = ticket.header.map { HostStroke(stroke, of: $0) } }
            }
            outputs.append(.record(.append(ticket.id, entry)))
        case .accept(let ignored):
            outputs.append(.record(.keep(ticket.id, end(.accepted, of: ticket, ignoredContacts: ignored))))
        case .discard: outputs.append(.record(.discard(ticket.id, end(.cancelled, of: ticket))))
        }
        running = ticket
    }

    private func end(
        _ outcome: CaptureEnd.Outcome, of ticket: PadTicket, ignoredContacts: Int = 0
    ) -> CaptureEnd {
        CaptureEnd(
            outcome: outcome, endedAt: setting.now(),
            quality: ticket.meter.quality(ignoredContacts: ignoredContacts, latency: nil))
    }

    private func header(
        of ticket: PadTicket, _ request: CaptureRequest, at microseconds: Int64, _ now: Int64
    ) -> CaptureHeader {
        let (size, area) = (self.screen.status.size, ticket.layout?.signingArea)
        let described = CaptureScreen(
            width: size.width, height: size.height,
            pixelsPerMillimetre: self.screen.status.density.pixelsPerMillimetre,
            signingArea: area.map { [$0.minX, $0.minY, $0.width, $0.height] } ?? [],
            penLook: CapturePenLook(setting.pen, color: setting.color, paper: setting.paper))
        return CaptureHeader(
            id: ticket.id.description, startedAt: setting.now() - (now - microseconds),
            startedAtDeviceTime: microseconds, date: ticket.date, program: setting.program, panel: setting.panel,
            devices: captureDevices, screen: described, request: request, shows: ticket.capture.shows)
    }

    private mutating func tell(_ request: RequestID, _ event: HostEvent, _ outputs: inout [PadOutput]) {
        guard let ticket = running, ticket.request == request else { return }
        switch event {
        case .started: outputs.append(.answer(ticket.call, ticket.progress(.signing)))
        case .strokes(let count):
            running?.strokes = count
            running?.finishedStroke = nil
            let progress = CaptureProgress(
                id: ticket.id, state: .signing, strokes: count, stroke: ticket.finishedStroke)
            outputs.append(.answer(ticket.call, .progress(progress)))
        case .refused(let refusal): outputs.append(.answer(ticket.call, ticket.progress(.refused(refusal))))
        case .saving: outputs.append(.answer(ticket.call, ticket.progress(.saving)))
        case .ended(let result):
            running = nil
            let answer = ticket.answer(to: result)
            // Who is told that nothing was kept must not find it kept later.
            if result == .accepted || ticket.header == nil {
                outputs.append(.answer(ticket.call, answer))
            } else {
                wiping[ticket.id] = (ticket.call, answer)
            }
        }
    }
}

extension PadTicket {
    fileprivate func answer(to result: CaptureResult) -> PanelAnswer {
        switch result {
        case .accepted: ended(.accepted)
        case .cancelled(by: .person): ended(.cancelledByPerson)
        case .cancelled(by: .host): ended(failure.map { .failed(reason: $0) } ?? .cancelledByHost)
        case .timedOut(let limit): ended(.timedOut(limit))
        case .recordFailed(let reason): ended(.failed(reason: reason))
        case .recordLate: ended(.failed(reason: "the record was not stored in time"))
        case .busy: .failed(.busy(with: id))
        }
    }
}

extension Sample {
    init(_ point: InkPoint) {
        self.init(microseconds: point.microseconds, position: point.position, pressure: point.pressure)
    }
}
