// SPDX-License-Identifier: Apache-2.0
public import Geometry
public import Ink
public import Raster

/// One stroke of a sketch: what it was drawn with, and where.
///
/// Places are whole 256ths of a pixel from the page's upper left corner, pressures 65,536ths, widths micrometres. The
/// rasterizer's grid is 256ths, and all of them are exact as numbers of the computer's: who rounds to them before
/// drawing gets the same pixels from what was written down and read back.
public struct SketchStroke: Equatable, Sendable {
    public struct Sample: Equatable, Sendable {
        /// After the stroke's first sample; as the kernel stamps reports, so it may repeat or run backwards.
        public var microseconds: Int64
        public var x, y: Int32
        /// 0 to ``SketchStroke/pressureScale``; nil where the device measured none.
        public var pressure: Int32?

        public init(microseconds: Int64, x: Int32, y: Int32, pressure: Int32? = nil) {
            self.microseconds = microseconds
            self.x = x
            self.y = y
            self.pressure = pressure
        }
    }

    /// Parts of a pixel.
    public static let placeScale = 256.0
    /// Parts of the strongest pressure.
    public static let pressureScale = 65_536.0

    /// By the pen's name; one that this program does not know is drawn as the standard one.
    public var pen: String
    /// Of ink, in micrometres, 1 to ``maximumWidth``; nil is the pen's own.
    public var width: Int32?
    public var pressureCurve: PressureCurve
    public var switches: Set<PenSwitch>
    public var color: Color
    /// Not empty.
    public var samples: [Sample]

    /// - Parameter pen: of a width in whole micrometres.
    public init(pen: Pen, color: Color, samples: [Sample]) {
        self.pen = pen.name.rawValue
        width = pen.width.map { Self.micrometres($0) }
        pressureCurve = pen.pressureCurve
        switches = pen.switches
        self.color = color
        self.samples = samples
    }

    /// A metre.
    public static let maximumWidth: Int32 = 1_000_000

    /// The nearest width that a stroke can have, in micrometres.
    public static func micrometres(_ millimetres: Double) -> Int32 {
        // Written so that NaN becomes the least.
        millimetres > 0.001 ? Int32(min((millimetres * 1000).rounded(), Double(maximumWidth))) : 1
    }
}

extension SketchStroke {
    /// What draws it.
    public var inkPen: Pen {
        Pen(
            PenName(rawValue: pen) ?? .default, width: width.map { Double($0) / 1000 }, pressureCurve: pressureCurve,
            switches: switches)
    }

    /// Its samples as pens take them.
    /// - Parameter corner: of the page, in pixels of the picture.
    public func inkSamples(from corner: Point = .zero) -> [Ink.Sample] {
        samples.map { sample in
            Ink.Sample(
                microseconds: sample.microseconds,
                position: corner + Point(x: Double(sample.x), y: Double(sample.y)) * (1 / Self.placeScale),
                pressure: sample.pressure.map { Double($0) / Self.pressureScale })
        }
    }
}
