// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Control
import Linux
import Record

/// `inkpanel show`: what is known about a capture.
struct ShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Say what is known about a stored signature.")

    @Argument(help: "The capture's id, as capture and list print it, or a record's file.")
    var capture: CaptureSource

    @Flag(help: "As JSON.")
    var json = false

    @OptionGroup var control: ControlOptions

    func run() throws {
        try reportingErrors {
            let metadata: RecordMetadata
            switch capture {
            case .stored(let id):
                var client = try control.connect()
                metadata = try client.metadata(of: id)
            case .file(let path):
                let (record, file) = try RecordFile.read(path)
                metadata = RecordMetadata(record, byteCount: file.count)
            }
            try OutputFile.print(json ? try JSONText.encode(metadata) : CaptureSheet(metadata).text)
        }
    }
}
