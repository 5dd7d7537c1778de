// SPDX-License-Identifier: Apache-2.0

/// The channel of times of a signature in ISO/IEC 19794-7:2007, which has 16 bits: T, counted from the first sample, or
/// DT, from sample to sample.
struct ISO19794Time: Equatable {
    private static let maximum = 65_535
    /// Ticks per second for all but very long captures: milliseconds, as other programs write.
    private static let usualRate = 1000
    /// For those whose steps are too long for milliseconds or lead back in time; the last one is good for 18 hours.
    private static let lowerRates = [500, 250, 200, 125, 100, 50, 25, 20, 10, 5, 2, 1]

    let kind: ISO19794File.Kind
    /// Ticks per second.
    let rate: Int
    /// Of each sample, 0...65,535 ticks.
    let values: [Int]

    /// T in milliseconds where the whole capture fits, 65.535 s; else DT in milliseconds where each step does, which
    /// keeps the dynamics; else T in the longest ticks that are needed.
    /// - Parameter microseconds: of each sample, any.
    init(microseconds: [Int64]) throws(ExportError) {
        guard let first = microseconds.min(), let last = microseconds.max() else {
            (kind, rate, values) = (.time, Self.usualRate, [])
            return
        }
        let (span, isOverflown) = last.subtractingReportingOverflow(first)
        guard !isOverflown, span / 1_000_000 <= Self.maximum else { throw Self.tooLong }
        func ticks(_ rate: Int) -> [Int] {
            microseconds.map { (Int($0 - first) * rate + 500_000) / 1_000_000 }
        }
        func fits(_ values: [Int]) -> Bool { values.allSatisfy { 0...Self.maximum ~= $0 } }

        let usual = ticks(Self.usualRate)
        if fits(usual) {
            (kind, rate, values) = (.time, Self.usualRate, usual)
            return
        }
        // Differences of rounded times, so that their sum does not drift.
        let steps = [0] + zip(usual.dropFirst(), usual).map { $0 - $1 }
        if fits(steps) {
            (kind, rate, values) = (.timeStep, Self.usualRate, steps)
            return
        }
        for lower in Self.lowerRates {
            let values = ticks(lower)
            if fits(values) {
                (kind, rate, self.values) = (.time, lower, values)
                return
            }
        }
        throw Self.tooLong
    }

    private static var tooLong: ExportError {
        .inexpressible(format: ISO19794Encoder.name, what: "it lasts longer than 65,535 seconds")
    }
}
