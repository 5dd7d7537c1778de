// SPDX-License-Identifier: Apache-2.0
import Canvas
import Geometry
import Ink
import Linux
import Raster
import Screen
import Synchronization

/// The thread that turns reports into pixels: models, rasterizes into the paper and the free back buffer.
///
/// When it falls behind it takes all reports that wait in one go: work is coalesced, reports are not.
struct RenderThread: ~Copyable {
    /// What the thread is made with.
    struct Plan: Sendable {
        var look: Look
        /// What the look asks for, or what it leaves to the display.
        var rotation: Rotation
        var density: PixelDensity
        /// The panel's, before rotation.
        var size: PixelSize
        var surfaces: [Surface]
        /// Finished strokes are kept, for an SVG of a replay that will end; a panel that runs for years keeps none.
        var keepsStrokes = false
        /// Ink is drawn ahead of the pen, to where it will probably be when the frame is seen.
        var predicts = false
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

/// The render thread's own state.
private struct Renderer: ~Copyable {
    /// Reports that have piled up are shown in parts, a frame of a 60 Hz screen each, or a slow processor would show
    /// nothing until it had caught up with all of them.
    private static let drawInterval: Int64 = 16_000_000

    let plan: RenderThread.Plan
    let link: RenderLink
    var canvas: Canvas
    var result = RenderThread.Result()
    /// Kernel times of the reports that no back buffer shows yet.
    var waiting: [Int64] = []

    init(plan: RenderThread.Plan, link: RenderLink) {
        self.plan = plan
        self.link = link
        canvas = Canvas(
            size: plan.rotation.pictureSize(onPanel: plan.size), pen: plan.look.pen, color: plan.look.color,
            background: plan.look.background, density: plan.density)
    }

    mutating func run() {
        draw()
        let start = Linux.Thread.processorNanoseconds
        var steps: [RenderLink.Step] = []
        var isEnding = false
        while !isEnding {
            let phase = link.waitForWork(&steps, until: canvas.predictionExpiry)
            var drawn = MonotonicClock.nanoseconds
            for step in steps {
                if link.isAbandoned { break }
                apply(step)
                if MonotonicClock.nanoseconds - drawn > Self.drawInterval {
                    draw()
                    drawn = MonotonicClock.nanoseconds
                }
            }
            draw()
            // With all buffers on screen the last frame waits for a flip, which wakes this thread again.
            isEnding = phase == .abandoned || phase == .finishing && !link.withSwapchain { $0.needsDrawing }
        }
        result.processorNanoseconds = Linux.Thread.processorNanoseconds - start
    }

    private mutating func apply(_ step: RenderLink.Step) {
        let stroke = canvas.apply(step.event)
        let isLeftOut = canvas.leftOutCount > result.leftOutCount
        result.leftOutCount = canvas.leftOutCount
        switch step.event {
        case .begin, .move:
            if isLeftOut { break }
            waiting.append(step.reportedMicroseconds)
            result.sampleCount += 1
        case .end, .cancel: break
        }
        guard let stroke else { return }
        result.strokeCount += 1
        if plan.keepsStrokes { result.strokes.append(stroke) }
    }

    /// Predicts anew what is drawn for reports that no back buffer shows yet, and takes back a prediction that no
    /// report has followed: the pen rests, and ink must not stand ahead of it. A flip alone changes nothing, or a
    /// resting pen would have a frame drawn at every vblank.
    private mutating func predict() {
        if !waiting.isEmpty { canvas.predict(until: link.timeOfNextFrame()) }
        // After it, because reports may come so late that the pen has been still since for all we know.
        if let expiry = canvas.predictionExpiry, MonotonicClock.microseconds >= expiry { canvas.predict(until: nil) }
    }

    /// Brings a free back buffer up to date, if there is one and anything to show.
    private mutating func draw() {
        if plan.predicts { predict() }
        let damage = canvas.takeDamage()
        let drawing = link.withSwapchain { swapchain in
            swapchain.invalidate(damage)
            return swapchain.needsDrawing ? swapchain.acquire() : nil
        }
        guard let drawing else { return }
        canvas.compose(drawing.stale, onto: plan.surfaces[drawing.index], rotation: plan.rotation)
        let now = MonotonicClock.microseconds
        for time in waiting { result.latency.add(microseconds: now - time) }
        waiting.removeAll(keepingCapacity: true)
        result.frameCount += 1
        link.withSwapchain { $0.submit(drawing.index) }
        link.signalFrameReady()
    }
}
