// SPDX-License-Identifier: Apache-2.0
import Configuration
import Control
import Geometry
import Glibc
import Ink
import Linux
import Raster
import Record
import Screen
import Touch

/// One run of the panel from opened devices to a clean end: what `run`, `replay`, `demo` and `bench` have in common.
struct PanelSession {
    /// What came of it.
    struct Outcome {
        var ending: Panel.Ending
        var summary: PanelSummary
        var rendering: RenderThread.Result
    }

    let look: Look
    let log: Log
    /// Finished strokes are kept for an SVG.
    var keepsStrokes = false
    /// Ink is drawn ahead of the pen, where the display has a beat that says how far.
    var predicts = false
    /// Nil for a bare sheet, on which everything that is touched is inked.
    var pad: PadPlan?
    /// The session ends with its recording; otherwise the picture stays on screen until a signal comes.
    var endsWithRecording = false

    /// Opens the display, takes the console over, runs until a signal asks to end and leaves both as they were.
    func runToSignal(input: any TouchInput, display choice: DisplayChoice) throws {
        let display = try choice.open()
        defer { display.close() }
        // A display in memory is on nobody's terminal.
        let isOnConsole = !display.details.card.isEmpty
        let outcome = try isOnConsole ? runOnConsole(input, display) : run(input, display, until: SignalSet.ending)
        log.notice(outcome.summary.line(outcome.rendering))
    }

    private func runOnConsole(_ input: any TouchInput, _ display: any Display) throws -> Outcome {
        var console = Console()
        if case .refused = console.outcome { log.warning("\(console.outcome)") }
        defer { console.restore() }
        return try run(input, display, until: SignalSet.ending)
    }

    /// Runs until one of `signals` or the end of a recording. Afterwards every thread has ended; the display still
    /// shows the last frame and is the caller's to close.
    /// - Parameter signals: blocked since the program began, so that only the main loop sees them.
    func run(_ input: any TouchInput, _ display: any Display, until signals: [CInt]) throws -> Outcome {
        let rotation = look.rotation ?? display.details.orientation ?? .none
        let density = look.density ?? display.statedDensity ?? .standard
        guard let mapping = PanelMapping(input.description, panel: display.size, rotation: rotation) else {
            throw CommandError.unusableInput("\(input.name) has no axes to map to the screen")
        }
        let picture = rotation.pictureSize(onPanel: display.size)
        let link = try RenderLink(
            swapchain: Swapchain(size: picture, bufferCount: display.surfaces.count),
            refreshIntervalNanoseconds: display.refreshIntervalNanoseconds)
        let service = try makeService(input, display, mapping, density, link)
        let panel = try Panel(
            input: input, display: display, link: link, mapping: mapping, rotation: rotation, pad: service?.desk,
            endsWithRecording: endsWithRecording, signals: signals, log: log)
        var plan = RenderThread.Plan(
            look: look, rotation: rotation, density: density, size: display.size, surfaces: display.surfaces,
            keepsStrokes: keepsStrokes, predicts: predicts)
        plan.pages = pad.map {
            PageLook(theme: $0.theme, density: look.density ?? display.statedDensity, first: $0.idle)
        }
        let thread = try RenderThread(plan, link: link)
        let ending = Result {
            let ending = try panel.run {
                let turned = rotation == .none ? "" : ", turned \(rotation.rawValue) degrees"
                let pen = look.pen.name.rawValue
                log.notice("ready: \(display.details), touch \(input.name), pen \(pen), \(density)\(turned)")
            }
            // A service manager does not wait for ever; a recording's picture is to be whole.
            try panel.finish(within: ending == .endOfRecording ? nil : Self.patience)
            return ending
        }
        if case .failure(let error) = ending, !(error is ScreenError) {
            // The touch device is gone; what it drew is still to be seen.
            try? panel.finish(within: Self.patience)
        }
        // Whatever the ending: the thread writes to the display's memory, so it must be over before anybody frees that.
        link.abandon()
        let rendering = thread.join()
        service?.stop()
        switch ending {
        case .success(let ending):
            return Outcome(ending: ending, summary: panel.summary, rendering: rendering)
        case .failure(let error):
            log.notice(panel.summary.line(rendering))
            throw error
        }
    }

    private func makeService(
        _ input: any TouchInput, _ display: any Display, _ mapping: PanelMapping, _ density: PixelDensity,
        _ link: RenderLink
    ) throws -> PadService? {
        guard let pad else { return nil }
        return try PadService(
            pad,
            screen: PanelStatus.Screen(name: "\(display.details)", size: mapping.picture, density: density),
            device: CaptureDevice(input.description), mapping: mapping, deviceName: input.name, render: link, log: log)
    }

    /// For the last strokes to reach the screen, in nanoseconds: a fifth of what inkpanel.service gives for stopping.
    private static let patience: Int64 = 1_000_000_000
}
