// SPDX-License-Identifier: Apache-2.0
package import Document
import Formats
import HostAPI
import Record

/// The updates that put what people have written into a document: one for each signature, in the order of signing.
/// Their signatures are holes.
package struct DocumentUpdates {
    package var list: [DocumentUpdate]
    private let plan: DocumentPlan
    private let facts: DocumentFacts
    /// The field of each signature.
    private let signed: [Field]

    /// - Parameters:
    ///   - isInTurns: whether the signatures are in the order of people's turns, and of the fields of each: the one
    ///     that is tried before a capture. A person may fill them in another one.
    /// - Throws: ``DocumentPlanFault`` for a name that nobody has said, ``AppearanceFault``, ``FieldTextFault`` or
    ///   `TextError`.
    package init(
        _ contents: FieldContents, _ plan: DocumentPlan, in facts: DocumentFacts, isInTurns: Bool = false
    ) throws {
        (self.plan, self.facts) = (plan, facts)
        var first = UpdateContents(plan)
        var acts: [(index: Int, field: Field, written: FieldContents.Written)] = []
        for written in contents.inks {
            guard let index = plan.fields.firstIndex(where: { $0.name == written.name }) else { continue }
            if let field = plan.fields[index].signatureField {
                acts.append((index, field, written))
            } else {
                first.add(written.ink, to: index)
            }
        }
        for index in plan.fields.indices { try first.add(contents, to: index) }
        if isInTurns {
            acts.sort { (plan.fields[$0.index].person, $0.index) < (plan.fields[$1.index].person, $1.index) }
        }
        signed = acts.map(\.field)
        list = try acts.map { index, field, written in
            let ink = try SignatureAppearance.make(
                written.ink, caption: plan.hasCaptions ? written.caption : nil, in: field,
                hasPlate: plan.plates.contains(index))
            return DocumentUpdate(
                field: field.name, ink: ink, signer: written.signer, reason: written.reason, time: written.time,
                finalField: plan.isFinal ? acts.last?.field.name : nil, record: written.record,
                recordSHA256: written.recordSHA256)
        }
        if list.isEmpty { return }
        list[0].newFields = plan.newFields(in: facts)
        (list[0].values, list[0].marks) = (try facts.drawn(first.values), first.marks)
        // If answers changed after a signature, it would stand for something else, and a reader would still call it
        // valid.
        list[0].locksForm = true
    }

    /// The update that makes the document as people see it before they fill it: with the host's values. Its signature
    /// stays a hole; it is only drawn. nil if the host fills nothing.
    package var shown: DocumentUpdate? {
        get throws {
            guard !plan.values.isEmpty, let first = list.first else { return nil }
            return DocumentUpdate(
                newFields: first.newFields, values: try facts.drawn(plan.values), field: first.field, time: 0)
        }
    }

    /// The updates without their ink, for the ground below the ink. They lack the looks that the file's own fields had
    /// before, such as a frame with "sign here".
    package var emptied: [DocumentUpdate] {
        list.map { update in
            var update = update
            update.marks = []
            update.ink?.clear()
            for index in update.values.indices where !plan.fills(update.values[index]) {
                update.values[index].appearance?.clear()
            }
            return update
        }
    }

    /// The ink on the pages after a number of updates, with the answers and marks, but without the values that the host
    /// has filled in.
    package func overlays(of count: Int) -> [SignedPictures.Overlay] {
        guard let first = list.first else { return [] }
        let new = Set(first.newFields.map(\.name))
        var overlays: [SignedPictures.Overlay] = []
        for (field, update) in zip(signed, list).prefix(count) {
            guard let ink = update.ink else { continue }
            overlays.append(
                .init(page: field.page, rectangle: field.rectangle, ink: ink, replaces: !new.contains(field.name)))
        }
        overlays += first.marks.map { .init(page: $0.page, rectangle: $0.rectangle, ink: $0.ink, replaces: false) }
        for value in first.values where !plan.fills(value) {
            guard let ink = value.appearance else { continue }
            for field in facts.fields where field.name == value.field {
                if field.kind != .text, field.choice != value.value { continue }
                // The file may have no picture of an empty box: then each viewer draws its own frame below the tick.
                overlays.append(
                    .init(
                        page: field.page, rectangle: field.rectangle, ink: ink, turn: field.format?.turn ?? 0,
                        replaces: true))
            }
        }
        return overlays
    }

    /// Checks that a document with these updates has the pages and the missing fonts of the document that was
    /// inspected, and only warnings that it had or that signing causes.
    /// - Parameter after: its facts; another process made the updates than the one that inspected the document.
    /// - Throws: ``SignedFileFault``.
    package func check(_ after: DocumentFacts) throws(SignedFileFault) {
        // The texts of filled fields are outlines, which the inspection cannot read to compare them.
        let own: Set<DocumentFacts.Warning> =
            list.first?.values.isEmpty != false ? [.existingSignatures] : [.existingSignatures, .misleadingFields]
        guard after.pages == facts.pages, after.missingFonts == facts.missingFonts,
            Set(after.warnings).subtracting(facts.warnings).subtracting(own).isEmpty
        else { throw SignedFileFault() }
    }
}

