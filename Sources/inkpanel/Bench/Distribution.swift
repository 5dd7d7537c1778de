// SPDX-License-Identifier: Apache-2.0

/// Measured values, to be summed up.
struct Distribution {
    private let sorted: [Double]

    init(_ values: some Sequence<Double>) { sorted = values.sorted() }

    var count: Int { sorted.count }

    /// The smallest value that at least this share is not above; 0 when there are none.
    /// - Parameter share: 0...1.
    func percentile(_ share: Double) -> Double {
        guard !sorted.isEmpty else { return 0 }
        return sorted[min(max(Int((Double(count) * share).rounded(.up)), 1), count) - 1]
    }

    /// The root of the mean square; 0 when there are none.
    var rootMeanSquare: Double {
        sorted.isEmpty ? 0 : (sorted.reduce(0) { $0 + $1 * $1 } / Double(count)).squareRoot()
    }

    /// 0 when there are none.
    var mean: Double { sorted.isEmpty ? 0 : sorted.reduce(0, +) / Double(count) }

    /// 0 when there are none.
    var minimum: Double { sorted.first ?? 0 }

    var maximum: Double { sorted.last ?? 0 }
}
