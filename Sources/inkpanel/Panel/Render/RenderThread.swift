// SPDX-License-Identifier: Apache-2.0
import Geometry
import Ink
import Linux
import Pad
import Pages
import Raster
import Synchronization

/// The thread that turns reports into pixels: models, rasterizes into the paper and the free back buffer.
///
/// When it falls behind it takes all reports that wait in one go: work is coalesced, reports are not.
struct RenderThread: ~Copyable {
    /// What the thread is made with.
    struct Plan: Sendable {
        var look: Look
        /// To begin with.
        var screen: PadScreen
        /// Nil while there is no display.
        var target: RenderTarget?
        /// Finished strokes are kept, for an SVG of a replay that will end; a panel that runs for years keeps none.
        var keepsStrokes = false
        /// Ink is drawn ahead of the pen, to where it will probably be when the frame is seen.
        var predicts = false
        /// Of the pages that are shown; nil for a bare sheet.
        var pages: Pages?
    }

    /// How pages look, and the first one.
    struct Pages: Sendable {
        var theme: PageTheme
        var first: Page
    }

    /// What the thread has done.
    struct Result: Sendable {
        var latency = LatencyHistogram()
        var sampleCount = 0
        /// Samples that had no place, see ``Canvas/leftOutCount``; none of ``sampleCount``.
        var leftOutCount = 0
        var strokeCount = 0
        var frameCount = 0
        /// Processor time of the thread in nanoseconds, the first frame's left out.
        var processorNanoseconds: Int64 = 0
        var strokes: [StrokeInk] = []
    }

    private let thread: Linux.Thread
    private let result: ResultBox

    private final class ResultBox: Sendable {
        let value = Mutex(Result())
    }

    init(_ plan: Plan, link: RenderLink) throws(Errno) {
        let result = ResultBox()
        // All that can fail before the first stored property: Swift 6.0 crashes over a move-only value half made.
        let thread = try Linux.Thread(name: "render") {
            var renderer = Renderer(plan: plan, link: link)
            renderer.run()
            let done = renderer.result
            result.value.withLock { $0 = done }
            link.signalEnd()
        }
        self.thread = thread
        self.result = result
    }

    /// Waits for the thread, which the link has told to end.
    consuming func join() -> Result {
        let result = result
        thread.join()
        return result.value.withLock { $0 }
    }
}
