// SPDX-License-Identifier: Apache-2.0
import Geometry
import Touch

/// Recognizes the gestures of a finger on a page that is read aloud. A finger that slides or rests reads the item under
/// it. A tap on the item that was read last presses this item, and so does a double tap anywhere. A quick stroke goes
/// to the next or the previous item.
struct SpeechTouch {
    enum Gesture: Equatable {
        /// Reads the item at this place.
        case explore(Point)
        case tap(Point)
        /// The second of two quick taps, wherever they are.
        case doubleTap
        /// A quick stroke to the right, and one to the left.
        case next, previous
    }

    /// A contact that lasts longer explores.
    static let tapTime = Duration.milliseconds(250)
    /// The longest time between two taps that belong together.
    static let pause = Duration.milliseconds(400)
    /// The most that a tap may move, and the least that a quick stroke must move, in millimetres.
    private static let (still, swipe) = (4.0, 12.0)

    private struct Finger {
        var contact: Int32
        var began: Timestamp
        var first, last: Point
        var isExploring = false
    }

    private var finger: Finger?
    /// A tap that may become the first of two.
    private var tapped: (at: Timestamp, place: Point)?

    /// When ``advance(to:)`` has a gesture.
    var deadline: Timestamp? {
        let exploring = finger.flatMap { $0.isExploring ? nil : $0.began + Self.tapTime }
        return [exploring, tapped.map { $0.at + Self.pause }].compactMap { $0 }.min()
    }

    /// - Parameter pressesAtOnce: whether a single tap at a place presses.
    mutating func receive(
        _ event: TouchEvent, at now: Timestamp, density: PixelDensity, pressesAtOnce: (Point) -> Bool
    ) -> Gesture? {
        let place = event.sample.position
        // A contact that came down beside noise is the finger when that is known.
        if finger == nil, event.phase == .began || event.phase == .moved && event.mayTakeOver {
            finger = Finger(contact: event.contact, began: now, first: place, last: place)
            return nil
        }
        switch event.phase {
        // Further contacts, such as the hand's, read nothing.
        case .began: break
        case .moved, .resumed:
            guard var moved = finger, moved.contact == event.contact else { return nil }
            moved.last = place
            let isLong = now - moved.began > Self.tapTime
            if isLong { moved.isExploring = true }
            finger = moved
            return moved.isExploring ? .explore(place) : nil
        case .ended:
            guard let ended = finger, ended.contact == event.contact else { return nil }
            finger = nil
            if ended.isExploring { return nil }
            let millimetre = density.pixelsPerMillimetre
            let (dx, dy) = ((ended.last.x - ended.first.x) / millimetre, (ended.last.y - ended.first.y) / millimetre)
            if abs(dx) >= Self.swipe, abs(dx) > 2 * abs(dy) {
                tapped = nil
                return dx > 0 ? .next : .previous
            }
            guard abs(dx) < Self.still, abs(dy) < Self.still else { return nil }
            if let first = tapped, now - first.at < Self.pause {
                tapped = nil
                return .doubleTap
            }
            if pressesAtOnce(ended.first) { return .tap(ended.first) }
            tapped = (now, ended.first)
        case .retired, .cancelled: if finger?.contact == event.contact { finger = nil }
        }
        return nil
    }

    /// A finger that rests explores, and a tap without a second one reads.
    mutating func advance(to now: Timestamp) -> Gesture? {
        if let first = tapped, now >= first.at + Self.pause {
            tapped = nil
            return .explore(first.place)
        }
        if let resting = finger, !resting.isExploring, now >= resting.began + Self.tapTime {
            finger?.isExploring = true
            return .explore(resting.last)
        }
        return nil
    }
}
