// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Control
import Record

/// `inkpanel export`: a file of a capture, from the panel or from a record that was kept.
struct ExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Make a file of a stored signature, or of a record's file.",
        discussion: "A record's file needs no panel: it is read here, also years later.")

    @Argument(help: "The capture's id, as capture and list print it, or a record's file.")
    var capture: CaptureSource

    @OptionGroup var export: ExportOptions

    @Flag(help: """
        Also if the capture was interrupted before the signature was accepted; the file says so in the way of its \
        format.
        """)
    var interrupted = false

    @Option(help: ArgumentHelp("The file to write; - is standard output.", valueName: "file"))
    var output: String

    @OptionGroup var control: ControlOptions

    func validate() throws { _ = try export.choice(for: output) }

    private func bytes(as choice: ExportChoice) throws -> [UInt8] {
        switch capture {
        case .stored(let id):
            var client = try control.connect()
            return try client.file(of: id, as: choice)
        case .file(let path) where choice.format == .record: return try RecordFile.read(path).file
        case .file(let path):
            // The file's bytes are gone when the record is drawn.
            let record = try RecordFile.record(path)
            return try RecordExport(captions: RecordCaptions().png).bytes(of: record, as: choice)
        }
    }

    func run() throws {
        try reportingErrors {
            var choice = try export.choice(for: output)
            choice.includesInterrupted = interrupted
            try OutputFile.check(output)
            try OutputFile.write(try bytes(as: choice), to: output)
        }
    }
}
