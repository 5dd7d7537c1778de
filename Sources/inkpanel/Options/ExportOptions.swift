// SPDX-License-Identifier: Apache-2.0
public import ArgumentParser
public import Control
import Formats
import Geometry
import Raster
import Record

/// What file is made of a capture.
struct ExportOptions: ParsableArguments {
    enum Part: String, CaseIterable, ExpressibleByArgument {
        case ink
        case signingArea = "signing-area"
    }

    @Option(
        name: .customLong("format"),
        help: ArgumentHelp(
            "\(ExportFormat.allCases.map(\.rawValue).joined(separator: ", ")); default: as the output's name ends; "
                + "png for a name without an ending.", valueName: "format"))
    var statedFormat: ExportFormat?

    @Option(help: ArgumentHelp(
        "Pixels per inch of a picture, which then has the size of the ink on the screen (default: 300).",
        valueName: "n"))
    var dpi: Double?

    @Option(help: ArgumentHelp("The picture in pixels; the ink is as large as fits.", valueName: "WxH"))
    var size: PixelSize?

    @Option(help: "What of the page is in the picture.")
    var part = Part.ink

    @Flag(help: "A picture without paper.")
    var transparent = false

    @Option(help: ArgumentHelp("The ink's colour in a picture (default: as on the screen).", valueName: "rrggbb"))
    var color: Color?

    @Flag(help: "PNG only: with prompt, signer and date below the ink.")
    var caption = false

    func validate() throws {
        if let dpi, !PixelDensity.dotsPerInchRange.contains(dpi) {
            throw ValidationError("--dpi is 10 to 10000 pixels per inch")
        }
        if dpi != nil, size != nil { throw ValidationError("--dpi and --size both say how large; name one of them") }
    }

    /// - Parameter output: whose name may tell the format.
    /// - Throws: `ValidationError` for what the format does not have.
    func choice(for output: String?) throws -> ExportChoice {
        if let output, statedFormat == nil {
            try OutputFile.checkSuffix(of: output, among: ExportFormat.allCases.map(\.suffix), hasFormat: true)
        }
        let format = statedFormat ?? output.flatMap { ExportFormat(suffixOf: $0) } ?? .png
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
