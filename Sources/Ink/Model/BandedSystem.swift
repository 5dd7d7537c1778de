// SPDX-License-Identifier: Apache-2.0
import Geometry

/// Symmetric positive definite equations for points in a row, each tied to at most the three before and after it.
/// Solved by LDL' within the band (G. Golub and C. Van Loan, Matrix Computations, 4.3). Keeps its memory from one
/// system to the next.
struct BandedSystem {
    /// One row of the upper triangle: the diagonal and the three to the right of it, then of U in LDL'.
    private struct Row {
        var diagonal = 0.0
        var first = 0.0
        var second = 0.0
        var third = 0.0
        /// The right side, and the solution after ``solve()``.
        var value = Point.zero
    }

    /// Three rows more than there are unknowns, which stay empty, so that no step has to ask whether a row exists.
    private var rows: [Row] = []
    private var count = 0

    /// Starts a system of `count` unknowns with nothing in it.
    mutating func reset(count: Int) {
        self.count = count
        rows.removeAll(keepingCapacity: true)
        rows.append(contentsOf: repeatElement(Row(), count: count + 3))
    }

    /// The solution, after ``solve()``.
    subscript(index: Int) -> Point { rows[index].value }

    /// Adds `weight * (x[row] - value)^2` to what is minimised.
    mutating func add(weight: Double, value: Point, at row: Int) {
        rows[row].diagonal += weight
        rows[row].value = rows[row].value + value * weight
    }

    /// Adds `weight * (sum of coefficients * x[row...])^2`.
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

    /// Makes `x[row]` known. Comes after every `add`.
    mutating func fix(_ value: Point, at row: Int) {
        let own = rows[row]
        rows[row + 1].value = rows[row + 1].value - value * own.first
        rows[row + 2].value = rows[row + 2].value - value * own.second
        rows[row + 3].value = rows[row + 3].value - value * own.third
        rows[row] = Row(diagonal: 1, value: value)
        if row >= 1 { take(value * rows[row - 1].first, from: row - 1) { $0.first = 0 } }
        if row >= 2 { take(value * rows[row - 2].second, from: row - 2) { $0.second = 0 } }
        if row >= 3 { take(value * rows[row - 3].third, from: row - 3) { $0.third = 0 } }
    }

    private mutating func take(_ known: Point, from row: Int, clear: (inout Row) -> Void) {
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
