// SPDX-License-Identifier: Apache-2.0

/// An affine map: `x' = a x + b y + tx`, `y' = c x + d y + ty`, the row order of libinput's calibration matrix.
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

    /// The map that does this one first and `next` on its result.
    public func then(_ next: Transform) -> Transform {
        Transform(
            a: next.a * a + next.b * c, b: next.a * b + next.b * d, tx: next.a * tx + next.b * ty + next.tx,
            c: next.c * a + next.d * c, d: next.c * b + next.d * d, ty: next.c * tx + next.d * ty + next.ty)
    }

    /// The map back, or nil where the plane is flattened to a line.
    public var inverted: Transform? {
        let determinant = a * d - b * c
        guard determinant.isFinite, abs(determinant) > 1e-300 else { return nil }
        let (ia, ib, ic, id) = (d / determinant, -b / determinant, -c / determinant, a / determinant)
        return Transform(a: ia, b: ib, tx: -(ia * tx + ib * ty), c: ic, d: id, ty: -(ic * tx + id * ty))
    }
}
