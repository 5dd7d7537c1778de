// SPDX-License-Identifier: Apache-2.0
import TestSupport

/// What is printed, a line for each kind of fill, and whether one of them is beyond the bounds.
struct AccuracyTable {
    private(set) var hasFailed = false

    init() {
        print(
            Self.column("1/255 on partly inked pixels", 34) + Self.column("fills", 8) + Self.column("pixels", 10)
                + Self.column("mean", 7) + Self.column("max", 7) + "off by > 8")
    }

    mutating func add(_ name: String, fills: Int, _ error: CoverageError) {
        let isGood = error.count > 0 && error.isWithinBounds
        if !isGood { hasFailed = true }
        print(
            Self.column(name, 34) + Self.column("\(fills)", 8) + Self.column("\(error.count)", 10)
                + Self.column(Self.decimal(error.mean, 3), 7) + Self.column(Self.decimal(error.worst, 1), 7)
                + Self.decimal(error.coarseShare * 100, 4) + " %" + (isGood ? "" : ": too far off"))
    }

    private static func column(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    /// `value`, not negative, with `digits` decimals.
    private static func decimal(_ value: Double, _ digits: Int) -> String {
        var scale = 1
        for _ in 0..<digits { scale *= 10 }
        let units = Int((value * Double(scale)).rounded())
        let fraction = String(units % scale)
        return "\(units / scale)." + String(repeating: "0", count: digits - fraction.count) + fraction
    }
}
