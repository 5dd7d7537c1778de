// SPDX-License-Identifier: Apache-2.0
import Configuration
import Document
import Evidence
import Formats
import Geometry
import HostAPI
import Linux
import Pad
import Panel
import Record
import Signing
import Store

/// A PDF file for the panel's key to sign: it was read and may be signed.
struct PDFSigner {
    let path: String
    private let document: [UInt8]
    /// SHA-256 of the file, in hexadecimal.
    let digest: String
    let facts: DocumentFacts
    private let helper: DocumentHelper
    private let panel: PanelStore
    private let key: SigningKey
    private let certificates: [UInt8]

    /// Reads the file, the key and the certificate. Warnings of the file go to the log.
    /// - Parameter isStrict: makes warnings errors.
    init(_ path: String, helper: DocumentHelper, panel: PanelStore, isStrict: Bool) throws {
        self.path = path
        self.helper = helper
        self.panel = panel
        document = try PDFDocument.read(path)
        digest = SHA256Digest(of: document).description
        key = try Self.keyFile(of: panel).read()
        certificates = try panel.readCertificate()
        facts = try helper.inspect(document)
        for warning in facts.warnings {
            if isStrict { throw CommandError.unusableInput("\(path): \(warning.words)") }
            Log().warning("\(path): \(warning.words)")
        }
    }

    /// The key of the service is encrypted for this machine. While the service runs, systemd has it in memory, for root
    /// (systemd.exec(5), CREDENTIALS).
    private static func keyFile(of panel: PanelStore) -> KeyFile {
        let running = KeyFile(at: "/run/credentials/inkpanel.service/\(PanelStore.credential)")
        return !panel.keyFile.exists && running.exists ? running : panel.keyFile
    }

    /// Finds the places of signatures, and checks that the file can be signed there, by signing it with a triangle in
    /// place of ink, and that two engines draw it alike.
    /// - Parameters:
    ///   - values: the choices and texts in the file's own form.
    ///   - hasCaptions: whether name and date are written below the ink.
    ///   - isFinal: whether nothing may change after the last signature.
    ///   - allowed: faults of the comparison that are only logged.
    func plan(
        _ places: [SignaturePlace], _ values: [DocumentUpdate.Value], hasCaptions: Bool, isFinal: Bool,
        allowed: [ReadDocument.Allowance]
    ) throws -> DocumentPlan {
        for field in facts.fields where field.isRequired && field.kind != .signature {
            let empty = field.kind == .text ? "" : "Off"
            let value = values.first { $0.field == field.name }?.value ?? field.value ?? ""
            if !value.isEmpty, value != empty { continue }
            let name = field.name.debugDescription
            let what = field.kind == .text ? "a text in" : "a value for"
            throw CommandError.unusableInput("\(path) demands \(what) \(name): add --set")
        }
        for value in values where !facts.fields.contains(where: { $0.name == value.field }) {
            throw CommandError.unusableInput("\(path) has no field \(value.field.debugDescription)")
        }
        var plan = try DocumentPlan(places, values: values, hasCaptions: hasCaptions, isFinal: isFinal, in: facts) {
            try helper.find($0, in: document)
        }
        if facts.renderer != nil {
            plan.plates = try Plates.places(of: plan.fields, in: facts) { try helper.render($0, of: document) }
        }
        let sample = FieldContents.Written.sample(now: WallClock.microseconds / 1_000_000, sha256: digest)
        let trial = try sign(places.map { _ in sample }, plan)
        var comparison = DocumentComparison(refuses: true, allowed: allowed)
        let found = try comparison.compare(facts.pages) { page throws(DocumentHelperError) in
            try helper.compare(page: page, in: trial)
        }
        if found.second == nil {
            Log().warning("no second engine has drawn \(path): install mupdf-tools")
        }
        for place in found.differences ?? [] {
            Log().warning("\(path): page \(place.page) is drawn differently at \(place.rectangle)")
        }
        for message in found.notDrawn ?? [] {
            Log().warning("\(path): a part of page \(message.page) cannot be drawn: \(message.text)")
        }
        return plan
    }

    /// The signature that a record adds to the file. The record must name this file and be sealed by this panel, so
    /// that what was on the glass is what is signed.
    func signature(of source: CaptureSource) throws -> FieldContents.Written {
        let (record, lines, name) = try source.read { panel }
        guard record.isAccepted, let end = record.end else {
            throw CommandError.unusableInput("the capture \(name) was not accepted: it is no signature")
        }
        // A page whose host allows something in place of a signature is a flow, too; who signs has signed.
        let flow = record.header.flow
        if flow?.document != nil || flow?.questions != nil || flow?.people != nil {
            throw CommandError.unusableInput(
                "the record \(name) has several pages: the panel has put its ink where it belongs")
        }
        if let field = record.fields.first(where: { $0.instead != nil }), let words = field.insteadWords {
            throw CommandError.unusableInput("the capture \(name) is no signature: \(words)")
        }
        guard let sha256 = record.header.request.document?.sha256 else {
            throw CommandError.unusableInput(
                "the record \(name) names no document: capture it with --document \(path)")
        }
        guard sha256 == digest else {
            throw CommandError.unusableInput("the record \(name) is of another document than \(path)")
        }
        let recordDigest = SHA256Digest(of: lines).description
        let seal = try CaptureID(record.header.id).flatMap { try panel.store.seal(of: $0) }
        guard seal?.seal.record == recordDigest else {
            throw CommandError.unusableInput("the record \(name) is not one that this panel has sealed")
        }
        return try FieldContents.Written(of: record, sha256: recordDigest, endedAt: end.endedAt)
    }

    var storePath: String { panel.store.path }

    /// The signed file.
    /// - Parameter signatures: for the fields of the plan, in their order.
    func sign(_ signatures: [FieldContents.Written], _ plan: DocumentPlan) throws -> [UInt8] {
        let inks = zip(plan.fields, signatures).map { field, written in
            var written = written
            written.name = field.name
            return written
        }
        let updates = try DocumentUpdates(FieldContents(inks: inks), plan, in: facts)
        return try DocumentSigning(updates, to: document, facts, helper: helper)
            .sign(with: key, certificates: certificates)
    }
}

extension CaptureSource {
    /// Reads a record from its file or from a panel's store.
    /// - Parameter panel: called for an ID.
    /// - Returns: the record, its JSON lines, and its name for messages.
    func read(_ panel: () throws -> PanelStore) throws -> (record: CaptureRecord, lines: [UInt8], name: String) {
        switch self {
        case .file(let path):
            let (record, lines) = try RecordFile.read(path)
            return (record, lines, path)
        case .stored(let start):
            let store = try panel().store
            let id = try start.resolved { try store.list().captures.map(\.id) }
            let stored: (record: CaptureRecord, file: [UInt8])
            do throws(StoreError) { stored = try store.read(id) } catch {
                guard case .encrypted = error else { throw error }
                throw CommandError.unusableInput(
                    "the record \(id) is encrypted: decrypt it where its recipient's key is, and name the file "
                        + "instead of the ID")
            }
            return (stored.record, stored.file, id.description)
        }
    }
}
