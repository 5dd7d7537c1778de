// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Document
import Evidence
import Formats
import HostAPI
import Linux
import Record
import Signing
import Store

/// `inkpanel document summary`: a page that says who signed a document, when, where and what.
struct SummarizeDocumentCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "summary", abstract: "Write a page that sums up who signed, when, where and what, as a PDF file.",
        discussion: """
            The page is made of the records of accepted captures. It is a file of its own and not signed: the records \
            and their seals are the evidence. A record by its ID needs root, or --socket; its file needs no panel.
            """)

    @Argument(help: "Records, by ID or file, in the order of signing.")
    var record: [CaptureSource]

    @Option(help: ArgumentHelp("The file; - for standard output.", valueName: "file"))
    var output: String

    @Option(
        help: ArgumentHelp(
            "What the person of a record is, such as Customer; may be repeated, in the order of the records.",
            valueName: "text"))
    var role: [String] = []

    @Option(help: ArgumentHelp("The document; it must be the one that the records name.", valueName: "file"))
    var document: String?

    @Option(help: ArgumentHelp("The signed document, whose digest is added.", valueName: "file"))
    var signed: String?

    @Option(
        help: ArgumentHelp(
            "Text of a QR code, such as the address of the person's copy; at most \(QRCode.longestText) bytes.",
            valueName: "text"))
    var qr: String?

    @Option(help: ArgumentHelp("Words below the QR code.", valueName: "text"))
    var qrLabel: String?

    @Option(help: ArgumentHelp("Heading of the page.", valueName: "text"))
    var title: String?

    @Option(
        help: ArgumentHelp("Socket of the panel, to get records from it instead of its store.", valueName: "path"))
    var socket: String?

    @OptionGroup var identity: IdentityOptions

    func validate() throws {
        if record.isEmpty { throw ValidationError("there is nothing to sum up: name a record") }
        if role.count > record.count { throw ValidationError("there are more --role than records") }
        if qrLabel != nil, qr == nil { throw ValidationError("--qr-label needs --qr") }
        if let qr { do { _ = try QRCode(qr) } catch { throw ValidationError("--qr: \(error)") } }
        try OutputFile.checkSuffix(of: output, among: ["pdf"], hasFormat: false)
    }

    func run() throws {
        try reportingErrors {
            try OutputFile.check(output)
            var signatures: [SignatureSummary] = []
            for (index, source) in record.enumerated() {
                let role = role.indices.contains(index) ? role[index] : nil
                let signature = try signature(source, role: role)
                if signatures.contains(where: { $0.record.header.id == signature.record.header.id }) {
                    throw CommandError.wrongUsage("the record \(signature.record.header.id) is there twice")
                }
                signatures.append(signature)
            }
            var page = SignatureSummary.page(of: signatures, files: try files(of: signatures))
            if let title { page.title = title }
            page.code = try qr.map { try QRCode($0) }
            page.codeLabel = qrLabel
            let time = signatures.compactMap(\.record.end?.endedAt).max() ?? 0
            try OutputFile.write(try page.file(program: Inkpanel.program, time: time / 1_000_000), to: output)
        }
    }

    private func signature(_ source: CaptureSource, role: String?) throws -> SignatureSummary {
        var panel: PanelStore?
        let (record, lines, name): (CaptureRecord, [UInt8], String)
        if let socket, case .stored(let start) = source {
            var client = try PanelClient(path: socket)
            let id = try client.resolve(start)
            lines = try client.file(GetCall(id, .record))
            do throws(CaptureFormatError) { record = try CaptureDecoder.decode(lines) } catch {
                throw CommandError.unusableInput("\(id): \(error)")
            }
            name = id.description
        } else {
            (record, lines, name) = try source.read {
                let store = try identity.panelStore().0
                panel = store
                return store
            }
        }
        guard record.isAccepted else {
            throw CommandError.unusableInput("the capture \(name) was not accepted: it is no signature")
        }
        let digest = SHA256Digest(of: lines).description
        var key = record.header.machine?.key
        if let panel, let id = CaptureID(record.header.id), let seal = try panel.store.seal(of: id)?.seal {
            guard seal.record == digest else {
                throw CommandError.unusableInput("the record \(name) is not as this panel has sealed it")
            }
            key = seal.key
        }
        // A document that was only read has no ink.
        let only = record.header.flow == nil ? try record.pdfInk() : nil
        var summary = SignatureSummary(record: record, digest: digest, key: key, role: role, ink: only)
        for field in record.fields where !field.strokes.isEmpty {
            summary.fieldInks[field.name] = try record.sheet(named: field.name).map { try $0.pdfInk() }
        }
        return summary
    }

    /// Checks that a file has the signatures of the records: each names its record by its digest.
    private static func check(_ path: String, has signatures: [SignatureSummary]) throws {
        let bytes: [UInt8]?
        do throws(Errno) {
            bytes = try InputFile.read(path, maximumByteCount: 2 * HelperLimits.signedDocument)
        } catch {
            throw CommandError.cannotRead(path, error)
        }
        guard let bytes else { throw CommandError.unusableInput("\(path) is too large for a signed document") }
        for signature in signatures {
            // Hexadecimal digits, as the program writes them.
            if bytes.firstRange(of: Array("/INKP_RecordSHA256 <\(signature.digest)>".utf8)) != nil { continue }
            throw CommandError.unusableInput(
                "\(path) has no signature of the record \(signature.record.header.id): it is another file")
        }
    }

    /// The rows of the document's section that need files.
    private func files(of signatures: [SignatureSummary]) throws -> [SummaryPage.Row] {
        let digests = Set(signatures.map(\.record.header.request.document?.sha256))
        if digests.count > 1 { throw CommandError.unusableInput("the records are of several documents") }
        var rows: [SummaryPage.Row] = []
        if let document {
            guard let stated = digests.first ?? nil, stated == (try SHA256Digest(ofFile: document).description) else {
                throw CommandError.unusableInput("the records are of another document than \(document)")
            }
        }
        if let signed {
            try Self.check(signed, has: signatures)
            rows.append(.init("Signed file", DocumentFile.reference(to: signed)))
            let digest = try SHA256Digest(ofFile: signed).description
            rows.append(.init("Its SHA-256", SummaryText.digest(digest), style: .code))
        }
        return rows
    }
}
