// SPDX-License-Identifier: Apache-2.0

/// What ink must have to be taken for a signature, so that a dot, a tap or a line is not.
public struct InkMinima: Equatable, Sendable {
    public var strokes: Int
    /// Reports of the device.
    public var samples: Int
    /// Millimetres of line.
    public var length: Double
    /// Millimetres of the diagonal of the box around it.
    public var extent: Double
    /// Millimetres across the direction in which it runs; a straight line has none, however it lies.
    public var breadth: Double
    /// Microseconds from the first sample to the last.
    public var duration: Int64

    /// The defaults let initials pass, two letters 6 mm high (some 25 mm of line, drawn in half a second), and stop a
    /// tick or a stroke. At 60 reports a second, the slowest panels, 300 ms have 18.
    public init(
        strokes: Int = 1, samples: Int = 10, length: Double = 15, extent: Double = 6, breadth: Double = 1.5,
        duration: Int64 = 300_000
    ) {
        self.strokes = strokes
        self.samples = samples
        self.length = length
        self.extent = extent
        self.breadth = breadth
        self.duration = duration
    }

    /// Why the ink is not enough; nil when it is. Any ink at all is always asked for.
    func refusal(of ink: InkMeasure, pixelsPerMillimetre: Double) -> Refusal? {
        if ink.strokes == 0 { return .noInk }
        let (length, extent) = (ink.length / pixelsPerMillimetre, ink.extent / pixelsPerMillimetre)
        let breadth = ink.breadth / pixelsPerMillimetre
        if ink.strokes < strokes { return .fewStrokes(ink.strokes, minimum: strokes) }
        if extent < self.extent { return .small(extent, minimum: self.extent) }
        if length < self.length { return .short(length, minimum: self.length) }
        if breadth < self.breadth { return .straight(breadth, minimum: self.breadth) }
        if ink.microseconds < duration { return .quick(ink.microseconds, minimum: duration) }
        if ink.samples < samples { return .fewSamples(ink.samples, minimum: samples) }
        return nil
    }
}
