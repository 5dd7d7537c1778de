// SPDX-License-Identifier: Apache-2.0
package import Raster

extension Color {
    /// `#rrggbb`, as SVG has it; the opacity is left out.
    package var rgbHex: String {
        let digits = String(xrgb8888 & 0xFF_FFFF, radix: 16)
        return "#" + String(repeating: "0", count: 6 - digits.count) + digits
    }

    /// `#rrggbb`, with the opacity after it where it is not full.
    package var hexText: String {
        guard alpha < 255 else { return rgbHex }
        let digits = String(alpha, radix: 16)
        return rgbHex + (digits.count < 2 ? "0" : "") + digits
    }
}
