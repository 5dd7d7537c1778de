// SPDX-License-Identifier: Apache-2.0
public import Geometry
public import Ink

/// The area that a sketch is drawn on.
public struct SketchPage: Equatable, Sendable {
    /// The size in pixels; a side is 1 to ``maximumSide``.
    public var size: PixelSize
    /// The density that pen widths are converted with.
    public var density: PixelDensity

    /// Eight times the width of a 4K screen. In 256ths of a pixel, positions on the page and as far beyond fit 32 bits.
    public static let maximumSide = 1 << 15

    public init(size: PixelSize, density: PixelDensity) {
        self.size = size
        self.density = density
    }
}

/// One change to a sketch.
public enum SketchEntry: Equatable, Sendable {
    case stroke(SketchStroke)
    case undo, redo, clear
}

extension History {
    package mutating func apply(_ entry: SketchEntry, _ make: (SketchStroke) -> Entry) {
        switch entry {
        case .stroke(let stroke): append(make(stroke))
        case .undo: undo()
        case .redo: redo()
        case .clear: clearSheet()
        }
    }
}

/// One stroke of a sketch.
///
/// Positions are in 256ths of a pixel from the page's upper left corner, the grid of the rasterizer; pressures in
/// 65,536ths; widths in micrometres. All are exact as `Double`, so a stroke that is rounded before drawing gives the
/// same pixels after it was written and read.
public struct SketchStroke: Equatable, Sendable {
    /// Its time counts from the stroke's first sample. Pressures are 0 to ``pressureScale``.
    public typealias Sample = CaptureStroke.Sample

    /// Units per pixel.
    public static let placeScale = 256.0
    /// The strongest pressure.
    public static let pressureScale = 65_536.0
    /// A metre.
    static let maximumWidth: Int32 = 1_000_000

    /// The pen's name; an unknown one is drawn as the default pen.
    public var pen: String
    /// Micrometres, 1 to 1,000,000; nil is the pen's own width.
    public var width: Int32?
    public var pressureCurve: PressureCurve
    public var switches: Set<PenSwitch>
    public var color: Color
    /// Not empty.
    public var samples: [Sample]

    /// - Parameter pen: its width is rounded to whole micrometres.
    public init(pen: Pen, color: Color, samples: [Sample]) {
        self.pen = pen.name.rawValue
        width = pen.width.map { Self.micrometres($0) }
        pressureCurve = pen.pressureCurve
        switches = pen.switches
        self.color = color
        self.samples = samples
    }

    /// The nearest valid width in micrometres.
    public static func micrometres(_ millimetres: Double) -> Int32 {
        // NaN gives the minimum.
        millimetres > 0.001 ? Int32(min((millimetres * 1000).rounded(), Double(maximumWidth))) : 1
    }

    public var inkPen: Pen {
        Pen(
            PenName(rawValue: pen) ?? .default, width: width.map { Double($0) / 1000 }, pressureCurve: pressureCurve,
            switches: switches)
    }

    /// - Parameter corner: the page's upper left corner in pixels of the picture.
    public func inkSamples(from corner: Point = .zero) -> [Geometry.Sample] {
        samples.map { sample in
            Geometry.Sample(
                time: Timestamp(microseconds: sample.microseconds),
                position: corner + Point(x: Double(sample.x), y: Double(sample.y)) * (1 / Self.placeScale),
                pressure: sample.pressure.map { Double($0) / Self.pressureScale })
        }
    }

    /// The same stroke on another page, which shows the old page centred and as large as fits in proportion.
    package func fitted(from old: SketchPage, to new: SketchPage) -> SketchStroke {
        let scale = min(
            Double(new.size.width) / Double(old.size.width), Double(new.size.height) / Double(old.size.height))
        let offset = Point(
            x: (Double(new.size.width) - Double(old.size.width) * scale) / 2,
            y: (Double(new.size.height) - Double(old.size.height) * scale) / 2)
        func place(_ value: Int32, _ offset: Double) -> Int32 {
            // Clamped, because a hostile file may have positions far beyond the page.
            let scaled = Double(value) * scale + (offset * Self.placeScale)
            return Int32(max(-2e9, min(scaled, 2e9)).rounded())
        }
        var stroke = self
        for index in samples.indices {
            stroke.samples[index].x = place(samples[index].x, offset.x)
            stroke.samples[index].y = place(samples[index].y, offset.y)
        }
        // Widths are in millimetres, so they also depend on the density.
        let growth = scale * old.density.dotsPerInch / new.density.dotsPerInch
        stroke.width = width.map { Self.micrometres(Double($0) / 1000 * growth) }
        return stroke
    }
}
