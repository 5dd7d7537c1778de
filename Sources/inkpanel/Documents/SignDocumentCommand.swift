// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
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

/// `inkpanel document sign`: puts the ink of records into the PDF file that they were captured for, and signs it.
struct SignDocumentCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign", abstract: "Put signatures into the PDF file that they were given for, and sign it.",
        discussion: """
            Each record must be of an accepted capture of exactly this file (inkpanel capture --document FILE) that this \
            panel has sealed. The bytes of the file stay as they are; each signature is added to them (PAdES-B-B) with the panel's key and \
            certificate, so this needs root or the panel's user. The file is written when all is signed, or not at all.

            Places are in points (1/72 inch) from the lower left corner of the page. With anchor=TEXT the lower left \
            corner is that of the text, which must be in the file once, moved by offset=RIGHT,UP.
            """)

    @Argument(help: "PDF file.")
    var file: String

    @Option(
        help: ArgumentHelp(
            "A record, by its ID or file, and where its ink goes; may be repeated, in the order of signing. "
                + SignatureOption.form + ".", valueName: "words"))
    var signature: [SignatureOption]

    @Option(
        help: ArgumentHelp(
            "What was chosen in a field of the file's own form, such as consent=Yes; may be repeated.",
            valueName: "field=value"))
    var set: [DataEntry] = []

    @Option(help: ArgumentHelp("The signed file; - for standard output.", valueName: "file"))
    var output: String

    @Flag(help: "Write the signer's name and the date below each signature, as they were on the page.")
    var caption = false

    @Flag(help: "Refuse a file with any warning (inkpanel document inspect).")
    var strict = false

    @OptionGroup var helper: HelperOptions
    @OptionGroup var identity: IdentityOptions

    func validate() throws {
        guard !signature.isEmpty else { throw ValidationError("nobody signs: add --signature") }
        try OutputFile.checkSuffix(of: output, among: ["pdf"], hasFormat: false)
        for (index, act) in signature.enumerated() where signature[..<index].contains(where: { $0.record == act.record })
        {
            throw ValidationError("a record is there twice: each signature in a file is an act of its own")
        }
        for (index, entry) in set.enumerated() where set[..<index].contains(where: { $0.key == entry.key }) {
            throw ValidationError("--set has \(entry.key) twice")
        }
    }

    func run() throws {
        try reportingErrors {
            try OutputFile.check(output)
            let document = try PDFDocument.read(file)
            let (panel, _) = try identity.panelStore()
            let acts = try readActs(digest: SHA256Digest(of: document).description, panel.store)
            let (key, certificates) = (try panel.keyFile.read(), try panel.readCertificate())
            let facts = try helper.helper.inspect(document)
            try check(facts)
            let signing = DocumentSigning(helper: helper.helper, key: key, certificates: certificates)
            let values = set.map { DocumentUpdate.Value(field: $0.key, value: $0.value) }
            let (signed, fields) = try signing.sign(document, facts: facts, acts, values: values)
            try OutputFile.write(signed, to: output)
            if output == "-" { return }
            let lines = zip(fields, acts).map { "\($0) \($1.record)\n" }
            try OutputFile.print(lines.joined())
        }
    }

    private func check(_ facts: DocumentFacts) throws(CommandError) {
        let empty = facts.fields.filter { field in
            field.isRequired == true && field.kind != .signature && (field.value ?? "Off") == "Off"
                && !set.contains { $0.key == field.name }
        }
        if let field = empty.first {
            throw .unusableInput("the file demands a value for \(field.name.debugDescription): add --set")
        }
        for warning in facts.warnings {
            guard strict else {
                Log().warning("\(file): \(warning.words)")
                continue
            }
            throw .unusableInput("\(file): \(warning.words)")
        }
    }

    /// Reads the records. None of another document is used, and none that this panel has not sealed: what was on the
    /// glass is what is signed.
    private func readActs(digest: String, _ store: CaptureStore) throws -> [DocumentSigning.Act] {
        var acts: [DocumentSigning.Act] = []
        for option in signature {
            let (record, lines, name) = try read(option.record, store)
            guard record.isAccepted, let end = record.end else {
                throw CommandError.unusableInput("the capture \(name) was not accepted: it is no signature")
            }
            guard let sha256 = record.header.request.document?.sha256 else {
                throw CommandError.unusableInput(
                    "the record \(name) names no document: capture it with --document \(file)")
            }
            guard sha256 == digest else {
                throw CommandError.unusableInput("the record \(name) is of another document than \(file)")
            }
            let recordDigest = SHA256Digest(of: lines).description
            let seal = try CaptureID(record.header.id).flatMap { try store.seal(of: $0) }
            guard seal?.seal.record == recordDigest else {
                throw CommandError.unusableInput("the record \(name) is not one that this panel has sealed")
            }
            if acts.contains(where: { $0.record == record.header.id }) {
                throw CommandError.wrongUsage(
                    "the record \(name) is there twice: each signature in a file is an act of its own")
            }
            let request = record.header.request
            let picture = try CapturePicture(
                of: record, part: .ink(margin: 0), resolution: .density(PixelDensity(dotsPerInch: 300)), color: nil)
            let line = [request.signer, record.header.date?.text].compactMap { $0 }.joined(separator: ", ")
            acts.append(
                DocumentSigning.Act(
                    place: option.place, ink: try PDFInkEncoder.encode(picture.drawing, density: picture.density),
                    caption: caption && !line.isEmpty ? line : nil, signer: request.signer,
                    reason: request.reason, time: end.endedAt / 1_000_000, record: record.header.id,
                    recordSHA256: recordDigest))
        }
        return acts
    }

    private func read(
        _ source: CaptureSource, _ store: CaptureStore
    ) throws -> (record: CaptureRecord, lines: [UInt8], name: String) {
        switch source {
        case .file(let path):
            let (record, lines) = try RecordFile.read(path)
            return (record, lines, path)
        case .stored(let start):
            let id = try start.resolved { try store.list().captures.map(\.id) }
            do {
                let (record, lines) = try store.read(id)
                return (record, lines, id.description)
            } catch StoreError.encrypted {
                throw CommandError.unusableInput(
                    "the record \(id) is encrypted: decrypt it where its recipient's key is, and name the file "
                        + "instead of the ID")
            }
        }
    }
}
