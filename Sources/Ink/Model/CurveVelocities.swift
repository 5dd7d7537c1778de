// SPDX-License-Identifier: Apache-2.0
import Geometry

/// The velocities that make a curve of cubics in time through the modelled positions smooth to its second derivative
/// (the natural cubic spline), tamed where a spline would swing out.
struct CurveVelocities {
    /// Longest velocity as a multiple of the slower neighbouring chord's: 3 is what keeps a cubic within its chord (F.
    /// Fritsch and R. Carlson 1980), so that no jump of a device throws a loop.
    private static let largestRatio = 3.0

    /// A row of the tridiagonal system after forward elimination.
    private struct Row {
        /// What is left to the right of the diagonal.
        var ratio: Double
        var value: Point
    }

    /// From one sample to the next.
    private struct Chord {
        var inverse: Double
        var velocity: Point
    }

    // Kept for their memory.
    private var rows: [Row] = []
    private var chords: [Chord] = []

    /// Sets the velocity of the samples from index `fixed` on; the one before it is final and is kept to.
    mutating func update(_ samples: inout [InkSample], from fixed: Int) {
        let first = max(0, fixed - 1)
        let last = samples.count - 1
        guard first < last else {
            samples[last].velocity = .zero
            return
        }
        chords.removeAll(keepingCapacity: true)
        for index in first..<last {
            let inverse = 1 / (samples[index + 1].seconds - samples[index].seconds)
            let way = samples[index + 1].position - samples[index].position
            chords.append(Chord(inverse: inverse, velocity: way * inverse))
        }
        rows.removeAll(keepingCapacity: true)
        rows.append(
            fixed > 0
                ? Row(ratio: 0, value: samples[first].velocity) : Row(ratio: 0.5, value: chords[0].velocity * 1.5))
        for (index, before) in chords.enumerated() {
            let after = index + 1 < chords.count ? chords[index + 1] : Chord(inverse: 0, velocity: .zero)
            let row = rows[index]
            let pivot = 1 / (2 * (before.inverse + after.inverse) - before.inverse * row.ratio)
            let right = before.velocity * (3 * before.inverse) + after.velocity * (3 * after.inverse)
            rows.append(Row(ratio: after.inverse * pivot, value: (right - row.value * before.inverse) * pivot))
        }
        for index in stride(from: rows.count - 2, through: fixed - first, by: -1) {
            rows[index].value = rows[index].value - rows[index + 1].value * rows[index].ratio
        }
        for index in fixed...last {
            samples[index].velocity = tamed(at: index - first)
        }
    }

    private func tamed(at index: Int) -> Point {
        let velocity = rows[index].value
        guard index > 0, index < chords.count else {
            // At an end of the stroke, backwards would draw a hook.
            let chord = chords[index > 0 ? index - 1 : 0].velocity
            return velocity.dot(chord) < 0 ? .zero : limited(velocity, by: chord.length)
        }
        return limited(velocity, by: min(chords[index - 1].velocity.length, chords[index].velocity.length))
    }

    private func limited(_ velocity: Point, by speed: Double) -> Point {
        let limit = Self.largestRatio * speed
        let length = velocity.length
        return length > limit ? velocity * (limit / length) : velocity
    }
}
