// SPDX-License-Identifier: Apache-2.0
import Canvas
import Evidence
import Geometry
import Glibc
import Ink
import Linux
import Pad
import Pages
import Raster

/// The times that this machine takes for the work of a capture, with the budgets that docs/benchmarks.md states.
struct MachineTimes {
    struct Row: Equatable {
        var name: String
        var milliseconds: Double
        /// The longest time in milliseconds.
        var budget: Double

        var text: String {
            let hundredths = Double(Int((milliseconds * 100).rounded())) / 100
            return "\(hundredths) ms (budget \(Int(budget)) ms)"
        }
    }

    private static let reportCount = 600
    private static let reportsPerSecond = 200.0
    /// The approximate number of bytes in a record of ``reportCount`` reports.
    private static let recordByteCount = 20_000

    let rows: [Row]

    /// Measures for some seconds at most.
    /// - Parameters:
    ///   - page: the page to draw.
    ///   - size: of the picture.
    init(page: Page, size: PixelSize, density: PixelDensity) throws {
        let (report, frame, slowest) = Self.writing(on: size, density: density)
        rows = [
            Row(name: "a report", milliseconds: report, budget: 16),
            Row(name: "a frame of ink", milliseconds: frame, budget: 16),
            Row(name: "report and frame, 99 %", milliseconds: slowest, budget: 16),
            Row(
                name: "a page, with its fonts",
                milliseconds: try Self.drawing(page, on: size, density: density), budget: 200),
            Row(name: "signing a seal", milliseconds: try Self.sealing(), budget: 200),
        ]
    }

    /// The mean times of a report and of its frame, and the time that 99 % of both together stay below.
    private static func writing(on size: PixelSize, density: PixelDensity) -> (Double, Double, Double) {
        var canvas = Canvas(size: size, pen: Pen(), color: .black, background: .white, density: density)
        let screen = PixelBuffer(size: size)
        // The first frame paints the whole page.
        canvas.compose(canvas.takeDamage(), onto: screen.surface, rotation: .none)
        var (reports, frames, both) = (0.0, 0.0, [Double]())
        for index in 0..<reportCount {
            let sample = sample(index, on: size, density: density)
            let start = MonotonicClock.nanoseconds
            canvas.apply(index == 0 ? .begin(sample) : .move(sample))
            let modelled = MonotonicClock.nanoseconds
            canvas.compose(canvas.takeDamage(), onto: screen.surface, rotation: .none)
            let shown = MonotonicClock.nanoseconds
            reports += Double(modelled - start)
            frames += Double(shown - modelled)
            both.append(Double(shown - start) / 1e6)
        }
        both.sort()
        let count = Double(reportCount)
        return (reports / count / 1e6, frames / count / 1e6, both[reportCount * 99 / 100])
    }

    /// Loops across the picture, five a second, four millimetres high.
    private static func sample(_ index: Int, on size: PixelSize, density: PixelDensity) -> Sample {
        let (seconds, pixels) = (Double(index) / reportsPerSecond, density.pixelsPerMillimetre)
        let phase = 10 * Double.pi * seconds
        let along = 0.1 + 0.8 * Double(index) / Double(reportCount)
        return Sample(
            time: Timestamp(microseconds: Int64(seconds * 1e6)),
            position: Point(
                x: Double(size.width) * along + 1.5 * pixels * sin(phase),
                y: Double(size.height) / 2 + 2 * pixels * cos(phase)))
    }

    private static func drawing(_ page: Page, on size: PixelSize, density: PixelDensity) throws -> Double {
        let picture = PixelBuffer(size: size)
        let start = MonotonicClock.nanoseconds
        var painter = PagePainter(theme: .light, fonts: try Fonts())
        // A screen that is too small for a page is white.
        if let placed = try? painter.place(page, size: size, density: density) {
            painter.draw(placed, on: picture.surface)
        }
        return Double(MonotonicClock.nanoseconds - start) / 1e6
    }

    private static func sealing() throws -> Double {
        let key = try SigningKey.generate()
        let record = [UInt8](repeating: 0x20, count: recordByteCount)
        let start = MonotonicClock.nanoseconds
        _ = try key.sign(record, namespace: "inkpanel-self-test")
        return Double(MonotonicClock.nanoseconds - start) / 1e6
    }
}
