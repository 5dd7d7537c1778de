// SPDX-License-Identifier: Apache-2.0

/// Takes numbers from the fuzzer's bytes, one after the other.
struct FuzzReader {
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
    ///   coordinate, or any bits of a float or a double.
    mutating func coordinate(_ form: UInt8) -> Double {
        switch form % 8 {
        case 0: last = Double(Int8(bitPattern: byte()))
        case 1: last = Double(byte()) / 2
        case 2, 3: last = Double(Int16(bitPattern: UInt16(word(2)))) / 256
        case 4: last += Double(Int8(bitPattern: byte())) / 64
        case 5: last = Double(Int32(bitPattern: UInt32(word(4)))) / 1024
        case 6: last = Double(Float(bitPattern: UInt32(word(4))))
        default: last = Double(bitPattern: word(8))
        }
        return last
    }
}
