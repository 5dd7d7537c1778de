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

    /// Checks that the file can be signed at these places, by signing it with a triangle in place of ink, and that two
    /// engines draw it alike.
    /// - Parameters:
    ///   - places: each with the line below its ink.
    ///   - values: the choices and texts in the file's own form.
    ///   - isFinal: whether nothing may change after the last signature.
    ///   - allowed: faults of the comparison that are only logged.
    func check(
        _ places: [(place: SignaturePlace, caption: String?)], _ values: [DocumentUpdate.Value], isFinal: Bool,
        allowed: [ReadDocument.Allowance]
    ) throws {
        for field in facts.fields where field.isRequired == true && field.kind != .signature {
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
        let digest = digest
        let acts = places.map {
            DocumentSigning.Act(
                place: $0.place, ink: .sample, caption: $0.caption, signer: nil, reason: nil,
                time: WallClock.microseconds / 1_000_000, record: "none", recordSHA256: digest)
        }
        let trial = try sign(acts, values, isFinal: isFinal).document
        var comparison = DocumentComparison(helper: helper, refuses: true, allowed: allowed)
        let found = try comparison.compare(trial, pages: facts.pages)
        if found.second == nil {
            Log().warning("no second engine has drawn \(path): install mupdf-tools")
        }
        for place in found.differences ?? [] {
            Log().warning("\(path): page \(place.page) is drawn differently at \(place.rectangle)")
        }
        for message in found.notDrawn ?? [] {
            Log().warning("\(path): a part of page \(message.page) cannot be drawn: \(message.text)")
        }
    }

    /// The signature that a record adds to the file. The record must name this file and be sealed by this panel, so
    /// that what was on the glass is what is signed.
    /// - Parameter hasCaption: whether name and date are written below the ink.
    func act(of source: CaptureSource, at place: SignaturePlace, hasCaption: Bool) throws -> DocumentSigning.Act {
        let (record, lines, name) = try source.read { panel }
        guard record.isAccepted, let end = record.end else {
            throw CommandError.unusableInput("the capture \(name) was not accepted: it is no signature")
        }
        if record.header.flow != nil {
            throw CommandError.unusableInput(
                "the record \(name) has several pages: the panel has put its ink where it belongs")
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
        let request = record.header.request
        return DocumentSigning.Act(
            place: place, ink: try record.pdfInk(),
            caption: hasCaption ? OpenedDocument.caption(request.signer, record.header.date?.text) : nil,
            signer: request.signer, reason: request.reason,
            time: end.endedAt / 1_000_000, record: record.header.id, recordSHA256: recordDigest)
    }

    var storePath: String { panel.store.path }

    /// - Returns: the signed file, and the name of the field of each act.
    func sign(
        _ acts: [DocumentSigning.Act], _ values: [DocumentUpdate.Value], isFinal: Bool
    ) throws -> (document: [UInt8], fields: [String]) {
        let signing = DocumentSigning(helper: helper, key: key, certificates: certificates)
        return try signing.sign(document, facts: facts, acts, values: values, isFinal: isFinal)
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
