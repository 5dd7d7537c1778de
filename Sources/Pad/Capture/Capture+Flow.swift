// SPDX-License-Identifier: Apache-2.0
import Document
import Geometry
import HostAPI
import Ink
import Record
import Touch

/// The control that a touch has pressed.
enum Pressed {
    case button(PageButton)
    /// A field of the document that is filled by hand.
    case field(Field)
}

/// The pages of a flow.
extension Capture {
    var isReading: Bool { flow.step == .reading }

    /// Whether the page takes ink.
    var takesInk: Bool { !page.inkField.isEmpty }

    /// Whether the ink on the page is a signature, rather than initials or a note.
    var isSignature: Bool {
        if case .instead(_, let part) = flow.step { return part != .mark }
        return flow.step == .signature || flow.shownField?.kind == .signature
    }

    /// Whether the page is a note that may be left without ink, and has none.
    var mayStayEmpty: Bool {
        guard case .note(let index) = flow.step, strokeCount == 0 else { return false }
        return !flow.mustAnswer(index)
    }

    /// Leaves a note empty. A note that was accepted before is withdrawn: the record has it as accepted without ink.
    mutating func leaveEmpty(at now: Timestamp, _ actions: inout [PadAction]) {
        if let name = sheetName, flow.inks[name] != nil {
            recordTrail(&actions)
            append(.accepted(AcceptedField(name: name)), at: now, &actions)
            flow.withdraw(name)
        }
        flow.passQuestions()
    }

    /// The name of the field or the question that the page fills; nil for other pages.
    var sheetName: String? {
        switch flow.step {
        case .field(let name): name
        case .note(let index): flow.questions[index].name
        case .signature: RecordedFlow.signatureName
        case .instead(let name, _): name
        case .handOver, .reading, .question, .declining, .choosing, .texts: nil
        }
    }

    /// The header, with the signing area of the page on the screen.
    var sheetHeader: CaptureHeader {
        var header = header
        header.screen.signingArea = page.inkArea.bounds.area4
        return header
    }

    /// The state for hosts.
    var state: CaptureState {
        if let refusal = message?.refusal { return .refused(refusal) }
        return switch flow.step.ofPage {
        case .handOver: .handingOver
        case .reading, .declining, .texts: .reading
        case .question, .choosing, .instead(_, .confirmed), .instead(_, .typed): .answering
        case .note, .field, .signature, .instead: takesInk ? .signing : .reading
        }
    }

    private func microseconds(_ now: Timestamp) -> Int64 { (now - start).microseconds }

    /// The record of a capture with one page, of version 1, has no events.
    mutating func append(_ event: FlowEvent, at now: Timestamp, _ actions: inout [PadAction]) {
        guard header.flow != nil else { return }
        append(.flow(event, microseconds: microseconds(now)), &actions)
    }

    // MARK: pages

    /// Shows another page of the flow.
    mutating func go(to step: FlowStep, at now: Timestamp, _ actions: inout [PadAction]) {
        release(keepingInk: false, &actions)
        // The record of a capture with one page cannot say that ink stayed behind on it.
        if header.flow == nil { clear(&actions) }
        leavePage(at: now, &actions)
        flow.go(to: step)
        enterPage(at: now, &actions)
    }

    /// Leaves the page. Ink on it that was not accepted stays behind.
    mutating func leavePage(at now: Timestamp, _ actions: inout [PadAction]) {
        release(keepingInk: false, &actions)
        recordTrail(&actions)
        if isReading { flow.reading?.disappear(at: now) }
        leftAt = now
    }

    /// Shows the page of the flow's step.
    mutating func enterPage(at now: Timestamp, _ actions: inout [PadAction]) {
        guard let next = flow.page else { return }
        turn(to: next)
        actions.append(.render(.show(next.page)))
        if takesInk, let name = sheetName {
            let area = next.inkArea.bounds.area4
            var sheet = FieldSheet(name: name, person: flow.person, signingArea: area)
            if case .instead(_, let part) = flow.step {
                sheet.part = part
                sheet.words = part.message.map { requested.messages[$0] }
            }
            append(.field(sheet), at: now, &actions)
            actions.append(.render(.use(pen, color)))
        }
        showState(&actions)
        if isReading {
            flow.reading?.appear(at: now)
            toldPage = flow.reading?.view.currentPage
            updateReading(at: now, &actions)
        }
        tell(state, &actions)
    }

    // MARK: the document

    /// Handles a contact on the document.
    mutating func read(_ event: TouchEvent, at now: Timestamp, _ actions: inout [PadAction]) -> Pressed? {
        let taps = flow.reading?.receive(event, at: now) ?? []
        noteUse(event, at: now, &actions)
        var pressed: Pressed?
        for each in taps { pressed = tap(each, at: now, &actions) }
        updateReading(at: now, &actions)
        return pressed
    }

