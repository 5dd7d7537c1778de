// SPDX-License-Identifier: Apache-2.0
import Geometry

/// The velocities that make a curve of cubics in time through the modelled positions smooth to its second derivative
/// (the natural cubic spline), tamed where a spline would swing out.
enum CurveVelocities {
    /// Longest velocity as a multiple of the slower neighbouring chord's: 3 is what keeps a cubic within its chord (F.
    /// Fritsch and R. Carlson 1980), so that no jump of a device throws a loop.
    private static let largestRatio = 3.0

    /// Sets the velocity of the samples from index `fixed` on; the one before it is final and is kept to.
    static func update(_ samples: inout [InkSample], from fixed: Int) {
        let first = max(0, fixed - 1)
        let last = samples.count - 1
        guard first < last else {
            samples[last].velocity = .zero
            return
        }
        func chord(_ index: Int) -> (inverse: Double, velocity: Point) {
            let inverse = 1 / (samples[index + 1].seconds - samples[index].seconds)
            return (inverse, (samples[index + 1].position - samples[index].position) * inverse)
        }
        // Forward elimination of the tridiagonal system, one equation per sample; `ratio` is what is left to the
        // right.
        var ratios: [Double] = []
        var values: [Point] = []
        for index in first...last {
            if index == first {
                if fixed > 0 {
                    ratios.append(0)
                    values.append(samples[first].velocity)
                } else {
                    ratios.append(0.5)
                    values.append(chord(first).velocity * 1.5)
                }
                continue
            }
            let before = chord(index - 1)
            var diagonal = 2 * before.inverse
            var right = before.velocity * (3 * before.inverse)
            var ratio = 0.0
            if index < last {
                let after = chord(index)
                diagonal += 2 * after.inverse
                right = right + after.velocity * (3 * after.inverse)
                ratio = after.inverse
            }
            let pivot = 1 / (diagonal - before.inverse * ratios[index - first - 1])
            ratios.append(ratio * pivot)
            values.append((right - values[index - first - 1] * before.inverse) * pivot)
        }
        for index in stride(from: last, through: fixed, by: -1) {
            let offset = index - first
            if index < last { values[offset] = values[offset] - values[offset + 1] * ratios[offset] }
        }
        for index in fixed...last {
            let neighbours = max(index - 1, 0)...min(index, last - 1)
            samples[index].velocity = tamed(values[index - first], by: neighbours.map { chord($0).velocity })
        }
    }

    /// - Parameter chords: the velocities of the straight ways before and after; one at an end of the stroke.
    private static func tamed(_ velocity: Point, by chords: [Point]) -> Point {
        // At an end, backwards would draw a hook.
        if chords.count == 1, velocity.dot(chords[0]) < 0 { return .zero }
        let limit = largestRatio * chords.reduce(Double.infinity) { min($0, $1.length) }
        let length = velocity.length
        return length > limit ? velocity * (limit / length) : velocity
    }
}
