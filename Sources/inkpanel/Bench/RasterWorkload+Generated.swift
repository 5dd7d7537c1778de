// SPDX-License-Identifier: Apache-2.0
import Geometry
import Raster

extension RasterWorkload {
    private static let color = Color(red: 0x0A, green: 0x1A, blue: 0x5C)
    /// Between ink and the edges of its page, in pixels.
    private static let margin = 8.0

    /// The same polygons every time.
    /// - Parameter scribbleCount: fewer or more than the kind has.
    init(_ kind: WorkloadKind, scribbleCount: Int? = nil) {
        self.init(name: kind.rawValue, page: kind.page)
        var random = SplitMix64(seed: kind.seed)
        for _ in 0..<(scribbleCount ?? kind.scribbleCount) {
            let (scribble, offset) = Self.placed(kind, &random)
            if kind == .quads {
                for first in stride(from: 0, to: scribble.nodeCount - 1, by: 2) {
                    add(scribble.piece(first...first + 2), offset)
                }
            } else {
                add(kind == .signature ? scribble.piece(0...scribble.nodeCount - 1) : scribble.outline, offset)
            }
        }
    }

    /// A scribble, and where on the page it goes. One that is larger than the page is made anew.
    private static func placed(_ kind: WorkloadKind, _ random: inout SplitMix64) -> (Scribble, Point) {
        while true {
            let scribble = Scribble(kind.style(&random), &random)
            var box = Rect.empty
            for point in scribble.outline { box.include(point) }
            let room = Point(
                x: Double(kind.page.width) - 2 * margin - (box.maxX - box.minX),
                y: Double(kind.page.height) - 2 * margin - (box.maxY - box.minY))
            if room.x < 0 || room.y < 0 { continue }
            let corner = Point(x: random.number(in: 0...room.x), y: random.number(in: 0...room.y))
            return (scribble, corner + Point(x: margin - box.minX, y: margin - box.minY))
        }
    }

    /// On the grid of 1/64 px, on which every rasterizer fills the very same polygon: 26.6 and 24.8 bits hold it.
    private mutating func add(_ polygon: [Point], _ offset: Point) {
        let grid = polygon.map { point in
            let place = point + offset
            return SIMD2(Float((place.x * 64).rounded() / 64), Float((place.y * 64).rounded() / 64))
        }
        addFill(grid, color: Self.color)
    }
}
