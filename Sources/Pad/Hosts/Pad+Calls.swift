// SPDX-License-Identifier: Apache-2.0
import Document
import HostAPI
import Ink
import Record

/// A capture that a host has called for, from the arrival of the call to its final reply.
struct RequestedCapture {
    let call: CallID
    var capture: CaptureCall
    let id: CaptureID
    /// The texts of its pages.
    let messages: MessageTable
    /// The missing characters of its page; nil for none, and before there is a page.
    var missingGlyphs: [MissingGlyphs]?

    func progress(_ state: CaptureState) -> PadAction {
        .reply(call, .capture(CaptureReply(id: id, state: state, strokes: 0, missingGlyphs: missingGlyphs)))
    }

    func isWithin(_ reach: CaptureReach) -> Bool { reach.includes(capture.askedBy) }

    /// Whether a call means this capture, which runs or is the next.
    /// - Parameter id: nil for the running one.
    func isNamed(_ id: CaptureID?, within reach: CaptureReach) -> Bool {
        (id == nil || id == self.id) && isWithin(reach)
    }

    /// - Parameters:
    ///   - role: of the person who ended it.
    ///   - answers: of an accepted capture: a host need not follow it for them.
    func ended(
        _ outcome: CaptureOutcome, seal: SealHead? = nil, hasDocument: Bool = false, by role: String? = nil,
        answers: [CaptureAnswer] = [], instead: [GivenInstead] = [], speech: SpeechState? = nil
    ) -> PadReply {
        var reply = CaptureReply(
            id: id, state: .ended(outcome), data: capture.request.data, seal: seal, missingGlyphs: missingGlyphs)
        if hasDocument { reply.signed = true }
        reply.person = role
        reply.speech = speech
        if !answers.isEmpty { reply.answers = answers }
        if !instead.isEmpty { reply.instead = instead }
        return .capture(reply)
    }
}

/// Hosts' calls: their queue, and how a capture begins and ends.
extension Pad {
    mutating func receive(
        _ asked: PadCall, _ call: CallID, _ reach: CaptureReach, _ actions: inout [PadAction]
    ) {
        switch asked {
        case .capture(let capture): queue(capture, call, reach, &actions)
        case .cancel(let id): cancel(id, call, reach, &actions)
        case .clear(let id):
            operate(id, call, reach, &actions) { pad, capture, actions in
                capture.release(keepingInk: false, &actions)
                capture.clear(&actions)
                capture.removeMessage(&actions)
                pad.state = .signing(capture)
            }
        case .accept(let id):
            operate(id, accepts: true, call, reach, &actions) { pad, capture, actions in
                capture.release(keepingInk: true, &actions)
                pad.state = .signing(capture)
                if capture.typedName == nil { pad.accept(&actions) } else { pad.acceptName(byHost: capture, &actions) }
            }
        case .typeName(let id, let typed): show(typed, for: id, call, reach, &actions)
        case .status: actions.append(.reply(call, .status(status.seen(by: reach))))
        case .health: actions.append(.reply(call, .health(PanelHealth(status))))
        case .reload: actions.append(.reply(call, .reloaded(ReloadReply())))
        case .screenshot:
            if let displayFault { return actions.append(.reply(call, .failed(Self.noDisplay(displayFault)))) }
            actions.append(.render(.screenshot(call)))
        case .simulate(let act):
            guard settings.isSimulated else {
                let reason = "this panel simulates nobody; start one with inkpanel run --simulate"
                return actions.append(.reply(call, .failed(.unavailable(reason: reason))))
            }
            let isReached = if case .signing(let capture) = state { capture.requested.isWithin(reach) } else { false }
            actions += [.simulate(act, inRunning: isReached), .reply(call, .done)]
        case .pair(let request): pair(request, call, &actions)
        case .identify(let gatewayKey): identify(gatewayKey, call, &actions)
        case .mirror(let level): addMirror(level, call, reach, &actions)
        case .events(let known): actions.append(events.begin(call, known, settings))
        case .abilities: actions.append(.reply(call, .abilities(abilities)))
        case .watch:
            // Reply to the other watchers first: a deadline may have passed just before this call.
            replyToWatchers(&actions)
            watchers.append((call, reach))
            watchedStatus = status
            actions.append(.reply(call, .changed(status.seen(by: reach))))
        }
    }

