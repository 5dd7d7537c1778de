// SPDX-License-Identifier: Apache-2.0
import Capture
import Control
import Record
import Store

/// What hosts ask for.
extension PadController {
    mutating func take(_ what: PanelCall, _ call: CallID, at now: Int64, _ outputs: inout [PadOutput]) {
        switch what {
        case .capture(let capture): take(capture, call, &outputs)
        case .cancel(let id):
            if let waits = waiting.firstIndex(where: { $0.id == id }) {
                let ticket = waiting.remove(at: waits)
                outputs += [.answer(ticket.call, ticket.ended(.cancelledByHost)), .answer(call, .done)]
            } else if let ticket = preparing, id == nil || id == ticket.id {
                preparing = nil
                outputs += [.answer(ticket.call, ticket.ended(.cancelledByHost)), .answer(call, .done)]
            } else {
                follow(HostCommand.cancel, id, call, at: now, &outputs)
            }
        case .clear(let id): follow(HostCommand.clear, id, call, at: now, &outputs)
        case .accept(let id): follow(HostCommand.accept, id, call, at: now, &outputs)
        case .status: outputs.append(.answer(call, .status(status)))
        case .watch:
            watchers.append(call)
            toldStatus = status
            outputs.append(.answer(call, .changed(status)))
        }
    }

    private mutating func take(_ capture: CaptureCall, _ call: CallID, _ outputs: inout [PadOutput]) {
        let busy = running ?? preparing ?? waiting.first
        if isEnding {
            outputs.append(.answer(call, .failed(.unavailable(reason: "the panel's program ends"))))
        } else if let busy, !capture.waits {
            outputs.append(.answer(call, .failed(.busy(with: busy.id))))
        } else if busy != nil, waiting.count >= Self.waitingLimit {
            outputs.append(.answer(call, .failed(.unavailable(reason: "\(Self.waitingLimit) calls wait already"))))
        } else if devices.isEmpty, !capture.waits {
            outputs.append(.answer(call, .failed(.unavailable(reason: "the panel has no touch device (yet)"))))
        } else if let displayFault, !capture.waits {
            outputs.append(.answer(call, .failed(.unavailable(reason: "the panel has no display: \(displayFault)"))))
        } else {
            let ticket = makeTicket(call, capture)
            if busy == nil, canBegin { return prepare(ticket, &outputs) }
            waiting.append(ticket)
            if busy != nil || !canBegin { outputs.append(.answer(call, ticket.progress(.waiting))) }
        }
    }

    /// Has its page laid out and the writer asked whether it can be recorded.
    mutating func prepare(_ ticket: PadTicket, _ outputs: inout [PadOutput]) {
        let request = ticket.capture.request
        let date = setting.date()
        var ticket = ticket
        (ticket.layout, ticket.isAdmitted) = (nil, false)
        ticket.date = date
        let (shows, messages) = (ticket.capture.shows, setting.messages)
        let buttons = ticket.capture.policy.applied(to: setting.policy).buttons
        let texts = PageTexts(
            prompt: shows.prompt ? request.prompt : [],
            signer: shows.signer ? request.signer.map { messages.text(.signer, of: $0) } : nil,
            reason: shows.reason ? request.reason.map { messages.text(.reason, of: $0) } : nil,
            date: shows.date ? date.text : nil,
            labels: Dictionary(uniqueKeysWithValues: buttons.map { ($0, messages[Message(labelOf: $0)]) }))
        preparing = ticket
        outputs += [
            .render(.layOut(LayoutOrder(request: ticket.request, texts: texts, direction: messages.direction))),
            .record(.admit(ticket.id)),
        ]
    }

    /// The page of the call that is being prepared is laid out.
    mutating func begin(_ answer: LayoutAnswer, at now: Int64, _ outputs: inout [PadOutput]) {
        // Cancelled meanwhile.
        guard let ticket = preparing, ticket.request == answer.request else { return }
        switch answer.layout {
        case .success(let layout):
            preparing?.layout = layout
            beginPrepared(at: now, &outputs)
        // Nobody signs for words that are not on the page.
        case .failure(let error):
            preparing = nil
            outputs.append(.answer(ticket.call, .failed(.pageTooSmall(error.field))))
        }
    }

    /// The writer can record the call that is being prepared, or nothing: then nobody is asked to sign.
    mutating func admit(_ id: CaptureID, _ fault: StoreError?, at now: Int64, _ outputs: inout [PadOutput]) {
        noteStore(fault, &outputs)
        guard let ticket = preparing, ticket.id == id else { return }
        if let fault {
            preparing = nil
            return outputs.append(.answer(ticket.call, .failed(.storeFailed(fault))))
        }
        preparing?.isAdmitted = true
        beginPrepared(at: now, &outputs)
    }

    private mutating func beginPrepared(at now: Int64, _ outputs: inout [PadOutput]) {
        guard let ticket = preparing, let layout = ticket.layout, ticket.isAdmitted else { return }
        preparing = nil
        running = ticket
        let order = CaptureOrder(
            id: ticket.request, request: ticket.capture.request,
            policy: ticket.capture.policy.applied(to: setting.policy), pad: layout.pad)
        step(.request(order), at: now, &outputs)
    }

    private mutating func follow(
        _ command: (RequestID) -> HostCommand, _ id: CaptureID?, _ call: CallID, at now: Int64,
        _ outputs: inout [PadOutput]
    ) {
        guard let ticket = running, id == nil || id == ticket.id else {
            return outputs.append(.answer(call, .failed(.notRunning)))
        }
        switch step(.command(command(ticket.request)), at: now, &outputs) {
        case nil: outputs.append(.answer(call, .done))
        case .notRunning: outputs.append(.answer(call, .failed(.notRunning)))
        case .beingStored: outputs.append(.answer(call, .failed(.beingStored)))
        }
    }

    /// Nobody waits for that call's answers any more.
    mutating func forget(_ call: CallID, at now: Int64, _ outputs: inout [PadOutput]) {
        watchers.removeAll { $0 == call }
        waiting.removeAll { $0.call == call }
        if preparing?.call == call { preparing = nil }
        if let running, running.call == call { step(.command(.cancel(running.request)), at: now, &outputs) }
    }

    /// All that wait are told, and what runs is cancelled; but what was accepted is stored, unless this is said again.
    mutating func end(at now: Int64, _ outputs: inout [PadOutput]) {
        let isSaidAgain = isEnding
        isEnding = true
        for ticket in waiting + [preparing].compactMap({ $0 }) {
            outputs.append(.answer(ticket.call, ticket.ended(.cancelledByHost)))
        }
        waiting = []
        preparing = nil
        if page == .sketch { step(SketchInput.leave, reportedMicroseconds: now, &outputs) }
        if let running, isSaidAgain || page != .saving {
            step(.command(.cancel(running.request)), at: now, &outputs)
        }
        if isSaidAgain {
            outputs += wiping.values.map { .answer($0.call, $0.answer) }
            wiping = [:]
        }
    }
}

extension PadTicket {
    func progress(_ state: CaptureProgress.State) -> PanelAnswer {
        .progress(CaptureProgress(id: id, state: state, strokes: strokes))
    }

    func ended(_ result: CaptureOutcome.Result) -> PanelAnswer {
        .ended(CaptureOutcome(id: id, result: result, data: capture.request.data))
    }
}
