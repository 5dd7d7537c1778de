// SPDX-License-Identifier: Apache-2.0
import Geometry
import Ink
import Record

/// A call for a signature from its arrival to its final reply.
struct QueuedCall {
    let call: CallID
    let capture: CaptureCall
    let id: CaptureID

    func progress(_ state: CaptureState, strokes: Int = 0, stroke: HostStroke? = nil) -> PadAction {
        .reply(call, .progress(CaptureProgress(id: id, state: state, strokes: strokes, stroke: stroke)))
    }

    func ended(_ outcome: CaptureOutcome) -> PadReply {
        .ended(EndedCapture(id: id, outcome: outcome, data: capture.request.data))
    }
}

/// Hosts' calls: their queue, and how a capture begins and ends.
extension Pad {
    mutating func receive(_ asked: PadCall, _ call: CallID, _ actions: inout [PadAction]) {
        switch asked {
        case .capture(let capture): queue(capture, call, &actions)
        case .cancel(let id): cancel(id, call, &actions)
        case .clear(let id):
            operate(id, call, &actions) { pad, capture, actions in
                capture.release(keepingInk: false, &actions)
                capture.clear(&actions)
                let hadMessage = capture.message != nil
                capture.message = nil
                pad.state = .signing(capture)
                if hadMessage { pad.show(&actions) }
            }
        case .accept(let id):
            operate(id, call, &actions) { pad, capture, actions in
                capture.release(keepingInk: true, &actions)
                pad.state = .signing(capture)
                pad.accept(&actions)
            }
        case .status: actions.append(.reply(call, .status(status)))
        case .watch:
            // The others first: a deadline may have passed just before this call.
            replyToWatchers(&actions)
            watchers.append(call)
            watchedStatus = status
            actions.append(.reply(call, .changed(status)))
        }
    }

    private mutating func queue(_ capture: CaptureCall, _ call: CallID, _ actions: inout [PadAction]) {
        let busy = running?.queued ?? preparing?.queued ?? waiting.first
        func fail(_ error: PanelError) { actions.append(.reply(call, .failed(error))) }
        if isStopping { return fail(.unavailable(reason: "the panel's program ends")) }
        if let busy, !capture.waits { return fail(.busy(with: busy.id)) }
        if busy != nil, waiting.count >= Self.waitingLimit {
            return fail(.unavailable(reason: "\(Self.waitingLimit) calls wait already"))
        }
        if !capture.waits {
            if devices.isEmpty { return fail(.unavailable(reason: "the panel has no touch device (yet)")) }
            if let displayFault { return fail(.unavailable(reason: "the panel has no display: \(displayFault)")) }
        }
        let id = CaptureID(startedAt: settings.wallClock(), random: settings.random())
        let queued = QueuedCall(call: call, capture: capture, id: id)
        if busy == nil, canBegin { return prepare(queued, &actions) }
        waiting.append(queued)
        actions.append(queued.progress(.waiting))
    }

    private mutating func cancel(_ id: CaptureID?, _ call: CallID, _ actions: inout [PadAction]) {
        let cancelled: QueuedCall
        if let index = waiting.firstIndex(where: { $0.id == id }) {
            cancelled = waiting.remove(at: index)
        } else if let preparation = preparing, id == nil || id == preparation.queued.id {
            cancelled = preparation.queued
            preparing = nil
        } else if let running, id == nil || id == running.queued.id {
            end(.cancelled(by: .host), &actions)
            return actions.append(.reply(call, .done))
        } else {
            return actions.append(.reply(call, .failed(.notRunning)))
        }
        actions += [.reply(cancelled.call, cancelled.ended(.cancelled(by: .host))), .reply(call, .done)]
    }

    /// Performs a button's action for a host.
    private mutating func operate(
        _ id: CaptureID?, _ call: CallID, _ actions: inout [PadAction],
        _ change: (inout Pad, inout Capture, inout [PadAction]) -> Void
    ) {
        guard let running, id == nil || id == running.queued.id else {
            return actions.append(.reply(call, .failed(.notRunning)))
        }
        guard case .signing(var capture) = state else { return actions.append(.reply(call, .failed(.beingStored))) }
        capture.lastTouch = now
        change(&self, &capture, &actions)
        actions.append(.reply(call, .done))
    }

