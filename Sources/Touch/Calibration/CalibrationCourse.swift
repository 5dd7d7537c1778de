// SPDX-License-Identifier: Apache-2.0
public import Geometry

/// A calibration from the first target to the matrix: which target is next, and what is said about the touch before. It
/// reads no device and no clock.
public struct CalibrationCourse: Sendable {
    /// Why a touch was not taken.
    public enum Refusal: Equatable, Sendable {
        case moved
        case several
        /// Where the target before was touched: the finger bounced, or touched twice.
        case sameAsBefore
        /// It does not go with the others: this target, or all of them, again.
        case outlier
        case contradiction
    }

    public enum Step: Equatable, Sendable {
        /// Nothing has changed.
        case wait
        /// The target ``target`` is to be shown.
        case next
        /// The target ``target`` is to be shown, with a message.
        case again(Refusal)
        case finished(CalibrationFit)
        /// Touched over and over, and no matrix fits.
        case failed
    }

    /// Where the targets are, in 0...1 of the picture: near the corners, because what is between is reckoned from them,
    /// but not at the edge, where digitizers bend. No three are on a line: each can be told to be wrong by the others,
    /// which with one in the middle it could not, for it would go with either corner of a diagonal.
    public static let places = [
        Point(x: 0.12, y: 0.12), Point(x: 0.88, y: 0.12), Point(x: 0.88, y: 0.88), Point(x: 0.12, y: 0.88),
        Point(x: 0.5, y: 0.3),
    ]
    /// In 0...1: targets are further apart than that.
    private static let bounce = 0.1
    /// So many times touches are asked for again because they do not fit; then the digitizer is not what it says.
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

    /// The number of the target to be touched next; that of the last when all have been.
    public var target: Int { readings.firstIndex { $0 == nil } ?? readings.count - 1 }

    public mutating func update(with frame: TouchFrame) -> Step {
        switch touch.update(with: frame) {
        case nil: return .wait
        case .moved: return .again(.moved)
        case .several: return .again(.several)
        case .touched(let reading):
            if let last, abs(last.x - reading.x) < Self.bounce, abs(last.y - reading.y) < Self.bounce {
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
        switch CalibrationFit.judge(pairs, millimetres: millimetres) {
        case .fits(let fit): return .finished(fit)
        case .outlier(let number):
            rounds += 1
            if rounds >= Self.roundLimit { return .failed }
            readings[number] = nil
            last = nil
            return .again(.outlier)
        case .contradiction:
            rounds += 1
            if rounds >= Self.roundLimit { return .failed }
            readings = Array(repeating: nil, count: targets.count)
            last = nil
            return .again(.contradiction)
        }
    }
}
