// SPDX-License-Identifier: Apache-2.0
import Document
import HostAPI
import Record

/// The pages of a flow.
extension Pad {
    /// All pages of a capture, in the order of the turns.
    /// - Parameter document: the opened one; nil without a document to read.
    func pages(
        for requested: RequestedCapture, document: OpenedDocument?, date: LocalDate
    ) -> [(key: FlowPage, page: Page)] {
        let (call, messages) = (requested.capture, requested.messages)
        let policy = call.policy.merged(over: settings.policy)
        let alternatives = alternatives(of: requested)
        let others: [PageButton] = Flow.choosable(alternatives).isEmpty ? [] : [.instead]
        let people = Flow.people(of: call)
        var pages: [(key: FlowPage, page: Page)] = []
        for (person, described) in people.enumerated() {
            func add(_ step: FlowStep, _ page: Page) { pages.append((FlowPage(person: person, step: step), page)) }
            if person > 0 { add(.handOver, handOverPage(to: described, messages)) }
            let declines = call.flow.declineReasons == nil ? [] : [PageButton.decline]
            if let document { add(.reading, readingPage(document, declines, messages)) }
            let questions = Flow.questionPages(of: person, call.flow.questions, people)
            for (place, indices) in questions.enumerated() {
                let (index, asked) = (indices[0], indices.map { call.flow.questions[$0] })
                let isFirst = document == nil && place == 0
                let count = questions.count > 1 ? "\(place + 1)/\(questions.count)" : nil
                let leaving: [PageButton] = isFirst ? [.cancel] + declines : [.back]
                if asked[0].kind == .note {
                    add(
                        .note(index),
                        inkPage(
                            for: requested, lines: [asked[0].text], signer: nil, date: nil, hint: .writeHere,
                            buttons: leaving + [.undo, .clear, .accept]))
                } else {
                    add(.question(index), questionPage(asked, count, leaving + [.next], messages))
                }
            }
            let signer = signerText(described, isNamed: !call.flow.people.isEmpty, requested)
            let witnessed = described.sees.flatMap { role in people.first { $0.role == role } }
            let witness = witnessed.map { messages.text(.witness, of: $0.name ?? $0.role) }
            guard let document else {
                let leaving: [PageButton] = questions.isEmpty ? [.cancel] + declines : [.back]
                // A capture with a single page has exactly the buttons of its policy.
                let buttons =
                    call.flow.isEmpty && others.isEmpty
                    ? policy.buttons : leaving + others + inkButtons(of: requested) + [.accept]
                let lines = (call.shows.prompt ? call.request.prompt : []) + [witness].compactMap { $0 }
                add(
                    .signature,
                    inkPage(
                        for: requested, lines: lines, signer: signer, date: date, hint: .signHere, buttons: buttons))
                for (step, page) in insteadPages(
                    of: RecordedFlow.signatureName, lines: lines, signer, date, requested)
                {
                    add(step, page)
                }
                if !declines.isEmpty { add(.declining, decliningPage(call.flow.declineReasons ?? [], messages)) }
                continue
            }
            for field in document.plan.fields where field.person == person {
                switch field.kind {
                case .signature:
                    let heading = field.label ?? call.request.prompt.first ?? messages[.signature]
                    let lines = [heading, witness].compactMap { $0 }
                    add(
                        .field(field.name),
                        inkPage(
                            for: requested, lines: lines, signer: signer, date: date, hint: .signHere,
                            buttons: [.back] + others + inkButtons(of: requested) + [.accept]))
                    for (step, page) in insteadPages(of: field.name, lines: lines, signer, date, requested) {
                        add(step, page)
                    }
                case .initials:
                    let isOnly = document.plan.fields.count { $0.person == person && $0.kind == .initials } == 1
                    add(
                        .field(field.name),
                        inkPage(
                            for: requested, lines: [field.label ?? messages[.initials]], signer: signer, date: nil,
                            hint: .initialHere,
                            buttons: [.back] + (isOnly ? [] : [.again]) + inkButtons(of: requested) + [.accept]))
                case .check, .choice, .date, .name, .text: break
                }
            }
            if !declines.isEmpty { add(.declining, decliningPage(call.flow.declineReasons ?? [], messages)) }
        }
        let isLarge = call.letters ?? screen.letters != nil
        let turning = isLarge ? PageTurning(next: messages[.next], back: messages[.back]) : nil
        for index in pages.indices { (pages[index].page.letters, pages[index].page.turning) = (call.letters, turning) }
        return pages
    }

    /// The alternatives to a signature that the host, or else the configuration, allows.
    func alternatives(of requested: RequestedCapture) -> [Alternative] {
        requested.capture.policy.merged(over: settings.policy).alternatives ?? []
    }

