// SPDX-License-Identifier: Apache-2.0
import Document
import HostAPI
public import Record
import TestSupport

/// Random records with a flow: people in their turns read, answer and sign.
extension RandomCapture {
    /// - Parameters:
    ///   - hasDocument: nil for either.
    ///   - isAccepted: whether it has an end.
    public mutating func flowRecord(hasDocument: Bool? = nil, isAccepted: Bool = true) -> CaptureRecord {
        var header = header()
        let hasDocument = hasDocument ?? Bool.random(using: &random)
        header.flow = flow(hasDocument: hasDocument)
        header.version = CaptureHeader.flowVersion
        header.request.document = hasDocument ? .init(reference: nil, sha256: digest()) : nil
        header.screen.signingArea = [0, 0, 800, 300]
        var record = CaptureRecord(header: header)
        var pages: [Int: SeenPage] = [:]
        for person in 0..<max(header.flow?.people?.count ?? 0, 1) {
            if header.flow?.people != nil || Bool.random(using: &random) { add(.person(person), to: &record) }
            takeTurn(of: person, &pages, &record)
        }
        if isAccepted {
            var end = end(.accepted)
            end.reading = record.seen?.map { seen in
                ReadingResult(pages: seen.pages, toEnd: seen.toEnd, seconds: .random(in: 0...600, using: &random))
            }
            record.end = end
        }
        return record
    }

    private mutating func add(_ event: FlowEvent, to record: inout CaptureRecord) {
        record.entries.append(.flow(event, microseconds: integer()))
    }

    mutating func digest() -> String {
        String((0..<64).map { _ in "0123456789abcdef".randomElement(using: &random)! })
    }

    private mutating func flow(hasDocument: Bool) -> RecordedFlow {
        let peopleCount = Int.random(in: 0...3, using: &random)
        let people = (0..<peopleCount).map { index in
            CapturePerson(
                role: "Role \(index)", name: maybe { $0.text() },
                sees: index > 0 && Bool.random(using: &random) ? "Role \(index - 1)" : nil)
        }
        let questions = (0..<Int.random(in: 0...4, using: &random)).map { index in
            let kind = CaptureQuestion.Kind.allCases.randomElement(using: &random)!
            return CaptureQuestion(
                name: "question \(index)", kind: kind, heading: kind == .check ? maybe { $0.text() } : nil,
                text: text(),
                choices: kind == .choice ? ["yes", "no", "ja \(index)"] : nil,
                required: maybe { Bool.random(using: &$0.random) }, person: people.randomElement(using: &random)?.role)
        }
        return RecordedFlow(
            document: hasDocument ? document(peopleCount: max(peopleCount, 1)) : nil,
            questions: questions.isEmpty ? nil : questions, people: people.isEmpty ? nil : people,
            declineReasons: maybe { [$0.text()] }, alternatives: maybe { $0.alternatives() })
    }

    private mutating func document(peopleCount: Int) -> RecordedDocument {
        let pages = Int.random(in: 1...5, using: &random)
        var fields: [Field] = []
        for (index, kind) in Field.Kind.ofPeople.enumerated() {
            for number in 0..<Int.random(in: 1...3, using: &random) {
                let (x, y) = (Double.random(in: 0...400, using: &random), Double.random(in: 0...700, using: &random))
                let person = kind == .choice ? 0 : Int.random(in: 0..<peopleCount, using: &random)
                fields.append(
                    Field(
                        // The places of a choice have one name.
                        name: kind == .choice ? "choice" : "F\(index)\(number)", kind: kind, person: person,
                        page: .random(in: 1...pages, using: &random),
                        rectangle: DocumentRectangle(minX: x, minY: y, maxX: x + 50.5, maxY: y + 20),
                        isRequired: Bool.random(using: &random), label: maybe { $0.text() },
                        choice: kind == .choice ? "value \(number)" : nil, formName: maybe { $0.text() }))
            }
        }
        return RecordedDocument(
            bytes: .random(in: 0...CaptureLimits.documentByteCount, using: &random), pages: pages, renderer: text(),
            missingFonts: maybe { [$0.text()] }, warnings: maybe { [$0.text()] }, fields: fields,
            policy: maybe { random in
                ReadingPolicy(
                    mustSeeAllPages: random.maybe { Bool.random(using: &$0.random) },
                    minimumSeconds: random.maybe { .random(in: 0...10, using: &$0.random) })
            }, values: maybe { [$0.text(): $0.text()] }, pictures: maybe { $0.original() },
            flattened: maybe { $0.original() })
    }

    private mutating func alternatives() -> [Alternative] {
        Array(Alternative.allCases.shuffled(using: &random).prefix(.random(in: 1...4, using: &random)))
    }

    private mutating func original() -> RecordedOriginal {
        RecordedOriginal(
            bytes: .random(in: 1...CaptureLimits.documentByteCount, using: &random),
            sha256: String(repeating: "0123456789abcdef", count: 4))
    }

