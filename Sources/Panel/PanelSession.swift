// SPDX-License-Identifier: Apache-2.0
package import Configuration
package import Geometry
import Glibc
package import Ink
package import Linux
package import Pad
package import Raster
import Record
package import Screen
package import Store
package import Touch

/// One run of the panel to a clean end, shared by `run`, `replay`, `demo` and `bench`.
package struct PanelSession {
    /// The result of a run.
    package struct Outcome {
        var ending: Panel.Ending
        var summary: PanelSummary
        var rendering: RenderThread.Result
    }

    /// Time for the last strokes to reach the screen: a fifth of the stop timeout in inkpanel.service.
    private static let patience = Duration.seconds(1)

    package let look: Look
    let log: Log
    /// Whether finished strokes are kept for an SVG.
    package var keepsStrokes = false
    /// Whether ink is drawn ahead of the pen, on displays with a known refresh interval.
    package var predicts = false
    package var latency = InkLatency.flip
    /// Palms, filters and calibration.
    package var touchSettings = Configuration.Touch()
    /// The self-tests of touch devices, for records.
    package var digitizerTests: DigitizerTestLog?
    /// nil for a bare sheet, all of which takes ink.
    package var pad: PanelPad.Setup?
    /// Whether the session ends with its recording; otherwise the picture stays on screen until a signal.
    package var endsWithRecording = false
    /// When the screen is dimmed and switched off; nil leaves its brightness unchanged.
    package var power: Configuration.Power?
    /// Whether to wait if there is no display at the start; otherwise that is an error.
    package var waitsForDisplay = true
    /// Whether users may switch to another virtual terminal.
    package var switching = PanelConsole.Switching.allowed

    package init(look: Look, log: Log) {
        self.look = look
        self.log = log
    }

    /// Runs until a signal requests the end, and waits for missing displays and touch devices. Restores the screen and
    /// the console.
    /// - Parameter inputs: recordings, present from the start.
    package func runToSignal(
        sources: [any TouchSource], inputs: [any TouchInput], display choice: DisplayChoice
    ) throws {
        // A display in memory needs no terminal and cannot be unplugged.
        if choice.isInMemory { return try runToSignal(sources: sources, inputs: inputs, on: try choice.open()) }
        let console = PanelConsole(switching: switching, log: log)
        defer { console.restore() }
        let connection = DisplayConnection { () throws(ScreenError) in try choice.open() }
        try runToSignal(sources: sources, inputs: inputs, connection, console: console)
    }

    /// Runs until a signal on a display that stays, and closes it.
    package func runToSignal(sources: [any TouchSource], inputs: [any TouchInput], on display: any Display) throws {
        defer { display.close() }
        try runToSignal(sources: sources, inputs: inputs, DisplayConnection(display), console: nil)
    }

    private func runToSignal(
        sources: [any TouchSource], inputs: [any TouchInput], _ connection: DisplayConnection, console: PanelConsole?
    ) throws {
        let touches = TouchDevices(sources: sources)
        touches.add(inputs)
        let watchdog = PanelWatchdog(ServiceManager(log: log), log: log)
        let signals = SignalSet.ending + (console == nil ? [] : PanelConsole.signals)
        let outcome = try run(touches, connection, until: signals, console: console, watchdog: watchdog)
        log.notice(outcome.summary.line(outcome.rendering))
    }

    /// Runs present inputs on an open display until one of `signals` or the end of a recording. Afterwards the display
    /// still shows the last frame; the caller closes it.
    /// - Parameters:
    ///   - inputs: at least one.
    ///   - signals: blocked since the start of the program, so that only the main loop receives them.
    package func run(_ inputs: [any TouchInput], _ display: any Display, until signals: [CInt]) throws -> Outcome {
        let touches = TouchDevices(sources: [])
        touches.add(inputs)
        return try run(touches, DisplayConnection(display), until: signals)
    }

    /// When this returns, every thread has ended, and the display is closed if it was opened here.
    private func run(
        _ touches: TouchDevices, _ connection: DisplayConnection, until signals: [CInt], console: PanelConsole? = nil,
        watchdog: PanelWatchdog? = nil
    ) throws -> Outcome {
        // Open the display before the pad is created, so that its pages are laid out for the right size.
        let now = MonotonicClock.now
        let change = console?.show() == false ? connection.suspend(at: now) : connection.update(at: now)
        if case .unavailable(let error)? = change, !waitsForDisplay { throw error }
        defer { connection.close() }
        let screen = connection.display.map { PadScreen($0, look: look) } ?? PadScreen(waiting: look)
        let target = connection.display.map { RenderTarget($0, screen) }
        let link = try RenderLink()
        let panelPad = try pad.map { try PanelPad($0, screen: screen, render: link, log: log) }
        // Also if a later initializer throws.
        defer { panelPad?.stop() }
        let power = try power.map { power in
            try ScreenPower(
                power, log: log, findBacklight: { Backlight.find(dimmedPercent: power.dimmedPercent) },
                blank: { link.send([.blank($0)]) })
        }
        defer { power?.close() }
        // Without a terminal of our own, the keyboards are those of somebody else's session.
        let keyboards = console?.ownsKeyboard == true ? pad.map { Keyboards($0.settings.keys, log: log) } : nil
        let panel = try Panel(
            self,
            Panel.Parts(
                connection: connection, touches: touches, link: link, pad: panelPad, signals: signals, console: console,
                keyboards: keyboards, power: power, watchdog: watchdog),
            screen: screen, target: target)
        if case .unavailable? = change, let change { try panel.apply(change) }
        let thread = try RenderThread(
            RenderThread.Plan(
                look: look, screen: screen, target: target, keepsStrokes: keepsStrokes, predicts: predicts,
                pages: pad.flatMap { pad in panelPad.map { .init(theme: pad.theme, first: $0.firstActions) } }),
            link: link)
        // Set this after the other threads have started, because a new thread inherits it.
        Linux.Thread.useShortSlices()
        let ending = Result { try runToEnd(panel, panelPad) }
        // The thread writes to the display's memory, so it must end before that is freed.
        link.abandon()
        let rendering = thread.join()
        // Release the screen before the last records are stored and the last replies sent, which may take longer than a
        // service manager waits.
        connection.close()
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
                // No one can sign without a display. Accepted captures are stored if possible.
                try? pad?.handle(.stop)
            } else {
                // The touch device is gone; show the rest of its ink.
                try? panel.finish(within: Self.patience)
            }
            throw error
        }
        // A service manager limits the time to stop. The picture of a recording must be complete.
        try panel.finish(within: ending == .endOfRecording ? nil : Self.patience)
        return ending
    }
}

