// SPDX-License-Identifier: Apache-2.0

/// What a pen does with one stroke: samples in, ink out. A value with no clock and no I/O; any thread, one at a time.
public protocol StrokeModel: Sendable {
    /// Takes one report into the ink. Afterwards the ink reaches the sample, as if the pen lifted here.
    mutating func add(_ sample: Sample, to ink: inout StrokeInk)

    /// The pen has lifted or was cancelled: the ink ends exactly at the last sample and all of it is dry.
    mutating func finish(_ ink: inout StrokeInk)
}
