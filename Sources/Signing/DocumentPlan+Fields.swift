// SPDX-License-Identifier: Apache-2.0
package import Document
package import HostAPI
import Record

/// Finds the fields of a document that people fill, each with its place.
///
/// A document with fields has a signature field among them: only a signature puts anything into it.
extension DocumentPlan {
    /// The most places of one document. A person cannot fill more, and the header of a record has them all.
    package static let mostFields = CaptureFlow.fieldLimit

    /// The plan of a capture in which people read the document on the pad.
    /// - Parameters:
    ///   - flow: has a document.
    ///   - hits: finds the places of a text; called for each anchor.
    /// - Throws: ``DocumentPlanFault``, or what `hits` throws.
    package init(_ flow: CaptureFlow, in facts: DocumentFacts, hits: (String) throws -> DocumentHits) throws {
        let asked = flow.document
        let filled = (asked?.values ?? [:]).sorted { $0.key < $1.key }
            .map { DocumentUpdate.Value(field: $0.key, value: $0.value) }
        var search = FieldSearch(
            in: facts, values: filled, roles: flow.people.map(\.role), questions: flow.questions.map(\.name))
        try search.checkValues()
        try search.add(asked?.fields ?? [], hits: hits)
        if asked?.fields.isEmpty != false { try search.addSignatures() }
        if search.fields.contains(where: { $0.kind == .signature }) {
            search.addAnswers()
            try search.checkOverlaps()
            try search.checkRequired()
            try search.checkLimits()
        } else {
            guard search.fields.isEmpty, filled.isEmpty else { throw DocumentPlanFault.noSignature }
            if asked?.signed == true { throw DocumentPlanFault.onlyRead }
        }
        self.init(
            fields: search.fields, values: Self.firstValues(filled, search.fields, in: facts),
            hasCaptions: asked?.caption == true, isFinal: asked?.final == true)
    }

    /// The plan of a document that gets the signatures of records, each at a place.
    /// - Parameters:
    ///   - values: fill the document's own form.
    ///   - hits: finds the places of a text; called for each anchor.
    /// - Throws: ``DocumentPlanFault``, or what `hits` throws.
    package init(
        _ places: [SignaturePlace], values: [DocumentUpdate.Value], hasCaptions: Bool = false, isFinal: Bool = false,
        in facts: DocumentFacts, hits: (String) throws -> DocumentHits
    ) throws {
        guard places.count <= Self.mostFields else { throw DocumentPlanFault.tooManySigners }
        var search = FieldSearch(in: facts, values: [], roles: [], questions: [])
        try search.add(places.map { RequestedField(place: $0) }, hits: hits)
        // Nobody reads the document on the pad, so nobody would see that a signature covers another signature's field.
        try search.checkOverlaps(besides: facts.fields.filter { $0.kind == .signature })
        self.init(fields: search.fields, values: values, hasCaptions: hasCaptions, isFinal: isFinal)
    }

    /// The host's values, and `Off` for the ticks of the document that somebody is asked for.
    static func firstValues(
        _ filled: [DocumentUpdate.Value], _ fields: [Field], in facts: DocumentFacts
    ) -> [DocumentUpdate.Value] {
        var values = filled
        let offered = Set(fields.filter { $0.kind == .check || $0.kind == .choice }.compactMap(\.formName))
        for field in facts.fields where offered.contains(field.name) && field.kind != .text {
            let isSet = field.value.map { !$0.isEmpty && $0 != "Off" } ?? false
            if isSet, !values.contains(where: { $0.field == field.name }) {
                values.append(DocumentUpdate.Value(field: field.name, value: "Off"))
            }
        }
        return values
    }
}

/// The search for the fields of a plan: the one place where anchors become rectangles, and where rectangles are
/// checked.
private struct FieldSearch {
    /// The most bytes of the names and words of all fields, half of those that a header may have.
    private static let textLimit = CaptureLimits.headerByteCount / 2
    /// The longest words beside a field, in Unicode scalars.
    private static let longestLabel = 200
    /// The least width and height of a field that nobody writes in, in points: 2 mm.
    private static let leastSide = 5.5

    /// The fields found, in the order in which they are offered.
    private(set) var fields: [Field] = []

    private let facts: DocumentFacts
    private let values: [String: String]
    private let roles: [String]
    /// The names that fields and questions have.
    private var taken: Set<String>
    /// The names of the fields of the form that are asked for.
    private var requested: Set<String> = []

