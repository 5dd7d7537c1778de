// SPDX-License-Identifier: Apache-2.0
import Canvas
import Geometry
import Ink
import Linux
import Raster

extension InkBench {
    private static let lengths = [10, 1000, 150_000]
    private static let scribbles = [1000, 10_000, 40_000]
    private static let fullPage = 100_000
    private static let pages = [1000, fullPage]
    private static let largePage = PixelSize(width: 3840, height: 2160)

    private struct Work {
        var name: String
        var strokes: [[Sample]]
        var page: PixelSize
        var density = PixelDensity.standard
        /// nil for the pen of the command line.
        var pen: Pen?
        /// Number of short strokes on the page before.
        var strokesBefore = 0
    }

    /// The cost of a report: for recordings, for every length at one rate and one length at every rate, and for cases
    /// that could cost more.
    func costTable() throws -> BenchTable {
        var table = BenchTable(
            name: "ink cost",
            heading: "processor time for a report with pen \(pen.rawValue): modelled, rasterized, composed",
            columns: [
                .init(title: "reports of", key: "source"), .init(title: "samples", key: "samples"),
                .init(title: "median us", key: "median_us", decimals: 1),
                .init(title: "p99 us", key: "p99_us", decimals: 1), .init(title: "most us", key: "max_us", decimals: 1),
                .init(title: "last 1000 us", key: "last_median_us", decimals: 1),
                .init(title: "reports/s", key: "reports_per_second"),
                .init(title: "lift, most us", key: "lift_max_us", decimals: 1),
            ])
        for work in try sources().map({ Work(name: $0.name, strokes: $0.strokes, page: $0.page, density: $0.density) })
            + (files.isEmpty ? Self.generated : [])
        {
            var canvas = makeCanvas(
                work.page, pen: work.pen, density: work.density, strokes: work.strokesBefore)
            let cost = ReportCost(of: work.strokes, on: &canvas)
            table.rows.append(
                [.text(work.name)]
                    + [
                        Double(cost.all.count), cost.all.percentile(0.5) / 1000, cost.all.percentile(0.99) / 1000,
                        cost.all.maximum / 1000, cost.last.percentile(0.5) / 1000, cost.reportsPerSecond,
                        cost.lifts.maximum / 1000,
                    ].map { .number($0) })
        }
        return table
    }

    private static var generated: [Work] {
        func writing(_ name: String, _ count: Int, _ hertz: Double = 250) -> Work {
            Work(name: name, strokes: [GeneratedWriting(hertz: hertz).samples(count)], page: GeneratedWriting.page)
        }
        var works = lengths.map { writing("writing, 250 Hz", $0) }
        works += rates.map { writing("writing, \(Int($0)) Hz", 10_000, $0) }
        var full = writing("writing on \(fullPage) strokes", 10_000)
        full.strokesBefore = fullPage
        var large = writing("writing on \(largePage)", 10_000)
        large.page = largePage
        works += [full, large]
        works += scribbles.map {
            Work(
                name: "scribbling in 200x200", strokes: [GeneratedScribble(hertz: 250).samples($0)],
                page: GeneratedScribble.page)
        }
        // Each change of tone needs a fill of its own.
        works += scribbles.map {
            Work(
                name: "the same in tones",
                strokes: [GeneratedScribble(hertz: 250, slowsAtTurns: true).samples($0)],
                page: GeneratedScribble.page, pen: Pen(.offset, switches: [.varyingColor]))
        }
        return works
    }

    /// The cost of undo, of redo and of drawing a region again.
    func redrawTable() -> BenchTable {
        var table = BenchTable(
            name: "ink redraw",
            heading: "processor time of a change with pen \(pen.rawValue), painted and composed, on short strokes",
            columns: [
                .init(title: "what", key: "change"), .init(title: "strokes on the page", key: "strokes"),
                .init(title: "median us", key: "median_us", decimals: 1),
                .init(title: "p99 us", key: "p99_us", decimals: 1),
            ])
        for count in Self.pages {
            var canvas = makeCanvas(GeneratedPage.size, strokes: count)
            let cost = RedrawCost(on: &canvas)
            let region = "redraw \(RedrawCost.side)x\(RedrawCost.side)"
            for (name, times) in [("undo", cost.undo), ("redo", cost.redo), (region, cost.redraw)] {
                table.rows.append(
                    [.text(name)]
                        + [
                            Double(count), times.percentile(0.5) / 1000, times.percentile(0.99) / 1000,
                        ].map { .number($0) })
            }
        }
        return table
    }

