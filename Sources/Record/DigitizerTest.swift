// SPDX-License-Identifier: Apache-2.0

/// The result of `inkpanel self-test`, in which a person drew along shown lines. A record's header has the last test
/// of each device.
public struct DigitizerTest: Codable, Equatable, Sendable {
    /// Wall clock at the end of the test, microseconds since 1970-01-01 UTC.
    public var at: Int64
    /// Name and version of the program that tested.
    public var program: String
    /// The contact's distance from the lines in millimetres, root mean square and largest: errors of digitizer,
    /// calibration and hand together.
    public var offset, largestOffset: Double
    /// The standard deviation of the position's noise on an axis, in millimetres.
    public var noise: Double
    /// Reports per second, from the median time between two.
    public var reportRate: Double
    /// The longest time in microseconds between two reports while the contact moved.
    public var longestGap: Int64
    /// The number of times that the digitizer lost the contact on a line.
    public var breaks: Int
    /// The number of times that the kernel lost reports (SYN_DROPPED).
    public var drops: Int

    public init(
        at: Int64, program: String, offset: Double, largestOffset: Double, noise: Double, reportRate: Double,
        longestGap: Int64, breaks: Int, drops: Int
    ) {
        self.at = at
        self.program = program
        self.offset = offset
        self.largestOffset = largestOffset
        self.noise = noise
        self.reportRate = reportRate
        self.longestGap = longestGap
        self.breaks = breaks
        self.drops = drops
    }

    /// A measure beside its limit, as people read them.
    public struct Measure: Equatable, Sendable {
        public var name: String
        public var value: String
        public var limit: String
        public var isKept: Bool
    }

    /// The measures with their limits. A finger along a ruler keeps them on a good panel.
    public var measures: [Measure] {
        func millimetres(_ name: String, _ value: Double, atMost limit: Double) -> Measure {
            Measure(name: name, value: "\(hundredths(value)) mm", limit: "at most \(limit) mm", isKept: value <= limit)
        }
        func count(_ name: String, _ value: Int) -> Measure {
            Measure(name: name, value: "\(value)", limit: "none", isKept: value == 0)
        }
        return [
            // The limit of calibrations.
            millimetres("offset", offset, atMost: 2),
            millimetres("largest offset", largestOffset, atMost: 5),
            // Twice this is the width of ink.
            millimetres("noise", noise, atMost: 0.25),
            // The slowest panels sold send 60 a second.
            Measure(
                name: "report rate", value: "\(hundredths(reportRate))/s", limit: "at least 50/s",
                isKept: reportRate >= 50),
            // Writing swings at up to 8 Hz: a longer gap loses half a swing.
            Measure(
                name: "longest gap", value: "\(hundredths(Double(longestGap) / 1000)) ms", limit: "at most 60 ms",
                isKept: longestGap <= 60_000),
            count("breaks", breaks), count("lost reports", drops),
        ]
    }

    public var passed: Bool { measures.allSatisfy(\.isKept) }

    private func hundredths(_ value: Double) -> Double { (value * 100).rounded() / 100 }

    /// Why a record cannot have it; nil if it can.
    var fault: String? {
        let isFinite = [offset, largestOffset, noise, reportRate].allSatisfy(\.isFinite)
        return isFinite ? nil : "a number of a self-test is not finite"
    }
}
