// SPDX-License-Identifier: Apache-2.0
import Document
public import HostAPI
import Ink

/// A field that was signed, or a note that was written, with its ink. A confirmed signature and a typed name have no
/// ink.
public struct FieldInk: Equatable, Sendable {
    public typealias Kind = SignedField.Kind

    /// The name of the field or the question, for ``CaptureRecord/sheet(named:)``. Without a document, the first
    /// person's signature is called `signature`, those of others `signature:ROLE`. A witness's ink has the name of
    /// ``InsteadPart/name(of:)``.
    public var name: String
    public var kind: Kind
    /// The index of the person.
    public var person: Int
    /// The strokes that were visible when it was accepted.
    public var strokes: [CaptureStroke]
    /// The field whose ink this one has: the person chose to use their initials again.
    public var same: String?
    /// The part that it has in place of a signature; nil if the person wrote as asked.
    public var instead: InsteadPart?
    /// Whether all words of a page had been read aloud before it was confirmed.
    public var heard = false
    /// The name that was typed in place of the signature, and whether the host accepted it.
    public var typed: TypedName?
    public var isAcceptedByHost = false
    /// The words that were confirmed, or the words that the page showed for a witness or a representative.
    public var words: String?
    /// The name of the signature: for a witness's ink, that of the mark; for other ink, its own name.
    public var signature: String
    /// When it was accepted. Microseconds as in samples.
    public var acceptedAt: Int64
    /// The page to sign on, and its lines in the record.
    fileprivate var sheet: Sheet

    fileprivate struct Sheet: Equatable, Sendable {
        var signingArea: [Int]
        var entries: Range<Int>
    }
}

extension CaptureRecord {
    /// The fields with ink, and the signatures that were confirmed, in the order in which each was accepted first. If a
    /// field was accepted again, the last ink counts; a note that was accepted again without ink is withdrawn, and so
    /// are the witnesses of a mark that was made again. Empty for a record without a flow.
    public var fields: [FieldInk] {
        // A file may have very many sheets, and each name counts once.
        var places: [String: Int] = [:]
        var last: [OpenSheet] = []
        for sheet in sheets where sheet.acceptedAt != nil {
            if let place = places[sheet.name] {
                last[place] = sheet
            } else {
                places[sheet.name] = last.count
                last.append(sheet)
            }
        }
        var strokes: [Range<Int>: [CaptureStroke]] = [:]
        return last.compactMap { sheet in
            if sheet.instead?.isWitness == true {
                guard let mark = places[sheet.signature].map({ last[$0] }), mark.instead == .mark,
                    mark.number < sheet.number
                else { return nil }
            }
            let entries = sheet.sheet.entries
            let ink = strokes[entries] ?? self.strokes(in: entries)
            strokes[entries] = ink
            if sheet.kind == .note, ink.isEmpty { return nil }
            return FieldInk(
                name: sheet.name, kind: sheet.kind, person: sheet.person, strokes: ink, same: sheet.same,
                instead: sheet.instead, heard: sheet.heard, typed: sheet.typed,
                isAcceptedByHost: sheet.isAcceptedByHost, words: sheet.words, signature: sheet.signature,
                acceptedAt: sheet.acceptedAt ?? 0, sheet: sheet.sheet)
        }
    }

    /// A sheet; several with one name if the person began again, or accepted again.
    private struct OpenSheet {
        /// The name of the ink, and of the signature that a witness's belongs to.
        var name, signature: String
        var kind: FieldInk.Kind
        var person: Int
        var sheet: FieldInk.Sheet
        var instead: InsteadPart?
        var heard = false
        var typed: TypedName?
        var isAcceptedByHost = false
        var words: String?
        var same: String?
        var acceptedAt: Int64?
        /// The index of the entry that accepted the sheet.
        var number = 0
    }

