// SPDX-License-Identifier: Apache-2.0
public import Geometry

/// Removes noise from contacts between ``ContactGate`` and the ink: drops contacts that are not touches, and corrects
/// positions. Only ``Sample/position`` changes: a contact that is passed on is passed on with every report, its
/// time, pressure and device readings unchanged, so records hold what the device sent.
///
/// Filters delay: a report is held until those after it have come (docs/touch.md). Held reports are released when the
/// contact lifts, so no line ends early. There is no clock: time is that of the reports. Only a held lift needs a call
/// of ``releaseLifts(at:)`` at its ``deadline``.
public struct NoiseFilter: Sendable {
    /// The number of contacts dropped as noise, of all devices.
    public private(set) var droppedCount = 0

    /// The density of the picture. A contact that is down keeps the one it began with.
    public var density: PixelDensity

    private let settings: NoiseSettings
    /// Contacts that are down, and others whose memory is reused.
    private var contacts: [FilteredContact] = []
    /// The time of the last lift of each device.
    private var lifts: [Timestamp?] = []
    /// Lifts that may be a lost report of a contact that goes on.
    private var heldLifts: [HeldLift] = []

    private struct HeldLift {
        let event: TouchEvent
        let until: Timestamp
    }

    public init(_ settings: NoiseSettings, density: PixelDensity) {
        self.settings = settings
        self.density = density
    }

    /// Appends the events that are ready, which may be none or several reports of a contact. Allocates nothing while
    /// contacts move, if `filtered` has room.
    public mutating func update(with events: [TouchEvent], into filtered: inout [TouchEvent]) {
        if settings.isEmpty {
            filtered += events
            return
        }
        for event in events { apply(event, into: &filtered) }
    }

    /// - Returns: the events that are ready.
    public mutating func update(with events: [TouchEvent]) -> [TouchEvent] {
        if settings.isEmpty { return events }
        var filtered: [TouchEvent] = []
        update(with: events, into: &filtered)
        return filtered
    }

    /// When to release a lift, unless its contact goes on before; nil if none is held.
    public var deadline: Timestamp? { heldLifts.map(\.until).min() }

    /// Ends the contacts that do not go on.
    /// - Returns: the events that are ready.
    public mutating func releaseLifts(at now: Timestamp) -> [TouchEvent] {
        var filtered: [TouchEvent] = []
        releaseLifts(where: { $0.until <= now }, into: &filtered)
        return filtered
    }

    private mutating func releaseLifts(where isDue: (HeldLift) -> Bool, into filtered: inout [TouchEvent]) {
        guard !heldLifts.isEmpty else { return }
        let due = heldLifts.filter(isDue)
        heldLifts.removeAll(where: isDue)
        for lift in due { if let index = index(of: lift.event.contact) { end(index, lift.event, into: &filtered) } }
    }

    private func index(of contact: Int32) -> Int? { contacts.firstIndex { $0.isDown && $0.source == contact } }

    private mutating func apply(_ event: TouchEvent, into filtered: inout [TouchEvent]) {
        releaseLifts(where: { $0.until <= event.sample.time }, into: &filtered)
        let index = index(of: event.contact)
        switch event.phase {
        case .began where index == nil && join(event, into: &filtered): break
        case .began, .resumed:
            // A contact that does not go on comes after those before.
            releaseLifts(where: { _ in true }, into: &filtered)
            // Its end is missing, which the gate prevents.
            if let index { end(index, event.with(.ended), into: &filtered) }
            begin(event, into: &filtered)
        case .moved: if let index { contacts[index].add(event, into: &filtered) }
        case .ended:
            guard let index else { break }
            guard let join = settings.join else { return end(index, event, into: &filtered) }
            heldLifts.append(HeldLift(event: event, until: event.sample.time + join))
        case .retired: if let index { end(index, event, into: &filtered) }
        case .cancelled: if let index, !contacts[index].cancel(event, into: &filtered) { droppedCount += 1 }
        }
    }

    /// Lets a contact go on that the panel has lost for a report or two.
    /// - Parameter event: `began`.
    /// - Returns: false for another contact.
    private mutating func join(_ event: TouchEvent, into filtered: inout [TouchEvent]) -> Bool {
        let held = heldLifts.firstIndex { lift in
            // Times may run backwards.
            lift.event.reading.device == event.reading.device && lift.event.sample.time <= event.sample.time
                && index(of: lift.event.contact).map { contacts[$0].mayGoOn(at: event.sample, density) } ?? false
        }
        guard let held, let index = index(of: heldLifts.remove(at: held).event.contact) else { return false }
        contacts[index].source = event.contact
        contacts[index].add(event.with(.moved), into: &filtered)
        return true
    }

