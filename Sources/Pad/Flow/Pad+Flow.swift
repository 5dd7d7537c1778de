// SPDX-License-Identifier: Apache-2.0
import Document
import Geometry
import HostAPI
import Record

/// How a capture goes from page to page.
extension Pad {
    /// Shows the first page.
    mutating func begin(_ capture: Capture, _ actions: inout [PadAction]) {
        var capture = capture
        if page == .sketch { sketch?.release(&actions) }
        capture.append(.person(0), at: now, &actions)
        capture.enterPage(at: now, &actions)
        if capture.flow.document != nil { actions.append(.document(.compare(capture.requested.id))) }
        state = .signing(capture)
    }

    /// Changes the running capture, without a second reference to it: that would copy its strokes.
    private mutating func change(
        _ actions: inout [PadAction], _ change: (inout Capture, Timestamp, inout [PadAction]) -> Void
    ) {
        guard case .signing(var capture) = state else { return }
        state = .idle
        change(&capture, now, &actions)
        state = .signing(capture)
    }

    /// Shows a page, after its texts in large letters if there are any.
    mutating func go(to step: FlowStep, _ actions: inout [PadAction]) {
        change(&actions) { $0.go(to: $0.flow.entrance(to: step), at: $1, &$2) }
    }

    private mutating func turn(to step: FlowStep, _ actions: inout [PadAction]) {
        change(&actions) { $0.go(to: step, at: $1, &$2) }
    }

    private mutating func show(_ message: Message, _ actions: inout [PadAction]) {
        let until = after(settings.times.message)
        change(&actions) { capture, _, actions in capture.show(message, until: until, &actions) }
    }

    /// Handles the button Next. Pages that take ink have Accept instead.
    mutating func goOn(_ actions: inout [PadAction]) {
        guard case .signing(let capture) = state, !capture.takesInk else { return }
        let flow = capture.flow
        guard flow.canLeaveQuestions else { return show(.pleaseAnswer, &actions) }
        if flow.step == .declining { return end(.declined(reason: flow.declineReason), &actions) }
        if case .instead(let name, _) = flow.step { return confirm(name, &actions) }
        change(&actions) { capture, _, _ in capture.flow.passQuestions() }
        goToNext(&actions)
    }

    /// Accepts the person's confirmation, or a typed name, in place of a signature. If the page is read aloud, the
    /// person must have heard all of it.
    private mutating func confirm(_ name: String, _ actions: inout [PadAction]) {
        var hasHeard = false
        if speech != nil, let capture = running, capture.canHear {
            let messages = capture.requested.messages
            let texts = shown.items.filter { $0.kind == .text }.flatMap { SpokenText.pieces(of: $0.words) }
            // The words of the box are spoken alone, or with the state of the box after them.
            let box = description.controls.first { $0.isChosen != nil }
            let said = [false, true].compactMap { isChosen in
                var box = box
                box?.isChosen = isChosen
                return box?.words(messages)
            }
            let words = [capture.confirmedWords] + said
            let isBoxHeard = words.contains { SpokenText.pieces(of: $0).allSatisfy(capture.heard.contains) }
            let unheard = texts.filter { !capture.heard.contains($0) } + (isBoxHeard ? [] : [words[0]])
            if !unheard.isEmpty {
                // Keys and switches reach only controls, so the missing texts are read now.
                speech?.say(unheard, at: now, messages, &actions)
                return show(.listenFirst, &actions)
            }
            hasHeard = true
        }
        change(&actions) { $0.confirm(name, heard: hasHeard, at: $1, &$2) }
        leaveSheet(&actions)
    }

    mutating func goBack(_ actions: inout [PadAction]) {
        guard case .signing(let capture) = state else { return }
        if let step = capture.flow.previousPage { turn(to: step, &actions) }
    }

    private mutating func goToNext(_ actions: inout [PadAction]) {
        guard case .signing(let capture) = state else { return }
        if let step = capture.flow.nextPage { turn(to: step, &actions) } else { endTurn(&actions) }
    }

    /// Leaves a page whose ink was accepted. If the document follows, it scrolls to that ink.
    mutating func leaveSheet(_ actions: inout [PadAction]) {
        guard case .signing(let capture) = state else { return }
        let flow = capture.flow
        let place = flow.shownField.flatMap { flow.reading?.view.content(of: $0) }
        goToNext(&actions)
        guard let place else { return }
        change(&actions) { capture, now, actions in
            guard capture.isReading, capture.flow.reading?.view.isVisible(place) == false else { return }
            capture.flow.reading?.show(place, at: now)
            capture.updateReading(at: now, &actions)
        }
    }

    /// Shows the page on which people write into a field.
    mutating func open(_ field: Field, _ actions: inout [PadAction]) {
        if isComparing { return show(.saving, &actions) }
        go(to: .field(field.name), &actions)
    }

