// SPDX-License-Identifier: Apache-2.0
import Geometry
import Glibc
import Raster
import TestSupport

/// A series of fills of one kind, generated or read from a file.
struct Workload {
    let name: String
    let page: PixelSize
    let rule: FillRule
    let fillCount: Int
    /// Returns the contours of the next fill.
    let next: () -> [[Point]]
}

extension Workload {
    /// 100,000 pieces of a few pixels.
    static var pieces: [Workload] {
        let page = PixelSize(width: 800, height: 480)
        var (bands, hairs) = (Shapes(seed: 101), Shapes(seed: 102))
        var (polygons, stars) = (Shapes(seed: 103), Shapes(seed: 104))
        return [
            Workload(name: "bent quads 2-6 px wide", page: page, rule: .nonZero, fillCount: 40_000) {
                [bands.bentQuad(width: 2...6, length: 5...40, in: page)]
            },
            Workload(name: "hairs 0.7-1.5 px wide", page: page, rule: .nonZero, fillCount: 30_000) {
                [hairs.bentQuad(width: 0.7...1.5, length: 5...40, in: page)]
            },
            Workload(name: "polygons of 3-8 corners", page: page, rule: .nonZero, fillCount: 15_000) {
                [polygons.smallPolygon(corners: 3...8, side: 5...40, in: page)]
            },
            Workload(name: "the same, even-odd", page: page, rule: .evenOdd, fillCount: 15_000) {
                [stars.smallPolygon(corners: 3...8, side: 5...40, in: page)]
            },
        ]
    }

    /// Strokes as on a panel, with corners on 1/64 pixel.
    static var strokes: [Workload] {
        let panel = PixelSize(width: 800, height: 480)
        let desk = PixelSize(width: 1920, height: 1080)
        let wall = PixelSize(width: 3840, height: 2160)
        var (signature, chain, redraw) = (Shapes(seed: 111), Shapes(seed: 112), Shapes(seed: 113))
        var (big, hair) = (Shapes(seed: 114), Shapes(seed: 115))
        var quads: [[Point]] = []
        return [
            Workload(name: "signature, piece by piece", page: panel, rule: .nonZero, fillCount: 600) {
                [onGrid(signature.bentQuad(width: 2...6, length: 5...40, in: panel))]
            },
            Workload(name: "strokes as chains of quads", page: desk, rule: .nonZero, fillCount: 20_000) {
                if quads.isEmpty {
                    quads =
                        Scribble(
                            &chain, width: 1.5...6, page: desk, samples: 201, step: 2...4, bend: 0.4
                        ).quads
                }
                return [onGrid(quads.removeLast())]
            },
            Workload(name: "strokes that overlap themselves", page: desk, rule: .nonZero, fillCount: 100) {
                let stroke = Scribble(&redraw, width: 1.5...6, page: desk, samples: 400, step: 1...3, bend: 0.6)
                return [onGrid(stroke.outline)]
            },
            Workload(name: "scribbles 40-200 px wide", page: wall, rule: .nonZero, fillCount: 8) {
                let stroke = Scribble(&big, width: 40...200, page: wall, samples: 900, step: 4...12, bend: 0.15)
                return [onGrid(stroke.outline)]
            },
            Workload(name: "scribbles 0.7-1.5 px wide", page: wall, rule: .nonZero, fillCount: 200) {
                let stroke = Scribble(&hair, width: 0.7...1.5, page: wall, samples: 250, step: 2...6, bend: 0.5)
                return [onGrid(stroke.outline)]
            },
        ]
    }

    private static func onGrid(_ polygon: [Point]) -> [Point] {
        polygon.map { Point(x: ($0.x * 64).rounded() / 64, y: ($0.y * 64).rounded() / 64) }
    }
}

extension Workload {
    /// Reads a `.rpw` file, a list of fills for comparing rasterizers. In little-endian words: "RPW1",
    /// version 1, width, height, fills, contours, points, rule (1 is non-zero); for each fill its first contour, its
    /// contours and a colour; for each contour its first point and its points; for each point x and y as floats.
    /// - Returns: nil for any other file.
    init?(file: String) {
        guard let words = Self.words(of: file), words.count >= 8, words[0] == 0x3157_5052, words[1] == 1 else {
            return nil
        }
        let (fills, contours, points) = (Int(words[4]), Int(words[5]), Int(words[6]))
        guard words.count == 8 + fills * 3 + contours * 2 + points * 2 else { return nil }
        let firstContour = 8 + fills * 3
        let firstPoint = firstContour + contours * 2
        for fill in 0..<fills where Int(words[8 + fill * 3]) + Int(words[9 + fill * 3]) > contours { return nil }
        for contour in 0..<contours {
            let place = firstContour + contour * 2
            if Int(words[place]) + Int(words[place + 1]) > points { return nil }
        }

        var fill = 0
        self.init(
            name: String(file.split(separator: "/").last ?? "file"),
            page: PixelSize(width: Int(words[2]), height: Int(words[3])), rule: words[7] == 1 ? .nonZero : .evenOdd,
            fillCount: fills
        ) {
            let contour = Int(words[8 + fill * 3])
            let count = Int(words[9 + fill * 3])
            fill += 1
            return (contour..<(contour + count)).map { contour in
                let start = Int(words[firstContour + contour * 2])
                return (start..<(start + Int(words[firstContour + contour * 2 + 1]))).map { point in
                    let place = firstPoint + point * 2
                    return Point(
                        x: Double(Float(bitPattern: words[place])), y: Double(Float(bitPattern: words[place + 1])))
                }
            }
        }
    }

    private static func words(of path: String) -> [UInt32]? {
        guard let file = fopen(path, "rb") else { return nil }
        defer { fclose(file) }
        var words: [UInt32] = []
        var part = [UInt32](repeating: 0, count: 1 << 16)
        while true {
            let count = fread(&part, 4, part.count, file)
            if count == 0 { return words.map(UInt32.init(littleEndian:)) }
            words += part[..<count]
        }
    }
}
