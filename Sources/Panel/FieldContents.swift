// SPDX-License-Identifier: Apache-2.0
import Document
import Evidence
package import Formats
import Geometry
import HostAPI
import Pad
package import Record

/// What people have put into the fields of a document, and the texts that the pad fills in.
struct FieldContents {
    struct Ink {
        /// The name of the ``FlowField``.
        var name: String
        var ink: PDFInk
        /// When it was accepted: seconds since 1970, UTC.
        var time: Int64
    }

    /// The signatures and initials that were accepted, the first to be accepted first.
    var inks: [Ink] = []
    /// The last answer to each field, by its name.
    var answers: [String: CaptureAnswer] = [:]
    /// The date as the pages show it.
    var date: String
    /// The ID of the record, and the SHA-256 of its lines in hexadecimal.
    var record, recordSHA256: String
}

extension FieldContents {
    /// - Parameters:
    ///   - record: of an accepted capture, with a flow.
    ///   - sha256: of the lines of the record.
    /// - Throws: `ExportError` for ink that cannot be drawn.
    init(of record: CaptureRecord, sha256: SHA256Digest) throws {
        let header = record.header
        self.init(date: RecordCaptions.date(header), record: header.id, recordSHA256: sha256.description)
        for answer in record.answers { answers[answer.name] = answer }
        let kinds = Dictionary(
            (header.flow?.document?.fields ?? []).map { ($0.name, $0.kind) }, uniquingKeysWith: { first, _ in first })
        // All initials are in one update, with ticks and texts, for which the other half is.
        let initials = max(1, kinds.values.count(where: { $0 == .initials }))
        let longest = min(2 << 20, HelperLimits.markContent / 2 / initials)
        // The signatures sign in the order in which they were accepted.
        for field in record.fields.sorted(by: { $0.acceptedAt < $1.acceptedAt }) {
            guard let kind = kinds[field.name], let sheet = record.sheet(named: field.name) else { continue }
            inks.append(
                Ink(
                    name: field.name, ink: try sheet.pdfInk(byteLimit: kind == .initials ? longest : 2 << 20),
                    time: (header.startedAt &+ field.acceptedAt) / 1_000_000))
        }
    }

    /// Contents of every field, for trying whether they can be put into the document.
    /// - Parameters:
    ///   - date: as the pages would show it today.
    ///   - now: seconds since 1970, UTC.
    static func sample(for fields: [FlowField], date: String, now: Int64) -> FieldContents {
        var contents = FieldContents(
            date: date, record: "none", recordSHA256: SHA256Digest(of: []).description)
        for field in fields {
            switch field.kind {
            case .signature, .initials: contents.inks.append(Ink(name: field.name, ink: .sample, time: now))
            case .check: contents.answers[field.name] = CaptureAnswer(name: field.name, checked: true)
            case .choice: contents.answers[field.name] = CaptureAnswer(name: field.name, choice: field.value)
            case .date, .name: break
            }
        }
        return contents
    }
}

extension PDFInk {
    /// A triangle in place of ink, for trying whether a document can be signed.
    package static let sample = PDFInk(
        width: 100, height: 30, content: "0 0 0 rg\n0 0 m\n100 0 l\n100 30 l\nh\nf\n")
}

extension CaptureRecord {
    /// The ink as part of a page in PDF, in the size in which it was written. Ink of many minutes has fewer samples
    /// there, and ink as large as a wall less precise outlines, rather than that a signature fails that was accepted.
    /// - Parameter byteLimit: of its content.
    /// - Throws: `ExportError`, also ``ExportError/noInk``.
    package func pdfInk(byteLimit: Int = 2 << 20) throws(ExportError) -> PDFInk {
        var (record, dotsPerInch) = (self, 300.0)
        while true {
            do throws(ExportError) {
                let picture = try CapturePicture(
                    of: record, part: .ink(margin: 0),
                    resolution: .density(PixelDensity(dotsPerInch: dotsPerInch)))
                return try PDFInkEncoder.encode(picture.drawing, density: picture.density, byteLimit: byteLimit)
            } catch {
                switch error {
                case .pictureTooLarge where dotsPerInch > 50: dotsPerInch = 50
                case .textTooLarge:
                    guard let thinned = record.thinned else { throw error }
                    record = thinned
                default: throw error
                }
            }
        }
    }

