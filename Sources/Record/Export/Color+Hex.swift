// SPDX-License-Identifier: Apache-2.0
import Raster

extension Color {
    /// `#rrggbb`, as SVG has it; the opacity is left out.
    var rgbHex: String {
        let digits = String(xrgb8888 & 0xFF_FFFF, radix: 16)
        return "#" + String(repeating: "0", count: 6 - digits.count) + digits
    }
}
