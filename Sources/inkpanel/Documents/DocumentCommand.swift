// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Configuration
import Control
import Document
import Evidence
import Formats
import Geometry
import HostAPI
import Linux
import PNG
import Panel
import Raster
import Record
import Signing

/// `inkpanel document`: PDF files, and the signatures in them.
struct DocumentCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "document", abstract: "Look at PDF files, and put signatures into them.",
        subcommands: [
            InspectDocumentCommand.self, CompareDocumentCommand.self, ConvertPicturesCommand.self,
            FlattenDocumentCommand.self, RenderDocumentCommand.self, SignDocumentCommand.self,
            SummarizeDocumentCommand.self,
        ])
}

/// The option for reaching the program that reads documents.
struct HelperOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Socket of inkpanel-document (default: \(DocumentHelper.usualSocket)).", valueName: "path"))
    var helperSocket: String?

    var helper: DocumentHelper {
        var helper = DocumentHelper()
        if let helperSocket { helper.socket = helperSocket }
        return helper
    }
}

enum PDFDocument {
    /// A PDF file, or that of pictures, as the panel shows them.
    static func read(_ path: String, with helper: DocumentHelper) throws -> [UInt8] {
        let bytes = try read(path)
        return DocumentPicture.begins(bytes) ? try helper.convert(bytes) : bytes
    }

    static func read(_ path: String) throws(CommandError) -> [UInt8] {
        do throws(Errno) {
            if let bytes = try InputFile.read(path, maximumByteCount: HelperLimits.document) { return bytes }
        } catch {
            throw .cannotRead(path, error)
        }
        throw .unusableInput("\(path) is larger than \(HelperLimits.document >> 20) MiB: make its pictures smaller")
    }
}

struct InspectDocumentCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect", abstract: "Print what a PDF file is: pages, fields, and what to be warned of.",
        discussion: "A file that cannot be signed is refused with the reason, and the exit status is 65.")

    @Argument(help: "PDF file.")
    var file: String

    @Option(help: ArgumentHelp("Print the places of a text instead, as for an anchor.", valueName: "text"))
    var find: String?

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup var helper: HelperOptions

    func validate() throws {
        if find != nil, json { throw ValidationError("--find and --json exclude each other") }
    }

    func run() throws {
        try reportingErrors {
            let document = try PDFDocument.read(file, with: helper.helper)
            if let find {
                let hits = try helper.helper.find(find, in: document)
                for text in hits.near { Log().warning("not there; did you mean \(text.debugDescription)?") }
                return try OutputFile.print(hits.places.map { "page \($0.page) \($0.rectangle.edges)\n" }.joined())
            }
            let facts = try helper.helper.inspect(document)
            try OutputFile.print(json ? JSONText.encode(facts) : Self.lines(facts))
        }
    }

    static func lines(_ facts: DocumentFacts) -> String {
        var lines: [String] = []
        for (index, page) in facts.pages.enumerated() {
            let (width, height) = (DocumentRectangle.tenths(page.width), DocumentRectangle.tenths(page.height))
            lines.append("page \(index + 1)   \(width) x \(height) points")
        }
        for field in facts.fields {
            var line = "\(field.kind.formWord) \(field.name.debugDescription) page \(field.page) "
            line += field.rectangle.edges
            if let choice = field.choice { line += " choice \(choice.debugDescription)" }
            if let meaning = field.meaning { line += " meaning \(meaning.debugDescription)" }
            if field.isRequired { line += " required" }
            lines.append(line)
        }
        lines += facts.warnings.map { "warning: \($0.words)" }
        if !facts.missingFonts.isEmpty {
            lines.append("fonts that are not embedded: \(facts.missingFonts.joined(separator: ", "))")
        }
        return lines.joined(separator: "\n") + "\n"
    }
}

