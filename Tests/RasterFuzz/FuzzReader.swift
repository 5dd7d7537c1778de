// SPDX-License-Identifier: Apache-2.0

/// Takes numbers from the fuzzer's bytes, one after the other.
struct FuzzReader {
    /// What other code has stumbled over: not finite, at the ends of the rasterizer's page and of its numbers, so
    /// small that it counts for nothing.
    private static let extremes: [Double] = [
        .nan, .infinity, -.infinity, 65_536, -65_536, 65_535.998, -65_535.998, 8_388_608, -8_388_608, 1e9, -1e9,
        2_147_483_648, -2_147_483_648, .greatestFiniteMagnitude, -.greatestFiniteMagnitude, 5e-324,
    ]

    private let bytes: UnsafeBufferPointer<UInt8>
    private var index = 0
    private var last = 0.0

    init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    var isAtEnd: Bool { index >= bytes.count }

    mutating func byte() -> UInt8 {
        if isAtEnd { return 0 }
        index += 1
        return bytes[index - 1]
    }

    private mutating func word(_ count: Int) -> UInt64 {
        var word: UInt64 = 0
        for _ in 0..<count { word = word << 8 | UInt64(byte()) }
        return word
    }

    /// - Parameter form: on whole, half or 1/16 pixels near the surface, 1/256 further off, a little beside the last
    ///   coordinate, up to 1e9 either way, an extreme or a near one, or any bits of a float or a double.
    mutating func coordinate(_ form: UInt8) -> Double {
        switch form % 16 {
        case 0, 8: last = Double(Int8(bitPattern: byte()))
        case 1, 9: last = Double(byte()) / 2
        case 2, 3, 10: last = Double(Int16(bitPattern: UInt16(word(2)))) / 256
        case 4, 11: last += Double(Int8(bitPattern: byte())) / 64
        case 5, 12: last = Double(Int32(bitPattern: UInt32(word(4)))) / 1024
        case 6: last = Double(Float(bitPattern: UInt32(word(4))))
        case 13: last = Double(Int32(bitPattern: UInt32(word(4)))) / 2
        case 14:
            let code = Int(byte())
            last = code < Self.extremes.count ? Self.extremes[code] : Double(code - Self.extremes.count)
        default: last = Double(bitPattern: word(8))
        }
        return last
    }
}
