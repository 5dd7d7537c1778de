// SPDX-License-Identifier: Apache-2.0
import Geometry

extension SignatureLayout {
    /// Exchanges left and right.
    mutating func mirror() {
        let width = size.width
        prompt.mirror(width)
        reason?.mirror(width)
        signer?.mirror(width)
        date?.mirror(width)
        signingArea.mirror(width)
        signingLine.mirror(width)
        mark.mirror(width)
        for index in buttons.indices {
            buttons[index].rect.mirror(width)
            buttons[index].label.mirror(width)
        }
    }
}

extension PlacedText {
    fileprivate mutating func mirror(_ width: Int) {
        rect.mirror(width)
        for index in lines.indices { lines[index].rect.mirror(width) }
    }
}

extension PixelRect {
    fileprivate mutating func mirror(_ width: Int) { (minX, maxX) = (width - maxX, width - minX) }
}
