// SPDX-License-Identifier: Apache-2.0

/// The error of coverage against the reference, in 1/255.
///
/// Only pixels with ink in either count, except those that are full in both: the interior of a wide stroke would hide
/// errors at its sides.
public struct CoverageError {
    public private(set) var count = 0
    /// The greatest difference.
    public private(set) var worst = 0.0
    private var sum = 0.0
    private var coarse = 0

    /// The largest mean difference that the rasterizer may have, in 1/255.
    public static let greatestMean = 0.4
    /// The largest share of pixels that may differ by more than ``coarseDifference``.
    public static let greatestCoarseShare = 0.0005
    /// The difference above which a pixel counts as coarse, in 1/255.
    public static let coarseDifference = 8.0

    public init() {}

    public mutating func compare(_ bytes: some Sequence<UInt8>, _ reference: [Double]) {
        for (byte, area) in zip(bytes, reference) where (byte != 0 || area != 0) && !(byte == 255 && area == 255) {
            let difference = abs(Double(byte) - area)
            sum += difference
            worst = max(worst, difference)
            count += 1
            if difference > Self.coarseDifference { coarse += 1 }
        }
    }

    public mutating func add(_ other: CoverageError) {
        count += other.count
        worst = max(worst, other.worst)
        sum += other.sum
        coarse += other.coarse
    }

    public var mean: Double { sum / Double(max(count, 1)) }
    public var coarseShare: Double { Double(coarse) / Double(max(count, 1)) }
    public var isWithinBounds: Bool { mean <= Self.greatestMean && coarseShare <= Self.greatestCoarseShare }
}
