// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Canvas
import Formats
import Geometry
import Ink
import Linux
import Raster
import Record

/// `inkpanel render`: strokes from a file to a picture, without a panel.
struct RenderCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "render", abstract: "Draw a recording, signature_pad's JSON or InkML into a file.")

    enum Format: String, CaseIterable, ExpressibleByArgument {
        case png, svg, json

        /// What a file's name asks for.
        init(suffixOf path: String) {
            self = OutputFile.suffix(of: path).flatMap(Format.init(rawValue:)) ?? .png
        }
    }

    @Argument(help: "An evemu recording, the JSON of signature_pad's toData(), or W3C InkML.")
    var input: String

    @Option(help: "The pen, or all for a sheet with the page in every pen, as PNG.")
    var pen = PenChoice.one(.default)

    @OptionGroup var picture: PictureOptions

    @Option(
        name: .customLong("format"),
        help: ArgumentHelp(
            "png, svg or json (centre lines and outlines); default: as the output's name ends; png for a name without "
                + "an ending.",
            valueName: "format"))
    var statedFormat: Format?

    @Option(help: ArgumentHelp("The file to write; - is standard output.", valueName: "file"))
    var output: String

    @Option(help: ArgumentHelp(
        "The page in pixels. A recording is scaled to it (default: 1280 wide, the device's proportions); JSON keeps "
            + "its pixels (default: all ink and a margin; ink left of or above the page is moved onto it, but never "
            + "with --format json). InkML in millimetres keeps its size at --dpi; InkML without sizes is scaled to the "
            + "page (default: 600 on the longer side).", valueName: "WxH"))
    var size: PixelSize?

    @Flag(help: "Draw the ink as it is while the pen is still down after the last sample.")
    var live = false

    @Option(help: ArgumentHelp(
        "With --live: also the ink that a panel would draw ahead of the pen for a frame seen so much after the sample, "
            + "more than 0 to 20.", valueName: "ms"))
    var predict: Double?

    private var format: Format { statedFormat ?? Format(suffixOf: output) }

    func validate() throws {
        try picture.validate(for: pen.names)
        if statedFormat == nil {
            try OutputFile.checkSuffix(of: output, among: Format.allCases.map(\.rawValue), hasFormat: true)
        }
        if pen == .all {
            if format != .png {
                throw ValidationError("--pen all draws a sheet, which is a PNG; for \(format.rawValue) name one pen")
            }
            if live { throw ValidationError("--pen all draws finished strokes; with --live name one pen") }
        }
        guard let predict else { return }
        let longest = Double(StrokePredictor.maximumMicroseconds) / 1000
        if !live { throw ValidationError("--predict needs --live: a stroke that has ended goes nowhere") }
        if !(predict > 0 && predict <= longest) {
            throw ValidationError("--predict is more than 0 to \(Int(longest)) milliseconds")
        }
    }

    func run() throws {
        try reportingErrors {
            try OutputFile.check(output)
            let page = try StrokePage(
                reading: input, size: size, density: picture.density ?? .standard, keepsPlace: format == .json)
            let density = picture.density ?? page.density ?? .standard
            let bytes =
                switch pen {
                case .one(let name): try encode(page, pen: name, density)
                case .all: try encodeSheet(page, density)
                }
            try OutputFile.write(bytes, to: output)
        }
    }

    private func encode(_ page: StrokePage, pen: PenName, _ density: PixelDensity) throws(ExportError) -> [UInt8] {
        if live, page.events.last == .end { return try encodeLive(page, pen: pen, density) }
        let look = picture.look(pen: pen).pen
        if format == .json {
            let inks = page.strokes.map { samples in
                var (model, ink) = (look.makeStroke(density: density), StrokeInk())
                for sample in samples { model.add(sample, to: &ink) }
                ink.dry()
                return ink
            }
            return InkJSONEncoder.encode(inks)
        }
        var drawing = blank(page)
        for stroke in page.strokes { drawing.add(stroke, pen: look, density: density) }
        if format == .svg { return try SVGEncoder.encode(drawing, dotsPerInch: picture.dpi) }
        // Named, so that its memory lives until the end.
        let pixels = drawing.pixels()
        return try PNGEncoder.encode(pixels.surface, dotsPerInch: picture.dpi)
    }

    private func blank(_ page: StrokePage) -> Drawing {
        Drawing(size: page.size, background: picture.background, color: picture.color)
    }

    /// As a canvas shows it before the last stroke has ended.
    private func encodeLive(_ page: StrokePage, pen: PenName, _ density: PixelDensity) throws(ExportError) -> [UInt8] {
        // Only a PNG needs the paper's pixels.
        var canvas = Canvas(
            size: format == .png ? page.size : PixelSize(width: 1, height: 1), pen: picture.look(pen: pen).pen,
            color: picture.color, background: picture.background, density: density)
        var drawing = blank(page)
        for event in page.events.dropLast() {
            if let stroke = canvas.apply(event) { drawing.add(stroke) }
            if let predict { canvas.predict(microseconds: Int64(predict * 1000), after: event) }
        }
        if let wet = canvas.wetInk { drawing.add(wet) }
        switch format {
        case .png: return try png(of: &canvas)
        case .svg: return try SVGEncoder.encode(drawing, dotsPerInch: picture.dpi)
        case .json: return InkJSONEncoder.encode(drawing.strokes.map(\.ink))
        }
    }

    /// The page as a screen shows it, wet ink included.
    private func png(of canvas: inout Canvas) throws(ExportError) -> [UInt8] {
        let screen = PixelBuffer(size: canvas.size)
        canvas.compose(Damage(PixelRect(size: canvas.size)), onto: screen.surface, rotation: .none)
        return try PNGEncoder.encode(screen.surface, dotsPerInch: picture.dpi)
    }

    private func encodeSheet(_ page: StrokePage, _ density: PixelDensity) throws -> [UInt8] {
        let sheet = PenSheet(page: page, look: picture.look(pen: .default), density: density)
        let pixels = try sheet.draw()
        let dotsPerInch = picture.dpi.map { $0 / Double(sheet.layout.reduction) }
        return try PNGEncoder.encode(pixels.surface, dotsPerInch: dotsPerInch)
    }
}

extension Canvas {
    /// Predicts as a panel would for a frame that is seen so much after a report. Called for each of them, because the
    /// predictions that came before tell how good the next one is.
    fileprivate mutating func predict(microseconds: Int64, after event: StrokeEvent) {
        switch event {
        case .begin(let sample), .move(let sample):
            predict(until: sample.microseconds.addingReportingOverflow(microseconds).partialValue)
        case .end, .cancel: break
        }
    }
}
