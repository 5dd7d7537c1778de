// SPDX-License-Identifier: Apache-2.0
public import Geometry
import Linux
public import Raster

/// A display driven by kernel mode-setting, with dumb buffers.
///
/// The kernel's rules behind this code:
/// - The first frame needs a modeset; a flip on a CRTC without framebuffer fails with EBUSY, not EINVAL.
/// - One flip may be outstanding. Another one fails with EBUSY at once, and sometimes the first does (vmwgfx, or
///   another program's commit that is still under way). EBUSY is normal and the frame must be kept.
/// - A flip cannot be cancelled; if its buffer is freed before it is done, the screen shows garbage.
/// - Polling the descriptor does not report that a card was unplugged; the next call fails with ENODEV.
public final class KMSDisplay: Display {
    /// How long to wait for a completion, or to retry after EBUSY, before the mode is set again. The slowest usual mode
    /// takes 42 ms; drivers give up on the hardware after seconds (`flip_done timed out`).
    static let flipTimeout = Duration.milliseconds(500)
    /// Lost completions in a row before ``ScreenError/flipTimedOut(card:connector:)``.
    static let maximumLostFlips = 3

    private struct Flip {
        let index: Int
        let serial: UInt64
        let since: Timestamp
    }

    public var details: DisplayDetails {
        DisplayDetails(
            name: pipeline.connector.name, card: device.path, driver: pipeline.driver,
            mode: pipeline.mode.description, commitStyle: style.name,
            millimetres: pipeline.connector.millimetres, orientation: pipeline.orientation,
            isBuiltIn: pipeline.connector.isBuiltIn ? true : pipeline.connector.isExternal ? false : nil)
    }
    public var size: PixelSize { pipeline.mode.size }
    public var refreshInterval: Duration? { pipeline.mode.refreshInterval }
    public var latchLead: Duration { pipeline.mode.blanking }
    public private(set) var scansOutInPlace = false
    public private(set) var surfaces: [Surface]
    public var eventDescriptor: CInt { device.eventDescriptor }

    private let device: any ModesettingDevice
    let pipeline: DisplayPipeline
    /// ``MonotonicClock``, or that of a test.
    private let now: () -> Timestamp
    private var buffers: [DumbBuffer]
    private var style: any CommitStyle
    /// The state of the CRTC before us, which ``close()`` restores; nil if the driver does not report it.
    private let previousCRTC: CRTC?

    private var pending: Flip?
    private var isStarted = false
    private var lastSerial: UInt64 = 0
    /// Since when every flip has failed with EBUSY.
    private var busySince: Timestamp?
    /// When to try such a flip again.
    private var retryAt: Timestamp?
    private var lostFlips = 0
    private var isGone = false
    private var supportsDirty = true

    /// Owns `device` from here on, and closes it if this fails.
    init(
        device: any ModesettingDevice, pipeline: DisplayPipeline,
        now: @escaping () -> Timestamp = { MonotonicClock.now }
    ) throws(ScreenError) {
        do {
            previousCRTC = try Self.crtc(device, pipeline)
            style = try Self.commitStyle(device, pipeline)
            buffers = try DumbBuffer.several(device: device, size: pipeline.mode.size)
            surfaces = buffers.map(\.surface)
        } catch {
            device.close()
            throw error
        }
        self.device = device
        self.pipeline = pipeline
        self.now = now
    }

    private static func crtc(
        _ device: any ModesettingDevice, _ pipeline: DisplayPipeline
    ) throws(ScreenError) -> CRTC? {
        do {
            return try device.crtc(pipeline.crtc)
        } catch {
            if let state = ScreenError.state(error, card: device.path) { throw state }
            return nil
        }
    }

    private static func commitStyle(
        _ device: any ModesettingDevice, _ pipeline: DisplayPipeline
    ) throws(ScreenError) -> any CommitStyle {
        let legacy = LegacyCommit(device: device, pipeline: pipeline)
        guard pipeline.isAtomic else { return legacy }
        do {
            return try AtomicCommit(device: device, pipeline: pipeline)
        } catch {
            if let state = ScreenError.state(error, card: device.path) { throw state }
            return legacy
        }
    }

