// SPDX-License-Identifier: Apache-2.0
import Geometry
import Raster
import TestSupport

/// Fills shapes one by one and compares the coverage of each with the reference.
struct Measurement: ~Copyable {
    private var rasterizer = Rasterizer()
    private var reference = ReferenceRasterizer(slabsPerPixel: 32)
    private(set) var error = CoverageError()

    init() {}

    /// - Parameter offset: moves the shape but not the reference: an intended error.
    mutating func add(_ polygons: [[Point]], _ rule: FillRule, page: PixelSize, movedBy offset: Point = .zero) {
        var path = Path()
        for polygon in polygons { path.addPolygon(polygon.map { $0 + offset }) }
        // One pixel more on each side, because ink beyond the box is an error too.
        let box = PixelRect(covering: path.bounds, within: PixelRect(size: page))
        let bounds = PixelRect(
            minX: box.minX - 1, minY: box.minY - 1, maxX: box.maxX + 1, maxY: box.maxY + 1)
        let coverage = CoverageBuffer(bounds: bounds)
        rasterizer.begin(clip: bounds)
        rasterizer.add(path)
        rasterizer.fill(rule, into: coverage)
        let bytes = coverage.bytes
        var first = 0
        reference.fill(polygons, rule: rule, bounds: bounds) { _, row in
            error.compare(bytes[first..<(first + bounds.width)], row)
            first += bounds.width
        }
    }
}

/// Prints a line for each kind of fill, and records whether one exceeds the bounds.
struct AccuracyTable {
    private(set) var hasFailed = false

    init() {
        print(
            Self.column("1/255 on partly inked pixels", 34) + Self.column("fills", 8) + Self.column("pixels", 10)
                + Self.column("mean", 7) + Self.column("max", 7) + "off by > 8")
    }

    mutating func add(_ name: String, fills: Int, _ error: CoverageError) {
        let isGood = error.count > 0 && error.isWithinBounds
        if !isGood { hasFailed = true }
        print(
            Self.column(name, 34) + Self.column("\(fills)", 8) + Self.column("\(error.count)", 10)
                + Self.column(Self.decimal(error.mean, 3), 7) + Self.column(Self.decimal(error.worst, 1), 7)
                + Self.decimal(error.coarseShare * 100, 4) + " %" + (isGood ? "" : ": beyond the bounds"))
    }

    private static func column(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    /// `value`, at least 0, with `digits` decimals.
    private static func decimal(_ value: Double, _ digits: Int) -> String {
        var scale = 1
        for _ in 0..<digits { scale *= 10 }
        let units = Int((value * Double(scale)).rounded())
        let fraction = String(units % scale)
        return "\(units / scale)." + String(repeating: "0", count: digits - fraction.count) + fraction
    }
}

/// A fill of a million points on a small picture, with about 20,000 edges in each row. Checks that it ends, and that
/// the fill in bands is the same.
struct MillionPoints {
    static let count = 1_000_000
    private static let bounds = PixelRect(minX: 0, minY: 0, maxX: 64, maxY: 48)
    private var path = Path()

    /// - Parameter corners: points per contour.
    init(corners: Int) {
        for index in 0..<Self.count {
            let point = Point(x: Double(index &* 7919 % 6401) / 100, y: Double(index % 1000) / 20.5)
            if index % corners == 0 { path.move(to: point) } else { path.addLine(to: point) }
        }
    }

    var isSameInBands: Bool {
        var rasterizer = Rasterizer()
        for rule in [FillRule.nonZero, .evenOdd] {
            let whole = CoverageBuffer(bounds: Self.bounds)
            let bands = CoverageBuffer(bounds: Self.bounds)
            rasterizer.begin(clip: Self.bounds)
            rasterizer.add(path)
            rasterizer.fill(rule, into: whole)
            for y in stride(from: 0, to: Self.bounds.maxY, by: 12) {
                rasterizer.begin(clip: PixelRect(minX: 0, minY: y, maxX: 64, maxY: y + 12))
                rasterizer.add(path)
                rasterizer.fill(rule, into: bands)
            }
            if bands.bytes != whole.bytes || !whole.bytes.contains(where: { $0 > 0 }) { return false }
        }
        return true
    }
}
