// SPDX-License-Identifier: Apache-2.0
import Geometry
import Touch

/// The reports of a recording, moved and resized so that their ink lies in a given place of the picture.
struct DemoSignature {
    /// From the first contact to the end of the last, with what the pen did in the air between them; times from 0.
    let frames: [TouchFrame]
    /// To pixels from device units.
    private let transform: Transform
    private let toUnits: Transform

    /// - Returns: nil for a recording without ink, or of a device that cannot draw.
    init?(_ recording: Recording, mapping: PanelMapping) {
        guard var tracker = SlotTracker(recording.device.kind), let toUnits = mapping.transform.inverted else {
            return nil
        }
        var player = RecordingPlayer(recording, startMicroseconds: 0, pace: .immediate)
        var frames: [TouchFrame] = []
        while let report = player.next() {
            for event in report {
                guard let frame = tracker.update(with: event) else { continue }
                if !frame.contacts.isEmpty || frame.hover != nil && !frames.isEmpty { frames.append(frame) }
            }
        }
        while frames.last?.contacts.isEmpty == true { frames.removeLast() }
        if let last = frames.last, let end = tracker.endAll(at: last.microseconds) { frames.append(end) }
        guard !frames.isEmpty else { return nil }
        self.frames = frames
        transform = mapping.transform
        self.toUnits = toUnits
    }

    /// The frames with their ink in the middle of `place`, as large as fits.
    /// - Parameter start: when the first one is due, in microseconds.
    func frames(in place: Rect, from start: Int64) -> [TouchFrame] {
        let points = frames.flatMap(\.contacts).map { position(x: $0.reading.x, y: $0.reading.y) }
        let bounds = points.reduce(Rect.empty) {
            $0.union(Rect(minX: $1.x, minY: $1.y, maxX: $1.x, maxY: $1.y))
        }
        let scale = min(
            (place.maxX - place.minX) / max(bounds.maxX - bounds.minX, 1),
            (place.maxY - place.minY) / max(bounds.maxY - bounds.minY, 1))
        let (from, to) = (Self.middle(of: bounds), Self.middle(of: place))
        return frames.map { frame in
            var moved = frame
            moved.microseconds += start
            func place(_ x: Int32, _ y: Int32) -> (x: Int32, y: Int32) {
                let unit = toUnits.apply(to + (position(x: x, y: y) - from) * scale)
                return (Int32(unit.x.rounded()), Int32(unit.y.rounded()))
            }
            for index in moved.contacts.indices {
                let reading = moved.contacts[index].reading
                (moved.contacts[index].reading.x, moved.contacts[index].reading.y) = place(reading.x, reading.y)
            }
            if var hover = moved.hover {
                (hover.x, hover.y) = place(hover.x, hover.y)
                moved.hover = hover
            }
            return moved
        }
    }

    /// A touch as short as people's.
    func tap(at place: Point, _ start: Int64) -> [TouchFrame] {
        guard let model = frames.first?.contacts.first else { return [] }
        let unit = toUnits.apply(place)
        return [(Contact.Phase.began, start), (.ended, start + 90_000)].map { phase, time in
            var contact = model
            contact.phase = phase
            contact.trackingID += 1
            contact.reading.x = Int32(unit.x.rounded())
            contact.reading.y = Int32(unit.y.rounded())
            return TouchFrame(microseconds: time, contacts: [contact])
        }
    }

    private func position(x: Int32, y: Int32) -> Point { transform.apply(Point(x: Double(x), y: Double(y))) }

    private static func middle(of rect: Rect) -> Point {
        Point(x: (rect.minX + rect.maxX) / 2, y: (rect.minY + rect.maxY) / 2)
    }
}
