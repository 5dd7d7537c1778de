// SPDX-License-Identifier: Apache-2.0
import Geometry

/// One contact on its way through the filters: the reports that are not told yet, and those that a median looks back
/// at. Reports are numbered from 0; each is told once, in order, with its own time, pressure and device readings.
struct FilteredContact: Sendable {
    /// Without it a device whose clock stands still would have its reports kept for ever. A second of the fastest.
    private static let heldLimit = 1024

    let name: Int32
    /// Whether it began as one that goes on after lost events.
    let isResumed: Bool
    /// It is on the panel. One that is not has memory for the next.
    private(set) var isDown = true
    /// Lifted or lost before anybody was told of it.
    private(set) var isWithheld = false

    private let minimumCount: Int
    private let head: Int
    private let tail: Int
    private let reach: Int
    private var dejitter: Dejitter?
    /// Until then it may be the one before, bouncing.
    private let bounceEnd: Int64?
    private var isAdmitted: Bool

    private var reports: [TouchSample]
    /// The number of the first in `reports`.
    private var firstNumber = 0
    /// The number of the next to tell.
    private var next = 0
    private var place = Point(x: 0, y: 0)

    /// - Parameters:
    ///   - bounceEnd: nil when no contact of the device has lifted just before.
    ///   - reports: memory to use again.
    init(
        name: Int32, isResumed: Bool, settings: NoiseSettings, jitterLimit: Double?, bounceEnd: Int64?,
        reports: consuming [TouchSample] = []
    ) {
        self.name = name
        self.isResumed = isResumed
        minimumCount = settings.evthres ?? 1
        // What has been told of already is a touch, and has had its unsure beginning.
        head = isResumed ? 0 : settings.skip?.head ?? 0
        tail = settings.skip?.tail ?? 0
        reach = (settings.median ?? 1) / 2
        dejitter = jitterLimit.map { Dejitter(limit: $0) }
        self.bounceEnd = bounceEnd
        isAdmitted = isResumed
        self.reports = reports
        self.reports.removeAll(keepingCapacity: true)
    }

    private var count: Int { firstNumber + reports.count }
    private var hasBegun: Bool { next > 0 }

    /// Takes a report and tells those whose place is known by it.
    mutating func add(_ sample: TouchSample, into output: inout [ContactGate.Touch]) {
        reports.append(sample)
        if !isAdmitted {
            let isFull = reports.count >= Self.heldLimit
            isAdmitted = isFull || count >= minimumCount && !mayBounce(at: sample.microseconds)
        }
        guard isAdmitted else { return }
        while true {
            let centre = max(next, head)
            // The median is even on both sides of a report, so that it does not lag: it waits for those after it.
            guard centre + min(reach, centre - head) + tail < count else { break }
            tell(last: count - 1 - tail, into: &output)
        }
        // The last one told is where unsure reports before the end will be.
        let oldest = max(min(next, max(next, head) - max(reach, 1)), firstNumber)
        reports.removeFirst(min(oldest - firstNumber, reports.count))
        firstNumber = oldest
    }

    /// Ends it: what was held is told before that, unless it was no touch.
    /// - Returns: whether anybody has been told of it.
    mutating func lift(_ sample: TouchSample, into output: inout [ContactGate.Touch]) -> Bool {
        isDown = false
        if !isAdmitted { isAdmitted = count >= minimumCount && !mayBounce(at: sample.microseconds) }
        let last = count - 1 - tail
        guard isAdmitted, last >= head else {
            // A resumed one was told of before; its end was, too.
            isWithheld = !hasBegun
            return false
        }
        while next < count { tell(last: last, into: &output) }
        output.append(ContactGate.Touch(.up(moved(sample, to: place)), contact: name))
        return true
    }

    /// Ends it and takes back what it drew; what was held is not told any more.
    /// - Returns: whether anybody has been told of it.
    mutating func cancel(_ sample: TouchSample, into output: inout [ContactGate.Touch]) -> Bool {
        isDown = false
        guard hasBegun else { return false }
        output.append(ContactGate.Touch(.cancel(moved(sample, to: place)), contact: name))
        return true
    }

    /// Its memory, for another.
    mutating func takeReports() -> [TouchSample] {
        var taken: [TouchSample] = []
        swap(&taken, &reports)
        return taken
    }

    private func mayBounce(at microseconds: Int64) -> Bool { bounceEnd.map { microseconds < $0 } ?? false }

    /// - Parameter last: the number of the last report whose position is believed.
    private mutating func tell(last: Int, into output: inout [ContactGate.Touch]) {
        let sample = reports[next - firstNumber]
        let point = median(around: min(max(next, head), last), last: last)
        place = dejitter?.smooth(point) ?? point
        let told = moved(sample, to: place)
        let event: TouchEvent = next > 0 ? .motion(told) : isResumed ? .resume(told) : .down(told)
        output.append(ContactGate.Touch(event, contact: name))
        next += 1
    }

    private func moved(_ sample: TouchSample, to place: Point) -> TouchSample {
        var sample = sample
        sample.position = place
        return sample
    }

    /// Of each coordinate by itself, as tslib has it.
    private func median(around centre: Int, last: Int) -> Point {
        let half = min(reach, centre - head, last - centre)
        let window = centre - half - firstNumber...centre + half - firstNumber
        return Point(
            x: median(of: window) { $0.position.x }, y: median(of: window) { $0.position.y })
    }

    /// Of an odd number of values. By counting: there are nine at most, and nothing needs memory.
    private func median(of window: ClosedRange<Int>, _ value: (TouchSample) -> Double) -> Double {
        let middle = window.count / 2
        for index in window {
            let candidate = value(reports[index])
            var below = 0
            var equal = 0
            for other in window {
                let compared = value(reports[other])
                if compared < candidate { below += 1 } else if compared == candidate { equal += 1 }
            }
            if below <= middle, middle < below + equal { return candidate }
        }
        // Not reached: positions are numbers (PanelMapping), and one of them is in the middle.
        return value(reports[window.lowerBound])
    }
}
