// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Document
import HostAPI

/// The words at the beginning of an argument: `optional` or `label="I agree"`.
private struct ArgumentWords {
    private(set) var rest: Substring

    init(_ argument: some StringProtocol) { rest = Substring(argument) }

    /// - Returns: the next word, with a value if it has an equals sign; nil at the end.
    /// - Throws: ``Unreadable``.
    mutating func next() throws(Unreadable) -> (key: String, value: String?)? {
        rest = rest.drop { $0 == " " }
        if rest.isEmpty { return nil }
        let key = rest.prefix { $0 != " " && $0 != "=" }
        rest = rest[key.endIndex...]
        guard rest.first == "=" else { return (String(key), nil) }
        rest = rest.dropFirst()
        guard rest.first == "\"" else {
            let value = rest.prefix { $0 != " " }
            rest = rest[value.endIndex...]
            return (String(key), String(value))
        }
        let value = rest.dropFirst().prefix { $0 != "\"" }
        rest = rest[value.endIndex...]
        guard rest.first == "\"", rest.dropFirst().first ?? " " == " " else { throw Unreadable() }
        rest = rest.dropFirst()
        return (String(key), String(value))
    }

    struct Unreadable: Error {}
}

/// A field of a document: `kind=initials person=Customer anchor=Initials:`.
struct FieldOption: ExpressibleByArgument {
    static let kinds = Field.Kind.ofPeople.map(\.rawValue).joined(separator: "|")

    var field: RequestedField

    init?(argument: String) {
        var words = ArgumentWords(argument)
        var texts: [String: String] = [:]
        var place = ""
        var last = ""
        var isOptional = false
        while true {
            // Names and texts may have spaces and quotation marks, so they end the argument, unless they are quoted.
            let rest = words.rest.drop { $0 == " " }
            if rest.hasPrefix("field=") || rest.hasPrefix("anchor=") {
                var quoted = words
                if rest.drop(while: { $0 != "=" }).hasPrefix("=\""), let next = try? quoted.next() {
                    guard last.isEmpty else { return nil }
                    (words, last) = (quoted, "\(next.key)=\(next.value ?? "")")
                    continue
                }
                place += rest
                break
            }
            guard let next = try? words.next() else {
                if rest.isEmpty { break }
                return nil
            }
            switch (next.key, next.value) {
            case ("optional", nil) where !isOptional: isOptional = true
            case ("kind", let value?), ("person", let value?), ("name", let value?), ("label", let value?):
                guard !value.isEmpty, texts.updateValue(value, forKey: next.key) == nil else { return nil }
            case (let key, let value?): place += "\(key)=\(value) "
            default: return nil
            }
        }
        guard let kind = Field.Kind(rawValue: texts["kind"] ?? "signature"),
            let place = SignaturePlace(argument: place + last)
        else { return nil }
        field = RequestedField(
            kind: kind, name: texts["name"], person: texts["person"], place: place,
            isRequired: isOptional ? false : nil, label: texts["label"])
    }
}

/// A question: `choice receipt required: The receipt? | on paper | by mail`, `check news: By mail`, or, with words
/// above the check box, `check news: May we write to you? | By mail`.
struct QuestionOption: ExpressibleByArgument {
    static let kinds = CaptureQuestion.Kind.allCases.map(\.rawValue).joined(separator: "|")

    var question: CaptureQuestion

    init?(argument: String) {
        guard let colon = argument.firstIndex(of: ":") else { return nil }
        var words = ArgumentWords(argument[..<colon])
        guard let first = try? words.next(), first.value == nil, let kind = CaptureQuestion.Kind(rawValue: first.key),
            let second = try? words.next(), second.value == nil
        else { return nil }
        var isRequired = false
        var person: String?
        do {
            while let word = try words.next() {
                switch (word.key, word.value) {
                case ("required", nil) where !isRequired: isRequired = true
                case ("person", let role?) where person == nil && !role.isEmpty: person = role
                default: return nil
                }
            }
        } catch {
            return nil
        }
        let parts = argument[argument.index(after: colon)...].split(separator: "|", omittingEmptySubsequences: false)
            .map { $0.trimmed }
        guard parts.allSatisfy({ !$0.isEmpty }) else { return nil }
        let isValid =
            switch kind {
            case .check: parts.count <= 2
            case .choice: parts.count > 1
            case .rating, .note: parts.count == 1
            }
        guard isValid else { return nil }
        let hasHeading = kind == .check && parts.count == 2
        question = CaptureQuestion(
            name: second.key, kind: kind, heading: hasHeading ? parts[0] : nil, text: parts[hasHeading ? 1 : 0],
            choices: kind == .choice ? Array(parts.dropFirst()) : nil, required: isRequired ? true : nil,
            person: person)
    }
}

/// A person: `Customer: Anna Müller`, `Customer`, or `Witness sees Customer: Ben`.
struct PersonOption: ExpressibleByArgument {
    var person: CapturePerson

    init?(argument: String) {
        let parts = argument.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map { $0.trimmed }
        let roles = parts[0].split(separator: " sees ", maxSplits: 1).map { $0.trimmed }
        guard let role = roles.first, !role.isEmpty, parts.count == 1 || !parts[1].isEmpty else { return nil }
        person = CapturePerson(
            role: role, name: parts.count == 2 ? parts[1] : nil, sees: roles.count == 2 ? roles[1] : nil)
    }
}

extension Substring {
    /// Without spaces at both ends.
    fileprivate var trimmed: String {
        var text = drop { $0 == " " }
        while text.last == " " { text.removeLast() }
        return String(text)
    }
}
