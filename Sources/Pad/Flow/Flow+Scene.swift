// SPDX-License-Identifier: Apache-2.0
import Document
import Geometry
import HostAPI
import Record

/// The document on the screen.
extension Flow {
    /// The words that the pad fills into a field: the date, or the person's name.
    func words(in field: Field) -> String? {
        switch field.kind {
        case .date: date
        case .name: people.indices.contains(field.person) ? people[field.person].name : nil
        case .signature, .initials, .check, .choice, .text: nil
        }
    }

    /// - Parameter messages: the hints in open fields.
    func scene(_ messages: MessageTable) -> DocumentScene? {
        reading?.scene { field in
            let shape: DocumentScene.Mark.Shape =
                switch field.kind {
                case .signature: .signature
                case .initials: .initials
                case .check: .check
                case .choice: .choice
                case .date, .name, .text: .words
                }
            guard let state = state(of: field, messages) else { return nil }
            var mark = DocumentScene.Mark(shape, place: .empty, state: state)
            switch state {
            case .open where shape == .signature: mark.hint = messages[.signHere]
            case .open where shape == .initials: mark.hint = messages[.initialHere]
            case .ink where shape == .signature && document?.plan.hasCaptions == true,
                .instead where document?.plan.hasCaptions == true:
                let name = people.indices.contains(field.person) ? people[field.person].name : nil
                mark.caption = DocumentPlan.caption(insteads.isByPerson(field.name) ? name : nil, date)
            default: break
            }
            return mark
        }
    }

    private func state(of field: Field, _ messages: MessageTable) -> DocumentScene.Mark.State? {
        if field.kind == .date || field.kind == .name { return words(in: field).map { .words($0) } }
        if let part = insteads[field.name] {
            // A mark has the words of its witnesses.
            let message = (part.message ?? InsteadPart.witness1.message).map { messages[$0] }
            let words = insteads.typedWords(of: field.name) ?? message ?? ""
            return .instead(words, insteads.inks(of: field.name))
        }
        if let ink = inks[field.name] { return .ink(ink) }
        let answer = answer(to: field.name)
        if answer?.checked == true || answer?.choice != nil && answer?.choice == field.choice { return .ticked }
        if field.person != person { return .foreign }
        if answer != nil, field.kind == .choice { return .empty }
        return .open(isRequired: mustFill(field))
    }
}
