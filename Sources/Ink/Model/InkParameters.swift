// SPDX-License-Identifier: Apache-2.0

/// The settings of ``InkPen``. Lengths are in pixels and meant for about 150 pixels per inch, times in seconds.
///
/// Starting values from measurements of a prototype on recorded signatures at simulated 30 to 200 Hz panels.
public struct InkParameters: Equatable, Sendable {
    // MARK: how wide

    /// Width at ``referenceSpeed``, about the mean width of writing. Above 0, usually 1...12.
    public var width = 3.6
    /// Speed of quick writing in px/s. Above 0, usually 200...1000.
    public var referenceSpeed = 450.0
    /// Width of a resting pen, as a multiple of ``width``. At least 1; 1 together with ``fastWidth`` 1 is a marker.
    public var slowWidth = 1.45
    /// Width that an ever faster pen approaches, as a multiple of ``width``. More than 0, at most 1.
    public var fastWidth = 0.5
    /// Width at no pressure, as a multiple of ``width``; pressure counts instead of speed where the device measures
    /// it.
    public var lightWidth = 0.4
    /// The same at full pressure.
    public var heavyWidth = 1.6
    /// Time constant of the two-sided exponential that makes the width follow the hand smoothly. 0.005...0.05.
    public var widthTime = 0.022
    /// Most change of width per pixel of way, as a part of the width: 0.04 shows neither steps nor beads. 0.01...0.2.
    public var widthSlope = 0.04

    // MARK: where

    /// Movement faster than this many Hz is taken for noise while the pen rests. 2...10: a resting pen has no detail.
    public var slowCutoff = 4.0
    /// The same at ``fullDetailSpeed`` and above. 12...30: fast letters have strokes of up to 10 Hz, and a lower
    /// cut-off rounds their cusps.
    public var fastCutoff = 20.0
    /// In px/s. 200...800.
    public var fullDetailSpeed = 400.0
    /// Speed is the way over this time, so that a cusp within quick writing keeps its detail. 0.03...0.1.
    public var speedSpan = 0.06
    /// The ink never lies further than this from a sample. Two touch units of a coarse panel; 0 interpolates. 0...4.
    public var largestShift = 1.5
    /// A pen that stays within this distance is resting, which is modelled no longer than ``dwellTime``. 0...2.
    public var dwellRadius = 1.0
    public var dwellTime = 0.06

    // MARK: when

    /// Ink older than this is final. By then later samples move it by less than 0.02 px. 0.04...0.2.
    public var wetTime = 0.08
    /// Final samples that the smoothing still counts, back from the wet ones. 0.05...0.2.
    public var memoryTime = 0.1
    /// But the last so many samples are never final: at low rates the smoothing looks ahead this far. 2...8.
    public var leastWetSamples = 4
    /// And no more than these are ever wet, and as many remembered, so that a report costs the same on the fastest
    /// device. 16...512.
    public var mostWetSamples = 96

    public init() {}

    /// - Parameter width: the mean width in pixels.
    public init(width: Double) { self.width = width }
}
