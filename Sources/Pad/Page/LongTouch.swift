// SPDX-License-Identifier: Apache-2.0
import Geometry
import Touch

/// Notices a single finger that rests on the glass.
struct LongTouch {
    /// The most that a resting finger may move, in millimetres.
    private static let still = 5.0

    /// The time that the finger rests.
    let time: Duration
    private var finger: (contact: Int32, began: Timestamp, place: Point)?
    /// All contacts that are down. A hand makes several.
    private var contacts: Set<Int32> = []

    init(of time: Duration) {
        self.time = time
    }

    /// When the finger has rested long enough.
    var end: Timestamp? { finger.map { $0.began + time } }

    /// - Parameter counts: whether a finger that comes down at this point is noticed.
    mutating func receive(
        _ event: TouchEvent, at now: Timestamp, density: PixelDensity, where counts: (Point) -> Bool = { _ in true }
    ) {
        let place = event.sample.position
        switch event.phase {
        case .began:
            finger = contacts.isEmpty && counts(place) ? (event.contact, now, place) : nil
            contacts.insert(event.contact)
        case .moved:
            guard let finger, finger.contact == event.contact else { return }
            let (dx, dy) = (place.x - finger.place.x, place.y - finger.place.y)
            let most = Self.still * density.pixelsPerMillimetre
            if dx * dx + dy * dy > most * most { self.finger = nil }
        case .resumed, .ended, .retired, .cancelled:
            finger = nil
            contacts.remove(event.contact)
        }
    }

    /// Forgets the finger and all contacts.
    mutating func reset() { self = LongTouch(of: time) }
}