    private mutating func queue(
        _ capture: CaptureCall, _ call: CallID, _ reach: CaptureReach, _ actions: inout [PadAction]
    ) {
        let busy = running?.requested ?? preparing?.requested ?? waiting.first
        func fail(_ error: PanelError) { actions.append(.reply(call, .failed(error))) }
        if isStopping { return fail(.unavailable(reason: "the panel is shutting down")) }
        if let busy, !capture.waits { return fail(.busy(with: busy.isWithin(reach) ? busy.id : nil)) }
        if busy != nil, waiting.count >= Self.waitingLimit {
            return fail(.unavailable(reason: "\(Self.waitingLimit) calls are already waiting"))
        }
        if !capture.waits {
            if devices.isEmpty { return fail(.unavailable(reason: "the panel has no touch device")) }
            if let displayFault { return fail(Self.noDisplay(displayFault)) }
        }
        endPairing(allowed: false, &actions)
        let id = CaptureID(startedAt: settings.wallClock(), random: settings.random())
        let requested = RequestedCapture(
            call: call, capture: capture, id: id, messages: settings.messages(for: capture.request))
        if busy == nil, canBegin { return prepare(requested, &actions) }
        waiting.append(requested)
        events.noteWaiting(call, id, data: capture.request.data)
        actions.append(requested.progress(.waiting))
    }

    private static func noDisplay(_ fault: String) -> PanelError {
        .unavailable(reason: "the panel has no display: \(fault)")
    }

    private mutating func cancel(
        _ id: CaptureID?, _ call: CallID, _ reach: CaptureReach, _ actions: inout [PadAction]
    ) {
        let cancelled: RequestedCapture
        if let index = waiting.firstIndex(where: { $0.id == id && $0.isWithin(reach) }) {
            cancelled = waiting.remove(at: index)
        } else if let preparation = preparing, preparation.requested.isNamed(id, within: reach) {
            cancelled = preparation.requested
            endPreparation(&actions)
        } else if let running, running.requested.isNamed(id, within: reach) {
            end(.cancelled(by: .host), &actions)
            return actions.append(.reply(call, .done))
        } else {
            return actions.append(.reply(call, .failed(.notRunning)))
        }
        actions += [.reply(cancelled.call, cancelled.ended(.cancelled(by: .host))), .reply(call, .done)]
    }

    /// Performs a button's action for a host.
    private mutating func operate(
        _ id: CaptureID?, accepts: Bool = false, _ call: CallID, _ reach: CaptureReach, _ actions: inout [PadAction],
        _ change: (inout Pad, inout Capture, inout [PadAction]) -> Void
    ) {
        guard let running, running.requested.isNamed(id, within: reach) else {
            return actions.append(.reply(call, .failed(.notRunning)))
        }
        guard case .signing(var capture) = state else { return actions.append(.reply(call, .failed(.beingStored))) }
        // The host may accept what its staff typed, but not what the person did.
        guard capture.takesInk || accepts && capture.typedName?.by == .staff else {
            return actions.append(.reply(call, .failed(.notSigning)))
        }
        capture.lastTouch = now
        change(&self, &capture, &actions)
        actions.append(.reply(call, .done))
    }

    /// Forgets a call whose host has disconnected.
    mutating func forget(_ call: CallID, _ actions: inout [PadAction]) {
        watchers.removeAll { $0.call == call }
        events.noteGone(call, at: settings.wallClock)
        removeMirror(call, &actions)
        if pairingCall == call { endPairing(allowed: nil, &actions) }
        if preparedName?.call == call { preparedName = nil }
        waiting.removeAll { $0.call == call }
        if preparing?.requested.call == call { endPreparation(&actions) }
        if running?.requested.call == call { end(.cancelled(by: .host), &actions) }
    }

    /// Ends all captures and calls. An accepted capture that is being stored is ended only by a second stop.
    mutating func stop(_ actions: inout [PadAction]) {
        let isSecond = isStopping
        isStopping = true
        for requested in waiting + [preparing?.requested].compactMap({ $0 }) {
            actions.append(.reply(requested.call, requested.ended(.cancelled(by: .host))))
        }
        waiting = []
        endPreparation(&actions)
        endPairing(allowed: false, &actions)
        sketch?.release(&actions)
        if case .saving = state, !isSecond { return }
        end(.cancelled(by: .host), &actions)
        if isSecond {
            actions += wiping.values.map { .reply($0.call, $0.reply) }
            wiping = [:]
        }
    }

    // MARK: a capture begins

    /// Whether a capture could begin now. The stored sketch is restored first.
    var canBegin: Bool { sketch?.isOpen != false && displayFault == nil && !devices.isEmpty }

    /// Prepares the next call when the pad is idle.
    mutating func prepareNext(_ actions: inout [PadAction]) {
        guard case .idle = state, !isStopping, preparing == nil, canBegin, !waiting.isEmpty else { return }
        prepare(waiting.removeFirst(), &actions)
    }