    /// The pages on which people choose an alternative to a signature, and carry it out.
    /// - Parameter lines: the texts above the signature.
    private func insteadPages(
        of name: String, lines: [String], _ signer: String?, _ date: LocalDate?, _ requested: RequestedCapture
    ) -> [(FlowStep, Page)] {
        let messages = requested.messages
        let alternatives = Flow.choosable(alternatives(of: requested))
        if alternatives.isEmpty { return [] }
        let labels = alternatives.map { alternative in
            switch alternative {
            case .confirmed, .typed: messages[.insteadConfirm]
            case .mark: messages[.insteadMark]
            case .representative: messages[.insteadRepresentative]
            }
        }
        let choices = labels.enumerated().map { PageElement.option($0.offset, label: $0.element, .choice) }
        var pages: [(FlowStep, Page)] = [
            (
                .choosing(name),
                Page(
                    [.text(PageText(messages[.insteadHow], .heading, of: .prompt))] + choices
                        + [.button(.back, label: messages[.back]), .button(.next, label: messages[.next])],
                    direction: messages.direction)
            )
        ]
        /// - Parameter count: the number of the page among the pages of its kind, such as " (1/2)".
        func write(_ part: InsteadPart, _ hint: Message, count: String = "") {
            let buttons: [PageButton] = [.back] + inkButtons(of: requested) + [.accept]
            var (all, below) = (lines, signer)
            if let heading = part.message {
                // Somebody else writes on this page, so the person's name is not below the ink.
                all = [messages[heading] + count] + lines
                if requested.capture.shows.signer, let signer { all.append(messages.text(.signer, of: signer)) }
                below = nil
            }
            pages.append(
                (
                    .instead(name, part),
                    inkPage(for: requested, lines: all, signer: below, date: date, hint: hint, buttons: buttons)
                ))
        }
        for alternative in alternatives {
            switch alternative {
            case .confirmed:
                let texts = signedTexts(of: requested, lines: lines) + signedBy(signer, date, requested)
                pages.append((.instead(name, .confirmed), confirmingPage(texts, messages[.insteadConfirm], messages)))
            case .mark:
                write(.mark, .markHere)
                write(.witness1, .nameAndSign, count: " (1/2)")
                write(.witness2, .nameAndSign, count: " (2/2)")
            case .representative: write(.representative, .nameAndSign)
            case .typed: break
            }
        }
        return pages
    }

    /// The page on which a person ticks words in place of a signature.
    func confirmingPage(_ texts: [PageElement], _ words: String, _ messages: MessageTable) -> Page {
        Page(
            texts + [
                .option(0, label: words, .check), .button(.back, label: messages[.back]),
                .button(.next, label: messages[.accept]),
            ], direction: messages.direction)
    }

    private func inkButtons(of requested: RequestedCapture) -> [PageButton] {
        requested.capture.policy.merged(over: settings.policy).buttons.filter { $0 == .undo || $0 == .clear }
    }

    /// The signer in the words of the page.
    private func signerText(_ person: CapturePerson, isNamed: Bool, _ requested: RequestedCapture) -> String? {
        isNamed ? person.words : requested.capture.request.signer
    }

    private func handOverPage(to person: CapturePerson, _ messages: MessageTable) -> Page {
        Page(
            [
                .sign(.nextPerson), .text(PageText(messages.text(.handOver, of: person.words), .headline, of: .signer)),
                .text(PageText(messages[.handOverLine], .body)),
                .button(.cancel, label: messages[.cancel]), .button(.next, label: messages[.next]),
            ], direction: messages.direction)
    }

    private func readingPage(_ document: OpenedDocument, _ declines: [PageButton], _ messages: MessageTable) -> Page {
        // The longest label that the button gets.
        let words = [Message.signature, .initials, .question, .readOn].map { messages[$0] }
        let longest = words.max { $0.unicodeScalars.count < $1.unicodeScalars.count } ?? ""
        let lead = Self.leadLabel(
            done: 98, of: 99, longest, page: messages.text(.page, of: "\(document.facts.pages.count)"))
        let buttons: [PageButton] = [.cancel] + declines
        return Page(
            [.document] + buttons.map { .button($0, label: messages.label(of: $0)) } + [.button(.lead, label: lead)],
            direction: messages.direction)
    }

    /// The label of what is missing, such as "2/3 · Signature · Page 3".
    static func leadLabel(done: Int, of count: Int, _ what: String, page: String?) -> String {
        (["\(done + 1)/\(count)", what] + [page].compactMap { $0 }).joined(separator: " · ")
    }

    private func questionPage(
        _ questions: [CaptureQuestion], _ count: String?, _ buttons: [PageButton], _ messages: MessageTable
    ) -> Page {
        var elements: [PageElement] = []
        let question = questions[0]
        switch question.kind {
        case .check:
            elements = question.heading.map { [.text(PageText($0, .heading, of: .prompt))] } ?? []
            // An asterisk marks the boxes that must be ticked, if the page has several boxes.
            elements += questions.enumerated().map { index, check in
                let mark = questions.count > 1 && check.required == true ? " *" : ""
                return .option(index, label: check.text + mark, .check)
            }
        case .choice:
            elements = [.text(PageText(question.text, .heading, of: .prompt))]
            elements += (question.choices ?? []).enumerated().map { .option($0.offset, label: $0.element, .choice) }
        case .rating:
            elements = [.text(PageText(question.text, .heading, of: .prompt))]
            elements += (1...5).map { .option($0 - 1, label: "\($0)", .rating) }
        case .note: break
        }
        if let count { elements.append(.text(PageText(count, .corner))) }
        return Page(
            elements + buttons.map { .button($0, label: messages.label(of: $0)) }, direction: messages.direction)
    }

    /// The page that asks before the capture ends: the person may have touched Decline by mistake.
    private func decliningPage(_ reasons: [String], _ messages: MessageTable) -> Page {
        var elements: [PageElement] = [.sign(.declined), .text(PageText(messages[.declineSure], .headline))]
        if !reasons.isEmpty {
            let options = reasons + [messages[.declineNoReason]]
            elements =
                [.text(PageText(messages[.declineWhy], .heading, of: .prompt))]
                + options.enumerated().map { .option($0.offset, label: $0.element, .choice) }
        }
        return Page(
            elements + [.button(.back, label: messages[.back]), .button(.next, label: messages[.decline])],
            direction: messages.direction)
    }
}
