// SPDX-License-Identifier: Apache-2.0
import Geometry
import Ink

extension StrokeInk {
    /// Some of the pieces, dry, without the centre line.
    func copied(_ range: Range<Int>) -> StrokeInk {
        var ink = StrokeInk()
        append(pieces[range], to: &ink) { $0 }
        ink.dry()
        return ink
    }

    /// The same ink in other pixels: times `scale`, above 0, then moved by `offset`. Dry.
    func scaled(_ scale: Double, then offset: Point) -> StrokeInk {
        var ink = StrokeInk()
        for point in centerline {
            ink.append(
                CenterlinePoint(
                    microseconds: point.microseconds, position: point.position * scale + offset,
                    width: point.width * scale))
        }
        append(pieces[...], to: &ink) { $0 * scale + offset }
        ink.dry()
        return ink
    }

    @inline(__always)
    private func append(_ pieces: ArraySlice<Piece>, to ink: inout StrokeInk, _ placed: (Point) -> Point) {
        for piece in pieces {
            ink.tone = piece.tone
            ink.appendPiece { path in
                var index = piece.start.pointCount
                func next() -> Point {
                    defer { index += 1 }
                    return placed(outline.points[index])
                }
                for verb in outline.verbs[piece.start.verbCount..<piece.end.verbCount] {
                    switch verb {
                    case .move: path.move(to: next())
                    case .line: path.addLine(to: next())
                    case .quadratic: path.addQuadratic(control: next(), end: next())
                    case .cubic: path.addCubic(control1: next(), control2: next(), end: next())
                    }
                }
            }
        }
    }
}
