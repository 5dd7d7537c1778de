// SPDX-License-Identifier: Apache-2.0
import Geometry
import Raster
import TestSupport

/// A fill made of the fuzzer's bytes. Any bytes make a fill; missing ones are zero.
struct FuzzInput {
    enum Target: CaseIterable { case xrgb8888, coverage }

    private(set) var path = Path()
    /// Whether the contours are added as polygons. The path then has lines only.
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
    /// Whether the reference can compute the area: all corners are near and there are no curves.
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
            // The verb, and the form of the coordinates after it.
            let code = reader.byte()
            func point() -> Point { Point(x: reader.coordinate(code >> 3), y: reader.coordinate(code >> 3)) }
            switch path.isEmpty ? 0 : code & 7 {
            case 0: path.move(to: point())
            case 6 where isPolygons, 7 where isPolygons: path.addLine(to: point())
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

    /// Adds the path or the polygons.
    func add(to rasterizer: inout Rasterizer) {
        guard isPolygons else { return rasterizer.add(path) }
        for polygon in polygons { polygon.withUnsafeBufferPointer { rasterizer.add(polygon: $0) } }
    }

    /// The path with reversed contours. Only for paths without curves, whose points may round differently.
    var reversedPath: Path {
        var reversed = Path()
        for polygon in polygons { reversed.addPolygon(polygon.reversed()) }
        return reversed
    }

    var hasCurves: Bool { path.verbs.contains(.cubic) }
}

/// Reads numbers from the fuzzer's bytes.
private struct FuzzReader {
    /// Values that often break code: not finite, at the limits of the rasterizer's page and number formats, or tiny.
    private static let extremes: [Double] = [
        .nan, .infinity, -.infinity, 65_536, -65_536, 65_535.998, -65_535.998, 8_388_608, -8_388_608, 1e9, -1e9,
        2_147_483_648, -2_147_483_648, .greatestFiniteMagnitude, -.greatestFiniteMagnitude, 5e-324,
    ]

    private let bytes: UnsafeBufferPointer<UInt8>
    private var index = 0
    private var last = 0.0

    init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    var isAtEnd: Bool { index >= bytes.count }

    mutating func byte() -> UInt8 {
        if isAtEnd { return 0 }
        index += 1
        return bytes[index - 1]
    }

    private mutating func word(_ count: Int) -> UInt64 {
        var word: UInt64 = 0
        for _ in 0..<count { word = word << 8 | UInt64(byte()) }
        return word
    }

    /// - Parameter form: a multiple of 1 or 1/2 near the surface, of 1/256 further off, a small step from the last
    ///   coordinate, a number up to ±1e9, an extreme value, or any bits of a float or a double.
    mutating func coordinate(_ form: UInt8) -> Double {
        switch form % 16 {
        case 0, 8: last = Double(Int8(bitPattern: byte()))
        case 1, 9: last = Double(byte()) / 2
        case 2, 3, 10: last = Double(Int16(bitPattern: UInt16(word(2)))) / 256
        case 4, 11: last += Double(Int8(bitPattern: byte())) / 64
        case 5, 12: last = Double(Int32(bitPattern: UInt32(word(4)))) / 1024
        case 6: last = Double(Float(bitPattern: UInt32(word(4))))
        case 13: last = Double(Int32(bitPattern: UInt32(word(4)))) / 2
        case 14:
            let code = Int(byte())
            last = code < Self.extremes.count ? Self.extremes[code] : Double(code - Self.extremes.count)
        default: last = Double(bitPattern: word(8))
        }
        return last
    }
}
