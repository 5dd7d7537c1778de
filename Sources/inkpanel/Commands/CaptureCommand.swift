// SPDX-License-Identifier: Apache-2.0
public import ArgumentParser
import Control
import Evidence
import Geometry
import Glibc
public import HostAPI
import Linux
import Pad
import Record

/// `inkpanel capture`: requests a signature and waits for it.
struct CaptureCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "capture", abstract: "Request a signature from the panel.",
        discussion: """
            Waits until the person has signed, and prints the ID of the capture. On a terminal it prints progress, \
            too. Ending the command cancels the capture. With --output it also writes the signature to a file.

            With --field or --read the panel shows the document, a PDF file or pictures (PNG, JPEG; several \
            in one file, one after the other): people read it and fill its fields. --output is then the signed document.

            Exit status: 0 accepted, \(CaptureEnding.cancelled) cancelled, \(CaptureEnding.timedOut) timed out, \
            \(CaptureEnding.declined) declined, 64 usage error, 65 the document is refused, 75 another \
            capture runs, 74 the record could not be stored or is gone, 73 it was stored, but the file could not be \
            written, 69 no panel answers, 77 this user has no access.
            """)

    @Option(
        help: ArgumentHelp(
            "Line of the text to sign; may be repeated. The first is the heading.", valueName: "text"))
    var prompt: [String] = []

    @Option(
        help: ArgumentHelp(
            "Row below the text, such as \"Amount=12.00 EUR\"; may be repeated.", valueName: "label=value"))
    var row: [CaptureRequest.Row] = []

    @Option(help: ArgumentHelp("Name of the signer.", valueName: "name"))
    var signer: String?

    @Option(help: ArgumentHelp("Reason for signing.", valueName: "text"))
    var reason: String?

    @Option(help: ArgumentHelp("Name of the person at the host who asks; not shown.", valueName: "name"))
    var `operator`: String?

    @Option(help: ArgumentHelp("Document to sign; the record has its SHA-256 and name.", valueName: "file"))
    var document: String?

    @Option(help: ArgumentHelp("Name of the document in the record, instead of its file name.", valueName: "text"))
    var documentReference: String?

    @Option(
        help: ArgumentHelp(
            "Your own data for the record, such as order=4711; may be repeated.", valueName: "key=value"))
    var data: [DataEntry] = []

    @Option(
        help: ArgumentHelp(
            "Language of the page, such as pl (default: as configured).", valueName: "tag"))
    var language: String?

    @Option(
        help: ArgumentHelp(
            "Least height of capitals on the pages, such as 4.9 for people who see little (default: as configured).",
            valueName: "mm"))
    var letters: Double?

    @Flag(help: "Read the pages aloud, if the panel has a headset.")
    var speech = false

    @Option(help: ArgumentHelp("Write the signature to a file; - for standard output.", valueName: "file"))
    var output: String?

    @OptionGroup var export: ExportOptions
    @OptionGroup(title: "What people read and answer") var flow: FlowOptions

    @Flag(help: "Wait for another capture to end instead of failing.")
    var wait = false

    @Flag(help: "Show no button to undo strokes.")
    var noUndo = false

    @Option(
        help: ArgumentHelp(
            "Time limit, 1 to 86400 (default: as configured).", valueName: "seconds"))
    var timeout: Int64?

    @Option(
        help: ArgumentHelp(
            "What to do if no font has a character: "
                + "\(MissingGlyphsRule.allCases.map(\.rawValue).joined(separator: ", ")) (default: as configured).",
            valueName: "rule"))
    var missingGlyphs: MissingGlyphsRule?

    @OptionGroup var control: ControlOptions

    func validate() throws {
        if let letters, !CaptureCall.lettersRange.contains(letters) {
            let range = CaptureCall.lettersRange
            throw ValidationError("--letters is \(Int(range.lowerBound)) to \(Int(range.upperBound)) mm")
        }
        if let timeout, !(1...86_400 ~= timeout) { throw ValidationError("--timeout is 1 to 86400 seconds") }
        let texts = prompt + row.map(\.value) + [signer, reason].compactMap { $0 }
        if texts.allSatisfy(\.isBlank), !flow.isReading, flow.question.isEmpty {
            throw ValidationError("the page would be empty: add --prompt, --row with a value, --signer or --reason")
        }
        try flow.check(document: document, output: output, export)
        _ = try flow.people()
        if output == nil, export.statedFormat != nil { throw ValidationError("--format needs --output") }
        try DataEntry.checkKeys(of: data, option: "--data")
        if !flow.writesDocument(to: output, export) {
            let format = try export.choice(for: output).format
            if !flow.isReading, format == .pdf || format == .encryptedPDF {
                throw ValidationError("a signed document needs --document with --field or --read")
            }
        }
    }

    func run() throws {
        try reportingErrors {
            if let output { try OutputFile.check(output) }
            var client = try control.connect()
            let call = try makeCall(with: &client)
            var progress = ProgressLines()
            let ended: CaptureReply
            do throws(PanelClientError) { ended = try client.capture(call) { progress.show($0) } } catch {
                throw CaptureEnding.refusal(error)
            }
            if let outcome = ended.outcome { try CaptureEnding.check(outcome) }
            if output == "-" {
                // Standard output has the file.
                Log().notice("accepted: \(ended.id)")
            } else {
                try OutputFile.print("\(ended.id)\n")
            }
            guard let output else { return }
            do {
                let bytes =
                    if flow.writesDocument(to: output, export) {
                        try signedDocument(of: ended, from: &client)
                    } else {
                        try client.file(of: ended.id, as: try export.choice(for: output))
                    }
                try OutputFile.write(bytes, to: output)
            } catch {
                throw CaptureEnding.withoutFile(ended.id, error, isSignature: ended.instead == nil)
            }
        }
    }

    private func signedDocument(of ended: CaptureReply, from client: inout PanelClient) throws -> [UInt8] {
        guard ended.signed == true else {
            throw CommandError(
                message: "nobody signed in the document: it was only read, or has no field for a signature",
                status: EX_CANTCREAT)
        }
        return try client.signedDocument(of: ended.id)
    }

    /// Hands the document over if people read it.
    private func makeCall(with client: inout PanelClient) throws -> CaptureCall {
        guard flow.isReading, let document else { return try makeCall() }
        let bytes = try PDFDocument.read(document)
        let digest = SHA256Digest(of: bytes).description
        return try makeCall((try client.open(document: bytes, sha256: digest), digest))
    }

    /// - Parameter opened: the name of the document on the connection, and its digest; nil if it is not shown.
    func makeCall(_ opened: (id: String, sha256: String)? = nil) throws -> CaptureCall {
        var bound: CaptureRequest.Document?
        if let document {
            bound = CaptureRequest.Document(
                reference: documentReference ?? DocumentFile.reference(to: document),
                sha256: try opened?.sha256 ?? SHA256Digest(ofFile: document).description)
        } else if let documentReference {
            bound = CaptureRequest.Document(reference: documentReference)
        }
        var call = CaptureCall(
            request: CaptureRequest(
                prompt: prompt, rows: row.isEmpty ? nil : row, signer: signer, reason: reason, document: bound,
                data: data.isEmpty ? nil : Dictionary(data.map { ($0.key, $0.value) }, uniquingKeysWith: { $1 }),
                language: language, operator: `operator`),
            policy: CapturePolicy(
                undo: noUndo ? false : nil, totalLimit: timeout.map { .seconds($0) }, missingGlyphs: missingGlyphs,
                alternatives: flow.alternative.isEmpty ? nil : flow.alternative),
            waits: wait, follows: true)
        call.letters = letters
        if speech { call.assistance = [.speech] }
        call.flow = try flow.flow(
            document: opened?.id, hasCaption: export.caption, isSigned: flow.writesDocument(to: output, export))
        return call
    }
}