    /// The record with every second sample of its strokes; nil if no stroke has more than its ends.
    private var thinned: CaptureRecord? {
        var record = self
        var isThinner = false
        for (index, entry) in entries.enumerated() {
            guard case .stroke(var stroke) = entry, stroke.samples.count > 2 else { continue }
            let last = stroke.samples.count - 1
            stroke.samples = stroke.samples.indices.filter { $0.isMultiple(of: 2) || $0 == last }
                .map { stroke.samples[$0] }
            record.entries[index] = .stroke(stroke)
            isThinner = true
        }
        return isThinner ? record : nil
    }
}

/// The people of a capture, as a document names them.
struct FlowPeople {
    /// Empty for one person, who has the name ``signer``.
    var people: [CapturePerson]
    /// Of the request, as ``reason``.
    var signer: String?
    var reason: String?

    /// The name of a person, as the pages show it; nil if nobody has said it.
    /// - Parameter index: as in ``FlowField/person``.
    func name(of index: Int) -> String? {
        if people.isEmpty { return signer }
        return people.indices.contains(index) ? people[index].name : nil
    }
}

extension DocumentFilling {
    /// - Throws: ``DocumentPlanFault`` for a name that nobody has said, ``FieldTextFault`` or `TextError`.
    init(_ contents: FieldContents, in document: OpenedDocument, of people: FlowPeople) throws {
        let fields = document.fields
        let signatures = fields.compactMap(\.signatureField)
        let own = Set(document.facts.fields.filter { $0.kind == .signature }.map(\.name))
        self.init(
            acts: [], newFields: signatures.filter { !own.contains($0.name) }, values: document.firstValues,
            isFinal: document.asked.final == true)
        for ink in contents.inks {
            guard let index = fields.firstIndex(where: { $0.name == ink.name }) else { continue }
            let (field, hasPlate) = (fields[index], document.plates.contains(index))
            if let signed = field.signatureField {
                let signer = people.name(of: field.person)
                let act = DocumentSigning.Act(
                    place: .rectangle(page: signed.page, signed.rectangle), ink: ink.ink,
                    caption: document.asked.caption == true
                        ? OpenedDocument.caption(signer, contents.date) : nil,
                    signer: signer, reason: people.reason, time: ink.time, record: contents.record,
                    recordSHA256: contents.recordSHA256)
                acts.append(Signature(field: signed, act: act, hasPlate: hasPlate))
            } else {
                let mark = DocumentUpdate.Ink(
                    width: ink.ink.width, height: ink.ink.height, content: ink.ink.content)
                marks.append(field.mark(mark, hasPlate))
            }
        }
        for (index, field) in fields.enumerated() {
            let hasPlate = document.plates.contains(index)
            switch field.kind {
            case .signature, .initials: break
            case .check, .choice: add(contents.answers[field.name], to: field, hasPlate)
            case .date: try add(contents.date, to: field, hasPlate)
            case .name:
                guard let name = people.name(of: field.person) else { throw DocumentPlanFault.noName(field.name) }
                try add(name, to: field, hasPlate)
            }
        }
    }

    /// Puts the signatures into the order of people's turns, and of the fields of each: the one that is tried before a
    /// capture. A person may fill them in another one.
    mutating func sortByTurn(in document: OpenedDocument) {
        let fields = document.fields
        func turn(_ signature: Signature) -> (person: Int, field: Int) {
            let index = fields.firstIndex { $0.kind == .signature && $0.field == signature.field.name }
            return index.map { (fields[$0].person, $0) } ?? (.max, .max)
        }
        acts.sort { turn($0) < turn($1) }
    }

    private mutating func add(_ answer: CaptureAnswer?, to field: FlowField, _ hasPlate: Bool) {
        guard let answer else { return }
        let isChosen = answer.checked ?? (answer.choice == field.value)
        guard let name = field.field else {
            if isChosen { marks.append(field.mark(field.tick, hasPlate)) }
            return
        }
        let value = DocumentUpdate.Value(
            field: name, value: isChosen ? field.value ?? "Yes" : "Off", appearance: isChosen ? field.tick : nil)
        guard let index = values.firstIndex(where: { $0.field == name }) else { return values.append(value) }
        // Another place of the same field.
        if isChosen { values[index] = value }
    }

