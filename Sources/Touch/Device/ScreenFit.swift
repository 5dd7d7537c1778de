// SPDX-License-Identifier: Apache-2.0

/// How likely two devices lie on the same screen, by what they say of themselves. The kernel does not tell which screen
/// a touch device belongs to.
enum ScreenFit: Int, Comparable {
    /// Nothing speaks against it.
    case possible
    /// Same bus and maker; a pen display's two devices have those in common, and differ in their products.
    case sameMaker

    /// The part of a side by which two digitizers of one screen may differ. Those of a Wacom Cintiq 13HD differ by
    /// 0.02 %; screens of two sizes on sale differ by more than this.
    private static let tolerance = 0.03

    /// - Returns: nil where both say how large they are, and it is not the same.
    init?(_ a: DeviceDescription, _ b: DeviceDescription) {
        guard let first = a.positionAxes, let second = b.positionAxes,
            Self.agree(first.x, second.x), Self.agree(first.y, second.y)
        else { return nil }
        self = a.bus == b.bus && a.vendor == b.vendor ? .sameMaker : .possible
    }

    static func < (a: ScreenFit, b: ScreenFit) -> Bool { a.rawValue < b.rawValue }

    private static func agree(_ a: AxisInfo, _ b: AxisInfo) -> Bool {
        guard let first = a.millimetres, let second = b.millimetres else { return true }
        return abs(first - second) <= tolerance * max(first, second)
    }
}

extension AxisInfo {
    /// How long it is; nil where the driver does not know.
    fileprivate var millimetres: Double? {
        guard resolution > 0, hasRange else { return nil }
        return (Double(maximum) - Double(minimum)) / Double(resolution)
    }
}