    /// A canvas with short strokes on it.
    /// - Parameters:
    ///   - pen: nil for the pen of the command line.
    ///   - strokes: their number.
    private func makeCanvas(
        _ page: PixelSize, pen other: Pen? = nil, density: PixelDensity = .standard, strokes: Int
    ) -> Canvas {
        let own = Pen(
            pen, width: width, pressureCurve: pressure ?? .linear,
            switches: penSwitch.isEmpty ? nil : Set(penSwitch))
        var canvas = Canvas(size: page, pen: other ?? own, color: color, background: background, density: density)
        for number in 0..<strokes {
            for (index, sample) in GeneratedPage.stroke(number).enumerated() {
                canvas.apply(index == 0 ? .begin(sample) : .move(sample))
            }
            canvas.apply(.end)
        }
        return canvas
    }
}

/// Processor time for modelling, rasterizing and composing reports into memory, in nanoseconds.
struct ReportCost {
    let all: Distribution
    /// The last 1000 reports: the cost at the end of a long stroke.
    let last: Distribution
    /// The end of each stroke.
    let lifts: Distribution

    /// Draws strokes on a canvas and composes after every report and every end.
    init(of strokes: [[Sample]], on canvas: inout Canvas) {
        let screen = PixelBuffer(size: canvas.size)
        // The first frame paints the whole page.
        canvas.compose(canvas.takeDamage(), onto: screen.surface, rotation: .none)
        var times: [Double] = []
        times.reserveCapacity(strokes.reduce(0) { $0 + $1.count })
        var lifts: [Double] = []
        for stroke in strokes {
            for (index, sample) in stroke.enumerated() {
                times.append(Self.cost(of: index == 0 ? .begin(sample) : .move(sample), &canvas, screen.surface))
            }
            lifts.append(Self.cost(of: .end, &canvas, screen.surface))
        }
        all = Distribution(times)
        last = Distribution(times.suffix(1000))
        self.lifts = Distribution(lifts)
    }

    private static func cost(of event: StrokeEvent, _ canvas: inout Canvas, _ screen: Surface) -> Double {
        let start = Linux.Thread.processorNanoseconds
        canvas.apply(event)
        canvas.compose(canvas.takeDamage(), onto: screen, rotation: .none)
        return Double(Linux.Thread.processorNanoseconds - start)
    }

    var reportsPerSecond: Double { all.count == 0 ? 0 : 1e9 / max(all.mean, 1) }
}

/// Processor time for changing a page with ink and composing the change into memory, in nanoseconds.
struct RedrawCost {
    /// Side of the region that is drawn again, in pixels.
    static let side = 200
    private static let count = 100

    private(set) var undo = Distribution([])
    private(set) var redo = Distribution([])
    private(set) var redraw = Distribution([])

    /// - Parameter canvas: has at least 100 strokes.
    init(on canvas: inout Canvas) {
        let screen = PixelBuffer(size: canvas.size)
        canvas.compose(canvas.takeDamage(), onto: screen.surface, rotation: .none)
        undo = Self.cost(&canvas, screen.surface) { canvas, _ in canvas.undo() }
        redo = Self.cost(&canvas, screen.surface) { canvas, _ in canvas.redo() }
        redraw = Self.cost(&canvas, screen.surface) { canvas, number in
            // Another place each time.
            let x = number * 617 % (canvas.size.width - Self.side)
            let y = number * 431 % (canvas.size.height - Self.side)
            canvas.redraw(PixelRect(minX: x, minY: y, maxX: x + Self.side, maxY: y + Self.side))
        }
    }

    private static func cost(
        _ canvas: inout Canvas, _ screen: Surface, _ change: (inout Canvas, Int) -> Void
    ) -> Distribution {
        Distribution(
            (0..<count).map { number in
                let start = Linux.Thread.processorNanoseconds
                change(&canvas, number)
                canvas.compose(canvas.takeDamage(), onto: screen, rotation: .none)
                return Double(Linux.Thread.processorNanoseconds - start)
            })
    }
}