extension MissingGlyphsRule: ExpressibleByArgument {}

/// `KEY=VALUE` on the command line.
struct DataEntry: ExpressibleByArgument {
    var key, value: String

    init?(argument: String) {
        guard let equals = argument.firstIndex(of: "="), equals > argument.startIndex else { return nil }
        key = String(argument[..<equals])
        value = String(argument[argument.index(after: equals)...])
    }

    /// - Throws: `ValidationError` for a key that is there twice.
    static func checkKeys(of entries: [DataEntry], option: String) throws {
        for (index, entry) in entries.enumerated() where entries[..<index].contains(where: { $0.key == entry.key }) {
            throw ValidationError("\(option) has \(entry.key) twice")
        }
    }
}

/// `LABEL=VALUE` on the command line.
extension CaptureRequest.Row: ExpressibleByArgument {
    public init?(argument: String) {
        guard let entry = DataEntry(argument: argument) else { return nil }
        self.init(label: entry.key, value: entry.value)
    }
}

/// Exit status and message for the outcome of a capture.
enum CaptureEnding {
    // Lower than those of sysexits(3), which start at 64.
    static let cancelled: Int32 = 10
    static let timedOut: Int32 = 11
    static let declined: Int32 = 12

    /// - Throws: for every outcome but an accepted signature.
    static func check(_ outcome: CaptureOutcome) throws(CommandError) {
        switch outcome {
        case .accepted: return
        case .declined(let reason):
            throw CommandError(message: "declined" + (reason.map { ": \($0)" } ?? ""), status: declined)
        case .cancelled(by: .person):
            throw CommandError(message: "cancelled: the person pressed Cancel", status: cancelled)
        case .cancelled(by: .host): throw CommandError(message: "cancelled: by a host", status: cancelled)
        case .timedOut(.inactivity):
            throw CommandError(message: "timed out: the panel was not touched for too long", status: timedOut)
        case .timedOut(.total): throw CommandError(message: "timed out: the time limit was reached", status: timedOut)
        case .failed(let reason, nil):
            throw CommandError(message: "the signature could not be stored: \(reason)", status: EX_IOERR)
        case .failed(let reason, .some): throw CommandError(message: reason, status: EX_DATAERR)
        }
    }

