// SPDX-License-Identifier: Apache-2.0

/// The bytes of a signature in the full format of ISO/IEC 19794-7:2007: header, channel descriptions, points.
///
/// Signed values are written as offset binary, and no channel as constant; docs/formats.md says why.
struct ISO19794File {
    /// Raw values are the bits of the channel inclusion field. Those that a touch panel does not measure are left out:
    /// Z, velocities, accelerations, tilt, azimuth, elevation, rotation.
    enum Kind: Int, CaseIterable {
        case x = 15, y = 14, time = 8, timeStep = 7, force = 6, tip = 5

        /// What a point can hold.
        var range: ClosedRange<Int> {
            switch self {
            case .x, .y: -32_768...32_767
            case .time, .timeStep, .force: 0...65_535
            case .tip: 0...255
            }
        }

        fileprivate var isSigned: Bool { self == .x || self == .y }
    }

    struct Channel {
        var kind: Kind
        var scaling: ISO19794Scaling?
        /// The least and the greatest value that it can have, both within ``Kind/range``.
        var range: ClosedRange<Int>?
    }

    /// The number of points has three bytes.
    static let maximumPointCount = 0xFF_FFFF

    /// In the order of falling bits, each kind once.
    var channels: [Channel]
    /// Of each point one value for each channel, within its ``Kind/range``; ``maximumPointCount`` at most.
    var points: [[Int]]

    var bytes: [UInt8] {
        precondition(points.count <= Self.maximumPointCount, "the caller counts")
        // Identifier and version, each four characters.
        var bytes = Array("SDI\0 10\0".utf8)
        bytes.append(channels.reduce(UInt16(0)) { $0 | UInt16(1) << UInt16($1.kind.rawValue) })
        for channel in channels {
            // Present or not, from bit 7: scaling, minimum, maximum; mean, deviation, constant and linear are not.
            let (scalingBit, rangeBits): (UInt8, UInt8) = (0x80, 0x60)
            bytes.append((channel.scaling == nil ? 0 : scalingBit) | (channel.range == nil ? 0 : rangeBits))
            if let scaling = channel.scaling { bytes.append(scaling.word) }
            if let range = channel.range {
                bytes.append(Self.word(range.lowerBound, channel.kind))
                bytes.append(Self.word(range.upperBound, channel.kind))
            }
        }
        // Reserved, and no extended data.
        bytes += [0, 0]
        bytes += [UInt8(points.count >> 16), UInt8(points.count >> 8 & 0xFF), UInt8(points.count & 0xFF)]
        for point in points {
            for (channel, value) in zip(channels, point) {
                switch channel.kind {
                case .tip: bytes.append(UInt8(value))
                default: bytes.append(Self.word(value, channel.kind))
                }
            }
        }
        return bytes
    }

    private static func word(_ value: Int, _ kind: Kind) -> UInt16 {
        UInt16(kind.isSigned ? value + 32_768 : value)
    }
}

extension [UInt8] {
    /// Appends the two bytes of a word, the high one first.
    fileprivate mutating func append(_ word: UInt16) {
        append(UInt8(word >> 8))
        append(UInt8(word & 0xFF))
    }
}
