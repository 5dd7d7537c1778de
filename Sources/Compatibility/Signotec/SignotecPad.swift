// SPDX-License-Identifier: Apache-2.0
import Foundation
import Gateway
import Geometry
import HTTP
import HostAPI
import JSON

/// A page that speaks signoPAD-API/Web, in its default mode or, by `SignotecPad+API.swift`, in the API mode.
///
/// The pad shows our pages: the selection dialog is a capture with questions, cancelled when they are answered, and its
/// answers are rows on the page of the signature. What a page draws in the API mode is kept, and shown with the
/// signature.
actor SignotecPad: PadProtocol {
    private static let version = "3.3.0.0"
    /// Check boxes: as many as a page has rows, which repeat the answers.
    private static let boxLimit = 16
    /// The interface's version since which a signature has a CONFIRMATION_TEXT.
    private static let confirmationVersion = [3, 5]

    let pad: CompatiblePad
    let end: BearerEnd
    private let queue: FrameQueue

    private var interfaceVersion = SignotecPad.version
    var isOpen = false
    /// The display as the page has drawn it in the API mode; nil in the default mode.
    var display: SignotecDisplay?
    /// The capture that runs.
    private(set) var running: Running?
    /// The last accepted capture.
    var accepted: HostedCapture?
    /// The request of the last signature, for asking again.
    var signed: Asked?
    /// The boxes of the selection dialog that were ticked.
    private var rows: [CaptureRequest.Row] = []

    /// A request to a person: a signature, or ticks in a selection dialog.
    struct Asked {
        var call: CaptureCall
        /// The boxes of the selection dialog; none for a signature.
        var boxes: [SignotecBox] = []
        /// The bytes that the call's document is made of.
        var document: Data?
        /// The hot spots of the API mode that our buttons press; nil in the default mode, which has its own events.
        var hotSpots: [SignotecDisplay.Button: Int]?
    }

    final class Running {
        let capture: HostedCapture
        /// The boxes of the selection dialog; none for a signature.
        var boxes: [SignotecBox]
        let hotSpots: [SignotecDisplay.Button: Int]?
        var strokes = 0
        /// The person has cleared the page, and the page's request to do it, which answers that, has not come.
        var wasCleared = false
        /// The page itself ends it, and hears no event of that.
        var isEnding = false
        /// The session has had the capture of a selection dialog back.
        var isGivenBack = false
        /// Tells the page what happens.
        var tasks: [Task<Void, Never>] = []

        init(_ capture: HostedCapture, _ asked: Asked) {
            (self.capture, boxes, hotSpots) = (capture, asked.boxes, asked.hotSpots)
        }
    }

    struct Refusal: Error {
        let text: String
    }

    init(_ pad: CompatiblePad, _ end: BearerEnd, _ queue: FrameQueue) {
        (self.pad, self.end, self.queue) = (pad, end, queue)
    }

    func receive(_ message: Data) async {
        let request: SignotecRequest
        do throws(SignotecRequest.Fault) { request = try SignotecRequest(message) } catch {
            return await queue.send(SignotecEvent.incorrectCommand(error.text).message)
        }
        await queue.send(await response(to: request))
        // The page hears of nothing before the answer to what it asked for.
        if let running, running.tasks.isEmpty { follow(running) }
    }

    func leave() async { await cancel() }

    private func response(to request: SignotecRequest) async -> JSONValue {
        do {
            if let command = SignotecRequest.Command(rawValue: request.command) {
                return try await answer(command, request)
            }
            if let command = SignotecRequest.DisplayCommand(rawValue: request.command) {
                return try answer(command, request)
            }
            if let command = SignotecRequest.DeviceCommand(rawValue: request.command) {
                return try await answer(command, request)
            }
            throw Refusal(
                text: request.command.hasPrefix("TOKEN_CMD_API_")
                    ? "This pad, which shows its own pages, has no \(request.command)."
                    : "This pad takes no such command.")
        } catch let refusal as Refusal {
            return request.error(refusal.text)
        } catch let fault as SignotecRequest.Fault {
            return request.error(fault.text)
        } catch let problem as Problem {
            return request.error(problem.detail)
        } catch {
            return request.error("The pad did not answer in time.")
        }
    }

    private func answer(
        _ command: SignotecRequest.Command, _ request: SignotecRequest
    ) async throws -> JSONValue {
        switch command {
        case .getServerVersion:
            // Pages ask for the picture only if the system is this one.
            return request.response(0, ["VERSION": .text(Self.version), "OS": "Windows"])
        case .getInterfaceVersion: return request.response(0, ["VERSION": .text(interfaceVersion)])
        case .setInterfaceVersion:
            guard let version = request["VERSION"]?.text, version.utf8.count <= 32 else {
                throw Refusal(text: "VERSION must be the version of the interface.")
            }
            interfaceVersion = version
            return request.response(0)
        case .searchForPads: return request.response(0, ["CONNECTED_PADS": .list(await connectedPads())])
        case .openPad: return request.response(0, try await open(request))
        case .closePad:
            try checkOpen(request)
            await close()
            return request.response(0)
        case .selectionDialog, .signatureStart: return try await start(command, request)
        // The page's answers to the events of these names.
        case .selectionChange, .selectionConfirm, .selectionCancel: return request.response(0)
        case .signatureCancel, .signatureStop:
            try checkOpen()
            await cancel()
            return request.response(0)
        case .signatureRetry: return try await retry(request)
        case .signatureConfirm: return request.response(try await confirm())
        case .signatureImage: return request.response(0, ["FILE": .text(try await picture(request))])
        case .signData: return request.response(0, ["SIGNATURE_SIGN_DATA": .text(try await reference())])
        case .signingCertificate: throw Refusal(text: "This pad signs with no certificate of its own.")
        }
    }

    // MARK: signatures

    private func start(
        _ command: SignotecRequest.Command, _ request: SignotecRequest
    ) async throws -> JSONValue {
        guard display == nil else { throw Refusal(text: "The pad is open in the API mode: close it first.") }
        let hasConfirmation = !interfaceVersion.split(separator: ".").compactMap { Int($0) }
            .lexicographicallyPrecedes(Self.confirmationVersion)
        let shown = hasConfirmation ? ["CUSTOM_TEXT", "CONFIRMATION_TEXT"] : ["CUSTOM_TEXT"]
        if let unseen = request.unseen(beside: command == .signatureStart ? Set(shown) : []) {
            throw Refusal(text: "This pad does not show \(unseen): leave it out.")
        }
        if command == .selectionDialog {
            guard let boxes = SignotecBox.boxes(request["FIELD_LIST"]) else {
                throw Refusal(
                    text: "FIELD_LIST must have FIELD_TEXT and a FIELD_ID of its own for each box; FIELD_CHECKED and "
                        + "FIELD_REQUIRED are TRUE or FALSE.")
            }
            guard boxes.count <= Self.boxLimit else {
                throw Refusal(text: "FIELD_LIST has at most \(Self.boxLimit) boxes.")
            }
            var call = CaptureCall(request: CaptureRequest())
            call.flow.questions = boxes.enumerated().map(Self.question)
            try await begin(Asked(call: call, boxes: boxes))
        } else {
            try await begin(Asked(call: CaptureCall(request: try signature(request))))
        }
        return request.response(0)
    }

    /// Asks the person for something, if nothing runs.
    func begin(_ asked: Asked) async throws {
        try checkOpen()
        guard running == nil else { throw Refusal(text: "A signature or a selection dialog runs already.") }
        try await ask(asked)
        if asked.boxes.isEmpty { signed = asked }
        // Not before: what was ticked must stand on the page that the next request asks for.
        rows = []
    }

    private static func question(_ index: Int, _ box: SignotecBox) -> CaptureQuestion {
        CaptureQuestion(name: name(ofBox: index), kind: .check, text: box.text, required: box.isRequired)
    }

    private static func name(ofBox index: Int) -> String { "box \(index + 1)" }

    private func signature(_ request: SignotecRequest) throws -> CaptureRequest {
        let encryption = request["PAD_ENCRYPTION"] ?? false
        guard encryption.flag == false || encryption.text?.uppercased() == "FALSE" else {
            throw Refusal(text: "This pad does not encrypt for others: PAD_ENCRYPTION must be FALSE.")
        }
        let field = try request.text("FIELD_NAME")
        var lines = try request.shownTexts().flatMap { $0.split(whereSeparator: \.isNewline).map(String.init) }.filter {
            !$0.isBlank
        }
        if lines.isEmpty { lines = [field.isBlank ? "Signature" : field] }
        return CaptureRequest(
            prompt: lines, rows: rows.isEmpty ? nil : rows, data: field.isEmpty ? nil : ["field": field])
    }

    private func ask(_ asked: Asked) async throws {
        let capture =
            if let document = asked.document {
                try await pad.ask(asked.call, document: document, for: end.bearer)
            } else {
                try await pad.ask(asked.call, for: end.bearer)
            }
        running = Running(capture, asked)
        // Not before: what was signed stays if nothing new begins.
        accepted = nil
    }

    func retry(_ request: SignotecRequest) async throws -> JSONValue {
        try checkOpen()
        if let running {
            guard running.boxes.isEmpty else { throw Refusal(text: "A selection dialog runs.") }
            if running.wasCleared {
                running.wasCleared = false
            } else {
                running.strokes = 0
                try await pad.clear(running.capture)
            }
        } else {
            guard accepted != nil, let signed else { throw Refusal(text: "No signature runs.") }
            // The record is there. The person signs once more, if the session has another capture.
            try await ask(display == nil ? signed : try drawn())
        }
        return request.response(0)
    }

    /// - Returns: the number of points.
    func confirm() async throws -> Int {
        try checkOpen()
        if let running {
            guard running.boxes.isEmpty else { throw Refusal(text: "A selection dialog runs.") }
            if running.hotSpots != nil { try await checkPressed(running) }
            running.isEnding = true
            do { try await pad.accept(running.capture) } catch {
                running.isEnding = false
                // It may have ended meanwhile, and the page has heard no event of that.
                if let outcome = await pad.state(of: running.capture)?.outcome {
                    if self.running === running { self.running = nil }
                    if outcome == .accepted { accepted = running.capture }
                }
                throw error
            }
            accepted = running.capture
            if self.running === running { self.running = nil }
        }
        guard let accepted else { throw Refusal(text: "No signature runs.") }
        return try await pad.sampleCount(of: accepted.id, for: end.bearer)
    }

    /// Checks that the person has pressed Accept. In the API mode, the web page cannot accept for the person: it does
    /// not know that its hot spot is our button.
    private func checkPressed(_ running: Running) async throws {
        switch await pad.state(of: running.capture)?.state {
        case .saving, .ended: return
        default: throw Refusal(text: "The person has not pressed Accept on the pad.")
        }
    }

    /// Cancels what runs, for the page. The ticks belong to the person who was asked, and not to the next one.
    func cancel() async {
        rows = []
        guard let running else { return }
        self.running = nil
        running.isEnding = true
        for task in running.tasks { task.cancel() }
        await pad.cancel(running.capture)
        await giveBack(running)
    }

    /// Gives the session back the capture of a selection dialog, once.
    private func giveBack(_ running: Running) async {
        guard !running.boxes.isEmpty, !running.isGivenBack else { return }
        running.isGivenBack = true
        await pad.giveBack(to: end.bearer)
    }

    // MARK: events

    private func follow(_ running: Running) {
        let capture = running.capture
        let states = Task { [pad, end, queue] in
            // While something runs, the page loses its connection as soon as its right ends.
            let watched = await pad.bearers.watch(end.bearer)
            watched.then { Task { await queue.close(.tokenEnded) } }
            await pad.follow(capture) { await self.report($0, of: capture.id) }
            withExtendedLifetime(watched) {}
        }
        let points = Task { [pad, end, queue] in
            var points = MirrorPoints()
            for await step in await pad.steps(of: capture.id, until: end) {
                guard let batch = points.batch(of: step) else { continue }
                for (index, point) in batch.points.enumerated() {
                    let (x, y) = (Int(point.x), Int(point.y))
                    await queue.offer(
                        SignotecEvent.point(x: x, y: y, starts: index == 0 && batch.startsStroke).message)
                }
            }
        }
        running.tasks = running.boxes.isEmpty ? [states, points] : [states]
    }

    private func report(_ reply: CaptureReply, of id: CaptureID) async {
        guard let running, running.capture.id == id else { return }
        if !running.boxes.isEmpty { return await reportSelection(reply, running) }
        if let outcome = reply.outcome { return await reportEnd(outcome, running) }
        let strokes = reply.strokes ?? running.strokes
        let isCleared = strokes == 0 && running.strokes > 0 && !running.isEnding
        running.strokes = strokes
        // A document's page to sign on goes with its ink, when that was accepted.
        if case .reading = reply.state { return }
        if isCleared, let event = event(of: .retry, running) {
            running.wasCleared = true
            await send(event)
        }
    }

    /// The event for the page when the person presses a button; nil if the page has no hot spot for the button.
    private func event(of button: SignotecDisplay.Button, _ running: Running) -> SignotecEvent? {
        if let hotSpots = running.hotSpots { return hotSpots[button].map { .hotSpotPressed($0) } }
        return switch button {
        case .cancel: .signatureCancel
        case .retry: .signatureRetry
        case .confirm: .signatureConfirm
        }
    }

    private func reportEnd(_ outcome: CaptureOutcome, _ running: Running) async {
        guard !running.isEnding else { return }
        self.running = nil
        for task in running.tasks.dropFirst() { task.cancel() }
        let context =
            running.hotSpots == nil
            ? SignotecRequest.Command.signatureStart.rawValue : SignotecRequest.DeviceCommand.start.rawValue
        switch outcome {
        case .accepted:
            accepted = running.capture
            if let event = event(of: .confirm, running) { await send(event) }
        case .failed(let reason, _):
            if (try? await pad.panel.status()) == nil {
                (isOpen, display) = (false, nil)
                await send(.disconnect)
            } else {
                await send(.error(context: context, reason))
                if let event = event(of: .cancel, running) { await send(event) }
            }
        case .cancelled, .declined, .timedOut:
            // A page without a hot spot for it must not wait for ever.
            await send(event(of: .cancel, running) ?? .error(context: context, "The person has cancelled."))
        }
    }

    private func reportSelection(_ reply: CaptureReply, _ running: Running) async {
        let answers = reply.answers ?? []
        for (index, box) in running.boxes.enumerated() {
            guard let answer = answers.first(where: { $0.name == Self.name(ofBox: index) }) else { continue }
            await change(box.id, to: answer.checked ?? false, at: index, running)
        }
        // The page may have cancelled the dialog while it got the events.
        guard self.running === running else { return }
        if reply.outcome != nil {
            self.running = nil
            await giveBack(running)
            return await send(.selectionCancel)
        }
        guard case .signing = reply.state else { return }
        // All questions are answered; on the pad, no box begins with a tick.
        let ticked = Set(answers.filter { $0.checked == true }.map(\.name))
        for (index, box) in running.boxes.enumerated() where !ticked.contains(Self.name(ofBox: index)) {
            await change(box.id, to: false, at: index, running)
        }
        guard self.running === running else { return }
        rows = running.boxes.map { CaptureRequest.Row(label: $0.text, value: $0.isChecked ? "X" : "–") }
        self.running = nil
        await pad.cancel(running.capture)
        await giveBack(running)
        await send(.selectionConfirm)
    }

    private func change(_ id: String, to isChecked: Bool, at index: Int, _ running: Running) async {
        guard running.boxes[index].isChecked != isChecked else { return }
        running.boxes[index].isChecked = isChecked
        await send(.selectionChange(id: id, isChecked: isChecked))
    }

    private func send(_ event: SignotecEvent) async { await queue.send(event.message) }
}
