// SPDX-License-Identifier: Apache-2.0
public import Geometry
public import Ink

/// How the screen drew strokes, apart from the name of their pen: what a picture needs to look the same.
public struct CapturePenLook: Codable, Equatable, Sendable {
    private static let maximumWidth = 1000.0
    /// The width of the pen `ink` when records did not state it.
    private static let olderInkWidth = 0.6

    /// Millimetres; nil is the pen's own width, in older records also for the pen `ink`.
    public var width: Double?
    /// A ``PressureCurve``.
    public var pressure: String
    /// Names of ``PenSwitch``, sorted.
    public var switches: [String]
    /// ``Pen/panelScatter`` as known when the capture began; nil also in older records.
    public var panelScatter: Double?
    /// The colour of the ink and of the paper: `#rrggbb`, or `#rrggbbaa` if not opaque. nil in older records.
    public var color, paper: String?

    public init(_ pen: Pen, color: Color? = nil, paper: Color? = nil) {
        // Not left to a default that may change.
        width = pen.width ?? (pen.name == .ink ? Pen.inkWidth : nil)
        pressure = pen.pressureCurve.rawValue
        switches = pen.switches.map(\.rawValue).sorted()
        panelScatter = pen.panelScatter
        self.color = color?.hexText
        self.paper = paper?.hexText
    }

    /// The pen with the settings of a record; ignores those that this program does not know.
    /// - Parameter look: nil in the oldest records.
    package static func pen(_ name: PenName, _ look: CapturePenLook?) -> Pen {
        let width = look?.width.flatMap { $0 > 0 && $0 <= Self.maximumWidth ? $0 : nil }
        return Pen(
            name, width: width ?? (name == .ink ? Self.olderInkWidth : nil),
            pressureCurve: look.flatMap { PressureCurve(rawValue: $0.pressure) } ?? .linear,
            switches: Set(look?.switches.compactMap { PenSwitch(rawValue: $0) } ?? []),
            panelScatter: look?.panelScatter)
    }

    fileprivate var inkColor: Color {
        guard let ink = color.flatMap({ Color(hex: $0) }) else { return .black }
        guard let paper = paper.flatMap({ Color(hex: $0) }) else { return ink }
        return ink.luma > paper.luma ? .black : ink
    }
}

extension CaptureRecord {
    /// The colour of the ink on white paper: the one on the screen. Black if the record does not say, or if the ink was
    /// lighter than the screen's paper, which would be invisible on white.
    public var inkColor: Color { header.screen.penLook?.inkColor ?? .black }
}

extension Color {
    /// `#rrggbb` as in SVG, without the opacity.
    package var rgbHex: String { "#" + Self.padded(String(xrgb8888 & 0xFF_FFFF, radix: 16), 6) }

    /// `#rrggbb`, or `#rrggbbaa` if not opaque.
    package var hexText: String { alpha == 255 ? rgbHex : rgbHex + Self.padded(String(alpha, radix: 16), 2) }

    private static func padded(_ digits: String, _ count: Int) -> String {
        String(repeating: "0", count: count - digits.count) + digits
    }

    /// The lightness, 0 to 2,550,000: the weights of Rec. 709, applied to the coded values.
    fileprivate var luma: Int { 2126 * Int(red) + 7152 * Int(green) + 722 * Int(blue) }
}
