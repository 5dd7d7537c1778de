// SPDX-License-Identifier: Apache-2.0
public import Geometry
import Glibc
import Linux
public import Raster

/// A display on a framebuffer device: SPI and other screens whose driver does not support KMS.
///
/// Frames are drawn in ordinary memory. A thread of the display converts what has changed and writes it to the device,
/// because writes take as long as the bus needs on some drivers and panning waits for the vblank on others. A frame is
/// complete when it is written, and panned to if there are two pictures in memory. The times of vblanks are unknown, so
/// ink is not predicted.
///
/// A framebuffer device has no owner. The console draws on it too unless its terminal is in graphics mode
/// (``Console``). If a graphics card's driver provides it (`/dev/fb0` beside `/dev/dri/card0`), it is invisible while a
/// program is master of the card.
public final class FramebufferDisplay: Display {
    /// The longest time for a frame. The largest screen on the slowest bus, 480x320 at 2 MHz, takes 1.25 s.
    private static let timeout = Duration.seconds(2)

    private struct Frame {
        let index: Int
        let since: Timestamp
    }

    public let details: DisplayDetails
    public let size: PixelSize
    /// nil: the device does not report when it reads its memory.
    public let refreshInterval: Duration? = nil
    public private(set) var surfaces: [Surface]

    /// Frames to write, one at a time.
    private let requests: Mailbox<(index: Int, damage: Damage)>
    /// When a frame was on screen, on ``MonotonicClock``, or why it failed. Closed at the end of the thread.
    private let replies: Mailbox<Result<Timestamp, ScreenError>>
    private let now: () -> Timestamp
    private var thread: Linux.Thread?
    private var pending: Frame?
    private var isStarted = false

    /// Opens `path`, e.g. `/dev/fb0`; shows nothing yet.
    public convenience init(path: String) throws(ScreenError) {
        if DeviceNode.awaitsUdev(path) { throw .refused(card: path, .notInitialized) }
        let device: Framebuffer
        do throws(Errno) {
            device = try Framebuffer(path: path)
        } catch {
            switch error {
            case .noSuchFile, .noSuchDevice, Errno(code: ENXIO):
                throw .noFramebuffer(path: path, known: FramebufferList.paths())
            case .permissionDenied, .notPermitted:
                throw .refused(card: path, NodeRefusal(of: path, writing: true))
            default: throw .cannotOpen(card: path, error)
            }
        }
        try self.init(device: device)
    }

    init(
        device: any FramebufferDevice, now: @escaping () -> Timestamp = { MonotonicClock.now }
    ) throws(ScreenError) {
        let (info, format) = try device.inspect()
        // Owned by the thread, which may still read them if it hangs.
        let buffers = MemoryBuffers(size: info.size)
        do throws(Errno) {
            let requests = try Mailbox<(index: Int, damage: Damage)>(blocking: true)
            let replies = try Mailbox<Result<Timestamp, ScreenError>>(blocking: false)
            thread = try Linux.Thread(name: "framebuffer") {
                var writer = FramebufferWriter(device, info, format, surfaces: buffers.surfaces)
                while true {
                    let (frames, isEnding) = requests.take()
                    if isEnding { break }
                    for frame in frames {
                        replies.put(
                            Result { () throws(ScreenError) in
                                try writer.show(frame.index, damage: frame.damage)
                                return MonotonicClock.now
                            })
                    }
                }
                writer.finish()
                withExtendedLifetime(buffers) { replies.close() }
            }
            (self.requests, self.replies) = (requests, replies)
        } catch {
            throw .callFailed(card: device.path, connector: info.name, call: "eventfd or pthread_create", error)
        }
        details = DisplayDetails(
            name: String(device.path.split(separator: "/").last ?? ""), card: device.path, driver: info.name,
            mode: "\(info.size) \(format)", commitStyle: info.canPan ? "framebuffer, panning" : "framebuffer",
            millimetres: info.millimetres, orientation: nil)
        size = info.size
        surfaces = buffers.surfaces
        self.now = now
    }

    deinit { close() }

    public var eventDescriptor: CInt { replies.descriptor }

    public var retryDeadline: Timestamp? { pending.map { $0.since + Self.timeout } }

    public func start(showing index: Int) throws(ScreenError) {
        try checkOpen()
        if pending != nil {
            pending = nil
            try awaitFrame()
        }
        requests.put((index, Damage(PixelRect(size: size))))
        try awaitFrame()
        isStarted = true
    }

    public func present(_ index: Int, damage: Damage) throws(ScreenError) -> Presentation {
        try checkOpen()
        if pending != nil { return .busy }
        guard isStarted else {
            try start(showing: index)
            return .shown
        }
        pending = Frame(index: index, since: now())
        requests.put((index, damage))
        return .queued
    }

    public func readEvents() throws(ScreenError) -> [FlipCompletion] {
        try checkOpen()
        // Perhaps none: a signal may come after its reply was taken.
        let reply = replies.take().items.last
        guard let frame = pending else { return [] }
        guard let reply else {
            if now() - frame.since < Self.timeout { return [] }
            throw timedOut
        }
        pending = nil
        return [FlipCompletion(index: frame.index, time: try reply.get())]
    }

    public func checkConnection() throws(ScreenError) {
        try checkOpen()
        // A write would fail with ENODEV (fbmem.c), but an idle panel writes nothing.
        if access(details.card, F_OK) != 0 { throw .cardGone(card: details.card) }
    }

    /// If the driver hangs, its thread and the buffers are leaked.
    public func close() {
        guard !surfaces.isEmpty else { return }
        surfaces = []
        pending = nil
        requests.close()
        let deadline = MonotonicClock.now + Self.timeout
        while !replies.isClosed, MonotonicClock.now < deadline { replies.wait(until: deadline) }
        let thread = thread.take()
        if replies.isClosed { thread?.join() }
    }

    private func awaitFrame() throws(ScreenError) {
        let deadline = MonotonicClock.now + Self.timeout
        repeat {
            if let reply = replies.take(until: deadline).items.last {
                _ = try reply.get()
                return
            }
        } while MonotonicClock.now < deadline
        throw timedOut
    }

    private var timedOut: ScreenError { .flipTimedOut(card: details.card, connector: details.name) }

    private func checkOpen() throws(ScreenError) {
        if surfaces.isEmpty { throw .closed(name: details.name) }
    }
}