    /// Requests the layout of the pages, and checks whether the capture can be recorded. A document is opened first.
    mutating func prepare(_ requested: RequestedCapture, _ actions: inout [PadAction]) {
        let date = settings.date(settings.dateFormat ?? requested.messages.dateFormat)
        preparing = Preparation(requested: requested, date: date)
        // Forget the missing characters of an earlier layout, perhaps for another screen.
        preparing?.requested.missingGlyphs = nil
        if requested.capture.flow.document == nil {
            layOutPages(&actions)
        } else {
            actions.append(.document(.open(requested.id, requested.capture, date: date.text)))
        }
        actions.append(.store(.check(requested.id)))
    }

    /// Requests the layout of all pages of the capture, so that no capture begins with a page that does not fit.
    private mutating func layOutPages(_ actions: inout [PadAction]) {
        guard let preparation = preparing else { return }
        let pages = pages(for: preparation.requested, document: preparation.document, date: preparation.date)
        var layouts: [LayoutID: FlowPage] = [:]
        for (key, page) in pages {
            layoutCount += 1
            layouts[LayoutID(layoutCount)] = key
            actions.append(.render(.layOut(LayoutID(layoutCount), page)))
        }
        preparing?.layouts = layouts
        preparing?.firstInkPage = pages.first { $0.page.inkField != nil }?.key
    }

    /// Ends the preparation of a capture, which does not begin then.
    mutating func endPreparation(_ actions: inout [PadAction]) {
        guard let preparation = preparing else { return }
        preparing = nil
        if preparation.requested.capture.flow.document != nil {
            actions.append(.document(.close(preparation.requested.id)))
        }
    }

    mutating func receive(_ answer: DocumentAnswer, _ actions: inout [PadAction]) {
        switch answer {
        case .opened(let id, let document):
            guard preparing?.requested.id == id, preparing?.document == nil else { break }
            preparing?.document = document
            layOutPages(&actions)
        case .refused(let id, let error):
            guard let preparation = preparing, preparation.requested.id == id else { break }
            endPreparation(&actions)
            actions.append(.reply(preparation.requested.call, .failed(error)))
        case .drawn(let id, let part, let picture):
            guard case .signing(var capture) = state, capture.requested.id == id else { break }
            // Clear `state` first: with a second reference, changing `capture` would copy its strokes.
            state = .idle
            capture.receive(picture, of: part, at: now, &actions)
            state = .signing(capture)
        case .text(let id, let page, let text):
            guard case .signing(var capture) = state, capture.requested.id == id else { break }
            // Clear `state` first: with a second reference, changing `capture` would copy its strokes.
            state = .idle
            capture.flow.reading?.receive(text, of: page)
            capture.updateReading(at: now, &actions)
            state = .signing(capture)
        case .compared(let id, let check):
            guard case .signing(var capture) = state, capture.requested.id == id else { break }
            // Clear `state` first: with a second reference, changing `capture` would copy its strokes.
            state = .idle
            capture.flow.check = check
            state = .signing(capture)
        case .failed(let id, let reason, let fault):
            if running?.requested.id == id {
                end(.failed(reason: reason, fault: fault), showsFailure: true, &actions)
            }
        }
    }

    mutating func laidOut(
        _ id: LayoutID, _ result: Result<PlacedPage, PageTooSmall>, _ actions: inout [PadAction]
    ) {
        if pairingLaidOut(id, result, &actions) || nameLaidOut(id, result, &actions) { return }
        // The call may have been cancelled, or the display replaced.
        guard let preparation = preparing, let key = preparing?.layouts?.removeValue(forKey: id) else { return }
        let requested = preparation.requested
        switch result {
        case .success(let page):
            let refused = requested.capture.policy.merged(over: settings.policy).refused(page.missingGlyphs)
            guard refused.isEmpty else {
                endPreparation(&actions)
                return actions.append(.reply(requested.call, .failed(.missingGlyphs(refused))))
            }
            // Pages of a flow may repeat a text.
            let new = page.missingGlyphs.filter { requested.missingGlyphs?.contains($0) != true }
            if !new.isEmpty { preparing?.requested.missingGlyphs = (requested.missingGlyphs ?? []) + new }
            preparing?.pages[key] = page
            beginPrepared(&actions)
        // The whole text must be visible to the person who signs.
        case .failure(let error):
            // The host has not asked for the alternatives, and must not lose a page that fits without their button.
            let allowed = alternatives(of: requested)
            if requested.capture.policy.alternatives == nil, !Flow.choosable(allowed).isEmpty {
                preparing?.requested.capture.policy.alternatives = allowed.filter { $0 == .typed }
                preparing?.requested.missingGlyphs = nil
                preparing?.pages = [:]
                return layOutPages(&actions)
            }
            endPreparation(&actions)
            let failure = PanelError.tooSmallScreen(field: error.field?.rawValue, fits: error.fits)
            actions.append(.reply(requested.call, .failed(failure)))
        }
    }

