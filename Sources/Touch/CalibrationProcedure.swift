// SPDX-License-Identifier: Apache-2.0
public import Geometry

/// A calibration from the first target to the matrix. It decides which target comes next and which touches to repeat.
/// It reads no device and no clock.
public struct CalibrationProcedure: Sendable {
    /// Why a touch was not accepted.
    public enum Refusal: Equatable, Sendable {
        case moved
        case several
        /// At the previous target: the finger bounced, or touched twice.
        case sameAsBefore
        /// It does not agree with the others: repeat this target, or all of them.
        case outlier
        case contradiction
    }

    public enum Step: Equatable, Sendable {
        /// Nothing has changed.
        case wait
        /// Show the target ``target``.
        case next
        /// Show the target ``target`` with a message.
        case again(Refusal)
        case finished(CalibrationFit)
        /// No matrix fits after several attempts.
        case failed
    }

    /// The targets, in 0...1 of the picture. They are near the corners, because the map interpolates between them, but
    /// not at the edge, where digitizers are not linear. No three are on a line, so that each can be identified as
    /// wrong by the others; one in the middle could not, because it agrees with either corner of a diagonal.
    public static let places = [
        Point(x: 0.12, y: 0.12), Point(x: 0.88, y: 0.12), Point(x: 0.88, y: 0.88), Point(x: 0.12, y: 0.88),
        Point(x: 0.5, y: 0.3),
    ]
    /// A touch within this distance of the previous one is the same touch: in 0...1 of an axis or, if the driver states
    /// too small a range, of the range of the touches made. Targets are further apart, even if the stated range is ten
    /// times too large.
    private static let bounce = 0.03
    /// The number of attempts after which the digitizer is considered not to be linear.
    private static let roundLimit = 4

    private let targets: [Point]
    private let millimetres: Point
    private var touch: CalibrationTouch
    private var readings: [Point?]
    private var last: Point?
    private var rounds = 0

    /// - Parameters:
    ///   - targets: five, in 0...1 of the panel, in the order of ``places``.
    ///   - millimetres: the panel's size.
    /// - Returns: nil for an unusable device.
    public init?(_ device: DeviceDescription, targets: [Point], millimetres: Point) {
        guard let touch = CalibrationTouch(device) else { return nil }
        precondition(targets.count == Self.places.count, "a target for each place")
        self.touch = touch
        self.targets = targets
        self.millimetres = millimetres
        readings = Array(repeating: nil, count: targets.count)
    }

    /// The number of the target to touch next; the last one when all have been touched.
    public var target: Int { readings.firstIndex { $0 == nil } ?? readings.count - 1 }

    public mutating func update(with frame: TouchFrame) -> Step {
        switch touch.update(with: frame) {
        case nil: return .wait
        case .moved: return .again(.moved)
        case .several: return .again(.several)
        case .touched(let reading):
            let (width, height) = (Self.bounce * touch.extent.width, Self.bounce * touch.extent.height)
            if let last, abs(last.x - reading.x) < width, abs(last.y - reading.y) < height {
                return .again(.sameAsBefore)
            }
            last = reading
            readings[target] = reading
            return readings.contains(nil) ? .next : judge()
        }
    }

    private mutating func judge() -> Step {
        let pairs = zip(targets, readings).compactMap { target, reading in
            reading.map { CalibrationFit.Pair(target: target, reading: $0) }
        }
        let refusal: Refusal
        switch CalibrationFit.judge(pairs, millimetres: millimetres) {
        case .fits(let fit): return .finished(fit)
        case .outlier(let number):
            readings[number] = nil
            refusal = .outlier
        case .contradiction:
            readings = Array(repeating: nil, count: targets.count)
            refusal = .contradiction
        }
        rounds += 1
        last = nil
        return rounds < Self.roundLimit ? .again(refusal) : .failed
    }
}

/// One touch of a target: its position from all its reports, or why it is not good enough.
private struct CalibrationTouch: Sendable {
    enum Outcome: Equatable, Sendable {
        /// The median of the reports, in 0...1 of the digitizer's axes.
        case touched(Point)
        /// It moved too far for one position.
        case moved
        /// Another contact was down at the same time.
        case several
    }

    /// The greatest spread of a touch, in 0...1 of an axis or, if the driver states too small a range, of the positions
    /// that it has reported: about five millimetres of a small panel. Resistive panels scatter over two.
    private static let largestSpread = 0.06
    /// Limits the memory of a touch that lasts.
    private static let sampleLimit = 256

    private let x: AxisInfo
    private let y: AxisInfo
    /// The contacts that are down, by slot: where each is, and since when.
    private var down: [Int: (place: Point, since: Timestamp)] = [:]
    private var xs: [Double] = []
    private var ys: [Double] = []
    private var hadSeveral = false
    /// The area of the axes and of all positions until now.
    private(set) var extent = Rect(minX: 0, minY: 0, maxX: 1, maxY: 1)

    /// - Returns: nil for an unusable device.
    init?(_ device: DeviceDescription) {
        guard let axes = device.positionAxes else { return nil }
        (x, y) = axes
    }

    /// - Returns: the outcome once all contacts have lifted. nil before that, and if it was not a touch: a palm, a pen
    ///   that hovers.
    mutating func update(with frame: TouchFrame) -> Outcome? {
        var outcome: Outcome?
        for contact in frame.contacts {
            switch contact.phase {
            case .began, .resumed:
                forgetResting(at: frame.time)
                if !down.isEmpty { hadSeveral = true }
                let place = place(contact.reading)
                down[contact.slot] = (place, frame.time)
                keep(place)
            case .moved:
                guard let before = down[contact.slot]?.place else { break }
                let place = place(contact.reading)
                keep(place)
                if isFar(place - before) { down[contact.slot] = (place, frame.time) }
            case .ended, .retired, .cancelled:
                down[contact.slot] = nil
                // Lost reports may have been of a movement.
                if contact.phase == .cancelled || frame.isAfterDrop { xs = [] }
            }
            if down.isEmpty { outcome = end() ?? outcome }
        }
        return outcome
    }

    /// A contact that is stuck must not spoil the touches of others.
    private mutating func forgetResting(at time: Timestamp) {
        down = down.filter { time - $0.value.since < ContactGate.restTime(of: .finger) }
        if down.isEmpty { (xs, ys, hadSeveral) = ([], [], false) }
    }

    private func place(_ reading: DeviceReading) -> Point {
        Point(x: x.cellCentre(of: reading.x), y: y.cellCentre(of: reading.y))
    }

    private mutating func keep(_ place: Point) {
        guard xs.count < Self.sampleLimit else { return }
        xs.append(place.x)
        ys.append(place.y)
        extent.include(place)
    }

    /// Whether a way is longer than one touch may spread.
    private func isFar(_ way: Point) -> Bool {
        abs(way.x) > Self.largestSpread * extent.width || abs(way.y) > Self.largestSpread * extent.height
    }

    private mutating func end() -> Outcome? {
        defer {
            xs = []
            ys = []
            hadSeveral = false
        }
        if hadSeveral { return .several }
        guard let left = xs.min(), let right = xs.max(), let top = ys.min(), let bottom = ys.max() else { return nil }
        if isFar(Point(x: right - left, y: bottom - top)) { return .moved }
        return .touched(Point(x: median(xs), y: median(ys)))
    }

    private func median(_ values: [Double]) -> Double {
        let sorted = values.sorted()
        let middle = sorted.count / 2
        return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    }
}
