// SPDX-License-Identifier: Apache-2.0
import Pad
import Control
import Geometry
import Linux
import Touch

/// A person at the pad, as a touch device: reads the page, signs as in a recording, touches Accept and leaves when the
/// host is done. Main thread only.
final class DemoPerson: TouchInput {
    private enum Action {
        case frame(TouchFrame)
        /// Reports the page by its name.
        case look(String)
        /// Ends the input if the host is done.
        case leave
    }

    /// Times in microseconds.
    private static let reading: Int64 = 900_000
    private static let pause: Int64 = 400_000

    let name: String
    var path: String? { nil }
    let description: DeviceDescription
    let dropCount = 0
    private let signature: DemoSignature
    private var timer: Timer
    private let look: (String) -> Void
    private let film: ((Int64) -> Void)?
    private let isDone: () -> Bool
    /// When the film takes its next picture.
    private var nextPicture: Int64?
    /// Sorted by time.
    private var actions: [(due: Int64, action: Action)] = []

    /// - Parameters:
    ///   - look: called with the name of each page while it is shown.
    ///   - film: called every ``DemoFilm/interval`` with the time.
    ///   - isDone: whether the host has ended.
    init(
        _ recording: Recording, _ signature: DemoSignature, look: @escaping (String) -> Void,
        film: ((Int64) -> Void)? = nil, isDone: @escaping () -> Bool
    ) throws(Errno) {
        name = "recording of \(recording.device.name)"
        description = recording.device
        self.signature = signature
        self.look = look
        self.film = film
        self.isDone = isDone
        timer = try Timer()
    }

    var descriptor: CInt { timer.number }

    func start() throws(Errno) {
        let now = MonotonicClock.microseconds
        nextPicture = film.map { _ in now + Self.pause }
        plan([(now + Self.pause, .look("idle")), (now + Self.reading, .leave)])
    }

    func padShows(_ page: PadStatus.Page, _ signing: PlacedPage?) {
        let now = MonotonicClock.microseconds
        switch page {
        case .signing:
            guard let signing, let accept = signing.element(of: .accept)?.rect.rect else { return }
            let place = Self.place(on: signing)
            let frames = signature.frames(in: place.area, on: place.line, from: now + Self.reading)
            let end = (frames.last?.microseconds ?? now) + Self.pause
            let tap = signature.tap(
                at: Point(x: (accept.minX + accept.maxX) / 2, y: (accept.minY + accept.maxY) / 2), end + Self.pause)
            plan([(now + Self.reading / 2, .look("prompt"))] + frames.map { ($0.microseconds, .frame($0)) })
            plan([(end, .look("signed"))] + tap.map { ($0.microseconds, .frame($0)) })
        case .thanks: plan([(now + Self.pause, .look("thanks"))])
        case .starting, .fault, .idle, .sketch, .ink, .refused, .saving, .failed: break
        }
    }

    func read() throws(TouchError) -> TouchReading {
        timer.acknowledge()
        var frames: [TouchFrame] = []
        var isFinished = false
        let now = MonotonicClock.microseconds
        while let next = actions.first, next.due <= now {
            actions.removeFirst()
            switch next.action {
            case .frame(let frame): frames.append(frame)
            case .look(let page): look(page)
            case .leave:
                isFinished = isDone() && actions.isEmpty
                if !isFinished { plan([(now + Self.pause, .leave)]) }
            }
        }
        if let film, let due = nextPicture, due <= now {
            film(now)
            nextPicture = due + (1 + (now - due) / DemoFilm.interval) * DemoFilm.interval
        }
        arm()
        return TouchReading(frames: frames, handedOutMicroseconds: now, isFinished: isFinished)
    }

    /// The part of the signing field that people use, and the y of the line that they sign on.
    private static func place(on page: PlacedPage) -> (area: Rect, line: Double) {
        let (area, line) = (page.inkField.rect, page.signingLine.rect)
        let (width, height) = (area.maxX - area.minX, area.maxY - area.minY)
        let used = Rect(
            minX: area.minX + width * 0.12, minY: area.minY + height * 0.1, maxX: area.maxX - width * 0.12,
            maxY: area.maxY - height * 0.05)
        return (used, line.minY)
    }

    private func plan(_ more: [(Int64, Action)]) {
        actions = (actions + more.map { (due: $0, action: $1) }).sorted { $0.due < $1.due }
        arm()
    }

    private func arm() {
        guard let due = [actions.first?.due, nextPicture].compactMap(\.self).min() else { return }
        // Without the timer the demonstration waits for a signal.
        try? timer.arm(atMicroseconds: due)
    }
}

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
            let toUnits = mapping.transform.inverted
        else { return nil }
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
        bounds = frames.flatMap(\.contacts).map(\.reading).reduce(Rect.empty) { bounds, reading in
            let (x, y) = (Double(reading.x), Double(reading.y))
            return bounds.union(Rect(minX: x, minY: y, maxX: x, maxY: y))
        }
        line = (Double(axes.y.minimum) + Double(axes.y.maximum)) / 2
        self.toUnits = toUnits
    }

    /// The frames on a line, in the middle of an area, as large as the area allows. Heights and widths are scaled
    /// alike.
    /// - Parameters:
    ///   - area: in pixels.
    ///   - lineY: of the line to sign on, in pixels, within the area.
    ///   - start: time of the first frame, in microseconds.
    func frames(in area: Rect, on lineY: Double, from start: Int64) -> [TouchFrame] {
        let scale = [
            (area.maxX - area.minX) / max(bounds.maxX - bounds.minX, 1),
            (lineY - area.minY) / max(line - bounds.minY, 1),
            (area.maxY - lineY) / max(bounds.maxY - line, 1)
        ].reduce(.infinity, min)
        let from = Point(x: (bounds.minX + bounds.maxX) / 2, y: line)
        let to = Point(x: (area.minX + area.maxX) / 2, y: lineY)
        return frames.map { frame in
            var moved = frame
            moved.microseconds += start
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

    /// A tap of 90 ms.
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
}
