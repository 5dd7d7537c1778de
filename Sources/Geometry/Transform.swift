// SPDX-License-Identifier: Apache-2.0

/// An affine map: `x' = a x + b y + tx`, `y' = c x + d y + ty`, in the row order of libinput's calibration matrix.
///
/// ```swift
/// let toScreen = Transform.scale(x: 0.1, y: 0.1).then(Transform(a: 1, b: 0, tx: 40, c: 0, d: 1, ty: 20))
/// let pixel = toScreen.apply(Point(x: 1200, y: 800))  // 160, 100
/// ```
public struct Transform: Equatable, Hashable, Sendable {
    public var a, b, tx: Double
    public var c, d, ty: Double

    public init(a: Double, b: Double, tx: Double, c: Double, d: Double, ty: Double) {
        self.a = a
        self.b = b
        self.tx = tx
        self.c = c
        self.d = d
        self.ty = ty
    }

    public static let identity = Transform(a: 1, b: 0, tx: 0, c: 0, d: 1, ty: 0)

    public static func scale(x: Double, y: Double) -> Transform {
        Transform(a: x, b: 0, tx: 0, c: 0, d: y, ty: 0)
    }

    public func apply(_ p: Point) -> Point {
        Point(x: a * p.x + b * p.y + tx, y: c * p.x + d * p.y + ty)
    }

    /// The map that applies this one first and `next` to its result.
    public func then(_ next: Transform) -> Transform {
        Transform(
            a: next.a * a + next.b * c, b: next.a * b + next.b * d, tx: next.a * tx + next.b * ty + next.tx,
            c: next.c * a + next.d * c, d: next.c * b + next.d * d, ty: next.c * tx + next.d * ty + next.ty)
    }

    /// The inverse map; nil if this one flattens the plane to a line.
    public var inverted: Transform? {
        let determinant = a * d - b * c
        guard determinant.isFinite, abs(determinant) > 1e-300 else { return nil }
        let (ia, ib, ic, id) = (d / determinant, -b / determinant, -c / determinant, a / determinant)
        return Transform(a: ia, b: ib, tx: -(ia * tx + ib * ty), c: ic, d: id, ty: -(ic * tx + id * ty))
    }
}

/// How far the picture is turned clockwise on the panel. Screen and touch both use it.
public enum Rotation: Int, CaseIterable, Sendable {
    case none = 0
    case clockwise90 = 90
    case half = 180
    case clockwise270 = 270

    /// Whether the picture's width runs along the panel's height.
    public var isTransposed: Bool { self == .clockwise90 || self == .clockwise270 }

    public func pictureSize(onPanel panel: PixelSize) -> PixelSize { isTransposed ? panel.transposed : panel }

    /// The map from picture to panel, both in coordinates 0...1 of their own width and height.
    public var pictureToPanel: Transform {
        switch self {
        case .none: .identity
        case .clockwise90: Transform(a: 0, b: -1, tx: 1, c: 1, d: 0, ty: 0)
        case .half: Transform(a: -1, b: 0, tx: 1, c: 0, d: -1, ty: 1)
        case .clockwise270: Transform(a: 0, b: 1, tx: 0, c: -1, d: 0, ty: 1)
        }
    }

    /// The map from panel to picture, both in coordinates 0...1; applied to touches.
    public var panelToPicture: Transform {
        switch self {
        case .none, .half: pictureToPanel
        case .clockwise90: Rotation.clockwise270.pictureToPanel
        case .clockwise270: Rotation.clockwise90.pictureToPanel
        }
    }

    /// The panel's pixels that show a rectangle of the picture.
    public func panelRect(of rect: PixelRect, picture: PixelSize) -> PixelRect {
        switch self {
        case .none: rect
        case .clockwise90:
            PixelRect(
                minX: picture.height - rect.maxY, minY: rect.minX,
                maxX: picture.height - rect.minY, maxY: rect.maxX)
        case .half:
            PixelRect(
                minX: picture.width - rect.maxX, minY: picture.height - rect.maxY,
                maxX: picture.width - rect.minX, maxY: picture.height - rect.minY)
        case .clockwise270:
            PixelRect(
                minX: rect.minY, minY: picture.width - rect.maxX,
                maxX: rect.maxY, maxY: picture.width - rect.minX)
        }
    }
}
