// SPDX-License-Identifier: Apache-2.0

/// Base64 with the standard alphabet (RFC 4648, section 4), where each value has one text only: no white space, no
/// other padding, no bits after the last byte. SSH pads, age does not.
enum Base64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    private static let invalid: UInt8 = 255
    /// The value of each byte as a digit.
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: invalid, count: 256)
        for (value, digit) in alphabet.enumerated() { values[Int(digit)] = UInt8(value) }
        return values
    }()
    private static let padding = UInt8(ascii: "=")

    static func encode(_ bytes: some Collection<UInt8>, isPadded: Bool) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        var bits: UInt32 = 0
        var bitCount: UInt32 = 0
        for byte in bytes {
            // At most 6 bits are kept from one byte to the next; older ones leave by the shift.
            bits = bits << 8 | UInt32(byte)
            bitCount += 8
            while bitCount >= 6 {
                bitCount -= 6
                text.append(alphabet[Int(bits >> bitCount & 63)])
            }
        }
        if bitCount > 0 { text.append(alphabet[Int(bits << (6 - bitCount) & 63)]) }
        while isPadded, text.count % 4 != 0 { text.append(padding) }
        return text
    }

    /// - Returns: nil if the text is not canonical Base64.
    static func decode(_ text: some BidirectionalCollection<UInt8>, isPadded: Bool) -> [UInt8]? {
        var digits = text[...]
        if isPadded {
            guard digits.count % 4 == 0 else { return nil }
            for _ in 0..<2 where digits.last == padding { digits = digits.dropLast() }
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count * 3 / 4)
        var bits: UInt32 = 0
        var bitCount: UInt32 = 0
        for digit in digits {
            let value = values[Int(digit)]
            guard value != invalid else { return nil }
            bits = bits << 6 | UInt32(value)
            bitCount += 6
            if bitCount >= 8 {
                bitCount -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> bitCount))
            }
        }
        // Six bits left over are a digit too many.
        guard bitCount < 6, bits & ((1 << bitCount) - 1) == 0 else { return nil }
        return bytes
    }
}
