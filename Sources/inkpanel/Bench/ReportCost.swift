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

    /// Draws one stroke and shows every report of it by itself.
    init(of samples: some Collection<Sample>, look: Look, page: PixelSize) {
        var canvas = Canvas(size: page, pen: look.pen, color: look.color, background: look.background)
        let screen = PixelBuffer(size: page)
        // The first frame paints the whole page.
        canvas.compose(canvas.takeDamage(), onto: screen.surface, rotation: .none)
        var times: [Double] = []
        times.reserveCapacity(samples.count)
        for (index, sample) in samples.enumerated() {
            let start = Linux.Thread.processorNanoseconds
            canvas.apply(index == 0 ? .begin(sample) : .move(sample))
            canvas.compose(canvas.takeDamage(), onto: screen.surface, rotation: .none)
            times.append(Double(Linux.Thread.processorNanoseconds - start))
        }
        all = Distribution(times)
        last = Distribution(times.suffix(1000))
    }

    var reportsPerSecond: Double { all.count == 0 ? 0 : 1e9 / max(all.mean, 1) }
}