    init(in facts: DocumentFacts, values: [DocumentUpdate.Value], roles: [String], questions: [String]) {
        self.facts = facts
        self.values = Dictionary(values.map { ($0.field, $0.value) }, uniquingKeysWith: { first, _ in first })
        self.roles = roles
        taken = Set(questions)
    }

    // MARK: fields that the host asks for

    mutating func add(_ asked: [RequestedField], hits: (String) throws -> DocumentHits) throws {
        taken.formUnion(asked.compactMap(\.name))
        let places = try asked.map { try place(of: $0, hits: hits) }
        let names = signatureNames(asked, places)
        for (number, field) in asked.enumerated() { add(field, places[number], signature: names[number]) }
    }

    /// The places of a field; several only for check boxes and choices of the form.
    private mutating func place(
        of field: RequestedField, hits: (String) throws -> DocumentHits
    ) throws -> [Field] {
        let (page, rectangle): (Int, DocumentRectangle)
        switch field.place {
        case .field(let name): return try formFields(name, field.kind)
        case .rectangle(let number, let stated): (page, rectangle) = (number, stated)
        case .anchor(let text, let width, let height, let offset):
            let found = try hits(text)
            guard found.places.count == 1, let hit = found.places.first else {
                throw DocumentPlanFault.anchor(text, found)
            }
            page = hit.page
            rectangle = SignaturePlace.rectangle(
                width: width, height: height, offset: offset, at: hit.rectangle, on: facts.size(of: page))
        }
        guard page >= 1, page <= facts.pages.count else {
            throw DocumentPlanFault.noPage(page, count: facts.pages.count)
        }
        let size = facts.pages[page - 1]
        let least = field.kind == .signature || field.kind == .initials ? SignaturePlace.leastSide : Self.leastSide
        // Comparisons with NaN are false, so a rectangle that has one is refused.
        guard rectangle.minX >= 0, rectangle.minY >= 0, rectangle.maxX <= size.width, rectangle.maxY <= size.height,
            rectangle.width >= least, rectangle.height >= least
        else { throw DocumentPlanFault.rectangle(rectangle, page: page, size, least: least) }
        return [Field(name: "", kind: .signature, page: page, rectangle: rectangle)]
    }

    private mutating func formFields(_ name: String, _ kind: Field.Kind) throws -> [Field] {
        let fits: [Field.Kind] =
            switch kind {
            case .signature: [.signature]
            case .check: [.check]
            case .choice: [.choice, .check]
            case .initials, .date, .name, .text: [.text]
            }
        let found = facts.fields.filter { $0.name == name && fits.contains($0.kind) }
        guard !found.isEmpty else {
            if kind == .signature {
                let others = facts.fields.filter { $0.kind == .signature }.map(\.name)
                throw DocumentPlanFault.noSignatureField(name, others: others)
            }
            throw DocumentPlanFault.noField(name, for: kind)
        }
        guard requested.insert(name).inserted else { throw DocumentPlanFault.twice(name) }
        if values[name] != nil { throw DocumentPlanFault.filled(name) }
        return kind == .choice || kind == .check ? found : [found[0]]
    }

    /// The name in the signed document of each signature, and of initials without another name.
    private func signatureNames(_ asked: [RequestedField], _ places: [[Field]]) -> [String?] {
        var names = [String?](repeating: nil, count: asked.count)
        var free = FieldNames(of: facts)
        // Signatures take their names first, because they are fields of the signed document. Initials are marks without
        // a field.
        for index in asked.indices where asked[index].kind == .signature {
            names[index] = places[index][0].name.isEmpty ? free.next() : places[index][0].name
        }
        for index in asked.indices where asked[index].kind == .initials { names[index] = free.next() }
        return names
    }

    /// - Parameter signature: the name of a signature in the signed document.
    private mutating func add(_ field: RequestedField, _ places: [Field], signature: String?) {
        let own = places[0].name.isEmpty ? nil : places[0].name
        let name = field.name ?? free(own ?? signature ?? field.kind.rawValue)
        let hasValues = field.kind == .check || field.kind == .choice
        // Check boxes of one name exclude each other if they have several values (ISO 32000-1, 12.7.4.2.3).
        let excludes = field.kind == .check && Set(places.map { $0.choice }).count > 1
        for place in places {
            fields.append(
                Field(
                    name: name, kind: excludes ? .choice : field.kind,
                    person: field.person.flatMap { roles.firstIndex(of: $0) } ?? 0,
                    page: place.page, rectangle: place.rectangle,
                    isRequired: field.mustBeFilled || place.isRequired,
                    label: Self.words(field.label ?? place.label), choice: hasValues ? place.choice : nil,
                    meaning: hasValues ? Self.words(place.meaning) : nil,
                    formName: field.kind == .signature ? signature : own))
        }
    }

