// SPDX-License-Identifier: Apache-2.0
import Geometry
import Glibc
import Ink
import Linux
import Raster
import Screen
import Touch

/// One run of the panel from opened devices to a clean end: what `run`, `replay`, `demo` and `bench` have in common.
struct PanelSession {
    /// How the ink and the paper look, and how the picture lies on the panel.
    struct Look {
        var pen: Pen
        var color: Color
        var background: Color
        var rotation: Rotation
    }

    /// What came of it.
    struct Outcome {
        var ending: Panel.Ending
        var summary: PanelSummary
        var rendering: RenderThread.Result
        /// From the start of the process's work here to the first frame.
        var firstFrameMicroseconds: Int64
    }

    let look: Look
    let log: Log
    /// Finished strokes are kept for an SVG.
    var keepsStrokes = false
    /// The session ends with its recording; otherwise the picture stays on screen until a signal comes.
    var endsWithRecording = false

    /// Opens the display, takes the console over, runs until SIGTERM or SIGINT and leaves both as they were.
    func runToSignal(input: any TouchInput, display choice: DisplayChoice, signals: consuming SignalSet) throws {
        let display = try choice.open()
        defer { display.close() }
        // A display in memory is on nobody's terminal.
        var console = display.details.card.isEmpty ? nil : Console()
        if let outcome = console?.outcome, case .refused = outcome { log.warning("\(outcome)") }
        defer { console = nil }
        let outcome = try run(input: input, display: display, signals: signals)
        log.notice(outcome.summary.line(outcome.rendering))
    }

    /// Runs until SIGTERM, SIGINT or the end of a recording. Afterwards every thread has ended; the display still shows
    /// the last frame and is the caller's to close.
    /// - Parameters:
    ///   - signals: made on the main thread before any other thread, so that they block the signals in all of them.
    ///   - isReady: called once the first frame is on screen.
    func run(
        input: any TouchInput, display: any Display, signals: consuming SignalSet, isReady: () -> Void = {}
    ) throws -> Outcome {
        let started = MonotonicClock.microseconds
        var firstFrame: Int64 = 0
        guard
            let mapping = PanelMapping(input.description, panel: display.size, rotation: look.rotation)
        else {
            throw CommandError.unusableInput("\(input.name) has no axes to map to the screen")
        }
        let picture = look.rotation.pictureSize(onPanel: display.size)
        let link = try RenderLink(swapchain: Swapchain(size: picture, bufferCount: display.surfaces.count))
        let plan = RenderThread.Plan(
            pen: look.pen, color: look.color, background: look.background, rotation: look.rotation, size: display.size,
            surfaces: display.surfaces, keepsStrokes: keepsStrokes)
        let panel = try Panel(
            input: input, display: display, link: link, mapping: mapping, rotation: look.rotation,
            endsWithRecording: endsWithRecording, signals: signals, log: log)
        let thread = try RenderThread(plan, link: link)
        let ending: Panel.Ending
        do {
            ending = try panel.run {
                firstFrame = MonotonicClock.microseconds - started
                log.notice("ready: \(display.details), touch \(input.name), pen \(look.pen.name.rawValue)")
                isReady()
            }
        } catch {
            // The thread writes to the display's memory: it must have ended before anybody frees that.
            panel.endStroke()
            link.stop()
            log.notice(panel.summary.line(thread.join()))
            try? panel.showLastFrame()
            throw error
        }
        panel.endStroke()
        link.stop()
        let rendering = thread.join()
        try panel.showLastFrame()
        return Outcome(
            ending: ending, summary: panel.summary, rendering: rendering, firstFrameMicroseconds: firstFrame)
    }
}
