// SPDX-License-Identifier: Apache-2.0
import Document
public import HostAPI
import Ink

/// A field that was signed, or a note that was written, with its ink.
public struct FieldInk: Equatable, Sendable {
    public typealias Kind = SignedField.Kind

    /// The name of the field or the question, for ``CaptureRecord/sheet(named:)``. Without a document, the first
    /// person's signature is called `signature`, those of others `signature:ROLE`.
    public var name: String
    public var kind: Kind
    /// The index of the person.
    public var person: Int
    /// The strokes that were visible when it was accepted.
    public var strokes: [CaptureStroke]
    /// The field whose ink this one has: the person chose to use their initials again.
    public var same: String?
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
    /// The fields with ink, in the order in which each was accepted first. If a field was accepted again, the last ink
    /// counts; a note that was accepted again without ink is withdrawn. Empty for a record without a flow.
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
            let entries = sheet.sheet.entries
            let ink = strokes[entries] ?? self.strokes(in: entries)
            strokes[entries] = ink
            if sheet.kind == .note, ink.isEmpty { return nil }
            return FieldInk(
                name: sheet.name, kind: sheet.kind, person: sheet.person, strokes: ink, same: sheet.same,
                acceptedAt: sheet.acceptedAt ?? 0, sheet: sheet.sheet)
        }
    }

    /// A sheet; several with one name if the person began again, or accepted again.
    private struct OpenSheet {
        var name: String
        var kind: FieldInk.Kind
        var person: Int
        var sheet: FieldInk.Sheet
        var same: String?
        var acceptedAt: Int64?
    }

    private var sheets: [OpenSheet] {
        guard let flow = header.flow else { return [] }
        let (kinds, people) = (flow.inkKinds, flow.people ?? [])
        var sheets: [OpenSheet] = []
        /// The last accepted sheet with ink of its own, by name.
        var written: [String: Int] = [:]
        var isOpen = false
        func close(before index: Int) {
            if isOpen { sheets[sheets.count - 1].sheet.entries = sheets.last!.sheet.entries.lowerBound..<index }
            isOpen = false
        }
        for (index, entry) in entries.enumerated() {
            guard case .flow(let event, let time) = entry else { continue }
            switch event {
            case .field(let field):
                close(before: index)
                let sheet = FieldInk.Sheet(signingArea: field.signingArea, entries: index + 1..<entries.count)
                let isShared = flow.document == nil && field.name == RecordedFlow.signatureName && field.person > 0
                let role = isShared && people.indices.contains(field.person) ? ":" + people[field.person].role : ""
                sheets.append(
                    OpenSheet(
                        name: field.name + role, kind: kinds[field.name] ?? .signature, person: field.person,
                        sheet: sheet))
                isOpen = true
            case .accepted(let field):
                let wasOpen = isOpen
                close(before: index)
                if let same = field.same {
                    guard let source = written[same] else { continue }
                    var copy = sheets[source]
                    (copy.name, copy.same, copy.acceptedAt) = (field.name, same, time)
                    sheets.append(copy)
                } else if wasOpen {
                    sheets[sheets.count - 1].acceptedAt = time
                    written[field.name] = sheets.count - 1
                }
            case .person: close(before: index)
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

extension RecordedFlow {
    /// The kinds of what is written by hand, by name.
    fileprivate var inkKinds: [String: FieldInk.Kind] {
        var kinds: [String: FieldInk.Kind] = [:]
        for question in questions ?? [] where question.kind == .note { kinds[question.name] = .note }
        for field in document?.fields ?? [] where field.kind == .initials { kinds[field.name] = .initials }
        return kinds
    }
}
