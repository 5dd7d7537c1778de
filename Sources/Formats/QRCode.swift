// SPDX-License-Identifier: Apache-2.0
import CQrencode
public import Document

/// A QR code (ISO/IEC 18004): a square of dark and light modules, which stays readable if 15 percent of it are damaged.
public struct QRCode: Equatable, Sendable {
    /// The longest text, in bytes of UTF-8. A code for it has 69 modules a side, which a telephone reads from 3 cm.
    public static let longestText = 320
    /// The light margin that a code needs on each side, in modules.
    public static let quietZone = 4

    /// The modules of a side, without the quiet zone.
    public let side: Int
    private let dark: [Bool]

    /// - Parameter text: such as an address; it has 1 to ``longestText`` bytes, and no NUL.
    /// - Throws: ``QRCodeFault``
    public init(_ text: String) throws(QRCodeFault) {
        guard (1...Self.longestText).contains(text.utf8.count), !text.utf8.contains(0) else {
            throw QRCodeFault(byteCount: text.utf8.count)
        }
        // The first version that the text fits into; digits and capital letters need less room than others.
        guard let code = QRcode_encodeString(text, 0, QR_ECLEVEL_M, QR_MODE_8, 1) else {
            throw QRCodeFault(byteCount: text.utf8.count)
        }
        defer { QRcode_free(code) }
        side = Int(code.pointee.width)
        // The lowest bit is the colour; others are for the encoder.
        dark = (0..<side * side).map { code.pointee.data[$0] & 1 != 0 }
    }

    /// Whether a module is dark.
    /// - Parameters:
    ///   - x: from the left, 0 to ``side`` - 1.
    ///   - y: from the top.
    public subscript(x: Int, y: Int) -> Bool { dark[y * side + x] }

    /// The code as filled squares in black, with its quiet zone; the dark modules of a row are joined.
    /// - Parameter width: of the whole, in points.
    public func ink(width: Double) -> DocumentInk {
        let module = width / Double(side + 2 * Self.quietZone)
        func text(_ modules: Int) -> String {
            DecimalText.text(Double(modules + Self.quietZone) * module, decimals: 3)
        }
        var content = "0 0 0 rg\n"
        for y in 0..<side {
            let (top, bottom) = (text(side - y), text(side - y - 1))
            var x = 0
            while x < side {
                let start = x
                while x < side, self[x, y] { x += 1 }
                if x > start {
                    let (left, right) = (text(start), text(x))
                    content += "\(left) \(bottom) m\n\(right) \(bottom) l\n\(right) \(top) l\n\(left) \(top) l\nh\n"
                }
                x += 1
            }
        }
        // One fill: between squares that are filled one after another, readers show light lines.
        return DocumentInk(width: width, height: width, content: content + "f\n")
    }
}

/// A text that does not become a QR code.
public struct QRCodeFault: Error, Equatable, Sendable, CustomStringConvertible {
    public let byteCount: Int

    public var description: String {
        "a text for a QR code has 1 to \(QRCode.longestText) bytes and no NUL character; this one has \(byteCount)"
    }
}