/// The contents of the first update, without its signature.
private struct UpdateContents {
    private let plan: DocumentPlan
    /// The values of fields of the document's own form.
    private(set) var values: [DocumentUpdate.Value]
    /// Ink beside the signature fields, which the first signature covers.
    private(set) var marks: [DocumentUpdate.Mark] = []

    init(_ plan: DocumentPlan) {
        self.plan = plan
        values = plan.values
    }

    mutating func add(_ ink: DocumentInk, to index: Int) {
        let field = plan.fields[index]
        marks.append(
            DocumentUpdate.Mark(
                page: field.page, rectangle: field.rectangle,
                ink: plan.plates.contains(index) ? ink.onPlate(in: field.rectangle) : ink,
                label: field.label ?? field.name)
        )
    }

    /// Adds the answer to a field, or the text that the pad fills in.
    mutating func add(_ contents: FieldContents, to index: Int) throws {
        let field = plan.fields[index]
        switch field.kind {
        case .signature, .initials, .text: break
        case .check, .choice: if let answer = contents.answers[field.name] { add(answer, to: index) }
        case .date: if let date = contents.date { try add(date, to: index) }
        case .name:
            guard let name = contents.name(of: field.person) else { throw DocumentPlanFault.noName(field.name) }
            try add(name, to: index)
        }
    }

    private mutating func add(_ answer: CaptureAnswer, to index: Int) {
        let field = plan.fields[index]
        let isChosen = answer.checked ?? (answer.choice == field.choice)
        guard let name = field.formName else {
            if isChosen { add(field.tick, to: index) }
            return
        }
        let value = DocumentUpdate.Value(
            field: name, value: isChosen ? field.choice ?? "Yes" : "Off", appearance: isChosen ? field.tick : nil)
        guard let place = values.firstIndex(where: { $0.field == name }) else { return values.append(value) }
        // Another place of the same field.
        if isChosen { values[place] = value }
    }

    private mutating func add(_ text: String, to index: Int) throws {
        let field = plan.fields[index]
        if let name = field.formName {
            values.append(DocumentUpdate.Value(field: name, value: text))
        } else {
            let place = Field(name: field.name, kind: .text, page: field.page, rectangle: field.rectangle)
            add(try FieldText.make(text, in: place), to: index)
        }
    }
}

extension DocumentPlan {
    /// The signature fields that the document does not have yet, also those that nobody signs.
    func newFields(in facts: DocumentFacts) -> [Field] {
        let own = Set(facts.fields.filter { $0.kind == .signature }.map(\.name))
        return fields.compactMap(\.signatureField).filter { !own.contains($0.name) }
    }

    /// Whether a value is one that the host has filled in.
    fileprivate func fills(_ value: DocumentUpdate.Value) -> Bool {
        values.contains { $0.field == value.field && $0.value == value.value }
    }
}

extension DocumentFacts {
    /// Values with the outlines of their texts, which are drawn here, as the helper has no fonts.
    fileprivate func drawn(_ values: [DocumentUpdate.Value]) throws -> [DocumentUpdate.Value] {
        try values.map { value in
            var value = value
            let field = fields.first { $0.name == value.field && $0.kind == .text }
            if value.appearance == nil, let field { value.appearance = try FieldText.make(value.value, in: field) }
            let places = fields.filter { $0.name == value.field && $0.kind != .text }
            // The name of a choice comes before the text that another choice may have.
            if !places.contains(where: { $0.choice == value.value }),
                let meant = places.first(where: { $0.meaning == value.value })?.choice
            {
                value.value = meant
            }
            return value
        }
    }
}

extension DocumentInk {
    fileprivate mutating func clear() { (content, texts) = ("", nil) }
}

extension Field {
    /// The tick of a box, or the dot of a choice, as the page with the document shows it (`DocumentPainter`).
    fileprivate var tick: DocumentInk { kind == .choice ? TickMark.dot(in: rectangle) : TickMark.ink(in: rectangle) }
}

/// The signed file would have other pages, other missing fonts or more warnings than the file that was inspected.
package struct SignedFileFault: Error, Equatable, Sendable, CustomStringConvertible {
    package var description: String {
        "the signed file would not look like the document: flatten the document (inkpanel document flatten IN OUT), "
            + "and have it signed again"
    }
}
