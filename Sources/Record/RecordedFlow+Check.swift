// SPDX-License-Identifier: Apache-2.0
import Document
public import HostAPI

// Conditions of the header that both the encoder and the decoder check; nil if they hold.

extension RecordedFlow {
    /// The name of a signature without a document.
    public static let signatureName = "signature"

    /// The name of a person's signature without a document.
    /// - Parameters:
    ///   - person: the index.
    ///   - people: empty for a single person.
    public static func signatureName(of person: Int, in people: [CapturePerson]) -> String {
        person > 0 && people.indices.contains(person) ? signatureName + ":" + people[person].role : signatureName
    }

    /// One at least.
    var personCount: Int { max(people?.count ?? 0, 1) }

    /// The index of the person with a role; nil stands for the first one.
    func person(of role: String?) -> Int? {
        guard let role else { return 0 }
        return (people ?? []).firstIndex { $0.role == role }
    }

    var fault: String? {
        if let fault = peopleFault ?? questionFault { return fault }
        if (declineReasons ?? []).count > CaptureFlow.reasonLimit {
            return "more than \(CaptureFlow.reasonLimit) reasons"
        }
        if let alternatives, alternatives.isEmpty || Set(alternatives).count != alternatives.count {
            return "no alternatives to a signature, or the same one twice"
        }
        if let fault = document?.fault(personCount: personCount) { return fault }
        return nameFault
    }

    private var peopleFault: String? {
        guard let people else { return nil }
        if people.count > CaptureFlow.peopleLimit { return "more than \(CaptureFlow.peopleLimit) people" }
        for (index, person) in people.enumerated() {
            let before = people.prefix(index).map(\.role)
            if person.role.isEmpty || before.contains(person.role) { return "two people with a role, or an empty role" }
            if let seen = person.sees, !before.contains(seen) { return "a witness of somebody who comes later" }
        }
        return nil
    }

    private var questionFault: String? {
        guard let questions else { return nil }
        if questions.count > CaptureFlow.questionLimit { return "more than \(CaptureFlow.questionLimit) questions" }
        for question in questions {
            if person(of: question.person) == nil { return "a question for somebody whom the header does not name" }
            guard question.kind == .choice else {
                if question.choices != nil { return "choices of a question that is not a choice" }
                continue
            }
            let choices = question.choices ?? []
            if !CaptureFlow.choiceRange.contains(choices.count) || Set(choices).count != choices.count {
                return "choices are not \(CaptureFlow.choiceRange.lowerBound) to "
                    + "\(CaptureFlow.choiceRange.upperBound) different texts"
            }
        }
        return nil
    }

    /// A name of an answer or of ink stands for one thing.
    private var nameFault: String? {
        var names: Set<String> = []
        if document == nil {
            names = Set(signatureNames)
        }
        for question in questions ?? [] where question.name.isEmpty || !names.insert(question.name).inserted {
            return "a name of a question is empty, or something else has it"
        }
        var places: [String: Field] = [:]
        for field in document?.fields ?? [] {
            switch field.kind {
            case .date, .name: continue
            case .signature, .initials, .check, .choice, .text: break
            }
            if let other = places[field.name] {
                // Boxes of one field of the document's form.
                let canRepeat = field.kind == .check || field.kind == .choice
                if canRepeat, other.kind == field.kind, other.person == field.person { continue }
            }
            guard !field.name.isEmpty, names.insert(field.name).inserted else {
                return "a name of a field is empty, or something else has it"
            }
            places[field.name] = field
        }
        let witnesses = alternatives?.contains(.mark) == true ? signatureNames.flatMap(Self.witnessNames) : []
        return witnesses.allSatisfy { names.insert($0).inserted } ? nil : "a name is that of a witness's ink"
    }

    /// The names of all signatures.
    private var signatureNames: [String] {
        if let document { return document.fields.filter { $0.kind == .signature }.map(\.name) }
        return (0..<personCount).map { Self.signatureName(of: $0, in: people ?? []) }
    }

    private static func witnessNames(of signature: String) -> [String] {
        InsteadPart.allCases.filter(\.isWitness).map { $0.name(of: signature) }
    }
}

extension RecordedDocument {
    fileprivate func fault(personCount: Int) -> String? {
        if !(0...CaptureLimits.documentByteCount ~= bytes) || !(1...CaptureLimits.pageCount ~= pages) {
            return "the size of the document is out of range"
        }
        for original in [pictures, flattened].compactMap({ $0 }) {
            let isValid = 1...CaptureLimits.documentByteCount ~= original.bytes && SealHead.isDigest(original.sha256)
            if !isValid { return "what the document was made of has no length or no digest" }
        }
        if fields.count > CaptureLimits.fieldCount { return "more than \(CaptureLimits.fieldCount) fields" }
        if let seconds = policy?.minimumSeconds, !seconds.isFinite || seconds < 0 {
            return "a number of the policy is out of range"
        }
        for field in fields {
            if !(0..<personCount ~= field.person) { return "a field of somebody whom the header does not name" }
            if !(1...pages ~= field.page) { return "a field on a page that the document does not have" }
            let place = field.rectangle
            let isFinite = [place.minX, place.minY, place.maxX, place.maxY].allSatisfy(\.isFinite)
            guard isFinite, place.minX <= place.maxX, place.minY <= place.maxY else {
                return "the place of a field is not its left, lower, right and upper edge"
            }
            if field.kind == .text { return "a field that people do not fill" }
            if field.kind == .choice, field.choice == nil { return "a choice without its value" }
        }
        return nil
    }
}
