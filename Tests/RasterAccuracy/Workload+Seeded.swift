// SPDX-License-Identifier: Apache-2.0
import Geometry
import Raster
import TestSupport

extension Workload {
    /// 100,000 pieces of a few pixels, corners anywhere.
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

    /// What a panel draws, corners on 1/64 pixel.
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
                    quads = Scribble(
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
