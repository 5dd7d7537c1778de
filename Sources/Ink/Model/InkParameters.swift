// SPDX-License-Identifier: Apache-2.0

/// The settings of ``InkPen``, in millimetres on the screen or page and in seconds, so that ink looks the same on every
/// panel.
///
/// Tuned on recorded handwriting and on handwriting made by the sigma-lognormal model of hand movements (R. Plamondon
/// 1995), both read at simulated 30 to 200 Hz; docs/pens.md has the measurements.
public struct InkParameters: Equatable, Sendable {
    // MARK: how wide

    /// Width at ``referenceSpeed``, about the mean width of writing, in mm. Above 0, usually 0.2...2.
    public var width = 0.6
    /// Speed of quick writing in mm/s. Above 0, usually 30...200.
    public var referenceSpeed = 92.0
    /// Width of a resting pen, as a multiple of ``width``. At least 1.
    public var slowWidth = 1.65
    /// Width that an ever faster pen approaches, as a multiple of ``width``. More than 0, at most 1; with 1 the width is
    /// the same at every speed.
    public var fastWidth = 0.25
    /// Width at no pressure, as a multiple of ``width``; pressure counts instead of speed where the device measures
    /// it. 0...1.
    public var lightWidth = 0.3
    /// The same at full pressure. 1...3.
    public var heavyWidth = 1.4
    /// From measured pressure to the width between ``lightWidth`` and ``heavyWidth``.
    public var pressureCurve = PressureCurve.linear
    /// Time constant in seconds of the two-sided exponential that makes the width follow the hand smoothly.
    /// 0.005...0.05.
    public var widthTime = 0.016
    /// Most change of width per millimetre of way, as a part of the width. 0.05...1; 0.177, 3 % a pixel at 150
    /// dpi, shows neither steps nor beads.
    public var widthSlope = 0.177

    // MARK: where

    /// Movement faster than this many Hz is taken for noise while the pen rests. 2...10: a resting pen has no detail.
    public var restCutoff = 5.0
    /// The same at ``runningSpeed`` and above, where nothing speaks for more. 8...20: a hand swings at up to 8 Hz.
    public var runningCutoff = 12.0
    /// In mm/s. 30...150.
    public var runningSpeed = 68.0
    /// The same where less would take away more than noise. 15...30: cusps and fast small letters need it, and a panel
    /// of 60 Hz has no more.
    public var detailCutoff = 26.0
    /// How far samples are off, as a part of the panel's step: 0.29 is rounding alone, and panels jitter too.
    /// 0.3...1.
    public var noisePerStep = 0.6
    /// They are off at least so far, in mm. 0.01...0.1.
    public var leastNoise = 0.025
    /// Deviations of so many times the noise begin to count as detail, and fully do. 0.5...5.
    public var detailNoise = 1...2.5
    /// Deviations are averaged so many seconds to both sides. 0.02...0.1.
    public var detailReach = 0.045
    /// Speed is the way over this time in seconds, so that a cusp within quick writing keeps its detail. 0.03...0.1.
    public var speedSpan = 0.06
    /// The ink never lies further than this from a sample, in mm: two touch units of a coarse panel. 0...0.7; 0
    /// interpolates.
    public var largestShift = 0.25
    /// A pen that stays within this distance in mm is resting. 0...0.35.
    public var dwellRadius = 0.17
    /// The longest time in seconds that a rest is modelled. 0.02...0.2.
    public var dwellTime = 0.06

    // MARK: when

    /// Ink older than this many seconds is final. By then later samples move it by less than
    /// 0.003 mm. 0.04...0.2.
    public var wetTime = 0.08
    /// Final samples that the smoothing still counts, back from the wet ones, in seconds. 0.05...0.2.
    public var memoryTime = 0.1
    /// But the last so many samples are never final: at low rates the smoothing looks ahead this far. 2...8.
    public var leastWetSamples = 4
    /// And no more than these are ever wet, and as many remembered, so that a report costs the same on the fastest
    /// device. 16...512.
    public var mostWetSamples = 96

    public init() {}

    /// - Parameter width: the mean width in mm.
    public init(width: Double) { self.width = width }
}
