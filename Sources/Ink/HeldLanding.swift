// SPDX-License-Identifier: Apache-2.0
import Geometry

/// Finds landings that a device has held up. Some pen displays repeat the position of the landing for up to 50 ms while
/// the pen is moving already, and then jump to where it is. Taken as it is reported, that is a rest and a dash, and a
/// curve through it overshoots.
struct HeldLanding {
    /// A step is a jump if it is this many times as long as the steps after it. A hand that starts gets faster: its
    /// first step is the shortest.
    private static let jump = 1.6
    /// The longest time in seconds that a device holds a landing up.
    private static let longest = 0.06

    private var isOver = false
    /// The report after the jump, and the time in seconds since the landing at which it was taken.
    private(set) var jump: (report: Int, seconds: Double)?

    /// Looks at the samples of a stroke whose first one is still there and wet.
    /// - Parameter least: the length in pixels from which a step can be a jump; noise steps less.
    /// - Returns: whether the repeated samples were removed, and those after them have other times.
    mutating func shorten(_ samples: inout [InkSample], least: Double) -> Bool {
        guard !isOver else { return false }
        guard let moved = samples.firstIndex(where: { $0.measured != samples[0].measured }) else { return false }
        // The two steps after it tell how fast the pen moves.
        guard samples.count > moved + 2 else { return false }
        isOver = true
        let (landing, next) = (samples[0], samples[moved])
        let held = next.time.seconds(since: landing.time)
        let length = next.measured.distance(to: landing.measured)
        let (middle, last) = (samples[moved + 1].measured, samples[moved + 2].measured)
        let path = next.measured.distance(to: middle) + middle.distance(to: last)
        // A pen that stands still after the step rests, and was not held up before it: its coordinates are coarse.
        guard path > 0 else { return false }
        let speed = path / (samples[moved + 2].seconds - next.seconds)
        let step = next.seconds - samples[moved - 1].seconds
        guard moved > 1, held <= Self.longest, length >= least, length > Self.jump * speed * step else { return false }
        let seconds = min(max(length / speed, step), max(held, step))
        let shift = seconds - (next.seconds - landing.seconds)
        for index in samples[moved...].indices { samples[index].seconds += shift }
        samples.removeSubrange(1..<moved)
        jump = (next.report, seconds)
        return true
    }
}
