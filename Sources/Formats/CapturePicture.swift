// SPDX-License-Identifier: Apache-2.0
public import Geometry
import Ink
public import Raster
public import Record

/// A picture of a record: its ink as the screen showed it, larger or smaller. PNG and SVG have the same outlines.
///
/// The strokes are modelled at the density of the screen, by the pen that each was drawn with and in its own width, and
/// the outlines are then scaled: what was signed is what was seen, whatever a picture's resolution. A picture of a
/// record that was not accepted says so, behind the ink (``NotAcceptedMark``).
public struct CapturePicture: Sendable {
    /// What of the page.
    public enum Part: Equatable, Sendable {
        /// As the person saw it.
        case signingArea
        /// The box of the ink and so many millimetres around it, 0 or more.
        case ink(margin: Double)
    }

    /// How many pixels.
    public enum Resolution: Equatable, Sendable {
        /// The picture has the size in millimetres that the ink had on the screen.
        case density(PixelDensity)
        /// The part is as large as fits, in the middle.
        case size(PixelSize)
    }

    /// The largest side and the most pixels of a picture: as much as `inkpanel render` draws.
    private static let maximumSide = 16_384
    private static let maximumArea = 1 << 26

    /// The most pixels of a picture that a panel makes. Each has four bytes in memory, and a panel need not have more
    /// than 512 MiB: 64 MiB of them, two A4 pages at 300 dpi.
    public static let pixelLimit = 1 << 24

    /// The largest SVG that a panel makes, in bytes: some 200,000 samples, 13 minutes of writing at 250 reports/s. The
    /// text is in memory up to three times until the host has it, beside the 60 MiB of its drawing.
    public static let svgByteLimit = 8 << 20

    /// Strokes in pixels of the picture.
    public let drawing: Drawing
    /// Pixels of the picture on a length of the screen, as far as it is a ``PixelDensity``.
    public let density: PixelDensity
    /// What its files say.
    public let identity: PictureIdentity

    /// - Parameters:
    ///   - color: of the ink; nil is as the screen showed it (``CaptureRecord/inkColor``).
    ///   - background: the paper; pictures can be had without it.
    /// - Throws: ``ExportError/noPlaces``, ``ExportError/noSigningArea``, ``ExportError/noInk`` or
    ///   ``ExportError/pictureTooLarge(_:)``.
    public init(
        of record: CaptureRecord, strokes selection: StrokeSelection = .visible, part: Part = .ink(margin: 2),
        resolution: Resolution, color: Color? = nil, background: Color = .white
    ) throws(ExportError) {
        identity = PictureIdentity(of: record)
        let plane = try CapturePlane(record.header)
        // Where nobody knows the size, what is in millimetres is as on a screen of the standard one.
        let screenDensity = plane.density ?? .standard
        let strokes = try record.ink(
            selection, on: plane, density: screenDensity, byteLimit: Drawing.keptByteCount)
        var frame: Rect
        switch part {
        case .signingArea:
            guard let area = plane.signingArea else { throw .noSigningArea }
            frame = area
        case .ink(let margin):
            let bounds = strokes.reduce(Rect.empty) { $0.union($1.bounds) }
            guard !bounds.isEmpty else { throw .noInk }
            let margin = max(0, margin) * screenDensity.pixelsPerMillimetre
            frame = Rect(
                minX: bounds.minX - margin, minY: bounds.minY - margin, maxX: bounds.maxX + margin,
                maxY: bounds.maxY + margin)
        }

        let size: PixelSize
        let scale: Double
        switch resolution {
        case .density(let density):
            if !record.isAccepted, part != .signingArea {
                frame = NotAcceptedMark.room(around: frame, density: screenDensity)
            }
            scale = density.dotsPerInch / screenDensity.dotsPerInch
            func side(_ length: Double) -> Int { Int(min(max((length * scale).rounded(.up), 1), 1e9)) }
            size = PixelSize(width: side(frame.width), height: side(frame.height))
        case .size(let wanted):
            scale = min(Double(wanted.width) / frame.width, Double(wanted.height) / frame.height)
            size = wanted
        }
        density = PixelDensity(dotsPerInch: screenDensity.dotsPerInch * scale)
        guard 1...Self.maximumSide ~= size.width, 1...Self.maximumSide ~= size.height,
            size.width * size.height <= Self.maximumArea
        else { throw .pictureTooLarge(size) }

        let offset = Point(
            x: Double(size.width) / 2 - (frame.minX + frame.maxX) / 2 * scale,
            y: Double(size.height) / 2 - (frame.minY + frame.maxY) / 2 * scale)
        var drawing = Drawing(size: size, background: background, color: color ?? record.inkColor)
        if let mark = NotAcceptedMark.ink(for: record, on: size) { drawing.add(mark, color: NotAcceptedMark.color) }
        for stroke in strokes { drawing.add(Drawing.Stroke(stroke, scale: scale, then: offset)) }
        self.drawing = drawing
    }

    /// - Parameter isTransparent: without the paper: words 0xAARRGGBB, not premultiplied.
    public func pixels(isTransparent: Bool = false) -> PixelBuffer {
        isTransparent ? drawing.transparentPixels() : drawing.pixels()
    }

    /// - Parameter isTransparent: without the paper: RGB with alpha.
    /// - Throws: ``ExportError/pngRefused(size:)`` when memory runs out.
    public func png(isTransparent: Bool = false) throws(ExportError) -> [UInt8] {
        let pixels = pixels(isTransparent: isTransparent)
        return try PNGEncoder.encode(
            pixels.surface, dotsPerInch: density.dotsPerInch, hasAlpha: isTransparent, identity: identity)
    }

    /// In millimetres of the screen.
    /// - Throws: ``ExportError/textTooLarge(byteLimit:)`` for a file of more than `byteLimit` bytes.
    public func svg(isTransparent: Bool = false, byteLimit: Int = .max) throws(ExportError) -> [UInt8] {
        try SVGEncoder.encode(
            drawing, dotsPerInch: density.dotsPerInch, isTransparent: isTransparent, identity: identity,
            byteLimit: byteLimit)
    }
}