struct ConvertPicturesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "convert", abstract: "Write the PDF file that the panel makes of pictures.")

    @Argument(help: "PNG and JPEG files in one, one after the other: each becomes a page.")
    var file: String

    @Option(help: ArgumentHelp("PDF file; - for standard output.", valueName: "file"))
    var output: String

    @OptionGroup var helper: HelperOptions

    func run() throws {
        try reportingErrors {
            try OutputFile.check(output)
            try OutputFile.write(try helper.helper.convert(try PDFDocument.read(file)), to: output)
        }
    }
}

struct FlattenDocumentCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "flatten", abstract: "Draw a PDF file anew, so that it can be signed.",
        discussion: """
            The new file has the pages as the pad draws them, with their texts, and all readers draw it alike: a page \
            that a second program still draws differently becomes a picture. Forms, layers, actions and notes become \
            what they look like, and repairs of a damaged file become the file. Fields and their names are gone, also \
            signatures and invisible texts: name places by page and rectangle, or by an anchor. A file that cannot be \
            drawn completely is refused, and the exit status is 65.

            The record of a capture with --flatten, which looks at the first 20 pages for differences, has the digest \
            of IN, and that of OUT.
            """)

    @Argument(help: ArgumentHelp("PDF file, which may be damaged, or PNG and JPEG files.", valueName: "in"))
    var file: String

    @Argument(help: ArgumentHelp("The new PDF file; - for standard output.", valueName: "out"))
    var out: String?

    @Option(help: ArgumentHelp("The new PDF file, in place of OUT.", valueName: "file"))
    var output: String?

    @OptionGroup var helper: HelperOptions

    /// The new file's path, and the name of the option that states it.
    private var place: (path: String, option: String?)? {
        output.map { ($0, "--output") } ?? out.map { ($0, nil) }
    }

    func validate() throws {
        guard let place, out == nil || output == nil else {
            throw ValidationError("name the new file once: inkpanel document flatten IN OUT")
        }
        try OutputFile.checkSuffix(of: place.path, among: ["pdf"], option: place.option, hasFormat: false)
    }

    func run() throws {
        guard let (path, option) = place else { return }
        try reportingErrors {
            try OutputFile.check(path, option: option)
            let document = try PDFDocument.read(file, with: helper.helper)
            try OutputFile.write(try helper.helper.flatten(document), to: path, option: option)
        }
    }
}

struct RenderDocumentCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "render", abstract: "Draw a page of a PDF file.")

    @Argument(help: "PDF file.")
    var file: String

    @Option(help: ArgumentHelp("Number of the page.", valueName: "n"))
    var page = 1

    @Option(help: ArgumentHelp("Width of the picture in pixels, 16 to 4096.", valueName: "pixels"))
    var width = 1240

    @Option(help: ArgumentHelp("PNG file; - for standard output.", valueName: "file"))
    var output: String

    @OptionGroup var helper: HelperOptions

    func validate() throws {
        guard 16...4096 ~= width else { throw ValidationError("--width is 16 to 4096 pixels") }
        try OutputFile.checkSuffix(of: output, among: ["png"], hasFormat: false)
    }

    func run() throws {
        try reportingErrors {
            try OutputFile.check(output)
            let document = try PDFDocument.read(file, with: helper.helper)
            let facts = try helper.helper.inspect(document)
            guard facts.pages.indices.contains(page - 1) else {
                throw DocumentPlanFault.noPage(page, count: facts.pages.count)
            }
            let shown = facts.pages[page - 1]
            let height = max(1, (Double(width) * shown.height / shown.width).rounded())
            guard Double(width) * height <= Double(HelperLimits.pixels) else {
                throw CommandError.wrongUsage(
                    "the picture would be \(width) x \(Int(height)): choose a smaller --width")
            }
            let size = PixelSize(width: width, height: Int(height))
            let picture = try helper.helper.render(HelperRequest.Rendering(page: page, size: size), of: document)
            let pixels = PPM.pixels(picture.file[picture.pixelOffset...], size: size)
            let dpi = Double(width) * 72 / shown.width
            try OutputFile.write(try PNGEncoder.encode(pixels.surface, dotsPerInch: dpi), to: output)
        }
    }
}
