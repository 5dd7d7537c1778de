// SPDX-License-Identifier: Apache-2.0

/// The description of a display in its connector, of which the base block has 128 bytes (VESA E-EDID A2).
struct EDID: Equatable {
    private static let blockLength = 128
    private static let header: [UInt8] = [0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0]
    /// The bytes of the serial number.
    private static let serial = 12..<16
    /// Four descriptors of 18 bytes follow; one that begins with zeros is a text of the kind in its fourth byte.
    private static let descriptors = stride(from: 54, to: 126, by: 18)
    private static let serialText: UInt8 = 0xff

    /// Without serial numbers; the checksums are right again.
    let bytes: [UInt8]

    /// - Returns: nil for what is no EDID.
    init?(_ bytes: [UInt8]) {
        guard bytes.count >= Self.blockLength, bytes.starts(with: Self.header) else { return nil }
        var base = Array(bytes[..<Self.blockLength])
        for index in Self.serial { base[index] = 0 }
        for start in Self.descriptors
        where base[start...].prefix(3).allSatisfy({ $0 == 0 }) && base[start + 3] == Self.serialText {
            for index in start + 5..<start + 18 { base[index] = UInt8(ascii: " ") }
        }
        base[Self.blockLength - 1] = 0
        base[Self.blockLength - 1] = 0 &- base.reduce(0, &+)
        // Extensions may have serial numbers in other places (DisplayID).
        self.bytes = base
    }

    /// The maker's three letters and its product number, which name the model.
    var model: String {
        let letters = UInt16(bytes[8]) << 8 | UInt16(bytes[9])
        let maker = [10, 5, 0].map { Character(UnicodeScalar(UInt8(64 + (letters >> $0 & 31)))) }
        let product = String(UInt16(bytes[11]) << 8 | UInt16(bytes[10]), radix: 16)
        return String(maker) + " " + String(repeating: "0", count: 4 - product.count) + product
    }

    /// The bytes in hexadecimal, 32 a line, for edid-decode(1).
    var lines: [String] {
        stride(from: 0, to: bytes.count, by: 32).map { start in
            bytes[start..<start + 32].map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        }
    }
}