    /// Forgets a call whose host has disconnected.
    mutating func forget(_ call: CallID, _ actions: inout [PadAction]) {
        watchers.removeAll { $0 == call }
        waiting.removeAll { $0.call == call }
        if preparing?.queued.call == call { preparing = nil }
        if running?.queued.call == call { end(.cancelled(by: .host), &actions) }
    }

    /// Ends all captures and calls. An accepted capture that is being stored is ended only by a second stop.
    mutating func stop(_ actions: inout [PadAction]) {
        let isSecond = isStopping
        isStopping = true
        for queued in waiting + [preparing?.queued].compactMap({ $0 }) {
            actions.append(.reply(queued.call, queued.ended(.cancelled(by: .host))))
        }
        waiting = []
        preparing = nil
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

    /// Requests the layout of the page, and checks whether the capture can be recorded.
    mutating func prepare(_ queued: QueuedCall, _ actions: inout [PadAction]) {
        let (request, shows, messages) = (queued.capture.request, queued.capture.shows, settings.messages)
        let date = settings.date()
        let buttons = queued.capture.policy.merged(over: settings.policy).buttons
        let labels = buttons.compactMap { button in Message(labelOf: button).map { (button, messages[$0]) } }
        let texts = PageTexts(
            prompt: shows.prompt ? request.prompt : [],
            signer: shows.signer ? request.signer.map { messages.text(.signer, of: $0) } : nil,
            reason: shows.reason ? request.reason.map { messages.text(.reason, of: $0) } : nil,
            date: shows.date ? date.text : nil, labels: Dictionary(uniqueKeysWithValues: labels))
        layoutCount += 1
        let id = LayoutID(layoutCount)
        preparing = Preparation(queued: queued, layoutID: id, date: date)
        actions += [.render(.layOut(id, texts, messages.direction)), .store(.check(queued.id))]
    }

    mutating func laidOut(
        _ id: LayoutID, _ result: Result<SignatureLayout, PageTooSmall>, _ actions: inout [PadAction]
    ) {
        // The call may have been cancelled, or the display replaced.
        guard let preparation = preparing, preparation.layoutID == id else { return }
        switch result {
        case .success(let layout):
            preparing?.layout = layout
            beginPrepared(&actions)
        // The whole text must be visible to the person who signs.
        case .failure(let error):
            preparing = nil
            let failure = PanelError.tooSmallScreen(field: error.field?.rawValue)
            actions.append(.reply(preparation.queued.call, .failed(failure)))
        }
    }

    private mutating func beginPrepared(_ actions: inout [PadAction]) {
        guard let preparation = preparing, let layout = preparation.layout, preparation.isReady else { return }
        preparing = nil
        let queued = preparation.queued
        let header = header(of: queued, on: layout, date: preparation.date)
        let capture = Capture(
            queued, policy: queued.capture.policy.merged(over: settings.policy), pen: settings.pen.name.rawValue,
            layout: layout, header: header, start: now, sampleLimit: sampleLimit)
        actions.append(.store(.begin(header)))
        enter(.signing(capture), &actions)
        actions.append(queued.progress(.signing))
    }

    private func header(
        of queued: QueuedCall, on layout: SignatureLayout, date: CaptureHeader.LocalDate
    ) -> CaptureHeader {
        let (size, area) = (screen.size, layout.signingArea)
        return CaptureHeader(
            id: queued.id.description, startedAt: settings.wallClock(), startedAtDeviceTime: now, date: date,
            program: settings.program, panel: settings.panel, devices: captureDevices,
            screen: CaptureScreen(
                width: size.width, height: size.height, pixelsPerMillimetre: screen.density.pixelsPerMillimetre,
                signingArea: [area.minX, area.minY, area.width, area.height],
                penLook: CapturePenLook(settings.pen, color: settings.color, paper: settings.paper)),
            request: queued.capture.request, shows: queued.capture.shows)
    }

    // MARK: a capture ends

    /// Accepts the ink as a signature, or shows why it cannot be accepted.
    mutating func accept(_ actions: inout [PadAction]) {
        guard case .signing(var capture) = state else { return }
        if let refusal = capture.refusal {
            capture.message = (refusal, after(settings.times.message))
            state = .signing(capture)
            show(&actions)
            actions.append(capture.progress(.refused(refusal)))
        } else {
            capture.recordTrail(&actions)
            state = .saving(capture, until: after(settings.times.saving))
            show(&actions)
            let end = recordEnd(.accepted, of: capture, ignoredContacts: capture.contacts.ignoredContacts)
            actions += [capture.progress(.saving), .store(.commit(capture.queued.id, end))]
        }
    }

    /// Ends the running capture and wipes it. Its host gets the final reply when it is wiped.
    mutating func end(_ outcome: CaptureOutcome, showsFailure: Bool = false, _ actions: inout [PadAction]) {
        guard var capture = running else { return }
        if case .signing = state { capture.release(keepingInk: false, &actions) }
        let id = capture.queued.id
        actions += [.render(.wipe), .store(.discard(id, recordEnd(.cancelled, of: capture)))]
        enter(showsFailure ? .closing(.failed, until: after(settings.times.message)) : .idle, &actions)
        wiping[id] = (capture.queued.call, capture.queued.ended(outcome))
    }

    private func recordEnd(
        _ outcome: RecordOutcome, of capture: Capture, ignoredContacts: Int = 0
    ) -> CaptureEnd {
        CaptureEnd(
            outcome: outcome, endedAt: settings.wallClock(),
            quality: capture.meter.quality(ignoredContacts: ignoredContacts, latency: nil))
    }

    // MARK: the record thread

    mutating func receive(_ answer: StoreAnswer, _ actions: inout [PadAction]) {
        switch answer {
        case .storeChanged(let fault): noteRecordFault(fault, &actions)
        case .ready(let id):
            noteRecordFault(nil, &actions)
            guard preparing?.queued.id == id else { break }
            preparing?.isReady = true
            beginPrepared(&actions)
        case .refused(let id, let reason, let isFull):
            noteRecordFault(reason, &actions)
            guard let preparation = preparing, preparation.queued.id == id else { break }
            preparing = nil
            actions.append(
                .reply(preparation.queued.call, .failed(.storeFailed(reason: reason, isFull: isFull))))
        case .committed(let id):
            storeFault = nil
            guard case .saving(let capture, _) = state, capture.queued.id == id else { break }
            actions.append(.render(.wipe))
            enter(.closing(.thanks, until: after(settings.times.thanks)), &actions)
            actions.append(.reply(capture.queued.call, capture.queued.ended(.accepted)))
        case .failed(let id, let reason):
            storeFault = reason
            if running?.queued.id == id { end(.failed(reason: reason), showsFailure: true, &actions) }
        case .discarded(let id, let fault):
            if let fault { storeFault = fault }
            if let waiting = wiping.removeValue(forKey: id) { actions.append(.reply(waiting.call, waiting.reply)) }
        case .sketch(let entries, let page, let fault):
            if let sketch, !sketch.isOpen, sketch.page == page { self.sketch?.unrestored = entries }
            restoreSketch(&actions)
            noteSketchFault(fault, &actions)
        case .sketchKept(let fault): noteSketchFault(fault, &actions)
        case .sketchSaved(let fault):
            isSavingSketch = false
            storeFault = fault
            let times = settings.times
            give(
                fault == nil ? .sketchSaved : .sketchNotSaved,
                until: after(fault == nil ? times.thanks : times.message), &actions)
        }
    }

    /// Updates whether captures can be recorded, and shows it while no capture runs.
    private mutating func noteRecordFault(_ fault: String?, _ actions: inout [PadAction]) {
        let hasChanged = (recordFault == nil) != (fault == nil)
        recordFault = fault
        guard hasChanged else { return }
        if page == .idle { show(&actions) }
        showNotice(&actions)
    }
}
