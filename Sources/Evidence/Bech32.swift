// SPDX-License-Identifier: Apache-2.0

/// Bech32 (BIP 173) without its limit of length, as age uses it: a readable prefix, `1`, bytes in groups of 5 bits, and
/// a checksum that finds every mistake in up to 4 characters.
enum Bech32 {
    enum Failure: Error {
        /// Upper and lower case, or characters that are not in the alphabet.
        case characters
        /// There is no `1`, nothing before it, or no checksum after it.
        case form
        case checksum
        /// The groups of 5 bits are no whole number of bytes.
        case bits
    }

    private static let alphabet = Array("qpzry9x8gf2tvdw0s3jn54khce6mua7l".utf8)
    private static let checksumCount = 6

    /// - Parameter prefix: printable ASCII in lower case, not empty.
    static func encode(_ bytes: [UInt8], prefix: String) -> String {
        var groups: [UInt8] = []
        var bits = 0
        var bitCount = 0
        for byte in bytes {
            // At most 4 bits are kept from one byte to the next; older ones are cut.
            bits = (bits << 8 | Int(byte)) & 0xfff
            bitCount += 8
            while bitCount >= 5 {
                bitCount -= 5
                groups.append(UInt8(bits >> bitCount & 31))
            }
        }
        if bitCount > 0 { groups.append(UInt8(bits << (5 - bitCount) & 31)) }
        let sum = remainder(prefix: prefix, groups: groups + [UInt8](repeating: 0, count: checksumCount)) ^ 1
        for place in (0..<checksumCount).reversed() { groups.append(UInt8(sum >> (5 * place) & 31)) }
        return prefix + "1" + String(decoding: groups.map { alphabet[Int($0)] }, as: UTF8.self)
    }

    /// - Returns: the prefix in lower case, and the bytes.
    static func decode(_ text: String) throws(Failure) -> (prefix: String, bytes: [UInt8]) {
        let lower = text.lowercased()
        guard text == lower || text == text.uppercased(), text.utf8.allSatisfy({ (33...126).contains($0) }) else {
            throw .characters
        }
        guard let separator = lower.utf8.lastIndex(of: UInt8(ascii: "1")), separator > lower.startIndex,
            case let digits = lower.utf8[separator...].dropFirst(), digits.count >= checksumCount
        else { throw .form }
        var groups: [UInt8] = []
        for digit in digits {
            guard let group = alphabet.firstIndex(of: digit) else { throw .characters }
            groups.append(UInt8(group))
        }
        let prefix = String(lower[..<separator])
        guard remainder(prefix: prefix, groups: groups) == 1 else { throw .checksum }
        var bytes: [UInt8] = []
        var bits = 0
        var bitCount = 0
        for group in groups.dropLast(checksumCount) {
            bits = (bits << 5 | Int(group)) & 0xfff
            bitCount += 5
            if bitCount >= 8 {
                bitCount -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> bitCount))
            }
        }
        guard bitCount < 5, bits & ((1 << bitCount) - 1) == 0 else { throw .bits }
        return (prefix, bytes)
    }

    /// The text's remainder in the checksum's code.
    private static func remainder(prefix: String, groups: [UInt8]) -> UInt32 {
        let generator: [UInt32] = [0x3b6a_57b2, 0x2650_8e6d, 0x1ea1_19fa, 0x3d42_33dd, 0x2a14_62b3]
        var sum: UInt32 = 1
        for value in prefix.utf8.map({ $0 >> 5 }) + [0] + prefix.utf8.map({ $0 & 31 }) + groups {
            let top = sum >> 25
            sum = (sum & 0x1ff_ffff) << 5 ^ UInt32(value)
            for (bit, term) in generator.enumerated() where top >> UInt32(bit) & 1 == 1 { sum ^= term }
        }
        return sum
    }
}