    deinit { close() }

    // MARK: Frames

    public func start(showing index: Int) throws(ScreenError) {
        try checkOpen()
        try modeset(showing: index)
    }

    public func present(_ index: Int, damage: Damage) throws(ScreenError) -> Presentation {
        try checkOpen()
        if pending != nil { return .busy }
        guard isStarted else {
            try modeset(showing: index)
            return .shown
        }
        let time = now()
        // 32 bits, because libdrm passes the number as a pointer.
        lastSerial = lastSerial >= UInt64(UInt32.max) ? 1 : lastSerial + 1
        do {
            try style.flip(to: buffers[index].framebuffer, damage: damage, serial: lastSerial)
        } catch {
            try throwIfFatal(error)
            if error == .busy {
                let since = busySince ?? time
                busySince = since
                if time - since < Self.flipTimeout {
                    retryAt = time + pipeline.mode.refreshInterval
                    return .busy
                }
                // EBUSY for this long: another program has taken the framebuffer from the CRTC.
            }
            // The driver cannot flip at all (EINVAL, ENOSYS) or not this time: a modeset is slower but works.
            try modeset(showing: index)
            return .shown
        }
        pending = Flip(index: index, serial: lastSerial, since: time)
        busySince = nil
        retryAt = nil
        return .queued
    }

    /// Sets the mode in the current commit style. If atomic fails, uses the legacy style from then on.
    private func modeset(showing index: Int) throws(ScreenError) {
        let framebuffer = buffers[index].framebuffer
        do {
            try style.modeset(showing: framebuffer)
        } catch {
            try throwIfFatal(error)
            guard style is AtomicCommit else { throw modesetFailed(error) }
            let legacy = LegacyCommit(device: device, pipeline: pipeline)
            do {
                try legacy.modeset(showing: framebuffer)
            } catch {
                try throwIfFatal(error)
                throw modesetFailed(error)
            }
            style = legacy
        }
        isStarted = true
        pending = nil
        busySince = nil
        retryAt = nil
        markDirty(framebuffer)
    }

    /// Makes drivers that keep a copy of the screen (USB, SPI, virtual) fetch the new picture.
    ///
    /// After a modeset only: some such drivers treat a modeset as a change of timing and show the old picture until the
    /// next one. A flip makes every driver fetch the new buffer, and DIRTYFB waits for the transfer
    /// (drm_damage_helper.c), so the thread that reads touch must not call it for every frame.
    private func markDirty(_ framebuffer: UInt32) {
        guard supportsDirty else { return }
        do {
            try device.markDirty(framebuffer: framebuffer)
        } catch {
            // Without a function for it the driver scans out in place (drm_framebuffer.c, `drm_mode_dirtyfb_ioctl`).
            // Some drivers that do so have one as well, to end the self-refresh of a panel: it must be called, too.
            scansOutInPlace = error == .notImplemented
            // The driver never needs this. Any other error will show in the next call.
            if [.notImplemented, .invalidArgument, .notSupported].contains(error) { supportsDirty = false }
        }
    }

    // MARK: Events

    public var retryDeadline: Timestamp? {
        if let pending { return pending.since + Self.flipTimeout }
        return retryAt
    }

    public func readEvents() throws(ScreenError) -> [FlipCompletion] {
        try checkOpen()
        // A deadline that was met must not wake the caller again.
        if let deadline = retryAt, now() >= deadline { retryAt = nil }
        var completions = try collectCompletions()
        if let lost = pending, now() - lost.since >= Self.flipTimeout {
            completions.append(try recover(lost))
        }
        return completions
    }

