// SPDX-License-Identifier: Apache-2.0
import Geometry

/// Symmetric positive definite equations for points in a row, each tied to at most the three before and after it.
/// Solved by LDL' within the band (G. Golub and C. Van Loan, Matrix Computations, 4.3).
struct BandedSystem {
    private static let band = 3
    private let count: Int
    /// Of each row the diagonal and the three to the right of it.
    private var rows: [Double]
    /// The right side, and the solution after ``solve()``.
    private(set) var values: [Point]

    init(count: Int) {
        self.count = count
        rows = Array(repeating: 0, count: count * (Self.band + 1))
        values = Array(repeating: .zero, count: count)
    }

    /// Adds `weight * (x[row] - value)^2` to what is minimised.
    mutating func add(weight: Double, value: Point, at row: Int) {
        rows[row * 4] += weight
        values[row] = values[row] + value * weight
    }

    /// Adds `weight * (sum of coefficients * x[row...])^2`.
    mutating func add(weight: Double, coefficients k: (Double, Double, Double, Double), at row: Int) {
        add(k.0 * weight, k.0, k.1, k.2, k.3, at: row)
        add(k.1 * weight, k.1, k.2, k.3, 0, at: row + 1)
        add(k.2 * weight, k.2, k.3, 0, 0, at: row + 2)
        add(k.3 * weight, k.3, 0, 0, 0, at: row + 3)
    }

    private mutating func add(_ factor: Double, _ a: Double, _ b: Double, _ c: Double, _ d: Double, at row: Int) {
        rows[row * 4] += factor * a
        rows[row * 4 + 1] += factor * b
        rows[row * 4 + 2] += factor * c
        rows[row * 4 + 3] += factor * d
    }

    /// Makes `x[row]` known. Comes after every `add`.
    mutating func fix(_ value: Point, at row: Int) {
        for distance in 1...Self.band {
            if row + distance < count {
                values[row + distance] = values[row + distance] - value * rows[row * 4 + distance]
                rows[row * 4 + distance] = 0
            }
            if row >= distance {
                values[row - distance] = values[row - distance] - value * rows[(row - distance) * 4 + distance]
                rows[(row - distance) * 4 + distance] = 0
            }
        }
        rows[row * 4] = 1
        values[row] = value
    }

    mutating func solve() {
        for row in 0..<count {
            let pivot = rows[row * 4]
            for i in 1...Self.band where row + i < count {
                let factor = rows[row * 4 + i] / pivot
                for j in i...Self.band where row + j < count {
                    rows[(row + i) * 4 + j - i] -= factor * rows[row * 4 + j]
                }
                values[row + i] = values[row + i] - values[row] * factor
            }
        }
        for row in stride(from: count - 1, through: 0, by: -1) {
            var value = values[row]
            for i in 1...Self.band where row + i < count { value = value - values[row + i] * rows[row * 4 + i] }
            values[row] = value * (1 / rows[row * 4])
        }
    }
}
