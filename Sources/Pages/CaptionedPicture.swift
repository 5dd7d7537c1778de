// SPDX-License-Identifier: Apache-2.0
public import Formats
public import Pad
import Geometry
public import Raster

/// A picture of a record with a caption: prompt, signer and date below the ink. The same input and fonts give the same
/// bytes. Any thread.
public struct CaptionedPicture: ~Copyable {
    public struct Caption: Equatable, Sendable {
        /// First line, such as that the signature was not accepted.
        public var notice: String?
        public var prompt: [String]
        public var signer: String?
        public var date: String?
        public var direction: LayoutDirection

        public init(
            notice: String? = nil, prompt: [String] = [], signer: String? = nil, date: String? = nil,
            direction: LayoutDirection = .leftToRight
        ) {
            self.notice = notice
            self.prompt = prompt
            self.signer = signer
            self.date = date
            self.direction = direction
        }
    }

    /// Millimetres; 8 points.
    private static let em = 2.8
    private static let margin = 1.5
    /// The smallest readable size, in pixels.
    private static let smallestEm = 9.0

    /// Has the width of the picture. Without paper, pixels are 0xAARRGGBB, not premultiplied.
    public let pixels: PixelBuffer
    private let dotsPerInch: Double
    private let isTransparent: Bool
    private let identity: PictureIdentity

    /// - Parameters:
    ///   - isTransparent: without paper.
    /// - Throws: ``ExportError/pictureTooLarge(_:)``, also if the caption makes it too large.
    public init(
        of picture: CapturePicture, caption: Caption, isTransparent: Bool = false, fonts: borrowing Fonts
    ) throws(ExportError) {
        let ink = picture.pixels(isTransparent: isTransparent)
        let unit = picture.density.pixelsPerMillimetre
        let margin = max(2, Int((Self.margin * unit).rounded()))
        let words = Words(
            caption, width: max(1, ink.surface.size.width - 2 * margin), em: max(Self.smallestEm, Self.em * unit),
            fonts: fonts)
        let height = words.height > 0 ? words.height + margin : 0
        let size = PixelSize(width: ink.surface.size.width, height: ink.surface.size.height + height)
        guard size.isDrawable, size.width * size.height <= CapturePicture.pixelLimit else {
            throw .pictureTooLarge(size)
        }
        let pixels = PixelBuffer(size: size)
        let color = picture.drawing.color
        if !isTransparent { pixels.surface.fill(pixels.surface.bounds, with: picture.drawing.background) }
        for y in 0..<ink.surface.size.height {
            pixels.surface.row(y).update(from: ink.surface.row(y), count: ink.surface.size.width)
        }
        if isTransparent {
            // White on black gives the coverage.
            let stencil = PixelBuffer(size: size)
            words.draw(on: stencil.surface, x: margin, y: ink.surface.size.height, color: .white, fonts: fonts)
            for y in ink.surface.size.height..<size.height {
                for x in 0..<size.width {
                    let coverage = stencil.surface.row(y)[x] & 0xFF
                    pixels.surface.row(y)[x] = coverage << 24 | color.xrgb8888 & (coverage == 0 ? 0 : 0xFF_FFFF)
                }
            }
        } else {
            words.draw(on: pixels.surface, x: margin, y: ink.surface.size.height, color: color, fonts: fonts)
        }
        self.pixels = pixels
        dotsPerInch = picture.density.dotsPerInch
        self.isTransparent = isTransparent
        identity = picture.identity
    }

    /// - Throws: ``ExportError/pngRefused(size:)`` if memory runs out.
    public func png() throws(ExportError) -> [UInt8] {
        try PNGEncoder.encode(pixels.surface, dotsPerInch: dotsPerInch, hasAlpha: isTransparent, identity: identity)
    }
}

/// The lines of a caption.
private struct Words {
    private enum Side { case start, end }

    private struct Line {
        var text: String
        var row: Int
        var side: Side
    }

    private let lines: [Line]
    private let rowCount: Int
    private let lineHeight: Int
    private let width: Int
    private let em: Double
    private let isMirrored: Bool

    var height: Int { rowCount * lineHeight }

    init(_ caption: CaptionedPicture.Caption, width: Int, em: Double, fonts: borrowing Fonts) {
        func size(_ text: String) -> PixelSize {
            guard let line = Self.line(text, em, .black, fonts) else { return PixelSize(width: 1 << 20, height: 0) }
            return PixelSize(width: line.bounds.width, height: line.bounds.height)
        }
        func broken(_ text: String) -> [String] {
            text.isEmpty
                ? []
                : PlacedText.lines(
                    of: text, width: width, em: em, measure: { text, _ in size(text) }, pieces: LineBreaks.pieces)
        }
        let texts = ([caption.notice ?? ""] + caption.prompt).flatMap(broken)
        var lines = texts.enumerated().map { Line(text: $1, row: $0, side: .start) }
        let (signer, date) = (caption.signer ?? "", caption.date ?? "")
        let both = size(signer).width + size(date).width + Int(em)
        if !signer.isEmpty, !date.isEmpty, both <= width {
            lines.append(Line(text: signer, row: texts.count, side: .start))
            lines.append(Line(text: date, row: texts.count, side: .end))
        } else {
            for text in broken(signer) + broken(date) {
                lines.append(Line(text: text, row: (lines.last?.row ?? -1) + 1, side: .start))
            }
        }
        self.lines = lines
        rowCount = (lines.last?.row ?? -1) + 1
        lineHeight = lines.map { size($0.text).height }.max() ?? 0
        self.width = width
        self.em = em
        isMirrored = caption.direction == .rightToLeft
    }

    func draw(on surface: Surface, x: Int, y: Int, color: Color, fonts: borrowing Fonts) {
        for line in lines {
            guard let shaped = Self.line(line.text, em, color, fonts) else { continue }
            let isRight = (line.side == .end) != isMirrored
            let left = x + (isRight ? width - shaped.bounds.width : 0)
            shaped.draw(
                on: surface, x: left - shaped.bounds.minX,
                baseline: y + line.row * lineHeight + (lineHeight - shaped.bounds.height) / 2 - shaped.bounds.minY)
        }
    }

    private static func line(_ text: String, _ em: Double, _ color: Color, _ fonts: borrowing Fonts) -> TextLine? {
        try? TextLine(text, style: TextStyle(size: em, color: color), fonts: fonts)
    }
}
