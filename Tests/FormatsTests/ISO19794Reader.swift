// SPDX-License-Identifier: Apache-2.0

/// Signature data in the full format of ISO/IEC 19794-7:2007, read by its description and not by our writer's code:
/// all 18 channels, all parts of a channel description.
struct ISO19794Reader {
    /// By bit of the channel inclusion field, 15 first.
    static let names = [
        "X", "Y", "Z", "VX", "VY", "AX", "AY", "T", "DT", "F", "S", "TX", "TY", "Az", "El", "R",
    ]
    private static let signed: Set = ["X", "Y", "VX", "VY", "AX", "AY", "TX", "TY"]

    struct Channel {
        var scaling: Double?
        var minimum, maximum: Int?
    }

    struct Malformed: Error {}

    private(set) var channels: [String: Channel] = [:]
    private(set) var points: [[String: Int]] = []
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) throws {
        rest = bytes[...]
        for expected: UInt8 in [0x53, 0x44, 0x49, 0, 0x20, 0x31, 0x30, 0] where try next() != expected {
            throw Malformed()
        }
        let inclusion = try word()
        let included = Self.names.enumerated().filter { inclusion >> (15 - $0.offset) & 1 == 1 }.map(\.element)
        var constant: Set<String> = []
        for name in included {
            let preamble = try next()
            var channel = Channel()
            if preamble & 0x80 != 0 {
                let word = try word()
                var value = 1 + Double(word & 0x7FF) / 2048
                let exponent = (word >> 11) - 16
                for _ in 0..<abs(exponent) { value = exponent < 0 ? value / 2 : value * 2 }
                channel.scaling = value
            }
            if preamble & 0x40 != 0 { channel.minimum = try value(name) }
            if preamble & 0x20 != 0 { channel.maximum = try value(name) }
            if preamble & 0x10 != 0 { _ = try value(name) }
            if preamble & 0x08 != 0 { _ = try value(name) }
            if preamble & 0x04 != 0 { constant.insert(name) }
            if preamble & 0x01 != 0 { throw Malformed() }
            channels[name] = channel
        }
        guard try next() == 0 else { throw Malformed() }
        let hasExtendedData = try next()
        let count = try Int(next()) << 16 | word()
        for _ in 0..<count {
            var point: [String: Int] = [:]
            for name in included where !constant.contains(name) { point[name] = try value(name) }
            points.append(point)
        }
        guard hasExtendedData == 0, rest.isEmpty else { throw Malformed() }
    }

    private mutating func next() throws -> UInt8 {
        guard let byte = rest.popFirst() else { throw Malformed() }
        return byte
    }

    private mutating func word() throws -> Int { try Int(next()) * 256 + Int(next()) }

    private mutating func value(_ name: String) throws -> Int {
        if name == "S" { return Int(try next()) }
        return try word() - (Self.signed.contains(name) ? 32_768 : 0)
    }
}