    /// Reads the completions. Skips those of flips that were given up, which have an older serial number.
    private func collectCompletions() throws(ScreenError) -> [FlipCompletion] {
        let events: [CardEvent]
        do {
            events = try device.readEvents()
        } catch {
            try throwIfFatal(error)
            throw .callFailed(card: device.path, connector: pipeline.connector.name, call: "read", error)
        }
        var completions: [FlipCompletion] = []
        for event in events where event.crtc == pipeline.crtc || event.crtc == 0 {
            guard let flip = pending, flip.serial == event.serial else { continue }
            pending = nil
            lostFlips = 0
            completions.append(FlipCompletion(index: flip.index, time: event.time))
        }
        return completions
    }

    /// Uses a modeset to show the frame of a flip that never completed. Drivers lose completions when a monitor is
    /// power cycled or when they set a mode themselves (vc4: raspberrypi/linux#4493, #4962); without this the panel
    /// would freeze.
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
        return FlipCompletion(index: flip.index, time: now(), wasLost: true)
    }

    public func checkConnection() throws(ScreenError) {
        try checkOpen()
        let name = pipeline.connector.name
        let connector: Connector
        do {
            connector = try device.connector(pipeline.connector.id)
        } catch {
            try throwIfFatal(error)
            // ENOENT: the connector itself is gone, as behind a DisplayPort hub.
            guard error == .noSuchFile else { return }
            throw .disconnected(card: device.path, connector: name)
        }
        if connector.status == .disconnected { throw .disconnected(card: device.path, connector: name) }
        // A bad link: the cable does not carry the mode's data rate. The screen is dark until the next modeset.
        let properties = (try? device.properties(of: pipeline.connector.id, .connector)) ?? []
        if isStarted, let link = properties.named("link-status"), link.value != Connector.goodLink {
            throw .linkFailed(card: device.path, connector: name)
        }
        // Another monitor, or the same one after it has woken up.
        if let best = DisplayMode.best(of: connector.modes), best.size != pipeline.mode.size {
            throw .modeGone(card: device.path, connector: name, mode: pipeline.mode.description)
        }
    }

    // MARK: Closing

    public func close() {
        guard !surfaces.isEmpty else { return }
        awaitPendingFlip()
        restoreCRTC()
        surfaces = []
        // Frees framebuffers, mappings and memory; see DumbBuffer.
        buffers = []
        device.close()
    }

    /// Waits up to 100 ms for the outstanding flip, which cannot be cancelled.
    private func awaitPendingFlip() {
        for _ in 0..<10 where pending != nil && !isGone {
            device.waitForEvents(milliseconds: 10)
            guard (try? collectCompletions()) != nil else { return }
        }
    }

    /// Restores the previous picture, so that our framebuffers are not on screen when they are removed. Without one,
    /// switches the CRTC off; the console returns by itself when the card is closed.
    private func restoreCRTC() {
        guard isStarted, !isGone else { return }
        let connectors = pipeline.connectorsOnCRTC.isEmpty ? [pipeline.connector.id] : pipeline.connectorsOnCRTC
        if let previousCRTC, previousCRTC.framebuffer != 0, previousCRTC.mode != nil,
            (try? device.setCRTC(previousCRTC, connectors: connectors)) != nil
        {
            return
        }
        // Restoring fails if the previous framebuffer is gone with its owner. If we are no longer master this fails,
        // too, but then our picture is not on screen.
        try? device.setCRTC(CRTC(id: pipeline.crtc, framebuffer: 0, mode: nil), connectors: [])
    }

    // MARK: Errors

    /// Throws if `error` means that the card is gone or another program is master.
    private func throwIfFatal(_ error: Errno) throws(ScreenError) {
        if error == .noSuchDevice { isGone = true }
        if let state = ScreenError.state(error, card: device.path) { throw state }
    }

    private func checkOpen() throws(ScreenError) {
        if surfaces.isEmpty { throw .closed(name: pipeline.connector.name) }
    }

    private func modesetFailed(_ error: Errno) -> ScreenError {
        .modesetFailed(
            card: device.path, connector: pipeline.connector.name, mode: pipeline.mode.description, error)
    }
}
