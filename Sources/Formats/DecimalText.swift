// SPDX-License-Identifier: Apache-2.0

/// Numbers as short decimal text, the same on every machine and in every locale, without exponents.
enum DecimalText {
    /// Rounded to `decimals` places, trailing zeros left out. What is too large for an `Int` of such units, infinite or
    /// not a number, which no outline holds, becomes 0.
    static func text(_ value: Double, decimals: Int) -> String {
        var scale = 1
        for _ in 0..<decimals { scale *= 10 }
        guard let rounded = Int64(exactly: (value * Double(scale)).rounded()) else { return "0" }
        return text(units: rounded, decimals: decimals)
    }

    /// `units` of the last of `decimals` places, exactly: 1500 of three is "1.5".
    static func text(units: Int64, decimals: Int) -> String {
        var scale: UInt64 = 1
        for _ in 0..<decimals { scale *= 10 }
        var text = "\(units.magnitude / scale)"
        var fraction = units.magnitude % scale
        if fraction != 0 {
            var digits = decimals
            while fraction % 10 == 0 {
                fraction /= 10
                digits -= 1
            }
            let tail = "\(fraction)"
            text += "." + String(repeating: "0", count: digits - tail.count) + tail
        }
        return units < 0 ? "-" + text : text
    }
}
