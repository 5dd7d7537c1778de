// SPDX-License-Identifier: Apache-2.0
import Geometry
import Pad
import Touch

/// The reports of a recording, moved and scaled to a place on the page. The recording's units are as long in x as in y,
/// and its writing line is the middle of its height.
struct DemoSignature {
    /// Frames from the first contact to the end of the last one, including hover in between.
    let frames: [TouchFrame]
    /// Around the contacts, in device units.
    private let bounds: Rect
    /// The y of the writing line, in device units.
    private let line: Double
    /// Maps pixels to device units.
    private let toUnits: Transform

    /// Fails for a recording without ink, or of a device that cannot draw.
    init?(_ recording: Recording, mapping: PanelMapping) {
        guard var tracker = SlotTracker(recording.device.kind), let axes = recording.device.positionAxes,
            let toUnits = mapping.map.transform.inverted
        else { return nil }
        var player = RecordingPlayer(recording, from: .zero, pace: .immediate)
        var frames: [TouchFrame] = []
        while let report = player.next() {
            for event in report {
                guard let frame = tracker.update(with: event) else { continue }
                if !frame.contacts.isEmpty || frame.hover != nil && !frames.isEmpty { frames.append(frame) }
            }
        }
        while frames.last?.contacts.isEmpty == true { frames.removeLast() }
        if let last = frames.last, let end = tracker.endAll(at: last.time) { frames.append(end) }
        guard !frames.isEmpty else { return nil }
        self.frames = frames
        bounds = frames.flatMap(\.contacts).map(\.reading).reduce(Rect.empty) { bounds, reading in
            let (x, y) = (Double(reading.x), Double(reading.y))
            return bounds.union(Rect(minX: x, minY: y, maxX: x, maxY: y))
        }
        line = (Double(axes.y.minimum) + Double(axes.y.maximum)) / 2
        self.toUnits = toUnits
    }

    /// - Parameters:
    ///   - recording: ``Recording/demonstration()``.
    ///   - panel: the size of the display.
    static func demonstration(of recording: Recording, panel: PixelSize) throws(CommandError) -> DemoSignature {
        guard let mapping = PanelMapping(recording.device, panel: panel),
            let signature = DemoSignature(recording, mapping: mapping)
        else { throw .unusableInput("the built-in recording has no ink") }
        return signature
    }

    /// The frames of a signature on a signing page.
    /// - Parameter start: time of the first frame.
    func frames(on page: PlacedPage, from start: Timestamp) -> [TouchFrame] {
        // The part of the ink field that people use.
        let area = page.inkField.rect
        let (width, height) = (area.maxX - area.minX, area.maxY - area.minY)
        let used = Rect(
            minX: area.minX + width * 0.12, minY: area.minY + height * 0.1, maxX: area.maxX - width * 0.12,
            maxY: area.maxY - height * 0.05)
        // A field for a note has no line.
        let line = page.signingLine.isEmpty ? area.minY + height * 0.6 : page.signingLine.rect.minY
        return frames(in: used, on: line, from: start)
    }

    /// The frames on a line, in the middle of an area, as large as the area allows. Heights and widths are scaled
    /// alike.
    /// - Parameters:
    ///   - area: in pixels.
    ///   - lineY: of the line to sign on, in pixels, within the area.
    ///   - start: time of the first frame.
    func frames(in area: Rect, on lineY: Double, from start: Timestamp) -> [TouchFrame] {
        let scale = [
            (area.maxX - area.minX) / max(bounds.maxX - bounds.minX, 1),
            (lineY - area.minY) / max(line - bounds.minY, 1),
            (area.maxY - lineY) / max(bounds.maxY - line, 1),
        ].reduce(.infinity, min)
        let from = Point(x: (bounds.minX + bounds.maxX) / 2, y: line)
        let to = Point(x: (area.minX + area.maxX) / 2, y: lineY)
        return frames.map { frame in
            var moved = frame
            moved.time += start - .zero
            func place(_ x: Int32, _ y: Int32) -> (x: Int32, y: Int32) {
                let unit = toUnits.apply(to + (Point(x: Double(x), y: Double(y)) - from) * scale)
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

    /// A tap of 90 ms in the middle of a button; empty if the page has no such button.
    func tap(_ button: PageButton, on page: PlacedPage, at start: Timestamp) -> [TouchFrame] {
        page.element(of: button).map { tap($0.rect.rect.middle, at: start) } ?? []
    }

    /// A tap of 90 ms, in pixels.
    func tap(_ place: Point, at start: Timestamp) -> [TouchFrame] {
        guard let model = frames.first?.contacts.first else { return [] }
        let unit = toUnits.apply(place)
        return [(Contact.Phase.began, start), (.ended, start + .milliseconds(90))].map { phase, time in
            var contact = model
            contact.phase = phase
            contact.trackingID += 1
            contact.reading.x = Int32(unit.x.rounded())
            contact.reading.y = Int32(unit.y.rounded())
            return TouchFrame(time: time, contacts: [contact])
        }
    }
}

extension Rect {
    var middle: Point { Point(x: (minX + maxX) / 2, y: (minY + maxY) / 2) }

    func contains(_ point: Point) -> Bool { minX <= point.x && point.x <= maxX && minY <= point.y && point.y <= maxY }
}
