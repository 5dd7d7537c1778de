// SPDX-License-Identifier: Apache-2.0
package import Document
package import HostAPI
package import Record

/// The fields of a document that people fill, each with its place.
///
/// A document with fields has a signature field among them: only a signature puts anything into it.
package struct DocumentPlan: Equatable {
    /// The most places of one document. A person cannot fill more, and the header of a record has them all.
    package static let mostFields = 100
    /// The most bytes of the names and words of all fields, half of those that a header may have.
    private static let textLimit = CaptureLimits.headerByteCount / 2
    /// The longest words beside a field, in Unicode scalars.
    private static let longestLabel = 200
    /// The least width and height of a field that nobody writes in, in points: 2 mm.
    static let leastSide = 5.5

    /// In the order in which they are offered.
    package private(set) var fields: [FlowField] = []

    private let facts: DocumentFacts
    private let values: [String: String]
    private let roles: [String]
    /// The names that fields and questions have.
    private var taken: Set<String>
    /// The names of the fields of the form that are asked for.
    private var requested: Set<String> = []

    /// - Parameters:
    ///   - flow: has a document.
    ///   - hits: finds the places of a text; called for each anchor.
    /// - Throws: ``DocumentPlanFault``, or what `hits` throws.
    package init(_ flow: CaptureFlow, in facts: DocumentFacts, hits: (String) throws -> DocumentHits) throws {
        let document = flow.document
        self.facts = facts
        values = document?.values ?? [:]
        roles = flow.people.map(\.role)
        taken = Set(flow.questions.map(\.name) + (document?.fields ?? []).compactMap(\.name))
        try checkValues()
        let asked = document?.fields ?? []
        let places = try asked.map { try place(of: $0, hits: hits) }
        let names = try signatureNames(asked, places)
        for (number, field) in asked.enumerated() {
            add(field, places[number], signature: names[number])
        }
        if asked.isEmpty { try addSignatures() }
        guard fields.contains(where: { $0.kind == .signature }) else {
            guard asked.isEmpty, values.isEmpty else { throw DocumentPlanFault.noSignature }
            if document?.signed == true { throw DocumentPlanFault.onlyRead }
            return
        }
        addAnswers()
        try checkOverlaps()
        try checkRequired()
        let texts = fields.reduce(0) {
            $0 + $1.name.utf8.count + (($1.label ?? "") + ($1.meaning ?? "")).utf8.count + 200
        }
        guard fields.count <= Self.mostFields, texts <= Self.textLimit else { throw DocumentPlanFault.tooMany }
    }

    // MARK: fields that the host asks for

    /// The places of a field; several only for check boxes and choices of the form.
    private mutating func place(
        of field: RequestedField, hits: (String) throws -> DocumentHits
    ) throws -> [DocumentField] {
        let (page, rectangle): (Int, DocumentRectangle)
        switch field.place {
        case .field(let name): return try formFields(name, field.kind)
        case .rectangle(let number, let stated): (page, rectangle) = (number, stated)
        case .anchor(let text, let width, let height, let offset):
            let found = try hits(text)
            guard found.places.count == 1, let hit = found.places.first else {
                throw DocumentPlanFault(SigningPlanFault.anchor(text, found))
            }
            page = hit.page
            rectangle = SignaturePlace.rectangle(
                width: width, height: height, offset: offset, at: hit.rectangle, on: facts.size(of: page))
        }
        guard page >= 1, page <= facts.pages.count else {
            throw DocumentPlanFault(SigningPlanFault.noPage(page, count: facts.pages.count))
        }
        let size = facts.pages[page - 1]
        let least = field.kind == .signature || field.kind == .initials ? SignaturePlace.leastSide : Self.leastSide
        // Comparisons with NaN are false, so a rectangle that has one is refused.
        guard rectangle.minX >= 0, rectangle.minY >= 0, rectangle.maxX <= size.width, rectangle.maxY <= size.height,
            rectangle.width >= least, rectangle.height >= least
        else { throw DocumentPlanFault.rectangle(page: page, rectangle, size, least: least) }
        return [DocumentField(name: "", kind: .signature, page: page, rectangle: rectangle)]
    }

    private mutating func formFields(_ name: String, _ kind: RequestedField.Kind) throws -> [DocumentField] {
        let fits: [DocumentField.Kind] =
            switch kind {
            case .signature: [.signature]
            case .check: [.check]
            case .choice: [.radio, .check]
            case .initials, .date, .name: [.text]
            }
        let found = facts.fields.filter { $0.name == name && fits.contains($0.kind) }
        guard !found.isEmpty else {
            if kind == .signature {
                let others = facts.fields.filter { $0.kind == .signature }.map(\.name)
                throw DocumentPlanFault(SigningPlanFault.noField(name, others: others))
            }
            throw DocumentPlanFault.noField(name, for: kind)
        }
        guard requested.insert(name).inserted else { throw DocumentPlanFault.twice(name) }
        if values[name] != nil { throw DocumentPlanFault.filled(name) }
        return kind == .choice || kind == .check ? found : [found[0]]
    }

    /// The name in the signed document of each signature, and of initials without another name.
    private func signatureNames(_ asked: [RequestedField], _ places: [[DocumentField]]) throws -> [String?] {
        var names = [String?](repeating: nil, count: asked.count)
        // Signatures first: these names are those of the document's fields.
        let signatures = asked.indices.filter { asked[$0].kind == .signature }
        let initials = asked.indices.filter { asked[$0].kind == .initials }
        let order = signatures + initials
        let least = SignaturePlace.leastSide
        let signaturePlaces = order.map { index -> SignaturePlace in
            let field = places[index][0]
            // Initials are no fields of the document, so only the name counts.
            guard asked[index].kind == .signature else {
                return .rectangle(page: 1, DocumentRectangle(minX: 0, minY: 0, maxX: least, maxY: least))
            }
            return field.name.isEmpty ? .rectangle(page: field.page, field.rectangle) : .field(name: field.name)
        }
        do {
            let plan = try SigningPlan(signaturePlaces, in: facts) { _ in DocumentHits() }
            for (number, index) in order.enumerated() { names[index] = plan.fields[number].name }
        } catch let fault as SigningPlanFault {
            throw DocumentPlanFault(fault)
        }
        return names
    }

    /// - Parameter signature: the name of a signature in the signed document.
    private mutating func add(_ field: RequestedField, _ places: [DocumentField], signature: String?) {
        let own = places[0].name.isEmpty ? nil : places[0].name
        let name = field.name ?? free(own ?? signature ?? field.kind.rawValue)
        let hasValues = field.kind == .check || field.kind == .choice
        // Check boxes of one name exclude each other if they have several values (ISO 32000-1, 12.7.4.2.3).
        let excludes = field.kind == .check && Set(places.map { $0.choices?.first }).count > 1
        for place in places {
            fields.append(
                FlowField(
                    name: name, kind: excludes ? .choice : field.kind,
                    person: field.person.flatMap { roles.firstIndex(of: $0) } ?? 0,
                    page: place.page, rectangle: Self.numbers(place.rectangle),
                    required: field.mustBeFilled || place.isRequired == true,
                    label: Self.words(field.label ?? place.label), value: hasValues ? place.choices?.first : nil,
                    meaning: hasValues ? Self.words(place.meaning) : nil,
                    field: field.kind == .signature ? signature : own))
        }
    }

    // MARK: fields of the document's own form

    /// All signature fields, for the one person. Of several people, the host says who signs which.
    private mutating func addSignatures() throws {
        let signatures = facts.fields.filter { $0.kind == .signature }
        if roles.count > 1, !signatures.isEmpty {
            throw DocumentPlanFault.whose(signatures.map(\.name), people: roles)
        }
        for field in signatures { add(field, .signature) }
    }

    /// Check boxes and choices that nobody has answered, for the first person.
    private mutating func addAnswers() {
        for field in facts.fields where field.kind == .check || field.kind == .radio {
            if values[field.name] != nil || requested.contains(field.name) { continue }
            let places = facts.fields.filter { $0.name == field.name && $0.kind == field.kind }
            let isChoice = field.kind == .radio || Set(places.map { $0.choices?.first }).count > 1
            for place in places { add(place, isChoice ? .choice : .check) }
            requested.insert(field.name)
        }
    }

    private mutating func add(_ field: DocumentField, _ kind: RequestedField.Kind) {
        let name = fields.first { $0.field == field.name }?.name ?? free(field.name)
        fields.append(
            FlowField(
                name: name, kind: kind, page: field.page, rectangle: Self.numbers(field.rectangle),
                required: kind == .signature || field.isRequired == true, label: Self.words(field.label),
                value: kind == .signature ? nil : field.choices?.first,
                meaning: kind == .signature ? nil : Self.words(field.meaning), field: field.name))
    }

    // MARK: names and checks

    /// A name that no other field and no question has.
    private mutating func free(_ wanted: String) -> String {
        var name = wanted
        var number = 2
        while !taken.insert(name).inserted {
            name = "\(wanted)-\(number)"
            number += 1
        }
        return name
    }

    private static func words(_ label: String?) -> String? {
        label.map { PlainText.printable($0, atMost: longestLabel) }.flatMap { $0.isBlank ? nil : $0 }
    }

    private static func numbers(_ rectangle: DocumentRectangle) -> [Double] {
        [rectangle.minX, rectangle.minY, rectangle.maxX, rectangle.maxY]
    }

    private func checkValues() throws {
        for name in values.keys.sorted() {
            if facts.locked?.contains(name) == true { throw DocumentPlanFault.locked(name) }
            guard facts.fields.contains(where: { $0.name == name && $0.kind != .signature }) else {
                throw DocumentPlanFault.noField(name)
            }
        }
    }

    /// Ink over ink, or a tick over it, could be read as somebody else's. The form's own fields stay where its author
    /// has put them.
    private func checkOverlaps() throws {
        for (index, field) in fields.enumerated() {
            for other in fields[..<index] where field.page == other.page && field.name != other.name {
                if field.isOfForm(facts), other.isOfForm(facts) { continue }
                guard field.place.overlaps(other.place) else { continue }
                throw DocumentPlanFault(SigningPlanFault.overlap(other.name, field.name, page: field.page))
            }
        }
    }

    /// A form's texts are filled before the document is shown. Its check boxes and choices are offered.
    private func checkRequired() throws {
        let drawn = Set(fields.filter { $0.kind == .date || $0.kind == .name }.compactMap(\.field))
        for field in facts.fields where field.kind == .text && field.isRequired == true {
            let value = values[field.name] ?? field.value ?? ""
            if value.isEmpty, !drawn.contains(field.name) { throw DocumentPlanFault.noValue(field.name) }
        }
        if let name = facts.unfillable?.first { throw DocumentPlanFault.unfillable(name) }
        for field in facts.fields where field.kind == .check || field.kind == .radio {
            if field.isRequired == true, values[field.name] == "Off" { throw DocumentPlanFault.noValue(field.name) }
        }
    }
}

