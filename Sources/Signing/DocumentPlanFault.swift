// SPDX-License-Identifier: Apache-2.0
import Document
import HostAPI

/// The reason why a document cannot be filled as it was asked for.
package struct DocumentPlanFault: Error, Equatable, Sendable, CustomStringConvertible {
    /// The name for hosts.
    package let name: String
    /// The reason in words, for people.
    package let description: String

    private init(_ name: String, _ description: String) {
        self.name = name
        self.description = description
    }

    /// - Parameter others: the names of the signature fields that the document has.
    static func noSignatureField(_ name: String, others: [String]) -> DocumentPlanFault {
        DocumentPlanFault(
            "noField",
            "the document has no unsigned signature field \(name.debugDescription); "
                + (others.isEmpty
                    ? "it has none, so name a rectangle or an anchor"
                    : "it has \(others.map(\.debugDescription).joined(separator: ", "))"))
    }

    static func anchor(_ text: String, _ found: DocumentHits) -> DocumentPlanFault {
        let words =
            if found.places.isEmpty {
                "the text \(text.debugDescription) is not in the document"
                    + (found.near.isEmpty
                        ? ": an anchor is a text as it is written there"
                        : "; did you mean \(found.near.map(\.debugDescription).joined(separator: " or "))?")
            } else {
                "the text \(text.debugDescription) is in the document \(found.places.count) times, on "
                    + "\(pages(found)): an anchor is there once"
            }
        return DocumentPlanFault("anchor", words)
    }

    private static func pages(_ found: DocumentHits) -> String {
        let pages = Set(found.places.map(\.page)).sorted()
        let list = pages.prefix(8).map { "\($0)" }.joined(separator: ", ") + (pages.count > 8 ? ", ..." : "")
        return (pages.count == 1 ? "page " : "pages ") + list
    }

    package static func noPage(_ page: Int, count: Int) -> DocumentPlanFault {
        DocumentPlanFault("noPage", "the document has no page \(page), but pages 1 to \(count)")
    }

    /// - Parameters:
    ///   - page: its number.
    ///   - least: the least width and height.
    static func rectangle(
        _ place: DocumentRectangle, page: Int, _ size: DocumentFacts.PageSize, least: Double
    ) -> DocumentPlanFault {
        DocumentPlanFault(
            "rectangle",
            "the place \(place.edges) is not within page \(page), which is \(Int(size.width)) x \(Int(size.height)) "
                + "points, or is smaller than \(DocumentRectangle.tenths(least)) points")
    }

    static func overlap(_ one: String, _ other: String, page: Int) -> DocumentPlanFault {
        DocumentPlanFault(
            "overlap",
            "the fields \(one.debugDescription) and \(other.debugDescription) overlap on page \(page): place one "
                + "elsewhere, or make it smaller")
    }

    static func noField(_ name: String, for kind: Field.Kind? = nil) -> DocumentPlanFault {
        let what =
            switch kind {
            case .check: "check box"
            case .choice: "choice"
            case .initials, .date, .name, .text: "text field"
            case .signature, nil: "field"
            }
        return DocumentPlanFault("noField", "the document has no \(what) \(name.debugDescription) to fill")
    }

    static func locked(_ name: String) -> DocumentPlanFault {
        DocumentPlanFault("noField", "an earlier signature has locked the field \(name.debugDescription)")
    }

    static func twice(_ name: String) -> DocumentPlanFault {
        DocumentPlanFault("twice", "the field \(name.debugDescription) is asked for twice")
    }

    static func filled(_ name: String) -> DocumentPlanFault {
        DocumentPlanFault(
            "twice", "the field \(name.debugDescription) has a value of the host, so nobody can be asked to fill it")
    }

    static func noValue(_ name: String) -> DocumentPlanFault {
        DocumentPlanFault(
            "noValue", "the document demands a value for \(name.debugDescription): add it to the values of the call")
    }

    static func unfillable(_ name: String) -> DocumentPlanFault {
        DocumentPlanFault(
            "noValue",
            "the document demands a value for \(name.debugDescription), which cannot be filled here: fill it before")
    }

    package static func noName(_ field: String) -> DocumentPlanFault {
        DocumentPlanFault(
            "noName", "the field \(field.debugDescription) is for a name, and the person has none: add the name")
    }

    static let noSignature = DocumentPlanFault(
        "noSignature", "fields and values get into the document with a signature: add a field of the kind signature")

    static let onlyRead = DocumentPlanFault(
        "noSignature",
        "the document has no field for a signature, and the signed document is asked for: add a field of the kind "
            + "signature")

    static func whose(_ fields: [String], people: [String]) -> DocumentPlanFault {
        func list(_ names: [String]) -> String { names.prefix(8).map(\.debugDescription).joined(separator: ", ") }
        return DocumentPlanFault(
            "noPerson",
            "the document has fields for signatures (\(list(fields))), and several people are to sign "
                + "(\(list(people))): add a field with its name and person for each")
    }

    static let tooManySigners = DocumentPlanFault(
        "tooManyFields", "a document has at most \(DocumentPlan.mostFields) signers at once")

    static let tooMany = DocumentPlanFault(
        "tooManyFields",
        "people would have to fill more than \(DocumentPlan.mostFields) places, or their words are too long")
}
