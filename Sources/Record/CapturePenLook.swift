// SPDX-License-Identifier: Apache-2.0
public import Ink
public import Raster

/// How the screen drew strokes, beyond the name of their pen: what a picture needs to look as it did.
public struct CapturePenLook: Codable, Equatable, Sendable {
    /// A metre: beyond any pen.
    private static let widthLimit = 1000.0

    /// Millimetres; nil is the pen's own.
    public var width: Double?
    /// As ``PressureCurve``.
    public var pressure: String
    /// As ``PenSwitch``, sorted.
    public var switches: [String]
    /// Of the ink and of the paper below it: `#rrggbb`, or `#rrggbbaa` where it is not opaque. Nil in records that do
    /// not say.
    public var color, paper: String?

    public init(_ pen: Pen, color: Color? = nil, paper: Color? = nil) {
        width = pen.width
        pressure = pen.pressureCurve.rawValue
        switches = pen.switches.map(\.rawValue).sorted()
        self.color = color?.hexText
        self.paper = paper?.hexText
    }

    /// As ``CaptureRecord/inkColor``.
    package var inkColor: Color {
        guard let ink = color.flatMap({ Color(hex: $0) }) else { return .black }
        guard let paper = paper.flatMap({ Color(hex: $0) }) else { return ink }
        return ink.luma > paper.luma ? .black : ink
    }

    /// - Parameter name: of the stroke's pen. What this program does not know is left out.
    package func pen(_ name: PenName) -> Pen {
        Pen(
            name, width: width.flatMap { $0 > 0 && $0 <= Self.widthLimit ? $0 : nil },
            pressureCurve: PressureCurve(rawValue: pressure) ?? .linear,
            switches: Set(switches.compactMap { PenSwitch(rawValue: $0) }))
    }
}

extension Color {
    /// How light it looks, 0 to 2,550,000: the weights of Rec. 709, applied to values as they are coded.
    fileprivate var luma: Int { 2126 * Int(red) + 7152 * Int(green) + 722 * Int(blue) }
}
