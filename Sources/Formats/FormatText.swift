// SPDX-License-Identifier: Apache-2.0

/// Writes numbers as short decimal text without exponents, the same in every locale.
enum DecimalText {
    /// Rounds to `decimals` places and drops trailing zeros. Infinity, NaN and numbers above `Int64` become 0.
    static func text(_ value: Double, decimals: Int) -> String {
        var scale = 1
        for _ in 0..<decimals { scale *= 10 }
        guard let rounded = Int64(exactly: (value * Double(scale)).rounded()) else { return "0" }
        return text(units: rounded, decimals: decimals)
    }

    /// Writes `units` of the last decimal place exactly: 1500 with three decimals is "1.5".
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

/// Escapes text for XML 1.0, for content and attributes.
enum XMLText {
    /// Line ends and tabs become references, so that readers do not normalise them. Characters that XML cannot
    /// represent (most control characters, U+FFFE and U+FFFF) become U+FFFD.
    static func escaped(_ text: String) -> String {
        var escaped = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped.append(contentsOf: "&amp;".unicodeScalars)
            case "<": escaped.append(contentsOf: "&lt;".unicodeScalars)
            case ">": escaped.append(contentsOf: "&gt;".unicodeScalars)
            case "\"": escaped.append(contentsOf: "&quot;".unicodeScalars)
            case "\t", "\n", "\r": escaped.append(contentsOf: "&#\(scalar.value);".unicodeScalars)
            case "\u{0}"..."\u{1F}", "\u{FFFE}", "\u{FFFF}": escaped.append("\u{FFFD}")
            default: escaped.append(scalar)
            }
        }
        return String(escaped)
    }
}
