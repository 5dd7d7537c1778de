// SPDX-License-Identifier: Apache-2.0
import Geometry

/// Shortens rests. A pen that stays in place for long gives no shape, but to the smoothing a stop and go in time is a
/// corner that it rings around; and a rest without end must not fill the wet tail.
struct Dwell {
    let radius: Double
    /// The longest rest in seconds.
    let time: Double
    private var anchor: (position: Point, seconds: Double)?
    /// What was cut out so far, in seconds.
    private var removed = 0.0

    init(radius: Double, time: Double) {
        self.radius = radius
        self.time = time
    }

    /// Sets the next sample's time; when the pen has rested long enough, takes the last sample back in its favour.
    mutating func shorten(_ next: inout InkSample, after samples: inout [InkSample]) {
        next.seconds -= removed
        guard let anchor, let last = samples.last, next.measured.distance(to: anchor.position) <= radius else {
            anchor = (next.measured, next.seconds)
            return
        }
        guard samples.count > 1, last.seconds - anchor.seconds >= time else { return }
        removed += next.seconds - last.seconds
        next.seconds = last.seconds
        samples.removeLast()
    }
}