extension DisplayChoice {
    package func open() throws(ScreenError) -> any Display {
        switch self {
        case .kms(let connector): try DisplayFinder().open(connector.map { DisplayRequest($0) } ?? .best)
        case .framebuffer(let path): try FramebufferDisplay(path: path)
        case .headless(let size): try HeadlessDisplay(size: size)
        }
    }
}

/// The look of ink and paper, the rotation of the picture on the panel, and the size of touch targets.
package struct Look: Sendable {
    package var pen: Pen
    package var color: Color
    package var background: Color
    /// The density for ink; nil means the density that the display states, or the standard density. As nil counts one
    /// that no screen has (``PixelDensity/isOfScreen``).
    package var density: PixelDensity?
    /// nil means the kernel's "panel orientation", or no rotation if it states none.
    package var rotation: Rotation?
    /// Whether people wear gloves.
    package var gloves: Bool
    /// The least height of capitals on pages in millimetres; nil for the usual letters.
    package var letters: Double?

    package init(
        pen: Pen = Pen(), color: Color = .black, background: Color = .white, density: PixelDensity? = nil,
        rotation: Rotation? = nil, gloves: Bool = false, letters: Double? = nil
    ) {
        self.pen = pen
        self.color = color
        self.background = background
        self.density = density
        self.rotation = rotation
        self.gloves = gloves
        self.letters = letters
    }

    /// ``density`` if a screen may have it.
    package var screenDensity: PixelDensity? { density.flatMap { $0.isOfScreen ? $0 : nil } }

    /// Why the size of a display counts as unknown; nil if it is known, or nobody states it.
    package func densityFault(of display: some Display) -> String? {
        if screenDensity != nil { return nil }
        let range = "\(Int(PixelDensity.screenRange.lowerBound)) to \(Int(PixelDensity.screenRange.upperBound)) dpi"
        if let density {
            let rest = display.statedDensity.map { "the size that it states is used, \($0)" }
            return "the density is set to \(density), but screens have \(range); "
                + (rest ?? "the size of the screen counts as unknown")
        }
        return display.densityFault.map {
            "\(display.details.name) \($0) (screens have \(range), and square pixels); its size counts as unknown. "
                + "Set dpi in [display]"
        }
    }
}

extension PadScreen {
    /// Describes a display. Its stated density and orientation apply unless the look overrides them.
    package init(_ display: any Display, look: Look) {
        let density = look.screenDensity ?? display.statedDensity
        self.init(
            name: "\(display.details)", panelSize: display.size,
            rotation: look.rotation ?? display.details.orientation ?? .none, density: density ?? .standard,
            pageDensity: density, gloves: look.gloves, letters: look.letters)
    }

    /// The assumptions before the first display: the size of the first Raspberry Pi touch display, the most common one.
    init(waiting look: Look) {
        self.init(
            name: "none yet", panelSize: PixelSize(width: 800, height: 480), rotation: look.rotation ?? .none,
            density: look.screenDensity ?? .standard, pageDensity: look.screenDensity, gloves: look.gloves,
            letters: look.letters)
    }
}