    mutating func beginPrepared(_ actions: inout [PadAction]) {
        guard let preparation = preparing, preparation.isReady, preparation.layouts?.isEmpty == true else { return }
        preparing = nil
        var requested = preparation.requested
        // The opened document has these bytes.
        requested.capture.documentBytes = nil
        let (document, call) = (preparation.document, requested.capture)
        var flow = Flow(
            call, document: document, pages: preparation.pages, date: preparation.date.text,
            alternatives: alternatives(of: requested))
        flow.reading?.wantsTexts = settings.describesPages || requested.capture.assistance.contains(.speech)
        let inkPage = preparation.firstInkPage.flatMap { preparation.pages[$0] }
        guard let page = flow.page else { return }
        var pen = settings.pen
        pen.panelScatter = known.leastScatter(of: captureDevices)
        let header = header(
            of: requested, pen: pen, on: inkPage ?? page, date: preparation.date, document: document)
        if let fault = CaptureEncoder.fault(of: header) {
            if document != nil { actions.append(.document(.close(requested.id))) }
            let error: PanelError =
                document == nil
                ? .invalidParameter("questions", expected: fault)
                : .documentRefused(fault: "tooComplex", reason: fault)
            return actions.append(.reply(requested.call, .failed(error)))
        }
        let capture = Capture(
            requested, policy: requested.capture.policy.merged(over: settings.policy), pen: pen,
            color: settings.color, page: page, header: header, measuring: known.measuring(header.devices), start: now,
            sampleLimit: sampleLimit, flow: flow, flowLimit: settings.times.flow)
        actions.append(.store(.begin(header)))
        if let document { actions.append(.store(.keepDocument(requested.id, document))) }
        begin(capture, &actions)
    }

    // MARK: a capture ends

    /// Accepts the ink of the page, or shows why it cannot be accepted.
    mutating func accept(_ actions: inout [PadAction]) {
        guard case .signing(var capture) = state else { return }
        if capture.mayStayEmpty {
            capture.leaveEmpty(at: now, &actions)
            state = .signing(capture)
            leaveSheet(&actions)
        } else if let refusal = capture.refusal {
            capture.refuse(refusal, until: after(settings.times.message), &actions)
            state = .signing(capture)
        } else {
            capture.acceptSheet(at: now, &actions)
            state = .signing(capture)
            leaveSheet(&actions)
        }
    }

    /// Stores the record of an accepted capture. A document is signed first.
    mutating func save(_ accepted: Capture, _ actions: inout [PadAction]) {
        var capture = accepted
        capture.recordTrail(&actions)
        capture.removeMessage(&actions)
        capture.isSaving = true
        capture.showState(&actions)
        capture.tell(.saving, &actions)
        actions.append(.store(.commit(capture.requested.id, recordEnd(of: capture))))
        let signatures = capture.flow.document?.plan.fields.count { $0.kind == .signature }
        let time = signatures.map { settings.times.signing + settings.times.saving * $0 } ?? settings.times.saving
        state = .saving(capture, until: after(time))
    }

    /// Ends the running capture and wipes it. Its host gets the final reply when it is wiped.
    mutating func end(_ outcome: CaptureOutcome, showsFailure: Bool = false, _ actions: inout [PadAction]) {
        guard var capture = running else { return }
        endPreparedName(.notRunning, &actions)
        if case .signing = state { capture.release(keepingInk: false, &actions) }
        let id = capture.requested.id
        let (messages, letters) = (capture.requested.messages, capture.requested.capture.letters)
        actions += [.render(.wipe), .store(.discard(id))]
        if capture.flow.document != nil { actions.append(.document(.close(id))) }
        var next = State.idle
        if showsFailure { next = .closing(.failed(messages), letters: letters, until: after(settings.times.message)) }
        if case .declined = outcome {
            next = .closing(.declined(messages), letters: letters, until: after(settings.times.thanks))
        }
        enter(next, &actions)
        wiping[id] = (
            capture.requested.call,
            capture.requested.ended(
                outcome, by: capture.flow.role, speech: capture.speech)
        )
    }
}
