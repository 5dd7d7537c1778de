// SPDX-License-Identifier: Apache-2.0
import Configuration
import Geometry
import Glibc
import Ink
import Linux
import Pad
import Raster
import Screen
import Touch

/// One run of the panel to a clean end: what `run`, `replay`, `demo` and `bench` have in common.
struct PanelSession {
    /// What came of it.
    struct Outcome {
        var ending: Panel.Ending
        var summary: PanelSummary
        var rendering: RenderThread.Result
    }

    /// For the last strokes to reach the screen, in nanoseconds: a fifth of what inkpanel.service gives for stopping.
    private static let patience: Int64 = 1_000_000_000

    let look: Look
    let log: Log
    /// Finished strokes are kept for an SVG.
    var keepsStrokes = false
    /// Ink is drawn ahead of the pen, where the display has a beat that says how far.
    var predicts = false
    /// Millimetres: a contact of this size or larger is a palm.
    var palmLimit = ContactGate.usualPalmLimit
    var filters = NoiseSettings()
    /// From 0...1 of the digitizer to 0...1 of the panel, of all devices; nil is as udev says of each.
    var calibration: Transform?
    /// Nil for a bare sheet, on which everything that is touched is inked.
    var pad: PanelPad.Setup?
    /// The session ends with its recording; otherwise the picture stays on screen until a signal comes.
    var endsWithRecording = false
    /// When the screen is dimmed and switched off; nil leaves its light alone.
    var power: Configuration.Power?
    /// Where there is no display to begin with, one is waited for; otherwise that is an error.
    var waitsForDisplay = true
    /// What becomes of wishes to switch to another virtual terminal.
    var switching = PanelConsole.Switching.allowed

    /// Runs until a signal asks to end, waiting for displays and touch devices while there are none, and leaves the
    /// screen and the console as they were.
    /// - Parameter inputs: recordings, which are there from the start.
    func runToSignal(sources: [any TouchSource], inputs: [any TouchInput], display choice: DisplayChoice) throws {
        let seat: DisplayConnection
        var console: PanelConsole?
        var given: (any Display)?
        defer {
            given?.close()
            console?.restore()
        }
        if choice.isInMemory {
            // On nobody's terminal, and it does not go.
            let display = try choice.open()
            given = display
            seat = DisplayConnection(display)
        } else {
            console = PanelConsole(switching: switching, log: log)
            seat = DisplayConnection { () throws(ScreenError) in try choice.open() }
        }
        let touches = TouchDevices(sources: sources)
        touches.add(inputs)
        let health = PanelHealth(ServiceManager(log: log), log: log)
        let signals = SignalSet.ending + (console == nil ? [] : PanelConsole.signals)
        let outcome = try run(touches, seat, until: signals, console: console, health: health)
        log.notice(outcome.summary.line(outcome.rendering))
    }

    /// Runs inputs that are there on a display that is: until one of `signals`, or the end of a recording. Afterwards
    /// the display still shows the last frame and is the caller's to close.
    /// - Parameters:
    ///   - inputs: one at least.
    ///   - signals: blocked since the program began, so that only the main loop sees them.
    func run(_ inputs: [any TouchInput], _ display: any Display, until signals: [CInt]) throws -> Outcome {
        let touches = TouchDevices(sources: [])
        touches.add(inputs)
        return try run(touches, DisplayConnection(display), until: signals)
    }

