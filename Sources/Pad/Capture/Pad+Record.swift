// SPDX-License-Identifier: Apache-2.0
import Geometry
import HostAPI
import Ink
import Record

/// The record of a capture, and the answers of the record thread.
extension Pad {
    func header(
        of requested: RequestedCapture, pen: Pen, on page: PlacedPage, date: LocalDate,
        document: OpenedDocument? = nil
    ) -> CaptureHeader {
        let (size, area) = (screen.size, page.inkArea.bounds)
        var header = CaptureHeader(
            id: requested.id.description, startedAt: settings.wallClock(), startedAtDeviceTime: now.microseconds,
            date: date,
            program: settings.program, panel: settings.panel, devices: captureDevices,
            screen: CaptureScreen(
                width: size.width, height: size.height, pixelsPerMillimetre: screen.density.pixelsPerMillimetre,
                clampedLast: true, signingArea: area.area4,
                penLook: CapturePenLook(pen, color: settings.color, paper: settings.paper)),
            request: requested.capture.request, shows: requested.capture.shows,
            // Records of operators have always been without it.
            askedBy: requested.capture.askedBy == .operator ? nil : requested.capture.askedBy,
            machine: settings.machine, flow: RecordedFlow(requested.capture.flow, document, alternatives(of: requested))
        )
        header.missingGlyphs = requested.missingGlyphs
        // This is the digest of the document that people read and sign. The flow has the digests of the files that it
        // was made from.
        if let made = document?.madeOf { header.request.document?.sha256 = made.sha256 }
        return header
    }

    /// The end of an accepted capture's record.
    func recordEnd(of capture: Capture) -> CaptureEnd {
        CaptureEnd(
            outcome: .accepted, endedAt: settings.wallClock(),
            quality: capture.meter.quality(ignoredContacts: capture.ignoredContacts, latency: nil),
            reading: capture.flow.document == nil ? nil : capture.flow.results,
            check: capture.flow.recordedCheck)
    }

    mutating func receive(_ answer: StoreAnswer, _ actions: inout [PadAction]) {
        switch answer {
        case .storeChanged(let fault):
            events.knowsStore = true
            noteRecordFault(fault, &actions)
        case .deliveryChanged(let next): delivery = next
        case .scatter(let kept): known.remember(kept)
        case .key(let call, let fingerprint): identify(by: fingerprint, call, &actions)
        case .ready(let id):
            noteRecordFault(nil, &actions)
            guard preparing?.requested.id == id else { break }
            preparing?.isReady = true
            beginPrepared(&actions)
        case .refused(let id, let reason, let isFull):
            noteRecordFault(reason, &actions)
            guard let preparation = preparing, preparation.requested.id == id else { break }
            endPreparation(&actions)
            actions.append(
                .reply(preparation.requested.call, .failed(.storeFailed(reason: reason, isFull: isFull))))
        case .appended(let id):
            guard running?.requested.id == id else { break }
            switch state {
            case .signing(var capture):
                // Clear `state` first: with a second reference, changing `capture` would copy its strokes.
                state = .idle
                capture.noteStored(&actions)
                state = .signing(capture)
            case .saving(var capture, let until):
                state = .idle
                capture.noteStored(&actions)
                state = .saving(capture, until: until)
            case .idle, .pairing, .closing: break
            }
        case .committed(let id, let seal, let hasDocument):
            storeFault = nil
            guard case .saving(var capture, _) = state, capture.requested.id == id else { break }
            capture.noteAllStored(&actions)
            known.learn(from: capture)
            if let scatter = known.changedScatter() { actions.append(.store(.keepScatter(scatter))) }
            actions.append(.render(.wipe))
            if capture.flow.document != nil { actions.append(.document(.close(id))) }
            let thanks = LastPage.thanks(capture.requested.messages, act: capture.flow.act)
            let letters = capture.requested.capture.letters
            enter(.closing(thanks, letters: letters, until: after(settings.times.thanks)), &actions)
            events.accepted = capture.requested.capture.request
            let reply = capture.requested.ended(
                .accepted, seal: seal, hasDocument: hasDocument, answers: capture.flow.answers,
                instead: capture.flow.insteads.given, speech: capture.speech)
            actions.append(.reply(capture.requested.call, reply))
        case .failed(let id, let reason):
            storeFault = reason
            if running?.requested.id == id { end(.failed(reason: reason), showsFailure: true, &actions) }
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
        change(&actions) { pad in
            pad.recordFault = fault
            pad.unknown.remove(.store)
        }
        if hasChanged { showNotice(&actions) }
    }
}
