// SPDX-License-Identifier: Apache-2.0
import Geometry
import Raster
import TestSupport
import Testing

@Suite("Curves")
struct CurveTests {
    private static let bounds = PixelRect(-8, -8, 40, 40)

    /// The contours of `path`, each walked from its last point to its first.
    private func reversed(_ path: Path) -> Path {
        var result = Path()
        var end = path.points.count
        var contour: [Path.Verb] = []
        for verb in path.verbs.reversed() {
            contour.append(verb)
            if verb == .move {
                end = appendReversed(contour, path.points, end: end, to: &result)
                contour = []
            }
        }
        return result
    }

    /// - Parameter verbs: of the contour, from its last to its first.
    /// - Returns: the end of the contour before it.
    private func appendReversed(_ verbs: [Path.Verb], _ points: [Point], end: Int, to result: inout Path) -> Int {
        var next = end - 1
        func take() -> Point {
            defer { next -= 1 }
            return points[next]
        }
        result.move(to: take())
        for verb in verbs {
            switch verb {
            case .move: break
            case .line: result.addLine(to: take())
            case .quadratic: result.addQuadratic(control: take(), end: take())
            case .cubic: result.addCubic(control1: take(), control2: take(), end: take())
            }
        }
        return next + 1
    }

    @Test("walked the other way are the same but for rounding", arguments: 0..<200 as Range<UInt64>)
    func reversal(seed: UInt64) {
        var shapes = Shapes(seed: seed)
        let path = shapes.curvedPath(contours: 3, in: -12...44)
        let back = reversed(path)
        #expect(back.points.count == path.points.count && reversed(back).points.count == path.points.count)
        let rule: FillRule = seed % 2 == 0 ? .nonZero : .evenOdd
        // A point of a chord comes out of a sum in the other order: it may round to the next 1/256 pixel.
        let pairs = zip(coverage(of: back, rule, clip: Self.bounds), coverage(of: path, rule, clip: Self.bounds))
        let differences = pairs.map { abs(Int($0) - Int($1)) }.filter { $0 != 0 }
        #expect(differences.count < 20 && differences.allSatisfy { $0 <= 2 }, "seed \(seed), \(differences)")
    }
}
