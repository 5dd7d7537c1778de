// SPDX-License-Identifier: Apache-2.0
public import Geometry
import Glibc
import Linux
public import Raster
import Synchronization

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
    private static let timeoutNanoseconds: Int64 = 2_000_000_000

    private struct Frame {
        let index: Int
        let sinceNanoseconds: Int64
    }

    public let details: DisplayDetails
    public let size: PixelSize
    /// nil: the device does not report when it reads its memory.
    public let refreshIntervalNanoseconds: Int64? = nil
    public private(set) var surfaces: [Surface]

    private let channel: FramebufferChannel
    private let now: () -> Int64
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

    /// - Throws: the errors of ``FramebufferDevice/inspect()``.
    init(
        device: any FramebufferDevice, now: @escaping () -> Int64 = { MonotonicClock.nanoseconds }
    ) throws(ScreenError) {
        let (info, format) = try device.inspect()
        // Owned by the thread, which may still read them if it hangs.
        let buffers = MemoryBuffers(size: info.size)
        let channel: FramebufferChannel
        do throws(Errno) {
            channel = try FramebufferChannel()
            thread = try Linux.Thread(name: "framebuffer") {
                var writer = FramebufferWriter(device, info, format, surfaces: buffers.surfaces)
                while let request = channel.nextRequest() {
                    channel.reply(
                        Result { () throws(ScreenError) in
                            try writer.show(request.index, damage: request.damage)
                            return MonotonicClock.nanoseconds
                        })
                }
                writer.finish()
                withExtendedLifetime(buffers) { channel.signalEnd() }
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
        self.channel = channel
        self.now = now
    }

    deinit { close() }

    public var eventDescriptor: CInt { channel.descriptor }

    public var retryDeadlineNanoseconds: Int64? { pending.map { $0.sinceNanoseconds + Self.timeoutNanoseconds } }

    public func start(showing index: Int) throws(ScreenError) {
        try checkOpen()
        if pending != nil {
            pending = nil
            try awaitFrame()
        }
        channel.send(FramebufferChannel.Request(index: index, damage: Damage(PixelRect(size: size))))
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
        pending = Frame(index: index, sinceNanoseconds: now())
        channel.send(FramebufferChannel.Request(index: index, damage: damage))
        return .queued
    }

    public func readEvents() throws(ScreenError) -> [FlipCompletion] {
        try checkOpen()
        let reply = channel.takeReply()
        guard let frame = pending else { return [] }
        guard let reply else {
            if now() - frame.sinceNanoseconds < Self.timeoutNanoseconds { return [] }
            throw timedOut
        }
        pending = nil
        return [FlipCompletion(index: frame.index, nanoseconds: try reply.get())]
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
        let hasEnded = channel.end(until: MonotonicClock.nanoseconds + Self.timeoutNanoseconds)
        let thread = thread.take()
        if hasEnded { thread?.join() }
    }

    private func awaitFrame() throws(ScreenError) {
        guard let reply = channel.awaitReply(until: MonotonicClock.nanoseconds + Self.timeoutNanoseconds) else {
            throw timedOut
        }
        _ = try reply.get()
    }

    private var timedOut: ScreenError { .flipTimedOut(card: details.card, connector: details.name) }

    private func checkOpen() throws(ScreenError) {
        if surfaces.isEmpty { throw .closed(name: details.name) }
    }
}

/// Passes one frame at a time from the main thread to the thread that writes it, and the result back.
final class FramebufferChannel: Sendable {
    struct Request: Sendable {
        let index: Int
        let damage: Damage
    }

    private struct State {
        var request: Request?
        var reply: Result<Int64, ScreenError>?
        var isEnding = false
        var hasEnded = false
    }

    private let state = Mutex(State())
    private let work: EventSignal
    private let done: EventSignal

    init() throws(Errno) {
        let work = try EventSignal(blocking: true)
        let done = try EventSignal(blocking: false)
        self.work = work
        self.done = done
    }

    // MARK: Main thread

    /// Readable when ``takeReply()`` has something.
    var descriptor: CInt { done.number }

    func send(_ request: Request) {
        state.withLock { $0.request = request }
        work.signal()
    }

    /// When the frame was on screen, on ``MonotonicClock``, or why it failed; nil while it is being written.
    func takeReply() -> Result<Int64, ScreenError>? {
        state.withLock { state in
            // Clear and set the signal under the lock, so that it never outlives the reply and wakes the panel in vain.
            done.wait()
            defer { state.reply = nil }
            return state.reply
        }
    }

    /// Waits for the reply until `nanoseconds` on ``MonotonicClock``.
    func awaitReply(until nanoseconds: Int64) -> Result<Int64, ScreenError>? {
        repeat {
            if let reply = takeReply() { return reply }
            done.wait(until: nanoseconds)
        } while MonotonicClock.nanoseconds < nanoseconds
        return takeReply()
    }

    /// Ends the other thread after its current frame, and waits for that until `nanoseconds`.
    /// - Returns: whether it has ended.
    func end(until nanoseconds: Int64) -> Bool {
        state.withLock { $0.isEnding = true }
        work.signal()
        while !state.withLock({ $0.hasEnded }), MonotonicClock.nanoseconds < nanoseconds {
            done.wait(until: nanoseconds)
        }
        return state.withLock { $0.hasEnded }
    }

    // MARK: Writing thread

    /// Waits for a request; nil is the end.
    func nextRequest() -> Request? {
        while true {
            let (request, isEnding) = state.withLock { state in
                defer { state.request = nil }
                return (state.request, state.isEnding)
            }
            if isEnding { return nil }
            if let request { return request }
            work.wait()
        }
    }

    func reply(_ reply: Result<Int64, ScreenError>) {
        state.withLock { state in
            state.reply = reply
            done.signal()
        }
    }

    func signalEnd() {
        state.withLock { $0.hasEnded = true }
        done.signal()
    }
}
