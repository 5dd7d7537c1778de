// SPDX-License-Identifier: Apache-2.0

/// How far coverage is from the reference, in 1/255.
///
/// Counted are the pixels that either says to be inked, without those that both say to be inked whole: the interior of
/// a wide stroke would hide what happens at its sides.
public struct CoverageError {
    public private(set) var count = 0
    /// The greatest difference.
    public private(set) var worst = 0.0
    private var sum = 0.0
    private var coarse = 0

    /// What the rasterizer keeps to: the mean difference, in 1/255, ...
    public static let greatestMean = 0.4
    /// ... and the share of pixels that are off by more than ``coarseDifference``.
    public static let greatestCoarseShare = 0.0005
    /// In 1/255.
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
