// SPDX-License-Identifier: Apache-2.0

/// What a pen does with one stroke: samples in, ink out. A value with no clock and no I/O; any thread, one at a time.
public protocol StrokeModel: Sendable {
    /// Takes one report into the ink. Afterwards the ink is what it would be if the pen lifted here: it ends exactly at
    /// the sample, and lifting only makes it dry (``StrokeInk/dry()``).
    mutating func add(_ sample: Sample, to ink: inout StrokeInk)
}