    private mutating func takeTurn(of person: Int, _ pages: inout [Int: SeenPage], _ record: inout CaptureRecord) {
        guard let flow = record.header.flow else { return }
        for number in 1...max(flow.document?.pages ?? 1, 1) where flow.document != nil {
            if Int.random(in: 0..<4, using: &random) == 0 { continue }
            read(number, &pages, &record)
        }
        let role = flow.people?[person].role
        for question in flow.questions ?? [] where question.person == role || question.person == nil && person == 0 {
            for _ in 0..<Int.random(in: 0...2, using: &random) {
                switch question.kind {
                case .check:
                    let isChecked = Bool.random(using: &random)
                    add(.answer(CaptureAnswer(name: question.name, checked: isChecked)), to: &record)
                case .choice:
                    let choice = question.choices?.randomElement(using: &random)
                    add(.answer(CaptureAnswer(name: question.name, choice: choice)), to: &record)
                case .rating:
                    let rating = Int.random(in: 1...5, using: &random)
                    add(.answer(CaptureAnswer(name: question.name, rating: rating)), to: &record)
                case .note: sign(question.name, person, &record)
                }
            }
        }
        var initials: String?
        for field in flow.document?.fields ?? [] where field.person == person {
            switch field.kind {
            case .signature: giveSignature(field.name, person, &record)
            case .initials:
                if let initials, Bool.random(using: &random) {
                    add(.accepted(AcceptedField(name: field.name, same: initials)), to: &record)
                } else if sign(field.name, person, &record) {
                    initials = initials ?? field.name
                }
            case .check: add(.answer(CaptureAnswer(name: field.name, checked: true)), to: &record)
            case .choice: add(.answer(CaptureAnswer(name: field.name, choice: field.choice)), to: &record)
            case .date, .name, .text: break
            }
        }
        if flow.document == nil { giveSignature(RecordedFlow.signatureName, person, &record) }
        add(.glass(GlassImage(sha256: digest(), fonts: maybe { [$0.text()] })), to: &record)
    }

    private mutating func read(_ number: Int, _ pages: inout [Int: SeenPage], _ record: inout CaptureRecord) {
        if pages[number] == nil {
            let page = SeenPage(
                number: number, width: .random(in: 1...2000, using: &random),
                height: .random(in: 1...3000, using: &random), sha256: digest())
            pages[number] = page
            add(.page(page), to: &record)
        }
        guard let page = pages[number] else { return }
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            let top = Int.random(in: 0..<page.height, using: &random)
            var parts = [SeenView.Part(page: number, rect: [0, top, page.width, page.height])]
            if Bool.random(using: &random) { parts[0].rect = [0, 0, page.width, top + 1] }
            if let next = pages[number + 1] {
                parts.append(SeenView.Part(page: number + 1, rect: [0, 0, next.width, 1]))
            }
            add(.view(SeenView(parts: parts)), to: &record)
        }
    }

    /// A signature, or what stands in its place, or first one and then the other.
    private mutating func giveSignature(_ name: String, _ person: Int, _ record: inout CaptureRecord) {
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            let hasSpoken = record.entries.contains { if case .spoken = $0 { true } else { false } }
            switch record.header.flow?.alternatives?.randomElement(using: &random) {
            case .confirmed where Bool.random(using: &random):
                let heard = hasSpoken ? maybe { Bool.random(using: &$0.random) } : nil
                add(.confirmed(ConfirmedField(name: name, words: text(), heard: heard)), to: &record)
            case .typed where Bool.random(using: &random):
                let heard = hasSpoken ? maybe { Bool.random(using: &$0.random) } : nil
                let isByStaff = Bool.random(using: &random)
                let entered = TypedName(
                    name: "N" + text(), by: isByStaff ? .staff : .person,
                    reason: isByStaff ? "R" + text() : maybe { $0.text() })
                let host = isByStaff ? maybe { Bool.random(using: &$0.random) } : nil
                add(
                    .confirmed(ConfirmedField(name: name, words: text(), heard: heard, entered: entered, host: host)),
                    to: &record)
            case .mark where Bool.random(using: &random):
                guard sign(name, person, &record, as: .mark) else { break }
                sign(name, person, &record, as: .witness1)
                sign(name, person, &record, as: .witness2)
            case .representative where Bool.random(using: &random): sign(name, person, &record, as: .representative)
            default: sign(name, person, &record)
            }
        }
    }

    /// - Returns: whether it was accepted.
    @discardableResult
    private mutating func sign(
        _ name: String, _ person: Int, _ record: inout CaptureRecord, as part: InsteadPart? = nil
    ) -> Bool {
        let words = part == nil ? nil : maybe { $0.text() }
        add(
            .field(FieldSheet(name: name, part: part, words: words, person: person, signingArea: [1, 2, 700, 300])),
            to: &record)
        for _ in 0..<Int.random(in: 0...4, using: &random) { record.entries.append(entry(of: record.header.devices)) }
        if Int.random(in: 0..<4, using: &random) == 0 { return false }
        add(.accepted(AcceptedField(name: name)), to: &record)
        return true
    }
}