    private mutating func begin(_ event: TouchEvent, into filtered: inout [TouchEvent]) {
        // A contact that was withheld before events were lost begins now.
        let isResumed =
            event.phase == .resumed && !contacts.contains { $0.number == event.contact && $0.isWithheld }
        let free = contacts.firstIndex { !$0.isDown }
        let memory = free.map { contacts[$0].takeMemory() } ?? []
        var contact = FilteredContact(
            number: event.contact, isResumed: isResumed, settings: settings,
            jitterLimit: settings.dejitter.map { $0 * density.pixelsPerMillimetre }, bounceEnd: bounceEnd(of: event),
            reports: memory)
        contact.add(event, into: &filtered)
        if let free { contacts[free] = contact } else { contacts.append(contact) }
    }

    /// - Parameter event: `ended` or `retired`.
    private mutating func end(_ index: Int, _ event: TouchEvent, into filtered: inout [TouchEvent]) {
        if !contacts[index].end(event, into: &filtered) { droppedCount += 1 }
        // A contact bounces only where it lifts.
        let device = event.reading.device
        guard event.phase == .ended, settings.debounce != nil, device >= 0 else { return }
        while lifts.count <= device { lifts.append(nil) }
        lifts[device] = event.sample.time
    }

    /// The time until which a contact that begins now may be the bounce of another that has lifted.
    private func bounceEnd(of event: TouchEvent) -> Timestamp? {
        let device = event.reading.device
        guard let debounce = settings.debounce, lifts.indices.contains(device), let lift = lifts[device] else {
            return nil
        }
        // Times may run backwards.
        let passed = event.sample.time - lift
        return passed >= .zero && passed < debounce ? lift + debounce : nil
    }
}

/// A contact in the filters: reports that are held, and reports that a median looks back at. Reports are numbered from
/// 0; each is passed on once, in order.
private struct FilteredContact: Sendable {
    /// Limits the reports held if the device's clock stands still: a second of the fastest device.
    private static let heldLimit = 1024
    /// Millimetres between where a contact goes on and where it was expected, beside half of its way.
    private static let nearness = 3.0

    /// The contact's number in ``TouchEvent/contact`` as it is passed on.
    let number: Int32
    /// Its number as it comes: another one after the contact was lost and joined.
    var source: Int32
    /// The last two reports as they came; the same after one.
    private var latest: (before: Sample, last: Sample)?
    /// Whether it resumed after lost events.
    private let isResumed: Bool
    /// Whether it is on the panel. If not, its memory is free for the next.
    private(set) var isDown = true
    /// Whether it ended before any report was passed on.
    private(set) var isWithheld = false

    private let minimumCount: Int
    private let head: Int
    private let tail: Int
    private let reach: Int
    private var dejitter: Dejitter?
    /// The time until which it may be a bounce.
    private let bounceEnd: Timestamp?
    private var isAdmitted: Bool

    private var reports: [TouchEvent]
    /// The number of the first in `reports`.
    private var firstNumber = 0
    /// The number of the next report to pass on.
    private var next = 0
    private var place = Point(x: 0, y: 0)

