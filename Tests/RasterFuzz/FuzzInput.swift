// SPDX-License-Identifier: Apache-2.0
import Geometry
import Raster

/// A fill made of the fuzzer's bytes. Whatever the bytes, there is one; where they end, zeros follow.
struct FuzzInput {
    /// The pixels that ink goes into.
    enum Target: CaseIterable { case xrgb8888, coverage }

    private(set) var path = Path()
    /// The path, which has lines only, is handed over contour by contour as polygons of points.
    let isPolygons: Bool
    let target: Target
    let rule: FillRule
    let color: Color
    /// Pixels beyond the width in each row of the surface.
    let padding: Int
    let size: PixelSize
    let clip: PixelRect
    /// A part of the clip.
    let part: PixelRect
    /// All corners are near and there are no curves: what the reference can tell the area of.
    private(set) var isPlain = false

    init(_ bytes: UnsafeBufferPointer<UInt8>) {
        var reader = FuzzReader(bytes)
        let flags = reader.byte()
        rule = flags & 1 == 0 ? .nonZero : .evenOdd
        let isLarge = flags & 2 != 0
        padding = Int(flags >> 2 & 7)
        color = Color(red: 17, green: 90, blue: 255, alpha: flags & 32 == 0 ? 255 : reader.byte())
        size = PixelSize(
            width: 1 + Int(reader.byte()) * (isLarge ? 2 : 1) / 2, height: 1 + Int(reader.byte()) / (isLarge ? 1 : 4))
        let (x, y) = (Int(Int8(bitPattern: reader.byte())), Int(Int8(bitPattern: reader.byte())))
        clip = PixelRect(minX: x, minY: y, maxX: x + Int(reader.byte()), maxY: y + Int(reader.byte()))
        let (left, top) = (
            clip.minX + Int(reader.byte()) % (clip.width + 1), clip.minY + Int(reader.byte()) % (clip.height + 1)
        )
        part = PixelRect(
            minX: left, minY: top, maxX: left + Int(reader.byte()) % (clip.maxX - left + 1),
            maxY: top + Int(reader.byte()) % (clip.maxY - top + 1))
        let form = reader.byte()
        isPolygons = form & 1 != 0
        target = Target.allCases[Int(form >> 1) % Target.allCases.count]
        readPath(&reader)
    }

    private mutating func readPath(_ reader: inout FuzzReader) {
        while !reader.isAtEnd {
            // The verb, and how the coordinates after it are written.
            let code = reader.byte()
            func point() -> Point { Point(x: reader.coordinate(code >> 3), y: reader.coordinate(code >> 3)) }
            switch path.isEmpty ? 0 : code & 7 {
            case 0: path.move(to: point())
            case 6, 7 where isPolygons: path.addLine(to: point())
            case 6: path.addQuadratic(control: point(), end: point())
            case 7: path.addCubic(control1: point(), control2: point(), end: point())
            default: path.addLine(to: point())
            }
        }
        isPlain = !hasCurves && path.points.allSatisfy { abs($0.x) < 400 && abs($0.y) < 400 }
    }

    /// The corners of each contour of a path without curves.
    private var polygons: [[Point]] {
        var polygons: [[Point]] = []
        for (verb, point) in zip(path.verbs, path.points) {
            if verb == .move { polygons.append([]) }
            polygons[polygons.count - 1].append(point)
        }
        return polygons
    }

    /// Adds what is to be filled, path or polygons.
    func add(to rasterizer: inout Rasterizer) {
        guard isPolygons else { return rasterizer.add(path) }
        for polygon in polygons { polygon.withUnsafeBufferPointer { rasterizer.add(polygon: $0) } }
    }

    /// The contours the other way round. Of a path without curves: points on those may round differently.
    var reversedPath: Path {
        var reversed = Path()
        for polygon in polygons { reversed.addPolygon(polygon.reversed()) }
        return reversed
    }

    var hasCurves: Bool { path.verbs.contains { $0 == .quadratic || $0 == .cubic } }
}