/// The counts of a run, logged at its end.
package struct PanelSummary {
    /// Reports with contacts, including those that did not draw.
    var reportCount = 0
    /// The number of times the kernel dropped reports because they were not read in time.
    var dropCount = 0
    var flipCount = 0
    /// The latency of the whole run; the pad measures that of each capture.
    var glass = GlassLatency()

    /// One line for the log. Tests on a real kernel parse it.
    package func line(_ result: RenderThread.Result) -> String {
        let front = result.frontLatency
        let written = front.count > 0 ? ", report to front buffer \(front.summary)" : ""
        let leftOut = result.leftOutCount > 0 ? ", left out \(result.leftOutCount)" : ""
        return "reports \(reportCount), dropped \(dropCount), strokes \(result.strokeCount), "
            + "samples \(result.sampleCount), frames \(result.frameCount), flips \(flipCount), "
            + "report to pixels \(result.latency.summary), report to screen \(glass.histogram.summary)"
            + "\(written)\(leftOut)"
    }
}

/// Reports the panel's state to the service manager: readiness, status, and watchdog pings as long as the panel makes
/// progress. Times are on ``MonotonicClock``. For the main thread.
final class PanelWatchdog {
    private let manager: ServiceManager
    private let log: Log
    private var isReady = false
    private var nextPing: Timestamp?
    private var isSilent = false

    init(_ manager: ServiceManager, log: Log) {
        self.manager = manager
        self.log = log
        if manager.watchdogInterval != nil { nextPing = .distantPast }
    }

    /// When to call ``pass(at:renderSilence:)``; nil without a watchdog, so that an idle panel sleeps.
    var deadline: Timestamp? { nextPing }

    /// The panel shows its first frame, or waits for a display.
    func ready(_ status: String) {
        manager.status(status)
        if !isReady { manager.ready() }
        isReady = true
    }

    func status(_ status: String) { manager.status(status) }

    func stopping() { manager.stopping() }

    /// Pings the watchdog if that is due and the render thread makes progress. The call itself shows that the main loop
    /// runs; flips that stop throw from the loop.
    /// - Parameter renderSilence: the time since the render thread last made progress on its work.
    func pass(at now: Timestamp, renderSilence: Duration) {
        guard let interval = manager.watchdogInterval, let due = nextPing, due <= now else { return }
        // Ping at half the interval, as sd_watchdog_enabled(3) recommends: a busy machine may be late.
        nextPing = now + max(interval / 2, .microseconds(1))
        if renderSilence < interval {
            manager.pingWatchdog()
        } else if !isSilent {
            log.error(
                "the render thread has been stuck for \(renderSilence.components.seconds) s; waiting for the watchdog "
                    + "to restart the panel")
        }
        isSilent = renderSilence >= interval
    }
}

/// Plays a recording through the whole panel into a display in memory.
package struct HeadlessPlayback {
    /// The result, with the display still open so that its pixels can be read.
    package struct Outcome {
        package var summary: PanelSummary
        package var rendering: RenderThread.Result
        package var display: HeadlessDisplay

        /// The frame on the display. There is at least a first one, because the session waits for it.
        package var pixels: Surface { display.currentSurface ?? display.surfaces[0] }
    }

    let size: PixelSize
    private let look: Look
    private let pace: RecordingPlayer.Pace
    package var keepsStrokes: Bool
    package var predicts: Bool
    package var latency: InkLatency
    /// The display's refresh behaviour.
    package var refresh: HeadlessDisplay.Pace
    private let log: Log

    package init(
        size: PixelSize, look: Look, pace: RecordingPlayer.Pace, keepsStrokes: Bool = false, predicts: Bool = false,
        latency: InkLatency = .flip, refresh: HeadlessDisplay.Pace = .immediate, log: Log
    ) {
        self.size = size
        self.look = look
        self.pace = pace
        self.keepsStrokes = keepsStrokes
        self.predicts = predicts
        self.latency = latency
        self.refresh = refresh
        self.log = log
    }

    package func run(_ recording: Recording, name: String) throws -> Outcome {
        let input = try RecordingInput(recording, name: name, pace: pace)
        let display = try HeadlessDisplay(size: size, pace: refresh)
        var session = PanelSession(look: look, log: log)
        session.keepsStrokes = keepsStrokes
        session.predicts = predicts
        session.latency = latency
        session.endsWithRecording = true
        // Signals keep their default action: no screen or console has to be restored, and files are written at the end.
        let outcome = try session.run([input], display, until: [])
        return Outcome(summary: outcome.summary, rendering: outcome.rendering, display: display)
    }
}
