// SPDX-License-Identifier: Apache-2.0
import Canvas
import Geometry
import Ink

extension InkBench {
    private static let lengths = [10, 1000, 150_000]
    private static let scribbles = [1000, 10_000, 40_000]
    private static let fullPage = 100_000
    private static let pages = [1000, fullPage]
    private static let largePage = PixelSize(width: 3840, height: 2160)

    /// Something to draw.
    private struct Work {
        var name: String
        var strokes: [[Sample]]
        var page: PixelSize
        var density = PixelDensity.standard
        /// Nil is the pen that was asked for.
        var pen: Pen?
        /// Strokes that are on the page before.
        var strokesBefore = 0
    }

    /// What a report costs: recordings; every length at one rate, and one length at every rate; and what could make it
    /// dearer.
    func costTable() throws -> BenchTable {
        var table = BenchTable(
            name: "ink cost",
            heading: "processor time for a report with pen \(pen.pen.rawValue): modelled, rasterized, composed",
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
            table.rows.append([.text(work.name)] + [
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
        // Each change of tone is a fill of its own.
        works += scribbles.map {
            Work(
                name: "the same in tones",
                strokes: [GeneratedScribble(hertz: 250, slowsAtTurns: true).samples($0)],
                page: GeneratedScribble.page, pen: Pen(.offset, switches: [.varyingColor]))
        }
        return works
    }

    /// What undoing, doing again and drawing a region again cost.
    func redrawTable() -> BenchTable {
        var table = BenchTable(
            name: "ink redraw",
            heading: "processor time of a change with pen \(pen.pen.rawValue), painted and composed, on short strokes",
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
                table.rows.append([.text(name)] + [
                    Double(count), times.percentile(0.5) / 1000, times.percentile(0.99) / 1000,
                ].map { .number($0) })
            }
        }
        return table
    }

    /// A page with so many short strokes.
    /// - Parameter pen: nil is the one that was asked for.
    func makeCanvas(
        _ page: PixelSize, pen other: Pen? = nil, density: PixelDensity = .standard, strokes: Int
    ) -> Canvas {
        let look = picture.look(pen: pen.pen)
        var canvas = Canvas(
            size: page, pen: other ?? look.pen, color: look.color, background: look.background, density: density)
        for number in 0..<strokes {
            for (index, sample) in GeneratedPage.stroke(number).enumerated() {
                canvas.apply(index == 0 ? .begin(sample) : .move(sample))
            }
            canvas.apply(.end)
        }
        return canvas
    }
}
