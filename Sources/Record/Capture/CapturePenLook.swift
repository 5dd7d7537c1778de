// SPDX-License-Identifier: Apache-2.0
public import Ink

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

    public init(_ pen: Pen) {
        width = pen.width
        pressure = pen.pressureCurve.rawValue
        switches = pen.switches.map(\.rawValue).sorted()
    }

    /// - Parameter name: of the stroke's pen. What this program does not know is left out.
    func pen(_ name: PenName) -> Pen {
        Pen(
            name, width: width.flatMap { $0 > 0 && $0 <= Self.widthLimit ? $0 : nil },
            pressureCurve: PressureCurve(rawValue: pressure) ?? .linear,
            switches: Set(switches.compactMap { PenSwitch(rawValue: $0) }))
    }
}
