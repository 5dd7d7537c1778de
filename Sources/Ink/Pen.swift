// SPDX-License-Identifier: Apache-2.0
public import Geometry

/// A pen to draw with: which one, and how wide. A value; every stroke gets its own model from
/// ``makeStroke(density:)``.
public struct Pen: Equatable, Sendable {
    public var name: PenName
    /// Width of its ink in millimetres, above 0; nil is the pen's own. What it means to a pen of varying width, that pen's
    /// documentation says.
    public var width: Double?

    public init(_ name: PenName = .default, width: Double? = nil) {
        self.name = name
        self.width = width
    }

    /// The model for one stroke, before its first sample.
    /// - Parameter density: of the page that the samples' pixels belong to.
    public func makeStroke(density: PixelDensity = .standard) -> any StrokeModel {
        // Most pens have the constants of their authors, which are pixels.
        let scale = density.pixelsPerMillimetre
        let width = width.map { $0 * scale }
        return switch name {
        case .linear: LinearPen(width: width ?? LinearPen.defaultWidth)
        case .smoothedBezier: SmoothedBezierPen(width: width ?? SmoothedBezierPen.defaultWidth)
        case .offset: OffsetPen(lineWidth: width ?? OffsetPen.defaultLineWidth)
        case .ink: InkPen(self.width.map { InkParameters(width: $0 * scale) } ?? InkParameters())
        }
    }
}
