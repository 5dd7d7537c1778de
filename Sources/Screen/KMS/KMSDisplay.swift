// SPDX-License-Identifier: Apache-2.0
public import Geometry
import Linux
public import Raster

/// A display driven by kernel mode-setting, with dumb buffers.
///
/// The rules of the kernel that decide how this works:
/// - The first frame needs a modeset; a flip on a CRTC without framebuffer answers EBUSY, not EINVAL.
/// - One flip may be outstanding. Another one answers EBUSY at once, and so does the first now and then (vmwgfx, or a
///   commit of somebody else that is still under way): a routine answer, never a reason to forget the frame.
/// - A flip cannot be cancelled; freeing its buffer before it is done tears a hole in the screen.
/// - Poll shows nothing when a card is unplugged; ENODEV from the next call does.
public final class KMSDisplay: Display {
    /// How long to wait for a completion, or through refusals, before the mode is set again. The slowest of usual
    /// modes takes 42 ms, and drivers give up on the hardware after seconds (`flip_done timed out`).
    static let flipTimeoutNanoseconds: Int64 = 500_000_000
    /// Lost completions in a row before ``ScreenError/flipTimedOut(card:connector:)``.
    static let maximumLostFlips = 3

    struct Flip {
        let index: Int
        let serial: UInt64
        let sinceNanoseconds: Int64
    }

    public var details: DisplayDetails {
        DisplayDetails(
            name: pipeline.connector.name, card: device.path, driver: pipeline.driver,
            mode: pipeline.mode.description, commitStyle: style.name,
            millimetres: pipeline.connector.millimetres, orientation: pipeline.orientation)
    }
    public var size: PixelSize { pipeline.mode.size }
    public var refreshIntervalNanoseconds: Int64? { pipeline.mode.refreshIntervalNanoseconds }
    public private(set) var surfaces: [Surface]

    let device: any ModesettingDevice
    let pipeline: DisplayPipeline
    /// Nanoseconds on ``MonotonicClock``.
    let now: () -> Int64
    private var framebuffers: [UInt32]
    private var buffers: BackBuffers?
    private var style: any CommitStyle
    /// What was on the CRTC before us.
    let found: CRTC?

    /// The one flip that is outstanding.
    var pending: Flip?
    var isStarted = false
    private var lastSerial: UInt64 = 0
    /// Since when the kernel has refused every flip.
    private var refusedSinceNanoseconds: Int64?
    /// When to try a refused frame again.
    var retryAtNanoseconds: Int64?
    var lostFlips = 0
    var isGone = false
    private var takesDirty = true

    /// Takes over `device` and closes it when this fails.
    init(
        device: any ModesettingDevice, pipeline: DisplayPipeline,
        now: @escaping () -> Int64 = { MonotonicClock.nanoseconds }
    ) throws(ScreenError) {
        do {
            found = try Self.findCRTC(device, pipeline)
            style = try Self.commitStyle(device, pipeline)
            let buffers = try BackBuffers(device: device, size: pipeline.mode.size)
            surfaces = buffers.surfaces
            framebuffers = buffers.framebuffers
            self.buffers = consume buffers
        } catch {
            device.close()
            throw error
        }
        self.device = device
        self.pipeline = pipeline
        self.now = now
    }

    deinit { close() }

    public var eventDescriptor: CInt { device.eventDescriptor }

    public var retryDeadlineNanoseconds: Int64? {
        if let pending { return pending.sinceNanoseconds + Self.flipTimeoutNanoseconds }
        return retryAtNanoseconds
    }

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
        // 32 bits: on 32-bit systems libdrm passes the number through a pointer.
        lastSerial = lastSerial >= UInt64(UInt32.max) ? 1 : lastSerial + 1
        do {
            try style.flip(to: framebuffers[index], damage: damage, serial: lastSerial)
        } catch {
            try note(error)
            if error == .busy {
                let since = refusedSinceNanoseconds ?? time
                refusedSinceNanoseconds = since
                if time - since < Self.flipTimeoutNanoseconds {
                    retryAtNanoseconds = time + pipeline.mode.refreshIntervalNanoseconds
                    return .busy
                }
                // Not busy but off: somebody has taken the framebuffer from the CRTC, which answers the same.
            }
            // A driver without flips (EINVAL, ENOSYS), or one that cannot do this one: slower, but it is shown.
            try modeset(showing: index)
            return .shown
        }
        pending = Flip(index: index, serial: lastSerial, sinceNanoseconds: time)
        refusedSinceNanoseconds = nil
        retryAtNanoseconds = nil
        return .queued
    }

    /// Sets the mode in the present style, else in the legacy one, which stays from then on.
    func modeset(showing index: Int) throws(ScreenError) {
        let framebuffer = framebuffers[index]
        do {
            try style.modeset(showing: framebuffer)
        } catch {
            try note(error)
            guard style is AtomicCommit else { throw modesetFailed(error) }
            let legacy = LegacyCommit(device: device, pipeline: pipeline)
            do {
                try legacy.modeset(showing: framebuffer)
            } catch {
                try note(error)
                throw modesetFailed(error)
            }
            style = legacy
        }
        isStarted = true
        pending = nil
        refusedSinceNanoseconds = nil
        retryAtNanoseconds = nil
        markDirty(framebuffer)
    }

    /// Tells drivers that keep a copy of the screen (USB, SPI, virtual) to fetch it.
    ///
    /// After a modeset only: some such drivers take a modeset for a change of timing and show the old picture until
    /// the next one. A flip makes every driver fetch the new buffer, and DIRTYFB waits for the transfer
    /// (drm_damage_helper.c), which the thread that reads touch must not do for every frame.
    private func markDirty(_ framebuffer: UInt32) {
        guard takesDirty else { return }
        do {
            try device.markDirty(framebuffer: framebuffer)
        } catch {
            // Scanned out in place: there is nothing to tell, now or later. Any other error shows in the next call.
            if [.notImplemented, .invalidArgument, .notSupported].contains(error) { takesDirty = false }
        }
    }

    /// Throws when `error` means that the card is not ours any more or not there.
    func note(_ error: Errno) throws(ScreenError) {
        if error == .noSuchDevice { isGone = true }
        if let state = ScreenError.state(error, card: device.path) { throw state }
    }

    func checkOpen() throws(ScreenError) {
        if surfaces.isEmpty { throw .closed(name: pipeline.connector.name) }
    }

    private func modesetFailed(_ error: Errno) -> ScreenError {
        .modesetFailed(
            card: device.path, connector: pipeline.connector.name, mode: pipeline.mode.description, error)
    }

    public func close() {
        guard !surfaces.isEmpty else { return }
        awaitPendingFlip()
        restoreCRTC()
        surfaces = []
        framebuffers = []
        // Framebuffers, mappings, memory; see DumbBuffer.
        buffers = nil
        device.close()
    }
}
