// SPDX-License-Identifier: Apache-2.0
import Geometry
import Pad
import Pages
import Testing

/// A signing page in a language on a screen.
struct SigningScreen: Sendable, CustomTestStringConvertible {
    var width, height: Int
    /// Prompt, signer, reason, hint, Accept, Cancel.
    var words: [String]
    var direction = LayoutDirection.leftToRight

    var testDescription: String { "\(width)x\(height) \(words[0])" }
    var size: PixelSize { PixelSize(width: width, height: height) }

    static let all = [
        SigningScreen(
            width: 800, height: 480,
            words: ["Please sign here", "Max Example", "Delivery 4711", "Sign here", "Accept", "Cancel"]),
        SigningScreen(
            width: 480, height: 320, words: ["يرجى التوقيع هنا", "محمد", "تسليم ٤٧١١", "وقّع هنا", "قبول", "إلغاء"],
            direction: .rightToLeft),
        SigningScreen(
            width: 800, height: 1280, words: ["请在此处签名", "王小明", "交货 4711", "在此签名", "确认", "取消"]),
        SigningScreen(
            width: 1280, height: 800,
            words: [
                "कृपया यहाँ हस्ताक्षर करें", "राम कुमार", "डिलीवरी ४७११", "यहाँ हस्ताक्षर करें", "स्वीकार", "रद्द करें",
            ]),
        // The icons are in the row of buttons.
        SigningScreen(
            width: 320, height: 240,
            words: ["Please sign here", "Max Example", "Delivery 4711", "Sign here", "Accept", "Cancel"]),
    ]

    var page: Page {
        Page(
            [
                .text(PageText(words[0], .heading, of: .prompt)), .text(PageText(words[2], .detail, of: .reason)),
                .inkField(.signing(hint: words[3])), .text(PageText(words[1], .detail, of: .signer)),
                .text(PageText("2026-11-21", .trailingDetail, of: .date)), .button(.cancel, label: words[5]),
                .button(.undo, label: nil), .button(.clear, label: nil), .button(.accept, label: words[4]),
            ], direction: direction)
    }
}
