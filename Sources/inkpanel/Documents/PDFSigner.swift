// SPDX-License-Identifier: Apache-2.0
import Configuration
import Document
import Evidence
import Formats
import Geometry
import HostAPI
import Linux
import Panel
import Record
import Store

/// A PDF file that is to be signed with the panel's key: it was read and may be signed.
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
        (key, certificates) = (try panel.keyFile.read(), try panel.readCertificate())
        facts = try helper.inspect(document)
        for warning in facts.warnings {
            if isStrict { throw CommandError.unusableInput("\(path): \(warning.words)") }
            Log().warning("\(path): \(warning.words)")
        }
    }

    /// - Parameter values: what is chosen in the file's own form.
    /// - Throws: if the form demands more, or a place does not fit.
    func check(_ places: [SignaturePlace], _ values: [DocumentUpdate.Value]) throws {
        let empty = facts.fields.first { field in
            field.isRequired == true && field.kind != .signature && (field.value ?? "Off") == "Off"
                && !values.contains { $0.field == field.name }
        }
        if let empty {
            throw CommandError.unusableInput("\(path) demands a value for \(empty.name.debugDescription): add --set")
        }
        for value in values where !facts.fields.contains(where: { $0.name == value.field }) {
            throw CommandError.unusableInput("\(path) has no field \(value.field.debugDescription)")
        }
        _ = try SigningPlan(places, in: facts) { try helper.find($0, in: document) }
    }

    /// What a record adds to the file. None of another file is used, and none that this panel has not sealed: what was
    /// on the glass is what is signed.
    /// - Parameter hasCaption: writes name and date below the ink.
    func act(of source: CaptureSource, at place: SignaturePlace, hasCaption: Bool) throws -> DocumentSigning.Act {
        let (record, lines, name) = try read(source)
        guard record.isAccepted, let end = record.end else {
            throw CommandError.unusableInput("the capture \(name) was not accepted: it is no signature")
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
        let picture = try CapturePicture(
            of: record, part: .ink(margin: 0), resolution: .density(PixelDensity(dotsPerInch: 300)))
        let line = [request.signer, record.header.date?.text].compactMap { $0 }.joined(separator: ", ")
        return DocumentSigning.Act(
            place: place, ink: try PDFInkEncoder.encode(picture.drawing, density: picture.density),
            caption: hasCaption && !line.isEmpty ? line : nil, signer: request.signer, reason: request.reason,
            time: end.endedAt / 1_000_000, record: record.header.id, recordSHA256: recordDigest)
    }

    private func read(_ source: CaptureSource) throws -> (record: CaptureRecord, lines: [UInt8], name: String) {
        switch source {
        case .file(let path):
            let (record, lines) = try RecordFile.read(path)
            return (record, lines, path)
        case .stored(let start):
            let id = try start.resolved { try panel.store.list().captures.map(\.id) }
            do {
                let (record, lines) = try panel.store.read(id)
                return (record, lines, id.description)
            } catch StoreError.encrypted {
                throw CommandError.unusableInput(
                    "the record \(id) is encrypted: decrypt it where its recipient's key is, and name the file "
                        + "instead of the ID")
            }
        }
    }

    /// - Returns: the signed file, and the name of the field of each act.
    func sign(
        _ acts: [DocumentSigning.Act], _ values: [DocumentUpdate.Value]
    ) throws -> (document: [UInt8], fields: [String]) {
        let signing = DocumentSigning(helper: helper, key: key, certificates: certificates)
        return try signing.sign(document, facts: facts, acts, values: values)
    }
}