    /// - Parameters:
    ///   - bounceEnd: nil if no contact of the device has lifted just before.
    ///   - reports: memory to reuse.
    init(
        number: Int32, isResumed: Bool, settings: NoiseSettings, jitterLimit: Double?, bounceEnd: Timestamp?,
        reports: consuming [TouchEvent]
    ) {
        self.number = number
        source = number
        self.isResumed = isResumed
        minimumCount = settings.evthres ?? 1
        // A resumed contact is a touch already, and its unreliable beginning is past.
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

    /// Receives a report, and passes on those whose position is now known.
    mutating func add(_ report: TouchEvent, into output: inout [TouchEvent]) {
        latest = (latest?.last ?? report.sample, report.sample)
        var report = report
        report.contact = number
        reports.append(report)
        if !isAdmitted {
            let isFull = reports.count >= Self.heldLimit
            isAdmitted = isFull || count >= minimumCount && !mayBounce(at: report.sample.time)
        }
        guard isAdmitted else { return }
        while true {
            let centre = max(next, head)
            // The median looks equally far both ways, so that it does not lag; it waits for later reports.
            guard centre + min(reach, centre - head) + tail < count else { break }
            pass(last: count - 1 - tail, into: &output)
        }
        // Keep the last report passed on: unreliable reports at the end take its position.
        let oldest = max(min(next, max(next, head) - max(reach, 1)), firstNumber)
        reports.removeFirst(min(oldest - firstNumber, reports.count))
        firstNumber = oldest
    }

    /// Ends the contact, after passing on held reports unless it was not a touch.
    /// - Parameter event: `ended` or `retired`.
    /// - Returns: whether any of it was passed on.
    mutating func end(_ event: TouchEvent, into output: inout [TouchEvent]) -> Bool {
        isDown = false
        if !isAdmitted { isAdmitted = count >= minimumCount && !mayBounce(at: event.sample.time) }
        let last = count - 1 - tail
        guard isAdmitted, last >= head else {
            // A resumed contact was passed on before events were lost, with its end.
            isWithheld = !hasBegun
            return false
        }
        while next < count { pass(last: last, into: &output) }
        output.append(event.with(event.phase, at: place, of: number))
        return true
    }

    /// Whether a contact that comes down may be this one: it is where this one would be by now, as far as that can be
    /// told.
    func mayGoOn(at sample: Sample, _ density: PixelDensity) -> Bool {
        guard let (before, last) = latest else { return false }
        let (step, gap) = (last.time.seconds(since: before.time), sample.time.seconds(since: last.time))
        let way = step > 0 ? (last.position - before.position) * (gap / step) : Point(x: 0, y: 0)
        let error = (sample.position - (last.position + way)).length
        return error <= Self.nearness * density.pixelsPerMillimetre + way.length / 2
    }

    /// Ends the contact and removes what it drew. Held reports are dropped.
    /// - Returns: whether any of it was passed on.
    mutating func cancel(_ event: TouchEvent, into output: inout [TouchEvent]) -> Bool {
        isDown = false
        guard hasBegun else { return false }
        output.append(event.with(.cancelled, at: place, of: number))
        return true
    }

    /// Moves its memory out, for another contact.
    mutating func takeMemory() -> [TouchEvent] {
        var taken: [TouchEvent] = []
        swap(&taken, &reports)
        return taken
    }

    private func mayBounce(at time: Timestamp) -> Bool { bounceEnd.map { time < $0 } ?? false }

    /// Passes on the next report.
    /// - Parameter last: the number of the last report whose position is reliable.
    private mutating func pass(last: Int, into output: inout [TouchEvent]) {
        let report = reports[next - firstNumber]
        let point = median(around: min(max(next, head), last), last: last)
        place = dejitter?.smooth(point) ?? point
        output.append(report.with(next > 0 ? .moved : isResumed ? .resumed : .began, at: place))
        next += 1
    }

    /// The median of each coordinate by itself, as in tslib.
    private func median(around centre: Int, last: Int) -> Point {
        let half = min(reach, centre - head, last - centre)
        let window = centre - half - firstNumber...centre + half - firstNumber
        return Point(
            x: median(of: window) { $0.sample.position.x }, y: median(of: window) { $0.sample.position.y })
    }

    /// The median of an odd number of values. By counting: there are at most nine, and nothing is allocated.
    private func median(of window: ClosedRange<Int>, _ value: (TouchEvent) -> Double) -> Double {
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

extension TouchEvent {
    /// The same report in another phase, and at another place.
    fileprivate func with(_ phase: Contact.Phase, at place: Point? = nil, of contact: Int32? = nil) -> TouchEvent {
        var event = self
        event.phase = phase
        if let contact { event.contact = contact }
        if let place { event.sample.position = place }
        return event
    }
}

/// tslib's `dejitter`: a weighted mean of the last four positions while the contact is slow. A step longer than the
/// limit is a movement, not noise, and starts a new mean.
private struct Dejitter: Sendable {
    /// The weights of tslib's plugins/dejitter.c for two, three and four positions, the latest first.
    private static let two = (5.0 / 8, 3.0 / 8)
    private static let three = (8.0 / 16, 5.0 / 16, 3.0 / 16)
    private static let four = (6.0 / 16, 4.0 / 16, 3.0 / 16, 3.0 / 16)

    /// Pixels.
    private let limit: Double
    /// The number of valid positions below.
    private var count = 0
    /// The latest first.
    private var last = Point(x: 0, y: 0)
    private var second = Point(x: 0, y: 0)
    private var third = Point(x: 0, y: 0)

    init(limit: Double) { self.limit = limit }

    mutating func smooth(_ point: Point) -> Point {
        if count > 0, (point - last).length > limit { count = 0 }
        defer {
            third = second
            second = last
            last = point
            count = min(count + 1, 3)
        }
        switch count {
        case 0: return point
        case 1: return point * Self.two.0 + last * Self.two.1
        case 2: return point * Self.three.0 + last * Self.three.1 + second * Self.three.2
        default:
            let recent = point * Self.four.0 + last * Self.four.1
            return recent + second * Self.four.2 + third * Self.four.3
        }
    }
}
