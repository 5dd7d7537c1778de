// SPDX-License-Identifier: Apache-2.0
import Geometry
import HostAPI
import Pad
import Record
import Touch

/// The self-test of a digitizer: a person draws along lines over the whole screen, and each report is compared with
/// them. It reads no device and no clock.
struct LineTest {
    /// Why a line must be drawn again.
    enum Refusal: Equatable, Sendable {
        case several
        /// The contact ended before the line did.
        case lifted
        case elsewhere
    }

    /// A line to draw along, in pixels of the picture.
    struct Line: Equatable, Sendable {
        var start, end: Point
    }

    /// The lines in 0...1 of the picture: near the edges, across all rows and columns between them, and slanted, where
    /// interpolation between electrodes is worst.
    static let places = [
        Line(start: Point(x: 0.08, y: 0.1), end: Point(x: 0.92, y: 0.1)),
        Line(start: Point(x: 0.92, y: 0.1), end: Point(x: 0.92, y: 0.9)),
        Line(start: Point(x: 0.92, y: 0.9), end: Point(x: 0.08, y: 0.9)),
        Line(start: Point(x: 0.08, y: 0.9), end: Point(x: 0.08, y: 0.1)),
        Line(start: Point(x: 0.08, y: 0.08), end: Point(x: 0.92, y: 0.36)),
        Line(start: Point(x: 0.08, y: 0.36), end: Point(x: 0.92, y: 0.08)),
    ]
    /// A contact that returns within this time and distance was lost by the digitizer: a hand that lifts from a line
    /// takes longer to come back to it.
    private static let returnTime = Duration.milliseconds(120)
    private static let returnMillimetres = 10.0
    /// How near to both ends of a line a contact must come.
    private static let endMillimetres = 6.0
    /// A contact that moves less than this was no attempt.
    private static let shortestMillimetres = 5.0
    /// A contact further away from the line follows something else.
    private static let farMillimetres = 15.0
    /// The number of attempts after which the test goes on without a whole line.
    private static let attemptLimit = 4
    /// A pause while the contact moves at least this far, in millimetres, is a gap; resting contacts send no reports.
    private static let gapMillimetres = 2.0
    /// Limits the memory: two minutes on a line at 125 reports a second.
    private static let sampleLimit = 15_000

    private struct Report {
        var time: Timestamp
        /// Millimetres.
        var position: Point
    }

    /// The lines in millimetres.
    private let lines: [Line]
    private let mapping: PanelMapping
    private let millimetresPerPixel: Double

    /// The number of the line to draw; the count of lines at the end.
    private(set) var line = 0
    private var attempts = 0
    /// The reports of an attempt; a new list after each break.
    private var pieces: [[Report]] = []
    private var sampleCount = 0
    private var slot: Int?
    private var others: Set<Int> = []
    private var hadOthers = false
    /// The number of lines that were not measured.
    private var skipped = 0

    // Measures of all lines drawn.
    private var squaredOffsets = 0.0
    private var offsetCount = 0
    private var largestOffset = 0.0
    private var squaredNoise = 0.0
    private var noiseCount = 0
    private var intervals: [Duration] = []
    private var longestGap = Duration.zero
    private var breaks = 0
    private var drops = 0

    /// - Parameters:
    ///   - lines: in pixels of the picture.
    ///   - mapping: from device units to the picture, as captures use it.
    init(_ lines: [Line], mapping: PanelMapping, density: PixelDensity) {
        let scale = 1 / density.pixelsPerMillimetre
        self.lines = lines.map { Line(start: $0.start * scale, end: $0.end * scale) }
        self.mapping = mapping
        millimetresPerPixel = scale
    }

    enum Step: Equatable {
        /// Nothing has changed.
        case wait
        case next
        case again(Refusal)
        /// All lines have been drawn.
        case finished
    }

    mutating func update(with frame: TouchFrame) -> Step {
        guard line < lines.count else { return .finished }
        if frame.isAfterDrop { drops += 1 }
        var step = Step.wait
        for contact in frame.contacts {
            switch contact.phase {
            case .began, .resumed:
                if slot == nil {
                    slot = contact.slot
                    begin(contact, at: frame.time)
                } else {
                    others.insert(contact.slot)
                    hadOthers = true
                }
            case .moved:
                if contact.slot == slot { append(contact, at: frame.time) }
            case .ended, .retired, .cancelled:
                others.remove(contact.slot)
                guard contact.slot == slot else { continue }
                slot = nil
                step = lift(isLost: frame.isAfterDrop)
                if line == lines.count { return .finished }
            }
        }
        return step
    }

