// SPDX-License-Identifier: Apache-2.0
public import Geometry

/// One touch of a target: where it was, from all its reports, or why it is not good enough.
public struct CalibrationTouch: Sendable {
    public enum Outcome: Equatable, Sendable {
        /// In 0...1 of the digitizer's axes: the median of the reports.
        case touched(Point)
        /// It went too far for one place.
        case moved
        /// Another contact was there at the same time.
        case several
    }

    /// In 0...1 of an axis: some five millimetres of a small panel. Resistive ones scatter over two.
    static let largestSpread = 0.06
    /// Reports that are kept: a person who holds on for ever needs no more memory than one who taps.
    static let sampleLimit = 256

    private let x: AxisInfo
    private let y: AxisInfo
    private var down: Set<Int> = []
    private var xs: [Double] = []
    private var ys: [Double] = []
    private var isSpoiled = false

    /// - Returns: nil for an unusable device.
    public init?(_ device: DeviceDescription) {
        guard let axes = device.positionAxes else { return nil }
        (x, y) = axes
    }

    /// - Returns: once all contacts have lifted, what came of it. Nil before, and for what was no touch: a palm, a pen
    ///   that hovers.
    public mutating func update(with frame: TouchFrame) -> Outcome? {
        var outcome: Outcome?
        for contact in frame.contacts {
            switch contact.phase {
            case .began:
                if !down.isEmpty { isSpoiled = true }
                down.insert(contact.slot)
                keep(contact.reading)
            case .moved: keep(contact.reading)
            case .ended, .cancelled:
                down.remove(contact.slot)
                // Lost reports may have been of a movement.
                if contact.phase == .cancelled || frame.isAfterDrop { xs = [] }
            }
            if down.isEmpty { outcome = end() ?? outcome }
        }
        return outcome
    }

    private mutating func keep(_ reading: DeviceReading) {
        guard xs.count < Self.sampleLimit else { return }
        xs.append(x.cellCentre(of: reading.x))
        ys.append(y.cellCentre(of: reading.y))
    }

    private mutating func end() -> Outcome? {
        defer {
            xs = []
            ys = []
            isSpoiled = false
        }
        if isSpoiled { return .several }
        guard let left = xs.min(), let right = xs.max(), let top = ys.min(), let bottom = ys.max() else { return nil }
        if right - left > Self.largestSpread || bottom - top > Self.largestSpread { return .moved }
        return .touched(Point(x: median(xs), y: median(ys)))
    }

    private func median(_ values: [Double]) -> Double {
        let sorted = values.sorted()
        let middle = sorted.count / 2
        return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    }
}
