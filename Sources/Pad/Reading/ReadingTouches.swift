// SPDX-License-Identifier: Apache-2.0
import Geometry
import Touch

/// A contact came down and lifted at a place of the screen.
struct Tap: Equatable {
    var place: Point
    /// The place of the first of two quick taps, if this is the second.
    var first: Point?
}

/// Turns contacts on a document into scrolling, enlarging and taps: one contact scrolls, two enlarge, a contact that
/// does not move taps.
struct ReadingTouches {
    enum Effect: Equatable {
        /// The content follows the finger, in pixels of the screen.
        case moved(by: Point)
        /// Two fingers enlarge.
        case enlarged(by: Double, at: Point)
        /// The finger lifted while it moved, with this speed in pixels a second.
        case flung(Point)
        case tapped(Tap)
        /// A contact came down: what moves stops.
        case held
    }

    /// How far a finger may move and still tap: 2.5 mm.
    private static let slop = 2.5
    /// The longest time between two taps, and their largest distance, in millimetres.
    private static let secondTap = (time: Duration.milliseconds(350), distance: 8.0)
    /// The longest tap.
    private static let longestTap = Duration.milliseconds(700)
    /// The time before the lift in which a finger's speed is measured.
    private static let speedTime = Duration.milliseconds(100)

    private struct Finger {
        var first: Sample
        var last: Sample
        /// The latest samples, for the speed.
        var trail: [Sample]
        var mayTap = true
    }

    private let pixelsPerMillimetre: Double
    /// Two at most, in the order in which they came down.
    private var fingers: [(contact: Int32, finger: Finger)] = []
    private var lastTap: Sample?

    init(pixelsPerMillimetre: Double) { self.pixelsPerMillimetre = pixelsPerMillimetre }

    func has(_ contact: Int32) -> Bool { fingers.contains { $0.contact == contact } }
    var isHeld: Bool { !fingers.isEmpty }

    /// - Returns: in the order in which they happen.
    mutating func receive(_ event: TouchEvent) -> [Effect] {
        let sample = event.sample
        guard sample.position.isFinite else { return [] }
        switch event.phase {
        case .began:
            remove(event.contact)
            if fingers.count == 2 { return [] }
            for index in fingers.indices { fingers[index].finger.mayTap = false }
            let finger = Finger(first: sample, last: sample, trail: [sample], mayTap: fingers.isEmpty)
            fingers.append((event.contact, finger))
            return [.held]
        case .moved: return move(event)
        case .ended: return lift(event)
        case .retired, .cancelled, .resumed:
            remove(event.contact)
            return []
        }
    }

    mutating func release() { fingers = [] }

    private mutating func remove(_ contact: Int32) { fingers.removeAll { $0.contact == contact } }

    private mutating func move(_ event: TouchEvent) -> [Effect] {
        guard let index = fingers.firstIndex(where: { $0.contact == event.contact }) else { return [] }
        let sample = event.sample
        var finger = fingers[index].finger
        if finger.mayTap {
            let distance = finger.first.position.distance(to: sample.position)
            if distance < Self.slop * pixelsPerMillimetre { return [] }
            // The content follows from here on, without a jump.
            finger.mayTap = false
            finger.last = sample
            finger.trail = [sample]
            fingers[index].finger = finger
            return []
        }
        let before = finger.last.position
        finger.last = sample
        finger.trail = finger.trail.filter { sample.time - $0.time <= Self.speedTime } + [sample]
        fingers[index].finger = finger
        guard fingers.count == 2 else {
            return [.moved(by: Point(x: sample.position.x - before.x, y: sample.position.y - before.y))]
        }
        let other = fingers[1 - index].finger.last.position
        let (old, new) = (max(before.distance(to: other), 1), max(sample.position.distance(to: other), 1))
        let middle = Point(x: (sample.position.x + other.x) / 2, y: (sample.position.y + other.y) / 2)
        let half = Point(x: (sample.position.x - before.x) / 2, y: (sample.position.y - before.y) / 2)
        return [.moved(by: half), .enlarged(by: new / old, at: middle)]
    }

    private mutating func lift(_ event: TouchEvent) -> [Effect] {
        guard let index = fingers.firstIndex(where: { $0.contact == event.contact }) else { return [] }
        let finger = fingers[index].finger
        remove(event.contact)
        let (place, time) = (finger.last.position, event.sample.time)
        if finger.mayTap {
            guard time - finger.first.time <= Self.longestTap else { return [] }
            if let last = lastTap, finger.first.time - last.time <= Self.secondTap.time,
                last.position.distance(to: place) <= Self.secondTap.distance * pixelsPerMillimetre
            {
                lastTap = nil
                return [.tapped(Tap(place: place, first: last.position))]
            }
            lastTap = Sample(time: time, position: place)
            return [.tapped(Tap(place: place))]
        }
        // The other finger goes on; the speed of two is not that of the page.
        guard fingers.isEmpty, let first = finger.trail.first, let last = finger.trail.last,
            time - last.time < Self.speedTime
        else { return [] }
        let seconds = (last.time - first.time) / .seconds(1)
        guard seconds > 0.005 else { return [] }
        let speed = Point(
            x: (last.position.x - first.position.x) / seconds, y: (last.position.y - first.position.y) / seconds)
        return [.flung(speed)]
    }
}

/// The motion of a document after a flick: its speed falls by friction, so that it comes to rest where the eye expects
/// it. The time constant is that of Android's and Apple's scrollers, about a third of a second.
struct Fling: Equatable {
    private static let timeConstant = 0.325
    /// Pixels a second below which it rests.
    private static let slowest = 25.0
    private static let fastest = 12_000.0

    private var speed: Point
    private var last: Timestamp

    /// nil for a speed at which it would rest at once.
    init?(_ speed: Point, at time: Timestamp) {
        guard speed.isFinite, speed.length > 2 * Self.slowest else { return nil }
        let factor = min(1, Self.fastest / speed.length)
        self.speed = Point(x: speed.x * factor, y: speed.y * factor)
        last = time
    }

    /// - Returns: how far it has moved since the last call, in pixels of the screen; nil if it rests.
    mutating func step(to time: Timestamp) -> Point? {
        let seconds = min(max(0, (time - last) / .seconds(1)), 0.25)
        last = max(last, time)
        if speed.length < Self.slowest { return nil }
        // exp(-t/T), as the product of small steps: only + - * / are the same on every processor.
        var factor = 1.0
        var left = seconds
        while left > 0 {
            let step = min(left, 0.002)
            factor *= 1 - step / Self.timeConstant
            left -= step
        }
        let distance = Self.timeConstant * (1 - factor)
        defer { speed = Point(x: speed.x * factor, y: speed.y * factor) }
        return Point(x: speed.x * distance, y: speed.y * distance)
    }
}