    /// The error of a call that started no capture.
    static func refusal(_ error: PanelClientError) -> CommandError {
        guard case .refused(.storeFailed(let reason, _)) = error else { return CommandError(error) }
        return CommandError(
            message: "no signature was requested, because it could not be stored: \(reason)", status: EX_IOERR)
    }

    /// The error for an accepted signature whose file could not be written.
    /// - Parameter isSignature: false if something stands in its place, of which there may be nothing to export.
    static func withoutFile(_ id: CaptureID, _ error: any Error, isSignature: Bool = true) -> CommandError {
        let message = CommandError(error).message
        switch error {
        // It was stored, or it would not have been accepted. Now it is gone, which is an error.
        case PanelClientError.refused(.noSuchCapture):
            return CommandError(
                message: "the signature was accepted, but its record \(id) is no longer in the store: a host or a "
                    + "limit in [record] removed it; see the log of the panel", status: EX_IOERR)
        case PanelClientError.refused(.unreadableCapture):
            return CommandError(
                message: "the signature was accepted, but its record is damaged: \(message)", status: EX_IOERR)
        default:
            let stored =
                isSignature ? "the signature is stored: inkpanel export" : "the record is stored: inkpanel show"
            return CommandError(message: "\(message); \(stored) \(id)", status: EX_CANTCREAT)
        }
    }
}

/// Prints the progress of a capture, one line for each change, if standard error is a terminal.
struct ProgressLines {
    private let log: Log?
    private var last: String?
    private var warned: [MissingGlyphs]?
    private var speechFault: String?

    init(isTerminal: Bool = isatty(STDERR_FILENO) == 1) { log = isTerminal ? Log() : nil }

    mutating func show(_ progress: CaptureReply) {
        // A script hears of it, too.
        if let missing = progress.missingGlyphs, missing != warned {
            warned = missing
            Log().warning(
                "the page does not show \(missing.map(\.description).joined(separator: "; ")): no font has it")
        }
        if let fault = progress.speech?.fault, fault != speechFault {
            speechFault = fault
            Log().warning("the pages are not read aloud: \(fault)")
        }
        let line = Self.line(progress)
        if line == last { return }
        last = line
        log?.notice(line)
    }

    static func line(_ progress: CaptureReply) -> String {
        let person = progress.person.map { " (\($0))" } ?? ""
        return switch progress.state {
        case .waiting: "waiting for the panel to be free (\(progress.id))"
        case .reading: "reading\(person)" + (progress.page.map { ": page \($0)" } ?? "")
        case .answering: "answering\(person)" + (progress.field.map { ": \($0)" } ?? "")
        case .handingOver: "waiting for the next person\(person)"
        case .signing where progress.strokes == 0: "waiting for the signature (\(progress.id))"
        case .signing: "signing: \(progress.strokes ?? 0) \(progress.strokes == 1 ? "stroke" : "strokes")"
        case .refused(let refusal): "not accepted as a signature: \(reason(refusal))"
        case .saving, .ended: "accepted; storing it"
        }
    }

    private static func reason(_ refusal: Refusal) -> String {
        func rounded(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }
        return switch refusal {
        case .noInk: "there is no ink"
        case .fewStrokes(let count, let minimum): "\(count) of \(minimum) strokes"
        case .fewSamples(let count, let minimum): "\(count) of \(minimum) reports"
        case .short(let length, let minimum): "\(rounded(length)) mm long, \(rounded(minimum)) are required"
        case .small(let length, let minimum): "\(rounded(length)) mm in size, \(rounded(minimum)) are required"
        case .straight(let length, let minimum): "\(rounded(length)) mm broad, \(rounded(minimum)) are required"
        case .quick(let time, let minimum):
            "drawn in \(time.microseconds / 1000) ms, \(minimum.microseconds / 1000) are required"
        }
    }
}
