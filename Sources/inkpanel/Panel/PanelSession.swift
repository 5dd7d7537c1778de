// SPDX-License-Identifier: Apache-2.0
import Configuration
import Capture
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
    /// Millimetres: a larger contact is a palm.
    var palmLimit = ContactGate.usualPalmLimit
    /// Nil for a bare sheet, on which everything that is touched is inked.
    var pad: PadPlan?
    /// The session ends with its recording; otherwise the picture stays on screen until a signal comes.
    var endsWithRecording = false

    /// Opens the display, takes the console over, runs until a signal asks to end and leaves both as they were.
    func runToSignal(inputs: [any TouchInput], display choice: DisplayChoice) throws {
        let display = try choice.open()
        defer { display.close() }
        // A display in memory is on nobody's terminal.
        let isOnConsole = !display.details.card.isEmpty
        let outcome = try isOnConsole ? runOnConsole(inputs, display) : run(inputs, display, until: SignalSet.ending)
        log.notice(outcome.summary.line(outcome.rendering))
    }

    private func runOnConsole(_ inputs: [any TouchInput], _ display: any Display) throws -> Outcome {
        var console = Console()
        if case .refused = console.outcome { log.warning("\(console.outcome)") }
        defer { console.restore() }
        return try run(inputs, display, until: SignalSet.ending)
    }

    /// Runs until one of `signals` or the end of a recording. Afterwards every thread has ended; the display still
    /// shows the last frame and is the caller's to close.
    /// - Parameters:
    ///   - inputs: one at least.
    ///   - signals: blocked since the program began, so that only the main loop sees them.
    func run(_ inputs: [any TouchInput], _ display: any Display, until signals: [CInt]) throws -> Outcome {
        let rotation = look.rotation ?? display.details.orientation ?? .none
        let density = look.density ?? display.statedDensity ?? .standard
        let mappings = try inputs.map { input in
            guard let mapping = PanelMapping(input.description, panel: display.size, rotation: rotation) else {
                throw CommandError.unusableInput("\(input.name) has no axes to map to the screen")
            }
            return mapping
        }
        let picture = rotation.pictureSize(onPanel: display.size)
        let link = try RenderLink(
            swapchain: Swapchain(size: picture, bufferCount: display.surfaces.count),
            refreshIntervalNanoseconds: display.refreshIntervalNanoseconds)
        let service = try makeService(inputs, mappings, display, density, link)
        let panel = try Panel(
            inputs: inputs, display: display, link: link, gate: ContactGate(mappings: mappings, palmLimit: palmLimit),
            rotation: rotation, pad: service?.desk, endsWithRecording: endsWithRecording, signals: signals, log: log)
        var plan = RenderThread.Plan(
            look: look, rotation: rotation, density: density, size: display.size, surfaces: display.surfaces,
            keepsStrokes: keepsStrokes, predicts: predicts)
        if let pad, let service {
            plan.pages = PageLook(
                theme: pad.theme, density: look.density ?? display.statedDensity, first: service.first)
        }
        let thread = try RenderThread(plan, link: link)
        let ending = Result {
            let ending = try panel.run {
                let turned = rotation == .none ? "" : ", turned \(rotation.rawValue) degrees"
                let pen = look.pen.name.rawValue
                let names = inputs.map(\.name).joined(separator: " and ")
                log.notice("ready: \(display.details), touch \(names), pen \(pen), \(density)\(turned)")
            }
            // A service manager does not wait for ever; a recording's picture is to be whole.
            try panel.finish(within: ending == .endOfRecording ? nil : Self.patience)
            return ending
        }
        if case .failure(let error) = ending, !(error is ScreenError) {
            // The touch device is gone; what it drew is still to be seen.
            try? panel.finish(within: Self.patience)
        }
        // Nobody can sign any more, however it ended; what was accepted is kept as far as it got.
        if case .failure(let error) = ending, error is ScreenError { try? service?.desk.take(.end) }
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
        _ inputs: [any TouchInput], _ mappings: [PanelMapping], _ display: any Display, _ density: PixelDensity,
        _ link: RenderLink
    ) throws -> PadService? {
        guard let pad, let picture = mappings.first?.picture else { return nil }
        return try PadService(
            pad, pen: look.pen, screen: PanelStatus.Screen(name: "\(display.details)", size: picture, density: density),
            statedDensity: look.density ?? display.statedDensity,
            devices: zip(inputs, mappings).compactMap { CaptureDevice($0.description, mapping: $1) },
            deviceNames: inputs.map(\.name), render: link, log: log)
    }

    /// For the last strokes to reach the screen, in nanoseconds: a fifth of what inkpanel.service gives for stopping.
    private static let patience: Int64 = 1_000_000_000
}