    /// Ticks the field at a place of the screen, or chooses it. Two quick taps enlarge, unless they are on two fields:
    /// people tick boxes that are beside each other.
    /// - Returns: the field, if it is filled by hand.
    private mutating func tap(_ tap: Tap, at now: Timestamp, _ actions: inout [PadAction]) -> Pressed? {
        let field = field(at: tap.place)
        if let first = tap.first, field == nil || field == self.field(at: first) {
            flow.reading?.enlarge(at: tap.place, now)
            return nil
        }
        return field.flatMap { fill($0, at: now, &actions) }.map { .field($0) }
    }

    /// The field at a place of the screen that the person fills.
    private func field(at place: Point) -> Field? {
        guard let reading = flow.reading else { return nil }
        return reading.field(at: place, reach: Double(page.design.target) / 3) { flow.isFilledByPerson($0) }
    }

    /// - Returns: the field, if it is filled by hand.
    private mutating func fill(_ field: Field, at now: Timestamp, _ actions: inout [PadAction]) -> Field? {
        guard let answer = flow.tap(field) else { return field }
        append(.answer(answer), at: now, &actions)
        tell(state, &actions)
        return nil
    }

    /// Presses the document's field with this index, as a tap does, if it is visible.
    /// - Returns: the field, if it is filled by hand.
    mutating func press(field index: Int, at now: Timestamp, _ actions: inout [PadAction]) -> Field? {
        guard let reading = flow.reading, reading.document.plan.fields.indices.contains(index) else {
            return nil
        }
        let field = reading.document.plan.fields[index]
        guard flow.isFilledByPerson(field), reading.visiblePlace(of: field) != nil else { return nil }
        let byHand = fill(field, at: now, &actions)
        updateReading(at: now, &actions)
        return byHand
    }

    mutating func receive(_ picture: DrawnPage, of part: DocumentPart, at now: Timestamp, _ actions: inout [PadAction])
    {
        flow.reading?.receive(picture, of: part, at: now)
        if isReading { updateReading(at: now, &actions) }
    }

    /// Records what is new on the screen, asks for pictures, and shows the document as it is now.
    mutating func updateReading(at now: Timestamp, _ actions: inout [PadAction]) {
        guard isReading else { return }
        for page in flow.reading?.takeNewPages() ?? [] { append(.page(page), at: now, &actions) }
        if let view = flow.reading?.takeSeenView(at: now) { append(.view(view), at: now, &actions) }
        if let part = flow.reading?.takeRequest() { actions.append(.document(.draw(requested.id, part))) }
        if let page = flow.reading?.takeTextRequest() { actions.append(.document(.read(requested.id, page: page))) }
        if let page = flow.reading?.view.currentPage, page != toldPage {
            toldPage = page
            tell(state, &actions)
        }
        guard let scene = flow.scene(requested.messages) else { return }
        show(scene, lead: flow.leadLabel(requested.messages), &actions)
    }

    /// The page of the document that a mirror reports.
    var mirroredDocument: MirrorReply.Document? {
        guard isReading, let reading = flow.reading else { return nil }
        return MirrorReply.Document(page: reading.view.currentPage, pages: reading.document.facts.pages.count)
    }

    /// Ink of the page, as it is put into a document.
    var signedInk: SignedInk {
        SignedInk(strokes: ink.visible.map(\.drawn), pen: pen, color: color, density: page.density)
    }
}

/// A page or a part of one that is drawn.
typealias DocumentPart = HelperRequest.Rendering

extension CaptureReply {
    /// Adds the person's place in the flow, and what they have answered.
    mutating func describe(_ flow: Flow) {
        person = flow.role
        switch flow.step.ofPage {
        case .reading: page = flow.reading?.view.currentPage
        case .question(let index), .note(let index): field = flow.questions[index].name
        case .field(let name): field = name
        case .choosing(let name), .instead(let name, _): field = flow.document == nil ? nil : name
        case .handOver, .signature, .declining, .texts: break
        }
        if !flow.answers.isEmpty { answers = flow.answers }
        let given = flow.insteads.given
        if !given.isEmpty { instead = given }
    }
}

extension Flow {
    /// The label of the button that leads to what is missing.
    func leadLabel(_ messages: MessageTable) -> String {
        let items = required
        guard let next = items.first(where: { !isDone($0) }) else { return messages[.done] }
        let what: Message
        var page: Int?
        switch next {
        case .pages: what = .readOn
        case .answer(let name): (what, page) = (.question, field(named: name)?.page)
        case .question: what = .question
        case .ink(let name):
            let field = field(named: name)
            (what, page) = (field?.kind == .initials ? .initials : .signature, field?.page)
        }
        let pageText = document?.facts.pages.count == 1 ? nil : page.map { messages.text(.page, of: "\($0)") }
        return Pad.leadLabel(done: items.count(where: isDone), of: items.count, messages[what], page: pageText)
    }
}

extension PixelRect {
    /// The rectangle in the form of records: left, top, width, height.
    var area4: [Int] { [minX, minY, width, height] }
}
