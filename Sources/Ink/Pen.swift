// SPDX-License-Identifier: Apache-2.0
public import Geometry

/// A pen to draw with: which one, and how wide. A value; every stroke gets its own model from
/// ``makeStroke(density:)``.
public struct Pen: Equatable, Sendable {
    public var name: PenName
    /// Width of its ink in millimetres, above 0; nil is the pen's own. What it means to a pen of varying width, that
    /// pen's documentation says.
    public var width: Double?
    /// What measured pressure means to the width of `ink`; the other pens take none.
    public var pressureCurve: PressureCurve
    /// Those that the pen does not have (``PenName/switches``) change nothing.
    public var switches: Set<PenSwitch>

    public init(
        _ name: PenName = .default, width: Double? = nil, pressureCurve: PressureCurve = .linear,
        switches: Set<PenSwitch> = []
    ) {
        self.name = name
        self.width = width
        self.pressureCurve = pressureCurve
        self.switches = switches
    }

    /// The model for one stroke, before its first sample.
    /// - Parameter density: of the page that the samples' pixels belong to.
    public func makeStroke(density: PixelDensity = .standard) -> any StrokeModel {
        // Most pens have the constants of their authors, which are pixels.
        let scale = density.pixelsPerMillimetre
        let width = width.map { $0 * scale }
        return switch name {
        case .linear: LinearPen(width: width ?? LinearPen.defaultWidth)
        case .bezier: BezierPen(width: width ?? BezierPen.defaultWidth)
        case .smoothedBezier: SmoothedBezierPen(width: width ?? SmoothedBezierPen.defaultWidth)
        case .quadratic: QuadraticPen(width: width ?? QuadraticPen.defaultWidth)
        case .speedQuadratic: SpeedQuadraticPen(width: width ?? SpeedQuadraticPen.defaultWidth)
        case .naiveWidth: NaiveWidthPen(width: width ?? NaiveWidthPen.defaultWidth)
        case .offset: OffsetPen(lineWidth: width ?? OffsetPen.defaultLineWidth, switches: switches)
        case .ink: InkPen(inkParameters, density: density)
        }
    }

    private var inkParameters: InkParameters {
        var parameters = width.map { InkParameters(width: $0) } ?? InkParameters()
        parameters.pressureCurve = pressureCurve
        return parameters
    }
}