    private mutating func add(_ text: String, to field: FlowField, _ hasPlate: Bool) throws {
        if let name = field.field {
            values.append(DocumentUpdate.Value(field: name, value: text))
        } else {
            let place = DocumentField(name: field.name, kind: .text, page: field.page, rectangle: field.place)
            marks.append(field.mark(try FieldText.make(text, in: place), hasPlate))
        }
    }
}

extension OpenedDocument {
    /// What the document has before anybody answers: what the host fills in, and no tick that nobody has made, so that
    /// a person sees what they answer.
    var firstValues: [DocumentUpdate.Value] {
        let filled = asked.values ?? [:]
        var values = filled.sorted { $0.key < $1.key }.map { DocumentUpdate.Value(field: $0.key, value: $0.value) }
        let offered = Set(fields.filter { $0.kind == .check || $0.kind == .choice }.compactMap(\.field))
        for field in facts.fields where offered.contains(field.name) && field.kind != .text {
            let isSet = field.value.map { !$0.isEmpty && $0 != "Off" } ?? false
            if isSet, !values.contains(where: { $0.field == field.name }) {
                values.append(DocumentUpdate.Value(field: field.name, value: "Off"))
            }
        }
        return values
    }
}

extension FlowField {
    fileprivate func mark(_ ink: DocumentUpdate.Ink, _ hasPlate: Bool) -> DocumentUpdate.Mark {
        DocumentUpdate.Mark(
            page: page, rectangle: place, ink: hasPlate ? ink.onPlate(in: place) : ink, label: label ?? name)
    }
}

extension FlowField {
    /// The tick of a box, or the dot of a choice, as the page with the document shows it (`DocumentPainter`).
    fileprivate var tick: DocumentUpdate.Ink {
        kind == .choice ? TickMark.dot(in: place) : TickMark.ink(in: place)
    }
}

/// Ticks and dots as outlines, in the middle of their boxes.
enum TickMark {
    /// Corners in a square of side 1, y down.
    private static let corners = [
        Point(x: 0.06, y: 0.52), Point(x: 0.20, y: 0.38), Point(x: 0.39, y: 0.58), Point(x: 0.80, y: 0.12),
        Point(x: 0.94, y: 0.24), Point(x: 0.39, y: 0.86),
    ]

    static func ink(in box: DocumentRectangle) -> DocumentUpdate.Ink {
        var path = Path()
        path.move(to: corners[0])
        for corner in corners.dropFirst() { path.addLine(to: corner) }
        return ink(path, in: box)
    }

    /// A disc of 0.56 times the height of the box.
    static func dot(in box: DocumentRectangle) -> DocumentUpdate.Ink {
        // Four cubic curves are within 0.03 % of a circle if their handles have this share of the radius.
        let (radius, handle) = (0.28, 0.28 * 0.552_285)
        func point(_ x: Double, _ y: Double) -> Point { Point(x: 0.5 + x, y: 0.5 + y) }
        var path = Path()
        path.move(to: point(radius, 0))
        var (x, y) = (radius, 0.0)
        for _ in 0..<4 {
            let (nextX, nextY) = (-y, x)
            let share = handle / radius
            path.addCubic(
                control1: point(x + nextX * share, y + nextY * share),
                control2: point(nextX + x * share, nextY + y * share), end: point(nextX, nextY))
            (x, y) = (nextX, nextY)
        }
        return ink(path, in: box)
    }

    private static func ink(_ path: Path, in box: DocumentRectangle) -> DocumentUpdate.Ink {
        let ink = PDFInkEncoder.encode(path, width: 1, height: 1, scale: min(box.width, box.height))
        return DocumentUpdate.Ink(
            width: ink.width, height: ink.height, content: ink.content,
            texts: [.init("\u{2713}", x: 0, y: 0, width: ink.width, height: ink.height)])
    }
}
