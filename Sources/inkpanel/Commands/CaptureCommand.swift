// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Control
import Glibc
import Linux
import Pad
import Record

/// `inkpanel capture`: asks the panel for a signature and waits for it.
struct CaptureCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "capture", abstract: "Ask the panel for a signature.",
        discussion: """
            Waits until the person has signed, and prints the capture's id; what happens meanwhile is told on a \
            terminal. Ending the command cancels the capture. With --output it also leaves the signature in a file.

            Exit status: 0 accepted, \(CaptureEnding.cancelled) cancelled, \(CaptureEnding.timedOut) timed out, \
            64 a wrong command line: nobody was asked, 75 another capture runs, 74 the record could not be stored or is \
            gone, 73 it was stored, but the file could not be written, 69 no panel answers, 77 this user may not.
            """)

    @Option(help: ArgumentHelp("A line of what is signed; may be repeated.", valueName: "text"))
    var prompt: [String] = []

    @Option(help: ArgumentHelp("Who signs.", valueName: "name"))
    var signer: String?

    @Option(help: ArgumentHelp("What for.", valueName: "text"))
    var reason: String?

    @Option(help: ArgumentHelp("The document: its SHA-256 and its name go into the record.", valueName: "file"))
    var document: String?

    @Option(help: ArgumentHelp("What the document is called in the record, instead of its name.", valueName: "text"))
    var documentReference: String?

    @Option(help: ArgumentHelp(
        "Something of yours to keep in the record, such as order=4711; may be repeated.", valueName: "key=value"))
    var data: [DataEntry] = []

    @Option(help: ArgumentHelp("Leave the signature in a file; - is standard output.", valueName: "file"))
    var output: String?

    @OptionGroup var export: ExportOptions

    @Flag(help: "While another capture runs, wait for its end.")
    var wait = false

    @Flag(help: "Without the button that takes the last stroke back.")
    var noUndo = false

    @Option(help: ArgumentHelp(
        "How long the person may take, 1 to 86400 (default: as the panel is configured).", valueName: "seconds"))
    var timeout: Int64?

    @OptionGroup var control: ControlOptions

    func validate() throws {
        if let timeout, !(1...86_400 ~= timeout) { throw ValidationError("--timeout is 1 to 86400 seconds") }
        let texts = prompt + [signer, reason].compactMap { $0 }
        if texts.allSatisfy({ $0.allSatisfy(\.isWhitespace) }) {
            throw ValidationError("the page would be empty: say what is signed with --prompt, --signer or --reason")
        }
        if output == nil, export.statedFormat != nil { throw ValidationError("--format says what --output is") }
        for (index, entry) in data.enumerated() where data[..<index].contains(where: { $0.key == entry.key }) {
            throw ValidationError("--data has \(entry.key) twice")
        }
        _ = try export.choice(for: output)
    }

    func run() throws {
        try reportingErrors {
            if let output { try OutputFile.check(output) }
            let choice = try export.choice(for: output)
            let call = try makeCall()
            var client = try control.connect()
            var progress = ProgressLines()
            let ended: EndedCapture
            do throws(ControlClientError) { ended = try client.capture(call) { progress.tell($0) } } catch {
                throw CaptureEnding.refusal(error)
            }
            try CaptureEnding.check(ended.outcome)
            // Standard output is for the file then.
            if output == "-" { Log().notice("accepted: \(ended.id)") } else { try OutputFile.print("\(ended.id)\n") }
            guard let output else { return }
            do {
                try OutputFile.write(try client.file(of: ended.id, as: choice), to: output)
            } catch {
                throw CaptureEnding.withoutFile(ended.id, error)
            }
        }
    }

    private func makeCall() throws(CommandError) -> CaptureCall {
        var bound: CaptureRequest.Document?
        if let document {
            bound = CaptureRequest.Document(
                reference: documentReference ?? DocumentFile.reference(to: document),
                sha256: try DocumentFile.digest(of: document))
        } else if let documentReference {
            bound = CaptureRequest.Document(reference: documentReference)
        }
        return CaptureCall(
            request: CaptureRequest(
                prompt: prompt, signer: signer, reason: reason, document: bound,
                data: data.isEmpty ? nil : Dictionary(data.map { ($0.key, $0.value) }, uniquingKeysWith: { $1 })),
            policy: CapturePolicy(
                undo: noUndo ? false : nil, totalLimit: timeout.map { $0 * 1_000_000 }),
            waits: wait, follows: true)
    }
}

/// A key and a value on a command line, with the first `=` between them.
struct DataEntry: ExpressibleByArgument {
    var key, value: String

    init?(argument: String) {
        guard let equals = argument.firstIndex(of: "="), equals > argument.startIndex else { return nil }
        key = String(argument[..<equals])
        value = String(argument[argument.index(after: equals)...])
    }
}
