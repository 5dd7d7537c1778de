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

    @OptionGroup var pen: PenOption
    @OptionGroup var picture: PictureOptions

    @Option(help: "png, svg or json (centre lines and outlines).")
    var format = Format.png

    @Option(help: ArgumentHelp("The file to write; - is standard output.", valueName: "file"))
    var output: String

    @Option(help: ArgumentHelp(
        "The page in pixels. A recording is scaled to it (default: 1280 wide, the device's proportions); JSON keeps its "
            + "pixels (default: all ink and a margin).", valueName: "WxH"))
    var size: PixelSize?

    func run() throws {
        try reportingErrors {
            let page = try StrokePage(reading: input, size: size)
            let pixelSize = page.size
            // Only a PNG needs the paper's pixels.
            var canvas = Canvas(
                size: format == .png ? pixelSize : PixelSize(width: 1, height: 1), pen: picture.look(pen: pen.pen).pen,
                color: picture.color, background: picture.background,
                density: picture.density ?? page.density ?? .standard)
            var drawing = Drawing(size: pixelSize, background: picture.background, color: picture.color)
            for event in page.events {
                if let stroke = canvas.apply(event) { drawing.strokes.append(stroke) }
            }
            let bytes: [UInt8]
            switch format {
            case .png: bytes = try PNGEncoder.encode(canvas.dryPixels, dotsPerInch: picture.dpi)
            case .svg: bytes = SVGEncoder.encode(drawing, dotsPerInch: picture.dpi)
            case .json: bytes = InkJSONEncoder.encode(drawing.strokes)
            }
            try OutputFile.write(bytes, to: output)
        }
    }
}