extension FlowField {
    /// The field in the signed document; nil unless it is a signature.
    package var signatureField: DocumentField? {
        guard kind == .signature, let field else { return nil }
        return DocumentField(
            name: field, kind: .signature, page: page, rectangle: place, label: label)
    }

    /// Whether the field is one of the document's own form.
    fileprivate func isOfForm(_ facts: DocumentFacts) -> Bool {
        field.map { name in facts.fields.contains { $0.name == name } } ?? false
    }

    package var place: DocumentRectangle {
        // A plan has four numbers.
        rectangle.count == 4
            ? DocumentRectangle(minX: rectangle[0], minY: rectangle[1], maxX: rectangle[2], maxY: rectangle[3])
            : DocumentRectangle(minX: 0, minY: 0, maxX: 0, maxY: 0)
    }
}

/// The reason why a document cannot be filled as it was asked for.
package struct DocumentPlanFault: Error, Equatable, Sendable, CustomStringConvertible {
    /// The name for hosts.
    package let name: String
    /// In words for people.
    package let description: String

    private init(_ name: String, _ description: String) {
        self.name = name
        self.description = description
    }

    init(_ fault: SigningPlanFault) {
        let name =
            switch fault {
            case .noField: "noField"
            case .twice: "twice"
            case .anchor: "anchor"
            case .noPage: "noPage"
            case .rectangle: "rectangle"
            case .overlap: "overlap"
            case .tooMany: "tooManyFields"
            }
        self.init(name, fault.description)
    }

    static func rectangle(
        page: Int, _ place: DocumentRectangle, _ size: DocumentFacts.PageSize, least: Double
    ) -> DocumentPlanFault {
        DocumentPlanFault(
            "rectangle",
            "the place \(place.edges) of a field is not within page \(page), which is \(Int(size.width)) x "
                + "\(Int(size.height)) points, or is smaller than \(DocumentRectangle.tenths(least)) points")
    }

    static func noField(_ name: String, for kind: RequestedField.Kind? = nil) -> DocumentPlanFault {
        let what =
            switch kind {
            case .check: "check box"
            case .choice: "choice"
            case .initials, .date, .name: "text field"
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

    static let tooMany = DocumentPlanFault(
        "tooManyFields",
        "people would have to fill more than \(DocumentPlan.mostFields) places, or their words are too long")
}
