// SPDX-License-Identifier: Apache-2.0

/// Numbers as short decimal text, the same on every machine and in every locale, without exponents.
enum DecimalText {
    /// Rounded to `decimals` places, trailing zeros left out. Anything beyond ±1e15, infinite or not a number, which no
    /// outline holds, becomes 0.
    static func text(_ value: Double, decimals: Int) -> String {
        guard abs(value) < 1e15 else { return "0" }
        var scale = 1
        for _ in 0..<decimals { scale *= 10 }
        let rounded = Int((value * Double(scale)).rounded())
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
