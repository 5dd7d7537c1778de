// SPDX-License-Identifier: Apache-2.0
public import Formats
import Geometry
import PNG
public import Pad
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
            let clear = picture.drawing.clearPixel
            words.draw(on: stencil.surface, x: margin, y: ink.surface.size.height, color: .white, fonts: fonts)
            for y in ink.surface.size.height..<size.height {
                for x in 0..<size.width {
                    let coverage = stencil.surface.row(y)[x] & 0xFF
                    pixels.surface.row(y)[x] = coverage == 0 ? clear : coverage << 24 | color.xrgb8888 & 0xFF_FFFF
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

/// The texts of a caption and their places.
private struct Words {
    private struct Part {
        var text: String
        var y: Int
        /// At the end of the line, after another part.
        var isTrailing = false
    }

    private var parts: [Part] = []
    private(set) var height = 0
    private let width: Int
    private let style: TextStyle
    private let isMirrored: Bool

    init(_ caption: CaptionedPicture.Caption, width: Int, em: Double, fonts: borrowing Fonts) {
        self.width = width
        style = TextStyle(em: em)
        isMirrored = caption.direction == .rightToLeft
        let (signer, date) = (caption.signer ?? "", caption.date ?? "")
        for text in [caption.notice ?? ""] + caption.prompt + [signer] where !text.isEmpty {
            parts.append(Part(text: text, y: height))
            height += fonts.measure(text, style, width).height
        }
        if date.isEmpty { return }
        let (one, other) = (fonts.measure(signer, style, .max), fonts.measure(date, style, .max))
        if !signer.isEmpty, one.width + other.width + Int(em) <= width, let last = parts.last {
            parts.append(Part(text: date, y: last.y, isTrailing: true))
            height = max(height, last.y + other.height)
        } else {
            parts.append(Part(text: date, y: height))
            height += fonts.measure(date, style, width).height
        }
    }

    func draw(on surface: Surface, x: Int, y: Int, color: Color, fonts: borrowing Fonts) {
        for part in parts {
            let isRight = part.isTrailing != isMirrored
            try? TextBlock(
                part.text, style: style, width: width, alignment: isRight ? .right : .left, fonts: fonts
            ).draw(on: surface, x: x, y: y + part.y, color: color)
        }
    }
}
