// SPDX-License-Identifier: Apache-2.0

/// What a pen does with one stroke: samples in, ink out. A value with no clock and no I/O; any thread, one at a time.
public protocol StrokeModel: Sendable {
    /// Takes one report into the ink. Afterwards the ink is what it would be if the pen lifted here: it ends exactly at
    /// the sample, and lifting only makes it dry (``StrokeInk/dry()``).
    mutating func add(_ sample: Sample, to ink: inout StrokeInk)

    /// Takes one report that others follow before anybody looks at the ink: the ink that is final afterwards is that of
    /// ``add(_:to:)``, and the wet tail may be left out. For files, where most of the time would go into tails.
    mutating func add(followed sample: Sample, to ink: inout StrokeInk)
}

extension StrokeModel {
    public mutating func add(followed sample: Sample, to ink: inout StrokeInk) { add(sample, to: &ink) }
}
