// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Canvas
import Formats
import Geometry
import Ink
import Linux
import PNG
import Pages
import Panel
import Raster
import Record

/// `inkpanel render`: draws strokes from a file, without a panel.
struct RenderCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "render", abstract: "Draw a recording, signature_pad's JSON or InkML into a file.")

    enum Format: String, CaseIterable, ExpressibleByArgument {
        case png, svg, json

        /// The format of a file name.
        init(suffixOf path: String) {
            self = OutputFile.suffix(of: path).flatMap(Format.init(rawValue:)) ?? .png
        }
    }

    @Argument(help: "Evemu recording, JSON of signature_pad's toData(), or W3C InkML.")
    var input: String

    @Option(help: "Pen, or all for a PNG with the page in every pen.")
    var pen = PenChoice.one(.default)

    @OptionGroup var picture: PictureOptions

    @Option(
        name: .customLong("format"),
        help: ArgumentHelp(
            "png, svg or json (centre lines and outlines); default: from the ending of the output file; png for a name "
                + "without one.",
            valueName: "format"))
    var statedFormat: Format?

    @Option(help: ArgumentHelp("Output file; - for standard output.", valueName: "file"))
    var output: String

    @Option(
        help: ArgumentHelp(
            "Size of the page in pixels. A recording is scaled to it (default: 1280 wide, proportions of the "
                + "device). JSON keeps its pixels (default: all ink and a margin; ink left of or above the page is "
                + "moved onto it, except with --format json). InkML in millimetres keeps its size at --dpi; InkML "
                + "without units is scaled to the page (default: 600 on the longer side).", valueName: "WxH"))
    var size: PixelSize?

    @Flag(help: "Draw the ink as it looks while the pen is still down after the last sample.")
    var live = false

    @Option(
        help: ArgumentHelp(
            "With --live: also draw predicted ink, for a frame seen this time after the last sample, at most "
                + "\(longestPrediction).", valueName: "ms"))
    var predict: Double?

    @Option(
        help: ArgumentHelp(
            "Scatter of the panel's samples that is known before the first stroke, 0 to 1, or none (default: that "
                + "of all strokes of the file).", valueName: "mm|none"))
    var scatter: KnownScatter?

    private static let longestPrediction = StrokePredictor.longest.microseconds / 1000

    private var format: Format { statedFormat ?? Format(suffixOf: output) }

    func validate() throws {
        try picture.validate(for: pen.names)
        if statedFormat == nil {
            try OutputFile.checkSuffix(of: output, among: Format.allCases.map(\.rawValue), hasFormat: true)
        }
        if pen == .all {
            if format != .png {
                throw ValidationError("--pen all is for png; for \(format.rawValue) name one pen")
            }
            if live { throw ValidationError("--pen all draws finished strokes; with --live name one pen") }
        }
        guard let predict else { return }
        if !live { throw ValidationError("--predict needs --live") }
        if !(predict > 0 && predict <= Double(Self.longestPrediction)) {
            throw ValidationError("--predict is more than 0, and at most \(Self.longestPrediction) milliseconds")
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

    private func encode(_ page: StrokePage, pen: PenName, _ density: PixelDensity) throws -> [UInt8] {
        let look = look(pen, for: page, density)
        if live, page.events.last == .end { return try encodeLive(page, look, density) }
        if format == .json {
            var trail: StrokeTrail?
            let inks = page.strokes.map { samples in
                var (model, ink) = (look.pen.makeStroke(density: density, after: trail), StrokeInk())
                for sample in samples { model.add(sample, to: &ink) }
                model.finish(&ink)
                trail = model.trail
                return ink
            }
            return InkJSONEncoder.encode(inks)
        }
        var drawing = blank(page)
        for stroke in page.strokes { drawing.add(stroke, pen: look.pen, density: density) }
        if format == .svg { return try SVGEncoder.encode(drawing, dotsPerInch: picture.dpi) }
        // Keeps the memory alive.
        let pixels = drawing.pixels()
        return try PNGEncoder.encode(pixels.surface, dotsPerInch: picture.dpi)
    }

    private func look(_ pen: PenName, for page: StrokePage, _ density: PixelDensity) -> Look {
        var look = picture.look(pen: pen)
        look.pen.panelScatter = scatter.map(\.millimetres) ?? page.panelScatter(density: density)
        look.pen.ignoresSpeed = !page.hasTimes
        return look
    }

    private func blank(_ page: StrokePage) -> Drawing {
        Drawing(size: page.size, background: picture.background, color: picture.color)
    }

    /// The ink as a canvas shows it before the end of the last stroke.
    private func encodeLive(_ page: StrokePage, _ look: Look, _ density: PixelDensity) throws -> [UInt8] {
        // Only PNG needs pixels.
        var canvas = Canvas(
            size: format == .png ? page.size : PixelSize(width: 1, height: 1), pen: look.pen, color: look.color,
            background: look.background, density: density)
        var drawing = blank(page)
        for event in page.events.dropLast() {
            if let stroke = canvas.apply(event) { drawing.add(stroke) }
            if let predict { canvas.predict(.microseconds(Int64(predict * 1000)), after: event) }
        }
        if let wet = canvas.wetInk { drawing.add(wet) }
        switch format {
        case .png: return try png(of: &canvas)
        case .svg: return try SVGEncoder.encode(drawing, dotsPerInch: picture.dpi)
        case .json: return InkJSONEncoder.encode(drawing.strokes.map(\.ink))
        }
    }

    /// The page as on a screen, including wet ink.
    private func png(of canvas: inout Canvas) throws -> [UInt8] {
        let screen = PixelBuffer(size: canvas.size)
        canvas.compose(Damage(PixelRect(size: canvas.size)), onto: screen.surface, rotation: .none)
        return try PNGEncoder.encode(screen.surface, dotsPerInch: picture.dpi)
    }

    private func encodeSheet(_ page: StrokePage, _ density: PixelDensity) throws -> [UInt8] {
        let sheet = PenSheet(page: page, look: look(.default, for: page, density), density: density)
        let pixels = try sheet.draw()
        let dotsPerInch = picture.dpi.map { $0 / Double(sheet.layout.reduction) }
        return try PNGEncoder.encode(pixels.surface, dotsPerInch: dotsPerInch)
    }
}

extension Canvas {
    /// Predicts as a panel would for a frame seen `duration` after a report. Call it for every report, because
    /// predictions depend on the success of earlier ones.
    fileprivate mutating func predict(_ duration: Duration, after event: StrokeEvent) {
        switch event {
        case .begin(let sample), .move(let sample):
            predict(until: sample.time + duration)
        case .end, .cancel: break
        }
    }
}

/// The scatter that `render` knows before the first stroke.
struct KnownScatter: ExpressibleByArgument {
    /// nil if unknown.
    let millimetres: Double?

    /// A length from 0 to 1 mm, or `none`.
    init?(argument: String) {
        guard argument != "none" else {
            millimetres = nil
            return
        }
        guard let length = Double(argument), (0...1).contains(length) else { return nil }
        millimetres = length
    }
}

/// The pen of `render`: one, or every pen on one sheet.
enum PenChoice: Equatable {
    case one(PenName)
    case all
}

extension PenChoice: ExpressibleByArgument {
    /// A pen's name, or `all`.
    init?(argument: String) {
        if argument == "all" {
            self = .all
        } else if let name = PenName(rawValue: argument) {
            self = .one(name)
        } else {
            return nil
        }
    }

    var names: [PenName] {
        switch self {
        case .one(let name): [name]
        case .all: PenName.allCases
        }
    }

    var defaultValueDescription: String {
        switch self {
        case .one(let name): name.rawValue
        case .all: "all"
        }
    }

    static var allValueStrings: [String] { PenName.allCases.map(\.rawValue) + ["all"] }
}
