// SPDX-License-Identifier: Apache-2.0
public import Raster

extension PageTheme {
    /// Five colours to draw with that stand out from the paper by 3 to 1 and can be told apart: the ink, red, blue,
    /// green and orange.
    public var sketchColors: [Color] {
        let isDark = Int(paper.red) + Int(paper.green) + Int(paper.blue) < 3 * 128
        return isDark
            ? [
                ink, Color(red: 0xFF, green: 0x6B, blue: 0x6B), Color(red: 0x6C, green: 0xA8, blue: 0xFF),
                Color(red: 0x5F, green: 0xD3, blue: 0x7A), Color(red: 0xFF, green: 0xC2, blue: 0x4B),
            ]
            : [
                ink, Color(red: 0xC4, green: 0x1E, blue: 0x1E), Color(red: 0x1E, green: 0x6B, blue: 0xE0),
                Color(red: 0x14, green: 0x80, blue: 0x3C), Color(red: 0xC2, green: 0x5A, blue: 0x00),
            ]
    }
}
