// SPDX-License-Identifier: Apache-2.0
import Canvas
import Geometry
import Ink
import Linux
import Raster

/// What a report costs on its whole way without a display, modelled, rasterized and composed into memory: processor
/// time, so that what else the machine does stays out of it.
struct ReportCost {
    /// Nanoseconds of each report.
    let all: Distribution
    /// Of the last thousand: what a report costs at the end of a long stroke.
    let last: Distribution
    /// Of each stroke's end.
    let lifts: Distribution

    /// Draws strokes on a canvas, which may have ink on it, and shows every report and every end by itself.
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
