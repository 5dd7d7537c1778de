// SPDX-License-Identifier: Apache-2.0
public import ArgumentParser
import Configuration
import Control
import Formats
import Geometry
import HostAPI
import Panel
import Raster
import Record

/// `inkpanel export`: a file of a capture, from the panel or from the file of a record.
struct ExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Export a stored signature, or the file of a record, in a format.",
        discussion: "The file of a record needs no panel.")

    @Argument(help: "ID of the capture, as capture and list print it, or its beginning, or file of a record.")
    var capture: CaptureSource

    @OptionGroup var export: ExportOptions

    @Option(
        help: ArgumentHelp(
            "Of a capture with several pages: the field whose ink it is, as show prints them; default: the first "
                + "signature.", valueName: "name"))
    var field: String?

    @Flag(
        help: """
            Also export a capture that was interrupted before the signature was accepted. The file is marked as such.
            """)
    var interrupted = false

    @Option(help: ArgumentHelp("Output file; - for standard output.", valueName: "file"))
    var output: String

    @OptionGroup var control: ControlOptions

    func validate() throws {
        let format = try export.choice(for: output).format
        if field != nil, format.isStored { throw ValidationError("--field is for ink, not \(format.rawValue)") }
    }

    private func bytes(as choice: ExportChoice) throws -> [UInt8] {
        switch capture {
        case .stored(let id):
            var client = try control.connect()
            let id = try client.resolve(id)
            // A document may be larger than one answer.
            return choice.format == .pdf ? try client.signedDocument(of: id) : try client.file(of: id, as: choice)
        case .file(let path) where choice.format == .record: return try RecordFile.read(path).file
        case .file where choice.format.isStored:
            throw CommandError.wrongUsage(
                "--format \(choice.format.rawValue) needs the ID of a capture: the file of a record does not have it")
        case .file(let path):
            // Only the record stays in memory while it is drawn.
            let record = try RecordFile.record(path)
            return try RecordExport(captions: RecordCaptions().png).bytes(of: record, as: choice)
        }
    }

    func run() throws {
        try reportingErrors {
            var choice = try export.choice(for: output)
            choice.includesInterrupted = interrupted
            choice.field = field
            try OutputFile.check(output)
            try OutputFile.write(try bytes(as: choice), to: output)
        }
    }
}

/// The format of an exported file.
struct ExportOptions: ParsableArguments {
    enum Part: String, CaseIterable, ExpressibleByArgument {
        case ink
        case signingArea = "signing-area"
    }

    @Option(
        name: .customLong("format"),
        help: ArgumentHelp(
            "\(ExportFormat.allCases.map(\.rawValue).joined(separator: ", ")); default: from the ending of the output "
                + "file; png for a name without one.", valueName: "format"))
    var statedFormat: ExportFormat?

    @Option(
        help: ArgumentHelp(
            "Pixels per inch of a picture in the size of the ink on the screen (default: 300).",
            valueName: "n"))
    var dpi: Double?

    @Option(help: ArgumentHelp("Size of the picture in pixels; the ink is scaled to fit.", valueName: "WxH"))
    var size: PixelSize?

    @Option(help: "Part of the page that the picture shows.")
    var part = Part.ink

    @Flag(help: "Leave out the paper.")
    var transparent = false

    @Option(help: ArgumentHelp("Colour of the ink in a picture (default: as on the screen).", valueName: "rrggbb"))
    var color: Color?

    @Flag(help: "Below the ink, add prompt, rows, signer and date to a PNG file, signer and date to a signed document.")
    var caption = false

    func validate() throws {
        if let problem = Setting["display.dpi"].problem(with: dpi, option: "--dpi") {
            throw ValidationError(problem)
        }
        if dpi != nil, size != nil { throw ValidationError("--dpi and --size exclude each other") }
    }

    /// - Parameter output: its ending is the default of the format.
    /// - Throws: `ValidationError` for options that the format does not have.
    func choice(for output: String?) throws -> ExportChoice {
        if let output, statedFormat == nil {
            let formats = ExportFormat.allCases.filter { $0 != .encryptedPDF }
            try OutputFile.checkSuffix(of: output, among: formats.map(\.suffix), hasFormat: true)
        }
        let suffix = output.flatMap { OutputFile.suffix(of: $0) }
        let format = statedFormat ?? ExportFormat.allCases.first { $0.suffix == suffix } ?? .png
        let isChanged = dpi != nil || size != nil || part != .ink || transparent || color != nil || caption
        if isChanged, !format.isPicture {
            throw ValidationError(
                "--dpi, --size, --part, --transparent, --color and --caption are for png and svg, "
                    + "not \(format.rawValue)")
        }
        if caption, format != .png { throw ValidationError("--caption is for png") }
        var picture = PictureChoice(isTransparent: transparent, color: color, hasCaption: caption)
        if part == .signingArea { picture.part = .signingArea }
        if let dpi { picture.resolution = .density(PixelDensity(dotsPerInch: dpi)) }
        if let size { picture.resolution = .size(size) }
        return ExportChoice(format: format, picture: picture)
    }
}

extension ExportFormat: ExpressibleByArgument {}
