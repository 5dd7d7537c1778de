// SPDX-License-Identifier: Apache-2.0
public import Geometry

/// A pen to draw with: which one, and how wide. Every stroke gets its own model (``makeStroke(density:after:)``).
///
/// ```swift
/// var model = Pen(.ink, width: 0.6).makeStroke(density: PixelDensity(dotsPerInch: 150))
/// var ink = StrokeInk()
/// for sample in samples { model.add(sample, to: &ink) }
/// model.finish(&ink)
/// ```
public struct Pen: Equatable, Sendable {
    /// The own width of the pen `ink`, in millimetres.
    public static let inkWidth = 0.5
    /// The speed in mm/s at which ink has its own width.
    public static let referenceSpeed = InkParameters().referenceSpeed

    public var name: PenName
    /// Width of the ink in millimetres, above 0; nil is the pen's own. docs/pens.md says what it means to pens of
    /// varying width.
    public var width: Double?
    /// How measured pressure becomes the width of `ink`; the other pens ignore pressure.
    public var pressureCurve: PressureCurve
    /// Switches that the pen does not have (``PenName/switches``) change nothing.
    public var switches: Set<PenSwitch>
    /// The scatter in millimetres that the panel's samples have shown before (``ScatterHistory/millimetres``); nil if
    /// unknown. `ink` takes it for noise from the first sample of a stroke on.
    public var panelScatter: Double?
    /// Whether the width of `ink` ignores speed, for strokes whose times nobody knows: without measured pressure it is
    /// constant, and no end thins out.
    public var ignoresSpeed: Bool

    /// Makes a pen; `switches` of nil are those that it has on by default.
    public init(
        _ name: PenName = .default, width: Double? = nil, pressureCurve: PressureCurve = .linear,
        switches: Set<PenSwitch>? = nil, panelScatter: Double? = nil, ignoresSpeed: Bool = false
    ) {
        self.name = name
        self.width = width
        self.pressureCurve = pressureCurve
        self.switches = switches ?? name.defaultSwitches
        self.panelScatter = panelScatter
        self.ignoresSpeed = ignoresSpeed
    }

    /// Makes the model for one stroke, before its first sample.
    /// - Parameters:
    ///   - density: of the page that the samples' pixels belong to.
    ///   - last: the trail of the stroke before (``StrokeModel/trail``), which this one may continue.
    public func makeStroke(density: PixelDensity = .standard, after last: StrokeTrail? = nil) -> any StrokeModel {
        let pixels = width.map { $0 * density.pixelsPerMillimetre }
        // The tutorials' constants are pixels.
        return switch name {
        case .linear: LinearPen(width: pixels ?? 2)
        case .bezier: EvenPen(FourSampleGrouping(), width: pixels ?? 2)
        case .smoothedBezier: EvenPen(CubicGrouping(), width: pixels ?? 2)
        case .quadratic: EvenPen(MidpointGrouping(), width: pixels ?? 5)
        case .speedQuadratic: SpeedQuadraticPen(width: pixels ?? 5)
        case .naiveWidth: NaiveWidthPen(width: pixels ?? 10)
        case .offset: OffsetPen(lineWidth: pixels ?? 1, switches: switches)
        case .ink: InkPen(inkParameters, density: density, after: last)
        }
    }

    private var inkParameters: InkParameters {
        var parameters = InkParameters()
        if let width { parameters.width = width }
        parameters.pressureCurve = pressureCurve
        parameters.tapers = switches.contains(.taper) && !ignoresSpeed
        if ignoresSpeed { (parameters.slowWidth, parameters.fastWidth) = (1, 1) }
        if let panelScatter { parameters.knownScatter = panelScatter }
        return parameters
    }
}

/// The pens, by their names in the configuration and on the command line.
public enum PenName: String, CaseIterable, Sendable {
    case linear
    case bezier
    case smoothedBezier = "smoothed-bezier"
    case quadratic
    case speedQuadratic = "speed-quadratic"
    case naiveWidth = "naive-width"
    case offset
    case ink

    public static let `default` = PenName.ink

    public var switches: Set<PenSwitch> {
        switch self {
        case .offset: [.smoothEdge, .noPinch, .varyingColor]
        case .ink: [.taper]
        default: []
        }
    }

    /// The switches that are on unless a user says otherwise.
    public var defaultSwitches: Set<PenSwitch> { self == .ink ? [.taper] : [] }
}

/// A change to a pen. The changes to `offset` are proposals of its author.
public enum PenSwitch: String, CaseIterable, Sendable {
    /// The edges have no corner where two groups of samples meet.
    case smoothEdge = "smooth-edge"
    /// The ink stays as wide in a sharp turn as beside it.
    case noPinch = "no-pinch"
    /// Faster ink is lighter.
    case varyingColor = "varying-color"
    /// The ink thins out where the pen leaves fast.
    case taper
}

/// How measured pressure becomes width; the settings of pen tablets call it a soft or a firm tip.
public enum PressureCurve: String, CaseIterable, Sendable {
    case linear
    /// A light hand already draws a wide line.
    case soft
    /// Only a heavy hand draws a wide line.
    case firm
    /// Pressure is ignored; the width comes from speed, as without a sensor.
    case off

    /// - Parameter pressure: 0...1.
    /// - Returns: 0...1, or nil to ignore pressure.
    func apply(_ pressure: Double) -> Double? {
        switch self {
        case .linear: pressure
        case .soft: pressure * (2 - pressure)
        case .firm: pressure * pressure
        case .off: nil
        }
    }
}

/// Turns the samples of one stroke into ink. A value without clock or I/O, for any thread, one at a time.
public protocol StrokeModel: Sendable {
    /// Adds one report. Afterwards the ink is what it would be if the pen lifted here, apart from a taper: it ends
    /// exactly at the sample.
    mutating func add(_ sample: Sample, to ink: inout StrokeInk)

    /// Adds one report that others follow before the ink is used: the final ink is that of ``add(_:to:)``, and the wet
    /// tail may be missing. For files, where most of the time would be spent on tails.
    mutating func add(followed sample: Sample, to ink: inout StrokeInk)

    /// Ends the stroke where the pen lifted, at its last sample: thins out its end if the pen tapers, and makes all ink
    /// final.
    mutating func finish(_ ink: inout StrokeInk)

    /// The trail for the next stroke, after ``finish(_:)``; nil if the pen leaves none.
    var trail: StrokeTrail? { get }
}

extension StrokeModel {
    public mutating func add(followed sample: Sample, to ink: inout StrokeInk) { add(sample, to: &ink) }

    public mutating func finish(_ ink: inout StrokeInk) { ink.dry() }

    public var trail: StrokeTrail? { nil }
}