    /// The result of the test; nil if a line was not drawn along.
    /// - Parameter now: wall clock, microseconds since 1970-01-01 UTC.
    func result(at now: Int64, program: String) -> DigitizerTest? {
        guard line == lines.count, skipped == 0, offsetCount > 0, noiseCount > 0, !intervals.isEmpty else { return nil }
        let median = intervals.sorted()[intervals.count / 2]
        return DigitizerTest(
            at: now, program: program, offset: (squaredOffsets / Double(offsetCount)).squareRoot(),
            largestOffset: largestOffset, noise: (squaredNoise / Double(noiseCount)).squareRoot(),
            reportRate: 1e6 / Double(median.microseconds), longestGap: longestGap.microseconds, breaks: breaks,
            drops: drops)
    }

    // MARK: an attempt

    private mutating func begin(_ contact: Contact, at time: Timestamp) {
        let position = mapping.position(of: contact.reading) * millimetresPerPixel
        if contact.phase == .resumed, !pieces.isEmpty {
            pieces.append([])
        } else if let last = pieces.last?.last, Duration.zero...Self.returnTime ~= time - last.time,
            last.position.distance(to: position) <= Self.returnMillimetres
        {
            breaks += 1
            // The attempt goes on.
            attempts = max(0, attempts - 1)
            pieces.append([])
        } else {
            (pieces, sampleCount, hadOthers) = ([[]], 0, !others.isEmpty)
        }
        append(contact, at: time)
    }

    private mutating func append(_ contact: Contact, at time: Timestamp) {
        guard sampleCount < Self.sampleLimit else { return }
        sampleCount += 1
        let position = mapping.position(of: contact.reading) * millimetresPerPixel
        pieces[pieces.count - 1].append(Report(time: time, position: position))
    }

    /// - Parameter isLost: reports were lost, and the contact may go on.
    private mutating func lift(isLost: Bool) -> Step {
        let (start, direction, length) = axis
        let along = pieces.joined().map { ($0.position - start).dot(direction) }
        guard let first = along.min(), let last = along.max() else { return .wait }
        if first < Self.endMillimetres, last > length - Self.endMillimetres, !hadOthers,
            largestDistance <= Self.farMillimetres
        {
            measure()
            goOn()
            return .next
        }
        if isLost { return .wait }
        if hadOthers { return refuse(.several) }
        if largestDistance > Self.farMillimetres { return refuse(.elsewhere) }
        if last - first < Self.shortestMillimetres {
            pieces = []
            return .wait
        }
        return refuse(.lifted)
    }

    /// The start of the current line, its direction and its length in millimetres.
    private var axis: (start: Point, direction: Point, length: Double) {
        let line = lines[line]
        let way = line.end - line.start
        return (line.start, way.normalized ?? Point(x: 1, y: 0), way.length)
    }

    private var largestDistance: Double {
        let (start, direction, _) = axis
        return pieces.joined().reduce(0) { max($0, abs(($1.position - start).cross(direction))) }
    }

    private mutating func refuse(_ refusal: Refusal) -> Step {
        attempts += 1
        // Only a lifted contact may return.
        if refusal != .lifted { pieces = [] }
        if attempts < Self.attemptLimit { return .again(refusal) }
        if refusal == .lifted {
            // Its contact breaks off wherever this line is drawn.
            breaks += 1
            measure()
        } else {
            skipped += 1
        }
        goOn()
        return .next
    }

    private mutating func goOn() {
        (pieces, sampleCount, attempts) = ([], 0, 0)
        line += 1
    }

    /// Measures the attempt.
    private mutating func measure() {
        let (start, direction, length) = axis
        for report in pieces.joined() {
            let along = (report.position - start).dot(direction)
            guard 0...length ~= along else { continue }
            let offset = abs((report.position - start).cross(direction))
            squaredOffsets += offset * offset
            offsetCount += 1
            largestOffset = max(largestOffset, offset)
        }
        for piece in pieces { measure(piece) }
    }

    private mutating func measure(_ piece: [Report]) {
        for (last, next) in zip(piece, piece.dropFirst()) {
            let step = next.time - last.time
            guard step > .zero else { continue }
            intervals.append(step)
            if last.position.distance(to: next.position) >= Self.gapMillimetres { longestGap = max(longestGap, step) }
        }
        guard piece.count > 3 else { return }
        for index in 3..<piece.count {
            let steps = (index - 2...index).map { piece[$0].time - piece[$0 - 1].time }
            // A late report is no noise of the position.
            guard let shortest = steps.min(), let longest = steps.max(), shortest > .zero, longest / 2 < shortest else {
                continue
            }
            // A hand's third difference is far below a digitizer's; that of white noise has 1 + 9 + 9 + 1 times its
            // variance, on each of two axes.
            let difference =
                piece[index].position - piece[index - 1].position * 3 + piece[index - 2].position * 3
                - piece[index - 3].position
            squaredNoise += difference.squaredLength / 40
            noiseCount += 1
        }
    }
}
