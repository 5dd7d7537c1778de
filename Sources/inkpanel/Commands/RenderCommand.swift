// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Canvas
import Geometry
import Ink
import Linux
import Raster
import Record

/// `inkpanel render`: strokes from a file to a picture, without a panel.
struct RenderCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "render", abstract: "Draw a recording or signature_pad's JSON into a file.")

    enum Format: String, CaseIterable, ExpressibleByArgument {
        case png, svg, json
    }

    @Argument(help: "An evemu recording, or the JSON of signature_pad's toData().")
    var input: String

    @Option(help: "The pen, or all for a sheet with the page in every pen, as PNG.")
    var pen = PenChoice.one(.default)

    @OptionGroup var picture: PictureOptions

    @Option(help: "png, svg or json (centre lines and outlines).")
    var format = Format.png

    @Option(help: ArgumentHelp("The file to write; - is standard output.", valueName: "file"))
    var output: String

    @Option(help: ArgumentHelp(
        "The page in pixels. A recording is scaled to it (default: 1280 wide, the device's proportions); JSON keeps its "
            + "pixels (default: all ink and a margin).", valueName: "WxH"))
    var size: PixelSize?

    func validate() throws {
        if pen == .all, format != .png {
            throw ValidationError("--pen all draws a sheet, which is a PNG; for \(format.rawValue) name one pen")
        }
    }

    func run() throws {
        try reportingErrors {
            let page = try StrokePage(reading: input, size: size)
            let density = picture.density ?? page.density ?? .standard
            let bytes =
                switch pen {
                case .one(let name): try encode(page, pen: name, density)
                case .all: try encodeSheet(page, density)
                }
            try OutputFile.write(bytes, to: output)
        }
    }

    private func encode(_ page: StrokePage, pen: PenName, _ density: PixelDensity) throws -> [UInt8] {
        // Only a PNG needs the paper's pixels.
        var canvas = Canvas(
            size: format == .png ? page.size : PixelSize(width: 1, height: 1), pen: picture.look(pen: pen).pen,
            color: picture.color, background: picture.background, density: density)
        var drawing = Drawing(size: page.size, background: picture.background, color: picture.color)
        for event in page.events {
            if let stroke = canvas.apply(event) { drawing.strokes.append(stroke) }
        }
        switch format {
        case .png: return try PNGEncoder.encode(canvas.dryPixels, dotsPerInch: picture.dpi)
        case .svg: return SVGEncoder.encode(drawing, dotsPerInch: picture.dpi)
        case .json: return InkJSONEncoder.encode(drawing.strokes)
        }
    }

    private func encodeSheet(_ page: StrokePage, _ density: PixelDensity) throws -> [UInt8] {
        let sheet = PenSheet(page: page, look: picture.look(pen: .default), density: density)
        let pixels = try sheet.draw()
        let dotsPerInch = picture.dpi.map { $0 / Double(sheet.layout.reduction) }
        return try PNGEncoder.encode(pixels.surface, dotsPerInch: dotsPerInch)
    }
}