    /// Afterwards every thread has ended, and the display is closed if it was opened here.
    private func run(
        _ touches: TouchDevices, _ seat: DisplayConnection, until signals: [CInt], console: PanelConsole? = nil,
        health: PanelHealth? = nil
    ) throws -> Outcome {
        // Here already, so that a panel that has a display begins with its size.
        let now = MonotonicClock.nanoseconds
        let change = console?.show() == false ? seat.suspend(at: now) : seat.update(at: now)
        if case .unavailable(let error)? = change, !waitsForDisplay { throw error }
        defer { seat.close() }
        let screen = seat.display.map { PadScreen($0, look: look) } ?? PadScreen(waiting: look)
        let target = seat.display.map { RenderTarget($0, screen) }
        let link = try RenderLink()
        let panelPad = try pad.map { try PanelPad($0, look: look, screen: screen, render: link, log: log) }
        // Whatever the ending, also of what follows here.
        defer { panelPad?.stop() }
        let power = try power.map { power in
            try ScreenPower(
                power, log: log, findBacklight: { Backlight.find(dimmedPercent: power.dimmedPercent) },
                blank: { link.send([.blank($0)]) })
        }
        defer { power?.close() }
        let panel = try Panel(
            Panel.Parts(
                seat: seat, touches: touches, link: link, look: look, palmLimit: palmLimit,
                filters: filters, calibration: calibration, pad: panelPad,
                endsWithRecording: endsWithRecording, signals: signals, console: console, power: power, health: health,
                log: log),
            screen: screen, target: target)
        if case .unavailable? = change, let change { try panel.follow(change) }
        let thread = try RenderThread(
            RenderThread.Plan(
                look: look, screen: screen, target: target, keepsStrokes: keepsStrokes, predicts: predicts,
                pages: pad.flatMap { pad in panelPad.map { .init(theme: pad.theme, first: $0.firstPage) } }),
            link: link)
        let ending = Result { try runToEnd(panel, panelPad) }
        // The thread writes to the display's memory, so it must be over before anybody frees that.
        link.abandon()
        let rendering = thread.join()
        // Before the last records are stored and the last answers sent, which may take longer than a service manager
        // waits: the screen is given back in any case.
        seat.close()
        console?.restore()
        switch ending {
        case .success(let ending):
            return Outcome(ending: ending, summary: panel.summary, rendering: rendering)
        case .failure(let error):
            log.notice(panel.summary.line(rendering))
            throw error
        }
    }

    private func runToEnd(_ panel: Panel, _ pad: PanelPad?) throws -> Panel.Ending {
        let ending: Panel.Ending
        do {
            ending = try panel.run()
        } catch {
            if error is ScreenError {
                // Nobody can sign any more; what was accepted is kept as far as it got.
                try? pad?.handle(.stop)
            } else {
                // The touch device is gone; what it drew is still to be seen.
                try? panel.finish(within: Self.patience)
            }
            throw error
        }
        // A service manager does not wait for ever; a recording's picture is to be whole.
        try panel.finish(within: ending == .endOfRecording ? nil : Self.patience)
        return ending
    }
}

/// How ink and paper look, and how the picture lies on the panel.
struct Look: Sendable {
    var pen = Pen()
    var color = Color.black
    var background = Color.white
    /// What millimetres are to the pen; nil is as the display states its size, or the standard if it does not.
    var density: PixelDensity?
    /// nil is as the kernel says the panel is built in ("panel orientation"), which is not turned if it says nothing.
    var rotation: Rotation?
}

extension PadScreen {
    /// A display, with what the look leaves open as the display states it.
    init(_ display: any Display, look: Look) {
        let density = look.density ?? display.statedDensity
        self.init(
            name: "\(display.details)", panelSize: display.size,
            rotation: look.rotation ?? display.details.orientation ?? .none, density: density ?? .standard,
            pageDensity: density)
    }

    /// What is assumed before the first display: the size of the Raspberry Pi's first touch panel, the most common one.
    init(waiting look: Look) {
        self.init(
            name: "none yet", panelSize: PixelSize(width: 800, height: 480), rotation: look.rotation ?? .none,
            density: look.density ?? .standard, pageDensity: look.density)
    }
}

/// What a panel did while it ran: the line it logs at the end.
struct PanelSummary {
    /// Reports of contacts, also of those that did not draw.
    var reportCount = 0
    /// Times the kernel dropped reports because they were not read in time.
    var dropCount = 0
    var flipCount = 0