    // MARK: fields of the document's own form

    /// All signature fields, for the one person. Of several people, the host says who signs which.
    mutating func addSignatures() throws {
        let signatures = facts.fields.filter { $0.kind == .signature }
        if roles.count > 1, !signatures.isEmpty {
            throw DocumentPlanFault.whose(signatures.map(\.name), people: roles)
        }
        for field in signatures { add(field, .signature) }
    }

    /// Check boxes and choices that nobody has answered, for the first person.
    mutating func addAnswers() {
        for field in facts.fields where field.kind == .check || field.kind == .choice {
            if values[field.name] != nil || requested.contains(field.name) { continue }
            let places = facts.fields.filter { $0.name == field.name && $0.kind == field.kind }
            let isChoice = field.kind == .choice || Set(places.map { $0.choice }).count > 1
            for place in places { add(place, isChoice ? .choice : .check) }
            requested.insert(field.name)
        }
    }

    private mutating func add(_ field: Field, _ kind: Field.Kind) {
        let name = fields.first { $0.formName == field.name }?.name ?? free(field.name)
        fields.append(
            Field(
                name: name, kind: kind, page: field.page, rectangle: field.rectangle,
                isRequired: kind == .signature || field.isRequired, label: Self.words(field.label),
                choice: kind == .signature ? nil : field.choice,
                meaning: kind == .signature ? nil : Self.words(field.meaning), formName: field.name))
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

    func checkValues() throws {
        for name in values.keys.sorted() {
            if facts.locked?.contains(name) == true { throw DocumentPlanFault.locked(name) }
            guard facts.fields.contains(where: { $0.name == name && $0.kind != .signature }) else {
                throw DocumentPlanFault.noField(name)
            }
        }
    }

    /// Ink over ink, or a tick over it, could be read as somebody else's. The form's own fields stay where its author
    /// has put them.
    /// - Parameter others: further fields that must not be covered.
    func checkOverlaps(besides others: [Field] = []) throws {
        for (index, field) in fields.enumerated() {
            let isOfForm = field.isOfForm(facts)
            let other = others.first { !isOfForm && $0.page == field.page && $0.rectangle.overlaps(field.rectangle) }
            if let other { throw DocumentPlanFault.overlap(other.name, field.name, page: field.page) }
            for other in fields[..<index] where field.page == other.page && field.name != other.name {
                if isOfForm, other.isOfForm(facts) { continue }
                guard field.rectangle.overlaps(other.rectangle) else { continue }
                throw DocumentPlanFault.overlap(other.name, field.name, page: field.page)
            }
        }
    }

    /// A form's texts are filled before the document is shown. Its check boxes and choices are offered.
    func checkRequired() throws {
        let drawn = Set(fields.filter { $0.kind == .date || $0.kind == .name }.compactMap(\.formName))
        for field in facts.fields where field.kind == .text && field.isRequired {
            let value = values[field.name] ?? field.value ?? ""
            if value.isEmpty, !drawn.contains(field.name) { throw DocumentPlanFault.noValue(field.name) }
        }
        if let name = facts.unfillable?.first { throw DocumentPlanFault.unfillable(name) }
        for field in facts.fields where field.kind == .check || field.kind == .choice {
            if field.isRequired, values[field.name] == "Off" { throw DocumentPlanFault.noValue(field.name) }
        }
    }
    func checkLimits() throws {
        let texts = fields.reduce(0) {
            $0 + $1.name.utf8.count + (($1.label ?? "") + ($1.meaning ?? "")).utf8.count + 200
        }
        guard fields.count <= DocumentPlan.mostFields, texts <= Self.textLimit else { throw DocumentPlanFault.tooMany }
    }
}

extension Field {
    /// Whether the field is one of the document's own form.
    fileprivate func isOfForm(_ facts: DocumentFacts) -> Bool {
        formName.map { name in facts.fields.contains { $0.name == name } } ?? false
    }
}
