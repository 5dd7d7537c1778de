// SPDX-License-Identifier: Apache-2.0
public import Geometry
import Glibc
import Linux
public import Raster

/// A display behind a framebuffer device: SPI and other screens whose driver knows nothing else.
///
/// Frames are made in ordinary memory, and a thread of the display's own brings what has changed to the device, in its
/// format: writing takes as long as the bus needs on some drivers, and panning waits for the vblank on others. A frame
/// has reached the screen when it is written, and panned to where there are two pictures in memory; there is no beat,
/// so that ink is not predicted. For the main thread, as every ``Display``.
///
/// Nobody owns a framebuffer device: the console draws on it too unless its terminal is in graphics mode (``Console``),
/// and where a driver of a graphics card makes one (`/dev/fb0` beside `/dev/dri/card0`), nothing of it is seen while
/// another program is that card's master.
public final class FramebufferDisplay: Display {
    /// How long a frame may take: the largest screen on the slowest bus, 480x320 at 2 MHz, takes one and a quarter
    /// second.
    static let patienceNanoseconds: Int64 = 2_000_000_000

    private struct Frame {
        let index: Int
        let sinceNanoseconds: Int64
    }

    /// Where frames are made; they live as long as the thread, which may read them still when it hangs.
    private final class Buffers: Sendable {
        let first, second, third: PixelBuffer
        init(size: PixelSize) {
            first = PixelBuffer(size: size)
            second = PixelBuffer(size: size)
            third = PixelBuffer(size: size)
        }
        var surfaces: [Surface] { [first.surface, second.surface, third.surface] }
    }

    public let details: DisplayDetails
    public let size: PixelSize
    /// nil: nobody says when the device reads its memory.
    public let refreshIntervalNanoseconds: Int64? = nil
    public private(set) var surfaces: [Surface]

    private let link: FramebufferLink
    private let now: () -> Int64
    private var thread: Linux.Thread?
    private var pending: Frame?
    private var isStarted = false

    /// Opens `path`, `/dev/fb0` say; nothing is shown yet.
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

    /// - Throws: ``ScreenError/unusableFramebuffer(path:reason:)`` for a format that is not drawn in, and for what is
    ///   no framebuffer device.
    init(
        device: any FramebufferDevice, now: @escaping () -> Int64 = { MonotonicClock.nanoseconds }
    ) throws(ScreenError) {
        let (info, format) = try Self.look(at: device)
        let buffers = Buffers(size: info.size)
        let link: FramebufferLink
        do throws(Errno) {
            link = try FramebufferLink()
            thread = try Linux.Thread(name: "framebuffer") {
                var writer = FramebufferWriter(device, info, format, surfaces: buffers.surfaces)
                while let order = link.nextOrder() { link.answer(writer.answer(order)) }
                writer.finish()
                withExtendedLifetime(buffers) { link.signalEnd() }
            }
        } catch {
            throw .callFailed(card: device.path, connector: info.name, call: "eventfd or pthread_create", error)
        }
        details = DisplayDetails(
            name: String(device.path.split(separator: "/").last ?? ""), card: device.path, driver: info.name,
            mode: "\(info.size) \(format)", commitStyle: info.canPan ? "framebuffer, panning" : "framebuffer",
            millimetres: info.millimetres, orientation: nil)
        size = info.size
        surfaces = buffers.surfaces
        self.link = link
        self.now = now
    }

    deinit { close() }

    /// What the device is, when it can be drawn on.
    static func look(at device: any FramebufferDevice) throws(ScreenError) -> (FramebufferInfo, FramebufferFormat) {
        let info: FramebufferInfo
        do throws(Errno) {
            info = try device.info()
        } catch {
            if error == .noSuchDevice { throw .cardGone(card: device.path) }
            throw .unusableFramebuffer(path: device.path, reason: "it is no framebuffer device (\(error))")
        }
        let format: FramebufferFormat
        do throws(FramebufferFormat.Refusal) {
            format = try FramebufferFormat(info)
        } catch {
            throw .unusableFramebuffer(path: device.path, reason: error.reason)
        }
        guard info.size.isDrawable else {
            throw .unusableFramebuffer(path: device.path, reason: "it says that its size is \(info.size)")
        }
        let rowByteCount = (info.x + info.size.width) * format.bytesPerPixel
        guard info.lineLength >= rowByteCount, info.lineLength <= 1 << 20,
            info.byteCount >= info.lineLength * info.size.height
        else {
            throw .unusableFramebuffer(
                path: device.path,
                reason: "rows of \(info.lineLength) bytes in \(info.byteCount) do not hold \(info.size) pixels")
        }
        return (info, format)
    }

    public var eventDescriptor: CInt { link.descriptor }

    public var retryDeadlineNanoseconds: Int64? { pending.map { $0.sinceNanoseconds + Self.patienceNanoseconds } }

    public func start(showing index: Int) throws(ScreenError) {
        try checkOpen()
        if pending != nil {
            pending = nil
            _ = try awaitFrame()
        }
        link.send(FramebufferLink.Order(index: index, damage: Damage(PixelRect(size: size))))
        _ = try awaitFrame()
        isStarted = true
    }

    public func present(_ index: Int, damage: Damage) throws(ScreenError) -> Presentation {
        try checkOpen()
        if pending != nil { return .busy }
        guard isStarted else {
            try start(showing: index)
            return .shown
        }
        pending = Frame(index: index, sinceNanoseconds: now())
        link.send(FramebufferLink.Order(index: index, damage: damage))
        return .queued
    }

    public func readEvents() throws(ScreenError) -> [FlipCompletion] {
        try checkOpen()
        let answer = link.takeAnswer()
        guard let frame = pending else { return [] }
        guard let answer else {
            if now() - frame.sinceNanoseconds < Self.patienceNanoseconds { return [] }
            throw timedOut
        }
        pending = nil
        return [FlipCompletion(index: frame.index, nanoseconds: try answer.get())]
    }

    public func checkConnection() throws(ScreenError) {
        try checkOpen()
        // The next write would answer ENODEV (fbmem.c), but a panel that nobody touches writes nothing.
        if access(details.card, F_OK) != 0 { throw .cardGone(card: details.card) }
    }

    /// A driver that never comes back keeps its thread and the buffers.
    public func close() {
        guard !surfaces.isEmpty else { return }
        surfaces = []
        pending = nil
        let hasEnded = link.end(until: MonotonicClock.nanoseconds + Self.patienceNanoseconds)
        let thread = thread.take()
        if hasEnded { thread?.join() }
    }

    private func awaitFrame() throws(ScreenError) -> Int64 {
        guard let answer = link.awaitAnswer(until: MonotonicClock.nanoseconds + Self.patienceNanoseconds) else {
            throw timedOut
        }
        return try answer.get()
    }

    private var timedOut: ScreenError { .flipTimedOut(card: details.card, connector: details.name) }

    private func checkOpen() throws(ScreenError) {
        if surfaces.isEmpty { throw .closed(name: details.name) }
    }
}

extension FramebufferWriter {
    /// Shows the frame of an order.
    fileprivate mutating func answer(_ order: FramebufferLink.Order) -> Result<Int64, ScreenError> {
        do throws(ScreenError) {
            try show(order.index, damage: order.damage)
            return .success(MonotonicClock.nanoseconds)
        } catch {
            return .failure(error)
        }
    }
}
