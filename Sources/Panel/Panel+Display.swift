// SPDX-License-Identifier: Apache-2.0
import Configuration
import Geometry
import Ink
import Linux
import Pad
import Screen
import Touch

/// The panel's display: frames, flips and hotplug.
extension Panel {
    /// Passes a finished frame to the display if there is one and the previous frame is on screen.
    func present() throws {
        guard let target, let display = parts.connection.display, let ready = target.takeReady() else { return }
        do throws(ScreenError) {
            if isStarted { try present(ready, target, display) } else { try start(ready, target, display) }
        } catch {
            return try handle(error)
        }
        if parts.pad?.hasDisplay == false { try parts.pad?.handle(.displayShows) }
        if !hasStarted, isStarted {
            hasStarted = true
            for input in parts.touches.inputs { try input.start() }
        }
    }

    private func start(_ ready: ReadyFrame, _ target: RenderTarget, _ display: any Display) throws(ScreenError) {
        try display.start(showing: ready.frame.index)
        target.flipCompleted(at: nil)
        parts.link.wake()
        isStarted = true
        if session.latency == .front { writeToFront(of: target, display) }
        loggedLoss = nil
        parts.connection.frameShown()
        let turned = screen.rotation == .none ? "" : ", turned \(screen.rotation.rawValue) degrees"
        let names = parts.touches.inputs.isEmpty ? "none yet" : touchNames
        session.log.notice(
            "ready: \(display.details), touch \(names), pen \(session.look.pen.name.rawValue), \(screen.density)"
                + turned,
            .display(display.details.name))
        let fault = session.look.densityFault(of: display)
        if let fault, fault != loggedDensityFault { session.log.warning(fault, .display(display.details.name)) }
        loggedDensityFault = fault
        parts.watchdog?.ready("showing on \(display.details.name)")
    }

    private func writeToFront(of target: RenderTarget, _ display: any Display) {
        if display.scansOutInPlace { return target.allowFrontWrites() }
        let details = display.details
        let driver = details.driver.isEmpty ? details.name : details.driver
        session.log.warning(
            "new ink waits for the next frame: \(driver) shows a copy of the frame, so latency = \"front\" cannot work",
            .display(details.name))
    }

    private func present(_ ready: ReadyFrame, _ target: RenderTarget, _ display: any Display) throws(ScreenError) {
        let frame = ready.frame
        var damage = Damage()
        for rect in frame.damage.rects { damage.add(screen.rotation.panelRect(of: rect, picture: screen.size)) }
        switch try display.present(frame.index, damage: damage) {
        case .queued:
            target.queued(ready)
            noteQueued(ready.reports)
        case .busy:
            target.refused(ready)
            parts.link.wake()
        case .shown:
            noteQueued(ready.reports)
            noteShown(at: MonotonicClock.now)
            target.flipCompleted(at: nil)
            parts.link.wake()
        }
    }

    func finishFlips() throws {
        guard let target, let display = parts.connection.display else { return }
        let completions: [FlipCompletion]
        do throws(ScreenError) {
            completions = try display.readEvents()
        } catch {
            return try handle(error)
        }
        for completion in completions {
            if completion.wasLost {
                session.log.warning("\(display.details.name): a page flip was never reported as complete")
            }
            // The time of a lost flip is that of the modeset that replaced it, not of a vblank.
            if target.flipCompleted(at: completion.wasLost ? nil : completion.time) { parts.link.wake() }
            noteShown(at: completion.time)
        }
    }

    private func handle(_ error: ScreenError) throws {
        if let change = try parts.connection.displayFailed(error, at: MonotonicClock.now) { try apply(change) }
    }

    func apply(_ change: DisplayConnection.Change) throws {
        switch change {
        case .opened(let display): try attach(display)
        case .lost(let display, let error):
            if loggedLoss != error {
                session.log.warning("waiting for a display: \(error)", .display(display.details.name))
            }
            loggedLoss = error
            try detach(display, error)
        case .unavailable(let error):
            session.log.warning("waiting for a display: \(error)")
            try parts.pad?.handle(.displayLost(reason: "\(error)"))
            // Services that start after this one must not wait until a screen is plugged in.
            parts.watchdog?.ready("waiting for a display: \(error)")
        }
    }

    private func attach(_ display: any Display) throws {
        screen = PadScreen(display, look: session.look)
        let target = RenderTarget(display, screen)
        self.target = target
        isStarted = false
        try poll.add(display.eventDescriptor, token: Source.display.rawValue)
        updateMappings()
        parts.touches.screenChanged(to: ScreenPlace(isBuiltIn: display.details.isBuiltIn), at: MonotonicClock.now)
        try parts.power?.displayAttached()
        // Records contain the mapping from devices to the screen.
        try reportDevices()
        if let pad = parts.pad { try pad.attach(target, screen) } else { parts.link.send([.attach(target)]) }
    }

    /// Stops drawing and ends all touches. The display is closed when the render thread has released it.
    private func detach(_ display: any Display, _ error: ScreenError) throws {
        try endTouches()
        try poll.remove(display.eventDescriptor)
        target = nil
        isStarted = false
        parts.link.send([.detach])
        forgetQueued()
        try parts.pad?.handle(.displayLost(reason: "\(error)"))
        parts.watchdog?.ready("waiting for a display: \(error)")
    }

    func noteDetached() {
        parts.connection.drawingStopped(at: MonotonicClock.now)
        if parts.connection.isSuspended { parts.console?.release() }
    }

    /// - Returns: whether the signal is one of the terminal's.
    func handleTerminalSignal(_ signal: Int32) throws -> Bool {
        guard let console = parts.console else { return false }
        let now = MonotonicClock.now
        switch signal {
        case PanelConsole.releaseSignal where console.switching == .refused: console.refuse()
        case PanelConsole.releaseSignal:
            if let change = parts.connection.suspend(at: now) { try apply(change) }
            // Programs on the other terminal need the touch devices.
            try releaseDevices()
            if parts.connection.isClosed { console.release() }
        case PanelConsole.acquireSignal:
            console.acquired()
            parts.connection.resume(at: now)
            parts.touches.devicesChanged(at: now)
        default: return false
        }
        return true
    }
}
