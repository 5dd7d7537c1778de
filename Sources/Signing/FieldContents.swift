// SPDX-License-Identifier: Apache-2.0
package import Document
package import Evidence
import Formats
package import HostAPI
package import Record

/// The contents of a document's fields: those that people have put in, and the texts that the pad fills in.
package struct FieldContents {
    /// Ink that a person has written into a field, and what its signature says of it.
    package struct Written {
        /// The name of the `Field`.
        package var name: String
        package var ink: DocumentInk
        /// The line below a signature, if the plan has captions; nil for none.
        package var caption: String?
        package var signer, reason: String?
        /// When it was accepted: seconds since 1970, UTC.
        package var time: Int64
        /// The ID of the record, and the SHA-256 of its lines in hexadecimal.
        package var record, recordSHA256: String
    }

    /// The signatures and initials that were accepted, the first to be accepted first.
    package var inks: [Written] = []
    /// The last answer to each field, by its name.
    package var answers: [String: CaptureAnswer] = [:]
    /// The date as the pages show it; nil if no field has it.
    package var date: String?
    /// The names of the people, as the pages show them, by `Field.person`; nil if nobody has said one.
    package var people: [String?] = []

    package init(inks: [Written]) { self.inks = inks }

    private init(date: String, _ people: [CapturePerson], _ request: CaptureRequest) {
        self.date = date
        self.people = people.isEmpty ? [request.signer] : people.map(\.name)
    }

    func name(of person: Int) -> String? { people.indices.contains(person) ? people[person] : nil }
}

extension FieldContents {
    /// - Parameters:
    ///   - record: of an accepted capture, with a flow.
    ///   - sha256: of the lines of the record.
    /// - Throws: `ExportError` for ink that cannot be drawn.
    package init(of record: CaptureRecord, sha256: SHA256Digest) throws {
        let header = record.header
        self.init(date: header.shownDate, header.flow?.people ?? [], header.request)
        for answer in record.answers { answers[answer.name] = answer }
        let fields = Dictionary(
            (header.flow?.document?.fields ?? []).map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        // All initials are in one update, and share half of its room. Ticks and texts have the other half.
        let initials = max(1, fields.values.count(where: { $0.kind == .initials }))
        let longest = min(2 << 20, HelperLimits.markContent / 2 / initials)
        let all = record.fields
        // The signatures sign in the order in which they were accepted.
        for written in all.sorted(by: { $0.acceptedAt < $1.acceptedAt }) {
            guard let field = fields[written.name], let sheet = record.sheet(named: written.name) else { continue }
            let ink =
                if written.instead == nil {
                    try sheet.pdfInk(byteLimit: field.kind == .initials ? longest : 2 << 20)
                } else {
                    try Self.ink(of: written, all, in: field, record)
                }
            // A mark counts from the time at which its last witness has signed.
            let accepted = all.filter { $0.signature == written.name }.map(\.acceptedAt).max()
            add(
                ink, of: field, header.request, written,
                time: (header.startedAt &+ (accepted ?? written.acceptedAt)) / 1_000_000, record: header.id,
                sha256: sha256.description)
        }
    }

    /// The ink and words that a field shows in place of a signature.
    /// - Parameter all: the fields of the record.
    private static func ink(
        of written: FieldInk, _ all: [FieldInk], in field: Field, _ record: CaptureRecord
    ) throws -> DocumentInk {
        func ink(_ name: String) throws -> DocumentInk? {
            try record.sheet(named: name)?.pdfInk(byteLimit: (2 << 20) / 3)
        }
        let witnesses = all.filter { $0.instead?.isWitness == true && $0.signature == written.name }
        let names = written.instead?.isWithoutInk == true ? [] : [written.name] + witnesses.map(\.name)
        return try InsteadInk.make(
            names.compactMap { try ink($0) }, written.words ?? witnesses.first?.words ?? "", plain(written), in: field)
    }

    /// English words in place of words that no font can write.
    private static func plain(_ written: FieldInk) -> String {
        switch written.instead {
        case .confirmed: "Confirmed without a signature"
        case .typed: written.typed?.by == .staff ? "Name entered by staff" : "Name typed by the person"
        case .representative: "Signed for"
        case .mark, .witness1, .witness2, nil: "Witnesses"
        }
    }

    /// Contents of every field, for trying whether they can be put into the document.
    /// - Parameters:
    ///   - date: as the pages would show it today.
    ///   - now: seconds since 1970, UTC.
    package static func sample(
        for fields: [Field], of people: [CapturePerson], _ request: CaptureRequest, date: String, now: Int64
    ) -> FieldContents {
        var contents = FieldContents(date: date, people, request)
        for field in fields {
            switch field.kind {
            case .signature, .initials:
                contents.add(
                    .sample, of: field, request, time: now, record: "none",
                    sha256: SHA256Digest(of: []).description)
            case .check: contents.answers[field.name] = CaptureAnswer(name: field.name, checked: true)
            case .choice: contents.answers[field.name] = CaptureAnswer(name: field.name, choice: field.choice)
            case .date, .name, .text: break
            }
        }
        return contents
    }

    /// The reason of a signature, within the helper's limit for a text: the record has all of it.
    static func reason(_ request: String?, _ instead: String?) -> String {
        let way = instead.map { cut($0, to: HelperLimits.text) }
        let room = HelperLimits.text - (way.map { $0.utf8.count + 2 } ?? 0)
        let why = request.flatMap { room > 0 ? cut($0, to: room) : nil }
        return [why, way].compactMap { $0 }.joined(separator: ". ")
    }

    private static func cut(_ text: String, to byteCount: Int) -> String {
        if text.utf8.count <= byteCount { return text }
        let sign = "…"
        var (cut, left) = ("", byteCount - sign.utf8.count)
        for character in text {
            left -= character.utf8.count
            if left < 0 { break }
            cut.append(character)
        }
        return cut + sign
    }

    private mutating func add(
        _ ink: DocumentInk, of field: Field, _ request: CaptureRequest, _ written: FieldInk? = nil, time: Int64,
        record: String, sha256: String
    ) {
        // The signature says what it stands for, and does not have the person's name if somebody else acted.
        let isByOther = written?.instead == .representative || written?.isAcceptedByHost == true
        let signer = isByOther ? nil : name(of: field.person)
        let reason = Self.reason(request.reason, written?.insteadWords)
        inks.append(
            Written(
                name: field.name, ink: ink, caption: DocumentPlan.caption(signer, date), signer: signer,
                reason: reason.isEmpty ? nil : reason,
                time: time, record: record, recordSHA256: sha256))
    }
}

extension FieldContents.Written {
    /// The signature that the record of a capture with one page adds to a document.
    /// - Parameter sha256: of the lines of the record.
    /// - Throws: `ExportError` for ink that cannot be drawn.
    package init(of record: CaptureRecord, sha256: String, endedAt: Int64) throws {
        let (header, request) = (record.header, record.header.request)
        self.init(
            name: "", ink: try (record.sheet(named: nil) ?? record).pdfInk(),
            caption: DocumentPlan.caption(request.signer, header.date?.text),
            signer: request.signer, reason: request.reason, time: endedAt / 1_000_000, record: header.id,
            recordSHA256: sha256)
    }

    /// A triangle in place of ink, for trying whether a document can be signed.
    package static func sample(now: Int64, sha256: String) -> Self {
        Self(name: "", ink: .sample, time: now, record: "none", recordSHA256: sha256)
    }
}
