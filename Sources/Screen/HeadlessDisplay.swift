// SPDX-License-Identifier: Apache-2.0
public import Geometry
import Linux
public import Raster

/// A display in memory, for tests, demonstrations and rendering on servers. ``currentSurface`` is what would be on
/// screen. Like a panel it completes one flip at a time, with an event on a descriptor. Use it on the main thread.
public final class HeadlessDisplay: Display {
    public enum Pace: Equatable, Sendable {
        /// Flips complete at once, as in a virtual machine.
        case immediate
        /// Flips complete at the next tick of a panel with this refresh rate, above 0 and at most 1000.
        case hertz(Double)
    }

    public let details: DisplayDetails
    public let size: PixelSize
    public let surfaces: [Surface]
    public let refreshInterval: Duration?
    public let scansOutInPlace = true
    /// The surface that is on screen; nil before the first frame.
    public var currentSurface: Surface? { current.map { surfaces[$0] } }

    private let buffers: MemoryBuffers
    private var vblank: Timer
    /// The time of the first vblank.
    private let origin: Timestamp
    private var current: Int?
    private var pending: (index: Int, at: Timestamp)?
    private var isClosed = false

    /// - Throws: if the process has no descriptor left.
    public init(size: PixelSize, pace: Pace = .immediate) throws(ScreenError) {
        let rate: String
        switch pace {
        case .immediate:
            refreshInterval = nil
            rate = "shown at once"
        case .hertz(let hertz):
            precondition(hertz > 0 && hertz <= 1000, "a refresh rate in Hz")
            refreshInterval = .seconds(1) / hertz
            rate = "at \(hertz) Hz"
        }
        self.size = size
        buffers = MemoryBuffers(size: size)
        surfaces = buffers.surfaces
        details = DisplayDetails(memory: "headless", mode: "\(size) \(rate)")
        do throws(Errno) {
            vblank = try Timer()
        } catch {
            throw .callFailed(card: "memory", connector: details.name, call: "timerfd_create", error)
        }
        origin = MonotonicClock.now
    }

    public var eventDescriptor: CInt { vblank.number }
    /// nil: no flip is refused or lost.
    public var retryDeadline: Timestamp? { nil }

    public func start(showing index: Int) throws(ScreenError) {
        try checkOpen()
        try? vblank.disarm()
        pending = nil
        current = index
    }

    public func present(_ index: Int, damage: Damage) throws(ScreenError) -> Presentation {
        try checkOpen()
        if pending != nil { return .busy }
        guard current != nil else {
            current = index
            return .shown
        }
        let now = MonotonicClock.now
        let deadline = refreshInterval.map { origin + $0 * (Int((now - origin) / $0) + 1) } ?? now
        do {
            try vblank.arm(at: deadline)
        } catch {
            throw .callFailed(card: "", connector: details.name, call: "timerfd_settime", error)
        }
        pending = (index, deadline)
        return .queued
    }

    public func readEvents() throws(ScreenError) -> [FlipCompletion] {
        try checkOpen()
        guard let flip = pending, MonotonicClock.now >= flip.at else { return [] }
        vblank.acknowledge()
        pending = nil
        current = flip.index
        return [FlipCompletion(index: flip.index, time: flip.at)]
    }

    public func checkConnection() throws(ScreenError) { try checkOpen() }

    /// The surfaces stay readable until the object ends.
    public func close() {
        isClosed = true
        pending = nil
        try? vblank.disarm()
    }

    private func checkOpen() throws(ScreenError) {
        if isClosed { throw .closed(name: details.name) }
    }
}

/// Three black buffers in ordinary memory, which they take as they are drawn. They live as long as this object.
public final class MemoryBuffers: Sendable {
    // Arrays cannot hold non-copyable values.
    private let first, second, third: PixelBuffer

    public init(size: PixelSize) {
        first = Self.black(size)
        second = Self.black(size)
        third = Self.black(size)
    }

    private static func black(_ size: PixelSize) -> PixelBuffer {
        let buffer = PixelBuffer(size: size)
        buffer.releaseMemory()
        return buffer
    }

    public var surfaces: [Surface] { [first.surface, second.surface, third.surface] }
}
