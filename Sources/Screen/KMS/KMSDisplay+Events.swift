// SPDX-License-Identifier: Apache-2.0
import Linux

extension KMSDisplay {
    public func readEvents() throws(ScreenError) -> [FlipCompletion] {
        try checkOpen()
        // A deadline that has been answered must not wake the caller again.
        if let deadline = retryAtNanoseconds, now() >= deadline { retryAtNanoseconds = nil }
        var completions = try collectCompletions()
        if let lost = pending, now() - lost.sinceNanoseconds >= Self.flipTimeoutNanoseconds {
            completions.append(try recover(lost))
        }
        return completions
    }

    public func checkConnection() throws(ScreenError) {
        try checkOpen()
        let connector: Connector
        do {
            connector = try device.connector(pipeline.connector.id)
        } catch {
            try note(error)
            // ENOENT: a connector of its own went with what was plugged to it, as behind a DisplayPort hub.
            guard error == .noSuchFile else { return }
            throw .disconnected(card: device.path, connector: pipeline.connector.name)
        }
        if connector.status == .disconnected {
            throw .disconnected(card: device.path, connector: pipeline.connector.name)
        }
        // The driver could not keep up the mode's rate on this cable: the screen is dark until a mode is set again.
        let properties = (try? device.properties(of: pipeline.connector.id, .connector)) ?? []
        if isStarted, let link = properties.named("link-status"), link.value != Connector.goodLink {
            throw .linkFailed(card: device.path, connector: pipeline.connector.name)
        }
        // Another monitor, or the same one after it has woken up.
        if let best = DisplayMode.best(of: connector.modes), best.size != pipeline.mode.size {
            throw .modeGone(
                card: device.path, connector: pipeline.connector.name, mode: pipeline.mode.description)
        }
    }

    /// The completions in the descriptor. Those of a flip that was given up carry an older number and do not count.
    func collectCompletions() throws(ScreenError) -> [FlipCompletion] {
        let events: [CardEvent]
        do {
            events = try device.readEvents()
        } catch {
            try note(error)
            throw .callFailed(card: device.path, connector: pipeline.connector.name, call: "read", error)
        }
        var completions: [FlipCompletion] = []
        for event in events where event.crtc == pipeline.crtc || event.crtc == 0 {
            guard let flip = pending, flip.serial == event.serial else { continue }
            pending = nil
            lostFlips = 0
            completions.append(FlipCompletion(index: flip.index, nanoseconds: event.nanoseconds))
        }
        return completions
    }

    /// Puts the frame of a flip that never completed on screen by a modeset. Drivers lose completions across a
    /// monitor's power cycle or a modeset of their own (vc4: raspberrypi/linux#4493, #4962); waiting on would freeze
    /// the panel.
    private func recover(_ flip: Flip) throws(ScreenError) -> FlipCompletion {
        lostFlips += 1
        let failure = ScreenError.flipTimedOut(card: device.path, connector: pipeline.connector.name)
        if lostFlips > Self.maximumLostFlips { throw failure }
        do {
            try modeset(showing: flip.index)
        } catch {
            if case .modesetFailed = error { throw failure }
            throw error
        }
        return FlipCompletion(index: flip.index, nanoseconds: now(), wasLost: true)
    }
}
