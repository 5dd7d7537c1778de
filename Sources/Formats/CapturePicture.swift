// SPDX-License-Identifier: Apache-2.0
public import Geometry
import Ink
import PNG
public import Raster
public import Record

/// A picture of a record: its ink as the screen showed it, at any size. PNG and SVG have the same outlines.
///
/// Strokes are modelled at the density of the screen and the outlines then scaled, so that the ink looks the same at
/// any resolution. A picture of a record that was not accepted says so behind the ink (``NotAcceptedMark``).
public struct CapturePicture: Sendable {
    public enum Part: Equatable, Sendable {
        case signingArea
        /// The box of the ink with a margin in millimetres, at least 0.
        case ink(margin: Double)
    }

    /// The number of pixels.
    public enum Resolution: Equatable, Sendable {
        /// The picture has the same size in millimetres as the ink on the screen.
        case density(PixelDensity)
        /// The part is centred, as large as fits.
        case size(PixelSize)
    }

    /// The limits of a picture, those of `inkpanel render`.
    private static let maximumSide = 16_384
    private static let maximumArea = 1 << 26

    /// The maximum number of pixels of a picture that a panel makes: 64 MiB of memory, two A4 pages at 300 dpi.
    public static let pixelLimit = 1 << 24

    /// The maximum size of an SVG that a panel makes: about 200,000 samples, 13 minutes of writing at 250 reports/s.
    /// Until the host has it, up to three copies are in memory beside the 60 MiB of its drawing.
    public static let svgByteLimit = 8 << 20
    /// A hundred times a signature. Outlines of most pens would reach ``svgByteLimit`` with as many.
    public static let svgSampleLimit = 100_000

    /// The strokes in pixels of the picture.
    public let drawing: Drawing
    /// Pixels of the picture per length on the screen.
    public let density: PixelDensity
    /// The description of the capture in PNG and SVG files.
    public let identity: PictureIdentity

    /// - Parameters:
    ///   - color: of the ink; nil is ``CaptureRecord/inkColor``.
    ///   - background: of pictures that are not transparent.
    /// - Throws: ``ExportError/noPlaces``, ``ExportError/noSigningArea``, ``ExportError/noInk`` or
    ///   ``ExportError/pictureTooLarge(_:)``.
    public init(
        of record: CaptureRecord, part: Part = .ink(margin: 2), resolution: Resolution, color: Color? = nil,
        background: Color = .white
    ) throws(ExportError) {
        identity = PictureIdentity(of: record)
        let plane = try CapturePlane(record.header)
        // Without a known size, millimetres are those of a screen of the standard density.
        let screenDensity = plane.density ?? .standard
        let strokes = try record.ink(on: plane, density: screenDensity, byteLimit: Drawing.keptByteCount)
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
            let ratio = density.dotsPerInch / screenDensity.dotsPerInch
            // A record states pixels per millimetre: dots per inch come back from it with a rounding, which would add a
            // pixel to each side and shift the ink by half of one.
            scale = abs(ratio - 1) < 1e-9 ? 1 : ratio
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

    /// - Parameter isTransparent: leaves out the paper: words 0xAARRGGBB, not premultiplied.
    public func pixels(isTransparent: Bool = false) -> PixelBuffer { drawing.pixels(isTransparent: isTransparent) }

    /// - Parameter isTransparent: leaves out the paper: RGB with alpha.
    /// - Throws: ``ExportError/pngRefused(size:)`` if memory runs out.
    public func png(isTransparent: Bool = false) throws(ExportError) -> [UInt8] {
        let pixels = pixels(isTransparent: isTransparent)
        return try PNGEncoder.encode(
            pixels.surface, dotsPerInch: density.dotsPerInch, hasAlpha: isTransparent, identity: identity)
    }

    /// Sizes are in millimetres of the screen.
    /// - Throws: ``ExportError/textTooLarge(byteLimit:)`` if the file has more than `byteLimit` bytes.
    public func svg(isTransparent: Bool = false, byteLimit: Int = .max) throws(ExportError) -> [UInt8] {
        try SVGEncoder.encode(
            drawing, dotsPerInch: density.dotsPerInch, isTransparent: isTransparent, identity: identity,
            byteLimit: byteLimit)
    }
}

extension CaptureRecord {
    /// The visible strokes as the pad drew them, in pixels of its screen; with the default pen if theirs is unknown.
    /// - Parameters:
    ///   - density: of the screen.
    ///   - byteLimit: the maximum size of the outlines that are kept in memory.
    fileprivate func ink(
        on plane: CapturePlane, density: PixelDensity, byteLimit: Int
    ) throws(ExportError) -> [InkParts] {
        var strokes: [InkParts] = []
        var byteCount = 0
        var trail: StrokeTrail?
        for stroke in visibleStrokes {
            let axis = device(stroke.device)?.pressure
            let name = PenName(rawValue: stroke.pen) ?? .default
            let pen = CapturePenLook.pen(name, header.screen.penLook)
            // Checks the device before the first sample is drawn.
            let map = try plane.map(of: stroke.device)
            let first = stroke.enters == nil ? 0 : 1
            let edges = [stroke.enters, stroke.leaves].compactMap(\.self)
            let samples = StrokeSamples(count: stroke.samples.count + edges.count) { number in
                guard stroke.samples.indices.contains(number - first) else {
                    return Sample(number < first ? edges[0] : edges[edges.count - 1])
                }
                let sample = stroke.samples[number - first]
                return Sample(
                    time: Timestamp(microseconds: sample.microseconds),
                    position: stroke.places?[number - first] ?? map.position(x: sample.x, y: sample.y),
                    pressure: axis.flatMap { axis in sample.pressure.map(axis.share) })
            }
            let parts = InkParts(
                of: samples, pen: pen, density: density, after: trail, byteLimit: byteLimit - byteCount)
            if parts.bounds.isEmpty { continue }
            trail = parts.trail
            byteCount += parts.byteCount
            strokes.append(parts)
        }
        return strokes
    }
}

extension Sample {
    fileprivate init(_ edge: CaptureStroke.Edge) {
        self.init(
            time: Timestamp(microseconds: edge.microseconds), position: Point(x: edge.x, y: edge.y),
            pressure: edge.pressure)
    }
}

/// A picture of a whole sketch page as the screen showed it. PNG and SVG have the same outlines.
public struct SketchPicture: Sendable {
    /// The strokes in pixels of the page.
    public let drawing: Drawing
    private let page: SketchPage

    /// - Parameter background: of pictures that are not transparent.
    public init(of strokes: [SketchStroke], on page: SketchPage, background: Color) {
        self.page = page
        var drawing = Drawing(size: page.size, background: background)
        for stroke in strokes {
            drawing.add(
                stroke.inkSamples(), pen: stroke.inkPen, density: page.density, color: stroke.color, continues: false)
        }
        self.drawing = drawing
    }

    /// - Parameter isTransparent: leaves out the paper: RGB with alpha.
    /// - Throws: ``ExportError/pngRefused(size:)`` if memory runs out.
    public func png(isTransparent: Bool = false) throws(ExportError) -> [UInt8] {
        let pixels = drawing.pixels(isTransparent: isTransparent)
        return try PNGEncoder.encode(
            pixels.surface, dotsPerInch: page.density.dotsPerInch, hasAlpha: isTransparent, identity: nil)
    }

    /// Sizes are in millimetres of the screen.
    public func svg(isTransparent: Bool = false) throws(ExportError) -> [UInt8] {
        try SVGEncoder.encode(drawing, dotsPerInch: page.density.dotsPerInch, isTransparent: isTransparent)
    }
}
