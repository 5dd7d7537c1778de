// SPDX-License-Identifier: Apache-2.0
import Document
import HostAPI

/// The state of a record after its last line, which determines the lines that may follow. Both the encoder and the
/// decoder check each line with it.
///
/// Without a flow there are strokes, movement in the air and actions, in any order. With a flow, strokes and actions
/// belong to a sheet.
package struct RecordCourse: Sendable {
    /// Something with a name that is answered or written by hand.
    private enum Subject {
        case check, rating
        case choice(Set<String>)
        case ink(isInitials: Bool)
    }

    private let devices: [CaptureDevice]
    private let flow: RecordedFlow?
    private let subjects: [String: (subject: Subject, person: Int?)]
    /// The names of the signatures.
    private let signatures: Set<String>

    /// The index of the person whose turn it is; nil before the first line that says so, when it is the first one's.
    private var turn: Int?
    /// The pages that were shown, with their sizes.
    private var pages: [Int: (width: Int, height: Int)] = [:]
    /// The name of the sheet that strokes belong to.
    private var sheet: String?
    /// The fields that have ink of their own.
    private var written: Set<String> = []
    /// The part that ``sheet`` has in place of a signature, and the signatures of this turn that are marks.
    private var part: InsteadPart?
    private var marks: Set<String> = []
    private var hasSpoken = false
    private var flowLineCount = 0

    private var person: Int { turn ?? 0 }

    package init(_ header: CaptureHeader) {
        devices = header.devices
        flow = header.flow
        subjects = header.flow.map(Self.subjects) ?? [:]
        let fields = header.flow?.document?.fields.filter { $0.kind == .signature }.map(\.name)
        signatures = Set(fields ?? [RecordedFlow.signatureName])
    }

    private static func subjects(of flow: RecordedFlow) -> [String: (subject: Subject, person: Int?)] {
        var subjects: [String: (subject: Subject, person: Int?)] = [:]
        // Everybody signs.
        if flow.document == nil { subjects[RecordedFlow.signatureName] = (.ink(isInitials: false), nil) }
        for question in flow.questions ?? [] {
            let subject: Subject =
                switch question.kind {
                case .check: .check
                case .choice: .choice(Set(question.choices ?? []))
                case .rating: .rating
                case .note: .ink(isInitials: false)
                }
            subjects[question.name] = (subject, flow.person(of: question.person))
        }
        var values: [String: Set<String>] = [:]
        for field in flow.document?.fields ?? [] {
            switch field.kind {
            case .signature: subjects[field.name] = (.ink(isInitials: false), field.person)
            case .initials: subjects[field.name] = (.ink(isInitials: true), field.person)
            case .check: subjects[field.name] = (.check, field.person)
            case .choice:
                if let value = field.choice { values[field.name, default: []].insert(value) }
                subjects[field.name] = (.choice(values[field.name] ?? []), field.person)
            case .date, .name, .text: break
            }
        }
        return subjects
    }

    // MARK: faults

    /// Why an entry cannot be the next one; nil if it can.
    package func fault(of entry: CaptureEntry) -> String? {
        if let fault = entry.fault(on: devices) { return fault }
        switch entry {
        case .inAir, .spoken: return nil
        case .stroke, .action:
            return flow != nil && sheet == nil ? "a stroke or an action before a page to sign on" : nil
        case .flow(let event, _):
            guard let flow else { return "an event of a flow, which the header does not have" }
            if flowLineCount >= CaptureLimits.flowLineCount {
                return "more than \(CaptureLimits.flowLineCount) events of a flow"
            }
            return fault(of: event, in: flow)
        }
    }

    private func fault(of event: FlowEvent, in flow: RecordedFlow) -> String? {
        switch event {
        case .person(let number):
            let isNext = number > turn ?? -1 && number < flow.personCount
            return isNext ? nil : "a turn of somebody whom the header does not name, or who had one"
        case .page(let page): return fault(of: page, in: flow)
        case .view(let view): return fault(of: view, in: flow)
        case .answer(let answer): return fault(of: answer)
        case .field(let field): return fault(of: field, in: flow)
        case .accepted(let field): return fault(of: field)
        case .confirmed(let field): return fault(of: field, in: flow)
        case .glass(let image): return SealHead.isDigest(image.sha256) ? nil : Self.badDigest
        }
    }

    private static let badDigest = "a digest is not 64 lower-case hexadecimal digits"

    private func fault(of page: SeenPage, in flow: RecordedFlow) -> String? {
        guard let document = flow.document, 1...document.pages ~= page.number else {
            return "a page that the document does not have"
        }
        if pages[page.number] != nil { return "a page that was shown before" }
        let sides = CaptureHeader.sideRange
        guard sides ~= page.width, sides ~= page.height else { return "the size of a page is out of range" }
        return SealHead.isDigest(page.sha256) ? nil : Self.badDigest
    }

    private func fault(of view: SeenView, in flow: RecordedFlow) -> String? {
        if view.parts.isEmpty { return "a view of nothing" }
        var last = 0
        for part in view.parts {
            guard let size = pages[part.page] else { return "a view of a page that was not shown before" }
            if part.page <= last { return "the pages of a view are not in their order" }
            last = part.page
            let rect = part.rect
            guard rect.count == 4, 0 <= rect[0], rect[0] < rect[2], rect[2] <= size.width, 0 <= rect[1],
                rect[1] < rect[3], rect[3] <= size.height
            else { return "a part of a page is not its left, upper, right and lower edge" }
        }
        return nil
    }

    private func fault(of answer: CaptureAnswer) -> String? {
        guard let (subject, owner) = subjects[answer.name], owner == person else {
            return "an answer to what this person was not asked"
        }
        let isValid =
            switch (subject, answer.checked, answer.choice, answer.rating) {
            case (.check, .some, nil, nil): true
            case (.choice(let choices), nil, let choice?, nil): choices.contains(choice)
            case (.rating, nil, nil, let rating?): 1...5 ~= rating
            default: false
            }
        return isValid ? nil : "an answer that does not fit the question"
    }

    private func fault(of field: FieldSheet, in flow: RecordedFlow) -> String? {
        guard case (.ink, let owner)? = subjects[field.name], owner == nil || owner == field.person,
            field.person == person
        else { return "a page to sign on for a field that this person does not have" }
        if let part = field.part {
            if part.isWithoutInk || !allows(part.alternative, of: field.name, in: flow) {
                return "what the host did not allow in place of a signature"
            }
            if part.isWitness, !marks.contains(field.name) { return "a witness of a mark that was not accepted" }
        }
        return field.signingArea.count == 4 ? nil : "the signing area is not four numbers"
    }

    private func allows(_ alternative: Alternative, of name: String, in flow: RecordedFlow) -> Bool {
        flow.alternatives?.contains(alternative) == true && signatures.contains(name)
    }

    private func fault(of field: ConfirmedField, in flow: RecordedFlow) -> String? {
        guard case (.ink, let owner)? = subjects[field.name], owner == nil || owner == person,
            allows(field.part.alternative, of: field.name, in: flow)
        else { return "what the host did not allow in place of a signature" }
        if let fault = field.entered?.fault { return fault }
        if field.host == true, field.entered?.by == .person {
            return "the host accepted a name that the person typed"
        }
        return field.heard == true && !hasSpoken ? "nothing was read aloud before" : nil
    }

    private func fault(of field: AcceptedField) -> String? {
        guard let same = field.same else {
            return field.name == sheet ? nil : "a field was accepted whose page was not shown"
        }
        guard case (.ink(isInitials: true), person)? = subjects[field.name],
            case (.ink(isInitials: true), person)? = subjects[same], same != field.name, written.contains(same)
        else { return "the ink of a field that has none, or whose ink is no initials of this person" }
        return nil
    }

    // MARK: changes

    /// - Parameter entry: without a fault.
    package mutating func add(_ entry: CaptureEntry) {
        if case .spoken = entry { hasSpoken = true }
        guard case .flow(let event, _) = entry else { return }
        flowLineCount += 1
        switch event {
        case .person(let number): (turn, sheet, marks) = (number, nil, [])
        case .page(let page): pages[page.number] = (page.width, page.height)
        case .field(let field): (sheet, part) = (field.name, field.part)
        case .accepted(let field):
            if field.same == nil {
                written.insert(field.name)
                if part == .mark {
                    marks.insert(field.name)
                } else if part?.isWitness != true {
                    marks.remove(field.name)
                }
            }
            sheet = nil
        case .confirmed(let field):
            marks.remove(field.name)
            sheet = nil
        case .view, .answer, .glass: break
        }
    }
}