    private var sheets: [OpenSheet] {
        guard let flow = header.flow else { return [] }
        let (kinds, people) = (flow.inkKinds, flow.people ?? [])
        var sheets: [OpenSheet] = []
        /// The last accepted sheet with ink of its own, by name.
        var written: [String: Int] = [:]
        var isOpen = false
        var person = 0
        func close(before index: Int) {
            if isOpen { sheets[sheets.count - 1].sheet.entries = sheets.last!.sheet.entries.lowerBound..<index }
            isOpen = false
        }
        func open(_ name: String, _ part: InsteadPart?, _ person: Int, _ area: [Int], _ entries: Range<Int>) {
            let isShared = flow.document == nil && name == RecordedFlow.signatureName
            let signature = isShared ? RecordedFlow.signatureName(of: person, in: people) : name
            sheets.append(
                OpenSheet(
                    name: part?.name(of: signature) ?? signature, signature: signature,
                    kind: kinds[name] ?? .signature, person: person,
                    sheet: FieldInk.Sheet(signingArea: area, entries: entries), instead: part))
        }
        for (index, entry) in entries.enumerated() {
            guard case .flow(let event, let time) = entry else { continue }
            switch event {
            case .field(let field):
                close(before: index)
                open(field.name, field.part, field.person, field.signingArea, index + 1..<entries.count)
                sheets[sheets.count - 1].words = field.words
                isOpen = true
            case .accepted(let field):
                let wasOpen = isOpen
                close(before: index)
                if let same = field.same {
                    guard let source = written[same] else { continue }
                    var copy = sheets[source]
                    (copy.name, copy.signature, copy.same) = (field.name, field.name, same)
                    (copy.acceptedAt, copy.number) = (time, index)
                    sheets.append(copy)
                } else if wasOpen {
                    (sheets[sheets.count - 1].acceptedAt, sheets[sheets.count - 1].number) = (time, index)
                    written[field.name] = sheets.count - 1
                }
            case .confirmed(let field):
                close(before: index)
                open(field.name, field.part, person, header.screen.signingArea, index..<index)
                let last = sheets.count - 1
                (sheets[last].acceptedAt, sheets[last].number) = (time, index)
                (sheets[last].heard, sheets[last].words) = (field.heard == true, field.words)
                (sheets[last].typed, sheets[last].isAcceptedByHost) = (field.entered, field.host == true)
            case .person(let number):
                close(before: index)
                person = number
            case .page, .view, .answer, .glass: break
            }
        }
        return sheets
    }

    private func strokes(in range: Range<Int>) -> [CaptureStroke] {
        visibleEntries(in: range).compactMap { index in
            if case .stroke(let stroke) = entries[index] { stroke } else { nil }
        }
    }

    /// The lines whose ink stands for the record as a whole: those of the first accepted signature, else of the first
    /// accepted field, else of the last page to sign on. nil without any.
    var mainEntries: Range<Int>? {
        guard header.flow != nil else { return entries.indices }
        let accepted = fields
        let main = accepted.first { $0.kind == .signature } ?? accepted.first
        return main?.sheet.entries ?? sheets.last?.sheet.entries
    }

    /// The record as if it had only one field: its page to sign on, with the name of its person as the signer. All
    /// other formats are made of that. It is not a record of its own, and is never stored.
    /// - Parameter name: of an accepted field; nil for what stands for the whole record: the first signature, else the
    ///   first accepted field. A record without a flow is returned as it is.
    /// - Returns: nil if there is no such field.
    public func sheet(named name: String?) -> CaptureRecord? {
        guard let flow = header.flow else { return name == nil ? self : nil }
        let fields = fields
        let field =
            if let name { fields.first { $0.name == name } } else {
                fields.first { $0.kind == .signature } ?? fields.first
            }
        // An interrupted record counts with the ink that was written last, though nobody accepted it.
        let sheet = field?.sheet ?? (name == nil ? sheets.last?.sheet : nil)
        if name != nil, sheet == nil { return nil }
        var record = self
        record.header.flow = nil
        record.header.version = CaptureHeader.version
        record.end?.reading = nil
        record.end?.check = nil
        record.entries = (sheet.map { entries[$0.entries] } ?? []).filter { entry in
            if case .flow = entry { false } else { true }
        }
        if let sheet { record.header.screen.signingArea = sheet.signingArea }
        if let field, let people = flow.people, people.indices.contains(field.person) {
            record.header.request.signer = people[field.person].name
        }
        // The name of a witness or a representative is only in the ink.
        if field?.instead?.isWitness == true || field?.instead == .representative {
            record.header.request.signer = nil
        }
        return record
    }

    /// The last answer to each question and field, in the order of the first.
    public var answers: [CaptureAnswer] {
        var places: [String: Int] = [:]
        var answers: [CaptureAnswer] = []
        for case .flow(.answer(let answer), _) in entries {
            if let place = places[answer.name] {
                answers[place] = answer
            } else {
                places[answer.name] = answers.count
                answers.append(answer)
            }
        }
        return answers
    }
}

extension FieldInk {
    /// The words for people about the part in place of a signature; nil for a signature.
    public var insteadWords: String? {
        let reading = heard ? ", after all of the page was read aloud" : ""
        return switch instead {
        case .confirmed: "\(name) was confirmed without a signature" + reading
        case .typed:
            "\(name) has "
                + (typed?.words((isAcceptedByHost ? ", accepted by the host" : "") + reading) ?? "a typed name")
        case .mark: "\(name) is a mark"
        case .witness1, .witness2: "\(name) is a witness of the mark"
        case .representative: "\(name) was signed by a representative"
        case nil: nil
        }
    }
}

extension RecordedFlow {
    /// The kinds of notes and initials, by name.
    fileprivate var inkKinds: [String: FieldInk.Kind] {
        var kinds: [String: FieldInk.Kind] = [:]
        for question in questions ?? [] where question.kind == .note { kinds[question.name] = .note }
        for field in document?.fields ?? [] where field.kind == .initials { kinds[field.name] = .initials }
        return kinds
    }
}
