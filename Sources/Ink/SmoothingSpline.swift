// SPDX-License-Identifier: Apache-2.0
import Geometry

/// Smooths positions over time with the curve that minimises
/// `sum h |q - p|^2 + mu * integral |q'''|^2`, with `mu = (2 pi cutoff)^-6`.
///
/// It is a low-pass of sixth order without delay, whose cut-off in Hz is independent of the sample rate: it passes the
/// movements of a hand (0.1 % loss at a third of the cut-off) and removes the panel's noise above (I. J. Schoenberg
/// 1964; the third derivative because a hand moves with least jerk, T. Flash and N. Hogan 1985). The banded system is
/// solved in time proportional to the number of samples.
struct SmoothingSpline {
    /// The largest weight of smoothness relative to that of the samples. It is enough for very fast devices, and the
    /// system stays solvable to a thousandth of a pixel.
    private static let strongestSmoothing = 1e8

    private var system = BandedSystem()

    /// Computes the smooth position of each sample with the cut-offs in the samples; read it with `self[index]`. The
    /// last sample stays where it was measured.
    ///
    /// Final samples count as measured, too: tying the curve to their final positions would feed small errors back into
    /// the next ones, report after report.
    /// - Parameters:
    ///   - samples: at least one.
    ///   - start: the place of the first sample, if it is the first of the stroke.
    mutating func solve(_ samples: [InkSample], start: Point?) {
        let last = samples.count - 1
        system.reset(count: samples.count)
        // Relative to the tip, so that coordinates of any size keep their fraction.
        let origin = samples[last].measured
        for index in 0...last {
            let before = samples[max(index - 1, 0)].seconds
            let after = samples[min(index + 1, last)].seconds
            system.add(weight: (after - before) / 2, value: samples[index].measured - origin, at: index)
        }
        if last >= 3 {
            for index in 0...(last - 3) { addJerk(of: samples, at: index) }
        }
        if let start { system.fix(start - origin, at: 0) }
        system.fix(.zero, at: last)
        system.solve()
    }

    /// The smooth position of a sample relative to the last sample, after ``solve(_:start:)``.
    subscript(index: Int) -> Point { system[index] }

    /// Adds the squared third difference of four samples.
    private mutating func addJerk(of samples: [InkSample], at index: Int) {
        // Divided differences in units of the mean step, where they are about -1, 3, -3, 1.
        let span = (samples[index + 3].seconds - samples[index].seconds) / 3
        let b = (samples[index + 1].seconds - samples[index].seconds) / span
        let c = (samples[index + 2].seconds - samples[index].seconds) / span
        let coefficients = (
            -6 / (b * c * 3), 6 / (b * (c - b) * (3 - b)), -6 / (c * (c - b) * (3 - c)), 6 / (3 * (3 - b) * (3 - c))
        )
        let cutoff = min(samples[index + 1].cutoff, samples[index + 2].cutoff)
        let perRadian = 1 / (2 * Double.pi * cutoff * span)
        let square = perRadian * perRadian
        system.add(
            weight: span * min(square * square * square, Self.strongestSmoothing), coefficients: coefficients,
            at: index)
    }
}

/// Symmetric positive definite equations for points in a row, each coupled to at most three before and after it. Solved
/// by LDL' within the band (G. Golub and C. Van Loan, Matrix Computations, 4.3). Keeps its memory between systems.
struct BandedSystem {
    /// A row of the upper triangle: the diagonal and the three elements to its right; after ``solve()`` of U in LDL'.
    private struct Row {
        var diagonal = 0.0
        var first = 0.0
        var second = 0.0
        var third = 0.0
        /// The right side, and the solution after ``solve()``.
        var value = Point.zero
    }

    /// Three empty rows more than there are unknowns, so that no step has to check whether a row exists.
    private var rows: [Row] = []
    private var count = 0

    /// Starts an empty system of `count` unknowns.
    mutating func reset(count: Int) {
        self.count = count
        rows.removeAll(keepingCapacity: true)
        rows.append(contentsOf: repeatElement(Row(), count: count + 3))
    }

    /// The solution, after ``solve()``.
    subscript(index: Int) -> Point { rows[index].value }

    /// Adds `weight * (x[row] - value)^2` to the minimised sum.
    mutating func add(weight: Double, value: Point, at row: Int) {
        rows[row].diagonal += weight
        rows[row].value = rows[row].value + value * weight
    }

    /// Adds `weight * (sum of coefficients * x[row...])^2` to the minimised sum.
    mutating func add(weight: Double, coefficients k: (Double, Double, Double, Double), at row: Int) {
        let (a, b, c) = (k.0 * weight, k.1 * weight, k.2 * weight)
        rows[row].diagonal += a * k.0
        rows[row].first += a * k.1
        rows[row].second += a * k.2
        rows[row].third += a * k.3
        rows[row + 1].diagonal += b * k.1
        rows[row + 1].first += b * k.2
        rows[row + 1].second += b * k.3
        rows[row + 2].diagonal += c * k.2
        rows[row + 2].first += c * k.3
        rows[row + 3].diagonal += k.3 * weight * k.3
    }

    /// Makes `x[row]` known. Call it after every `add`.
    mutating func fix(_ value: Point, at row: Int) {
        let own = rows[row]
        rows[row + 1].value = rows[row + 1].value - value * own.first
        rows[row + 2].value = rows[row + 2].value - value * own.second
        rows[row + 3].value = rows[row + 3].value - value * own.third
        rows[row] = Row(diagonal: 1, value: value)
        if row >= 1 { subtract(value * rows[row - 1].first, from: row - 1) { $0.first = 0 } }
        if row >= 2 { subtract(value * rows[row - 2].second, from: row - 2) { $0.second = 0 } }
        if row >= 3 { subtract(value * rows[row - 3].third, from: row - 3) { $0.third = 0 } }
    }

    private mutating func subtract(_ known: Point, from row: Int, clear: (inout Row) -> Void) {
        rows[row].value = rows[row].value - known
        clear(&rows[row])
    }

    mutating func solve() {
        for index in 0..<count {
            let row = rows[index]
            let inverse = 1 / row.diagonal
            let (first, second, third) = (row.first * inverse, row.second * inverse, row.third * inverse)
            rows[index + 1].diagonal -= first * row.first
            rows[index + 1].first -= first * row.second
            rows[index + 1].second -= first * row.third
            rows[index + 1].value = rows[index + 1].value - row.value * first
            rows[index + 2].diagonal -= second * row.second
            rows[index + 2].first -= second * row.third
            rows[index + 2].value = rows[index + 2].value - row.value * second
            rows[index + 3].diagonal -= third * row.third
            rows[index + 3].value = rows[index + 3].value - row.value * third
            rows[index] = Row(diagonal: inverse, first: first, second: second, third: third, value: row.value)
        }
        for index in count..<count + 3 { rows[index].value = .zero }
        for index in stride(from: count - 1, through: 0, by: -1) {
            let row = rows[index]
            rows[index].value =
                row.value * row.diagonal - rows[index + 1].value * row.first - rows[index + 2].value * row.second
                - rows[index + 3].value * row.third
        }
    }
}
