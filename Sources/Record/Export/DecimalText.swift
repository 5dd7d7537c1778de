// SPDX-License-Identifier: Apache-2.0

/// Numbers as short decimal text, the same on every machine and in every locale, without exponents.
enum DecimalText {
    /// Rounded to `decimals` places, trailing zeros left out. What is too large for an `Int` of such units, infinite or
    /// not a number, which no outline holds, becomes 0.
    static func text(_ value: Double, decimals: Int) -> String {
        var scale = 1
        for _ in 0..<decimals { scale *= 10 }
        guard let rounded = Int(exactly: (value * Double(scale)).rounded()) else { return "0" }
        let magnitude = rounded.magnitude
        var text = "\(magnitude / UInt(scale))"
        var fraction = magnitude % UInt(scale)
        if fraction != 0 {
            var digits = decimals
            while fraction % 10 == 0 {
                fraction /= 10
                digits -= 1
            }
            let tail = "\(fraction)"
            text += "." + String(repeating: "0", count: digits - tail.count) + tail
        }
        return rounded < 0 ? "-" + text : text
    }
}
