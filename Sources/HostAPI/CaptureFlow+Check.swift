// SPDX-License-Identifier: Apache-2.0
import Document

/// The ranges of a flow. Its texts count for the limits of all texts of a call.
extension CaptureFlow {
    package static let questionLimit = 32
    package static let choiceRange = 2...8
    package static let peopleLimit = 8
    package static let reasonLimit = 8
    package static let fieldLimit = HelperLimits.signers
    private static let valueLimit = 100
    private static let nameRange = 1...64
    private static let secondsRange = 0.0...3600

    /// The texts, with the names of their members.
    package var texts: [(name: String, text: String)] {
        var texts: [(name: String, text: String)] = []
        func add(_ name: String, _ text: String?) { if let text { texts.append((name, text)) } }
        for (index, question) in questions.enumerated() {
            add("questions[\(index)].name", question.name)
            add("questions[\(index)].heading", question.heading)
            add("questions[\(index)].text", question.text)
            add("questions[\(index)].person", question.person)
            for (number, choice) in (question.choices ?? []).enumerated() {
                add("questions[\(index)].choices[\(number)]", choice)
            }
        }
        for (index, person) in people.enumerated() {
            add("people[\(index)].role", person.role)
            add("people[\(index)].name", person.name)
            add("people[\(index)].sees", person.sees)
        }
        for (index, reason) in (declineReasons ?? []).enumerated() { add("decline[\(index)]", reason) }
        for (index, field) in (document?.fields ?? []).enumerated() {
            let name = "document.fields[\(index)]"
            add(name + ".name", field.name)
            add(name + ".person", field.person)
            add(name + ".label", field.label)
            switch field.place {
            case .field(let text): add(name + ".field", text)
            case .anchor(let text, _, _, _): add(name + ".anchor", text)
            case .rectangle: break
            }
        }
        for (field, value) in (document?.values ?? [:]).sorted(by: { $0.key < $1.key }) {
            add("document.values", field)
            add("document.values." + field, value)
        }
        return texts
    }

    /// - Throws: ``PanelError/invalidParameter(_:expected:)`` for the first value that is out of range.
    package func check() throws(PanelError) {
        try checkPeople()
        try checkQuestions()
        if let reasons = declineReasons {
            guard reasons.count <= Self.reasonLimit, reasons.allSatisfy({ !$0.isBlank }) else {
                throw .invalidParameter("decline", expected: "at most \(Self.reasonLimit) reasons, none of them blank")
            }
        }
        try document.map { document throws(PanelError) in try check(document) }
        try checkNames()
    }

    private func checkPeople() throws(PanelError) {
        guard people.count <= Self.peopleLimit else {
            throw .invalidParameter("people", expected: "at most \(Self.peopleLimit) people")
        }
        for (index, person) in people.enumerated() {
            let name = "people[\(index)]"
            let others = people.prefix(index).map(\.role)
            guard Self.isName(person.role), !others.contains(person.role) else {
                throw .invalidParameter(
                    name + ".role", expected: "1 to 64 characters, other than those of the people before")
            }
            if let seen = person.sees, !others.contains(seen) {
                throw .invalidParameter(name + ".sees", expected: "the role of a person before")
            }
        }
    }

    private func checkQuestions() throws(PanelError) {
        guard questions.count <= Self.questionLimit else {
            throw .invalidParameter("questions", expected: "at most \(Self.questionLimit) questions")
        }
        for (index, question) in questions.enumerated() {
            let name = "questions[\(index)]"
            if question.text.isBlank { throw .invalidParameter(name + ".text", expected: "a text that is not blank") }
            try checkPerson(question.person, name)
            if let heading = question.heading, heading.isBlank || question.kind != .check {
                throw .invalidParameter(
                    name + ".heading", expected: "a text that is not blank above a check box, none for other kinds")
            }
            let choices = question.choices
            guard question.kind == .choice else {
                if choices != nil { throw .invalidParameter(name + ".choices", expected: "none for this kind") }
                continue
            }
            let all = choices ?? []
            guard Self.choiceRange.contains(all.count), Set(all).count == all.count, all.allSatisfy({ !$0.isBlank })
            else {
                throw .invalidParameter(
                    name + ".choices",
                    expected: "\(Self.choiceRange.lowerBound) to \(Self.choiceRange.upperBound) different texts")
            }
        }
    }

    private func check(_ document: ReadDocument) throws(PanelError) {
        guard document.fields.count <= Self.fieldLimit else {
            throw .invalidParameter("document.fields", expected: "at most \(Self.fieldLimit) fields")
        }
        for (index, field) in document.fields.enumerated() {
            let name = "document.fields[\(index)]"
            try checkPerson(field.person, name)
            // Otherwise the first person would sign what another one is to sign.
            if people.count > 1, field.person == nil, field.kind == .signature || field.kind == .initials {
                throw .invalidParameter(
                    name + ".person", expected: "the role of the person who signs there, because there are several")
            }
            if case .rectangle(let page, _) = field.place, !(1...HelperLimits.pages).contains(page) {
                throw .invalidParameter(name + ".page", expected: "1 to \(HelperLimits.pages)")
            }
            if case .anchor(let text, _, _, _) = field.place {
                guard !text.isBlank, text.utf8.count <= HelperLimits.text else {
                    throw .invalidParameter(
                        name + ".anchor", expected: "1 to \(HelperLimits.text) bytes, not all of them blank")
                }
            }
            if field.kind == .choice {
                guard case .field = field.place else {
                    throw .invalidParameter(name, expected: "a field of the document's own form for a choice")
                }
            }
        }
        if let seconds = document.policy.minimumSeconds, !Self.secondsRange.contains(seconds) {
            throw .invalidParameter("document.policy.minimumSeconds", expected: "0 to 3600 seconds")
        }
        if (document.values ?? [:]).count > Self.valueLimit {
            throw .invalidParameter("document.values", expected: "at most \(Self.valueLimit) values")
        }
    }

    private func checkPerson(_ role: String?, _ name: String) throws(PanelError) {
        guard let role, !people.contains(where: { $0.role == role }) else { return }
        throw .invalidParameter(name + ".person", expected: "the role of one of the people")
    }

    /// A name stands for one thing in the record.
    private func checkNames() throws(PanelError) {
        // Without a document, records name the signatures so.
        var names: Set<String> = []
        var signatures = ["signature"] + people.dropFirst().map { "signature:" + $0.role }
        if let document { signatures = document.fields.filter { $0.kind == .signature }.compactMap(\.name) }
        if document == nil { names = Set(signatures) }
        // Whatever the host allows: the panel's configuration may allow a mark.
        names.formUnion(signatures.flatMap { [$0 + "/witness1", $0 + "/witness2"] })
        for (index, question) in questions.enumerated() {
            guard Self.isName(question.name), names.insert(question.name).inserted else {
                throw .invalidParameter(
                    "questions[\(index)].name", expected: "1 to 64 characters, other than those of the others")
            }
        }
        for (index, field) in (document?.fields ?? []).enumerated() {
            guard let name = field.name else { continue }
            guard Self.isName(name), names.insert(name).inserted else {
                throw .invalidParameter(
                    "document.fields[\(index)].name", expected: "1 to 64 characters, other than those of the others")
            }
        }
    }

    private static func isName(_ text: String) -> Bool {
        nameRange.contains(text.unicodeScalars.count) && !text.isBlank
    }
}