    /// One line for the log; tests on a real kernel read it.
    func line(_ result: RenderThread.Result) -> String {
        let leftOut = result.leftOutCount > 0 ? ", left out \(result.leftOutCount)" : ""
        return "reports \(reportCount), dropped \(dropCount), strokes \(result.strokeCount), "
            + "samples \(result.sampleCount), frames \(result.frameCount), flips \(flipCount), "
            + "report to pixels \(result.latency.summary)\(leftOut)"
    }
}

extension LatencyHistogram {
    /// Median, 99th percentile and maximum in milliseconds.
    var summary: String {
        guard let median = percentile(0.5), let tail = percentile(0.99) else { return "not measured" }
        return "p50 \(milliseconds(median)) p99 \(milliseconds(tail)) max \(milliseconds(maximum)) ms"
    }

    /// To the microsecond, e.g. 0.417.
    private func milliseconds(_ microseconds: Int64) -> String {
        let thousandths = String(microseconds % 1000)
        return "\(microseconds / 1000)." + String(repeating: "0", count: 3 - thousandths.count) + thousandths
    }
}

/// What the service manager is told of the panel: that it is ready, what it does, and, as long as it makes progress,
/// that it lives. Times are nanoseconds on ``MonotonicClock``. For the main thread.
final class PanelHealth {
    private let manager: ServiceManager
    private let log: Log
    private var isReady = false
    private var nextPing: Int64?
    private var isSilent = false

    init(_ manager: ServiceManager, log: Log) {
        self.manager = manager
        self.log = log
        if manager.watchdogIntervalNanoseconds != nil { nextPing = .min }
    }

    /// When to call ``pass(at:renderSilence:)``; nil where nobody watches, so that an idle panel sleeps.
    var deadline: Int64? { nextPing }

    /// The panel does what it can: shows a first frame, or waits for something to show it on.
    func ready(_ status: String) {
        manager.status(status)
        if !isReady { manager.ready() }
        isReady = true
    }

    func status(_ status: String) { manager.status(status) }

    func stopping() { manager.stopping() }

    /// Says that all is well, if it is time to and it is: the main loop is what calls this, flips that stop throw from
    /// it, and what the render thread was told it does.
    /// - Parameter renderSilence: how long it has done nothing of that.
    func pass(at now: Int64, renderSilence: Int64) {
        guard let interval = manager.watchdogIntervalNanoseconds, let due = nextPing, due <= now else { return }
        // At half of it, as sd_watchdog_enabled(3) recommends: a busy machine may be late.
        nextPing = now + max(interval / 2, 1)
        if renderSilence < interval {
            manager.pingWatchdog()
        } else if !isSilent {
            log.error("the render thread has done nothing for \(renderSilence / 1_000_000_000) s; to be started again")
        }
        isSilent = renderSilence >= interval
    }
}

/// A recording played through the whole panel into a display in memory.
struct HeadlessPlayback {
    /// What came of it, with the display still open so that its pixels can be looked at.
    struct Outcome {
        var summary: PanelSummary
        var rendering: RenderThread.Result
        var display: HeadlessDisplay

        /// What the display shows: its first frame at least, since the session waits for that.
        var pixels: Surface { display.currentSurface ?? display.surfaces[0] }
    }

    var size: PixelSize
    var look: Look
    var pace: RecordingPlayer.Pace
    var keepsStrokes = false
    var predicts = false
    /// How the display takes its frames.
    var refresh = HeadlessDisplay.Pace.immediate
    var log: Log

    func run(_ recording: Recording, name: String) throws -> Outcome {
        let input = try RecordingInput(recording, name: name, pace: pace)
        let display = try HeadlessDisplay(size: size, pace: refresh)
        var session = PanelSession(look: look, log: log)
        session.keepsStrokes = keepsStrokes
        session.predicts = predicts
        session.endsWithRecording = true
        // Signals keep their default: there is no screen and no console to put back, and files are written at the end.
        let outcome = try session.run([input], display, until: [])
        return Outcome(summary: outcome.summary, rendering: outcome.rendering, display: display)
    }
}