    /// Whether the comparison with the second engine's pages still runs. Signing begins when it has ended.
    private var isComparing: Bool {
        guard case .signing(let capture) = state else { return false }
        let flow = capture.flow
        return flow.document != nil && flow.check == nil
    }

    mutating func useInitialsAgain(_ actions: inout [PadAction]) {
        var isAccepted = false
        change(&actions) { isAccepted = $0.acceptInitialsAgain(at: $1, &$2) }
        if isAccepted { leaveSheet(&actions) }
    }

    /// An answer was pressed.
    mutating func choose(_ option: Int, _ actions: inout [PadAction]) {
        change(&actions) { capture, now, actions in
            if capture.flow.choosePageOption(option) { return capture.showState(&actions) }
            guard let answer = capture.flow.choose(option) else { return }
            capture.append(.answer(answer), at: now, &actions)
            capture.showState(&actions)
            capture.tell(capture.state, &actions)
        }
    }

    /// Leads to what is missing in the document; ends the turn if nothing is.
    mutating func lead(_ actions: inout [PadAction]) {
        guard case .signing(let capture) = state, let reading = capture.flow.reading else { return }
        let flow = capture.flow
        switch flow.required.first(where: { !flow.isDone($0) }) {
        case .pages:
            change(&actions) { capture, now, actions in
                capture.flow.reading?.showUnseen(at: now)
                capture.updateReading(at: now, &actions)
            }
        case .answer(let name):
            guard let place = flow.field(named: name).flatMap({ reading.view.content(of: $0) }) else { break }
            if reading.view.isVisible(place) { return show(.pleaseAnswer, &actions) }
            lead(to: place, &actions)
        case .question(let index):
            go(to: flow.step(of: index), &actions)
        case .ink(let name):
            guard let field = flow.field(named: name), let place = reading.view.content(of: field) else { break }
            if reading.view.isVisible(place) { return open(field, &actions) }
            lead(to: place, &actions)
        case nil:
            // On a slow board, the button is there before the first picture of the document.
            let isTooShort = reading.timeSpent(at: now) < .seconds(1) * (flow.policy.minimumSeconds ?? 0)
            if isTooShort || reading.seen.pages.isEmpty {
                return show(.readLonger, &actions)
            }
            endTurn(&actions)
        }
    }

    private mutating func lead(to place: Rect, _ actions: inout [PadAction]) {
        change(&actions) { capture, now, actions in
            capture.flow.reading?.show(place, at: now)
            capture.updateReading(at: now, &actions)
        }
    }

    /// The person has finished: the next one follows, or the record is stored.
    private mutating func endTurn(_ actions: inout [PadAction]) {
        if isComparing { return show(.saving, &actions) }
        guard case .signing(var capture) = state else { return }
        state = .idle
        capture.leavePage(at: now, &actions)
        capture.flow.endReading(at: now)
        if capture.flow.beginNextTurn() {
            capture.append(.person(capture.flow.person), at: now, &actions)
            capture.enterPage(at: now, &actions)
            state = .signing(capture)
        } else {
            save(capture, &actions)
        }
    }
}

extension Capture {
    /// The page's name for hosts.
    var statusPage: PanelStatus.Page {
        if message?.refusal != nil { return .refused }
        return switch flow.step.ofPage {
        case .handOver: .handOver
        case .question, .choosing, .instead(_, .confirmed), .instead(_, .typed): .question
        case .declining: .declining
        // Pages of texts in large letters take no ink.
        case .reading, .texts: .reading
        case .note, .field, .signature, .instead: takesInk ? .signing : .reading
        }
    }
}

extension RecordedFlow {
    /// nil for a capture with one page.
    init?(_ flow: CaptureFlow, _ document: OpenedDocument?, _ alternatives: [Alternative]) {
        if flow.isEmpty, alternatives.isEmpty { return nil }
        self.init(
            document: document.map { opened in
                RecordedDocument(
                    bytes: opened.bytes.count, pages: opened.facts.pages.count, renderer: opened.renderer,
                    missingFonts: opened.facts.missingFonts.isEmpty ? nil : opened.facts.missingFonts,
                    warnings: opened.facts.warnings.isEmpty ? nil : opened.facts.warnings.map(\.rawValue),
                    fields: opened.plan.fields, policy: flow.document?.policy, values: flow.document?.values,
                    pictures: opened.madeOf?.pictures, flattened: opened.madeOf?.flattened)
            }, questions: flow.questions.isEmpty ? nil : flow.questions,
            people: flow.people.isEmpty ? nil : flow.people, declineReasons: flow.declineReasons,
            alternatives: alternatives.isEmpty ? nil : alternatives)
    }
}
