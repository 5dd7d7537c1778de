// SPDX-License-Identifier: Apache-2.0
public import Ink
public import Raster
import Record

/// What there is to draw with.
public struct SketchTools: Equatable, Sendable {
    /// How many colours there may be: more could not be told apart.
    public static let colorCountRange = 1...10
    /// How many widths there may be: more could not be told apart.
    public static let widthCountRange = 1...6
    /// Millimetres: thin as a ball-point pen, to thick as a marker.
    public static let defaultWidths = [0.5, 1.0, 2.0]

    /// The one that is used at first comes first.
    public let colors: [Color]
    /// Millimetres; thin ones come first by custom. Whole micrometres, as the journal has them.
    public let widths: [Double]
    private let pen: Pen

    /// nil without a colour or a width, with more of one than its range has, or with a width that is not above 0.
    /// - Parameter pen: its own width is not used.
    public init?(pen: Pen = Pen(), colors: [Color], widths: [Double] = Self.defaultWidths) {
        guard Self.colorCountRange.contains(colors.count), Self.widthCountRange.contains(widths.count),
            widths.allSatisfy({ $0 > 0 && $0.isFinite })
        else { return nil }
        self.colors = colors
        self.widths = widths.map { Double(SketchStroke.micrometres($0)) / 1000 }
        self.pen = pen
    }

    func pen(width index: Int) -> Pen {
        var pen = pen
        pen.width = widths[index]
        return pen
    }
}
