// SPDX-License-Identifier: Apache-2.0
public import Geometry

/// The state of the back buffers: which one is on screen, which one is drawn into, and what is outdated in each.
///
/// A value without I/O. Size and damage may be in any coordinates: the program uses those of the picture, before
/// rotation, and converts a frame's damage for the display. The render thread and the main thread share one behind a
/// lock:
///
///     render:  invalidate(damage); acquire() -> paint `stale` into the buffer -> submit(index)
///     main:    takeReady() -> display.present() -> queued: nothing | busy: refused() | shown: flipCompleted()
///              a completion event -> flipCompleted()
///
/// The names follow wlroots' swapchain: *current* is on screen, *queued* will be at the next vblank. Instead of an age,
/// every buffer has the damage it has missed, which needs no history.
public struct Swapchain: Sendable {
    /// The state of a buffer. The render thread writes to it in `drawing` only.
    public enum State: Equatable, Sendable { case free, drawing, ready, queued, current }

    /// A buffer to draw in.
    public struct BackBuffer: Equatable, Sendable {
        /// The index in ``Display/surfaces``.
        public let index: Int
        /// The part to repaint; the rest shows the newest picture already.
        public let stale: Damage
    }

    /// A finished buffer to present on the display.
    public struct Frame: Equatable, Sendable {
        public let index: Int
        /// The difference from the frame presented before, whichever buffer that was in. In the panel's coordinates
        /// this is what the kernel calls damage since the last plane update.
        public let damage: Damage
    }

    private struct Buffer {
        var state = State.free
        /// The outdated part of this buffer.
        var stale: Damage
        /// Its number of pixels; where rectangles overlap, they count twice.
        var stalePixelCount: Int { stale.rects.reduce(0) { $0 + $1.area } }
    }

    private var buffers: [Buffer]
    /// Damage that no buffer shows yet.
    private var undrawn: Damage
    /// The changes that only the buffer in `drawing` has.
    private var drawing = Damage()
    /// The difference of the buffer in `ready` from the frame presented last.
    private var ready = Damage()

    /// - Parameters:
    ///   - size: the size of the picture, in the caller's coordinates.
    ///   - bufferCount: the number of surfaces, at least 2. With 2 the render thread waits for each flip.
    public init(size: PixelSize, bufferCount: Int) {
        precondition(bufferCount >= 2, "one buffer is on screen while another is drawn into")
        let whole = Damage(PixelRect(size: size))
        undrawn = whole
        buffers = (0..<bufferCount).map { _ in Buffer(stale: whole) }
    }

    /// Records that the picture has changed in `damage`.
    public mutating func invalidate(_ damage: Damage) {
        undrawn.add(damage)
        for index in buffers.indices { buffers[index].stale.add(damage) }
    }

    /// Whether there is damage that no buffer shows yet, so that the render thread has work if a buffer is free.
    public var needsDrawing: Bool { !undrawn.isEmpty }

    /// The number of pixels that the next frame repaints: in a free buffer or, if a flip is outstanding, in the one
    /// that the flip will free. 0 if there is neither; rectangles that overlap count twice.
    public var outdatedPixelCount: Int {
        let freesCurrent = flipIsOutstanding
        return buffers.lazy.filter { $0.state == .free || freesCurrent && $0.state == .current }
            .map(\.stalePixelCount).min() ?? 0
    }

    /// Whether the newest picture is on screen and nothing is under way.
    public var isSettled: Bool {
        !needsDrawing && buffers.allSatisfy { $0.state == .free || $0.state == .current }
    }

    /// Whether a frame waits for the next vblank. Another one will be shown at the vblank after that.
    public var flipIsOutstanding: Bool { index(in: .queued) != nil }

    /// Whether a frame is not on screen yet, finished or being drawn.
    public var isFrameWaiting: Bool {
        index(in: .queued) != nil || index(in: .ready) != nil || index(in: .drawing) != nil
    }

    public func state(of index: Int) -> State { buffers[index].state }

    /// Selects a buffer to draw the newest picture in.
    ///
    /// If no buffer is free but a finished frame has not been presented yet, that one is drawn again: it will show
    /// newer ink at the same vblank. If it misses that vblank, its damage is kept.
    /// - Returns: nil while every buffer is on screen, queued or being drawn; call it again after a flip.
    public mutating func acquire() -> BackBuffer? {
        guard index(in: .drawing) == nil else { return nil }
        guard let index = nextFree ?? index(in: .ready) else { return nil }
        let stale = buffers[index].stale
        buffers[index].state = .drawing
        buffers[index].stale.removeAll()
        drawing = undrawn
        undrawn.removeAll()
        return BackBuffer(index: index, stale: stale)
    }

    /// Marks the buffer of ``acquire()`` as finished: it shows the picture of that moment.
    ///
    /// If an earlier finished frame has not been presented, its buffer becomes free and its damage is added to the new
    /// frame's.
    public mutating func submit(_ index: Int) {
        precondition(buffers[index].state == .drawing, "submit a buffer once after acquiring it")
        if let displaced = self.index(in: .ready) { release(displaced) }
        ready.add(drawing)
        drawing.removeAll()
        buffers[index].state = .ready
    }

    /// The finished frame. Present it at once; it counts as queued from here on.
    /// - Returns: nil if no frame is finished or a flip is outstanding: the kernel allows one at a time.
    public mutating func takeReady() -> Frame? {
        guard index(in: .queued) == nil, let index = index(in: .ready) else { return nil }
        let frame = Frame(index: index, damage: ready)
        ready.removeAll()
        buffers[index].state = .queued
        return frame
    }

    /// Returns a frame that the display could not present. It is ready again with all of its damage, unless the render
    /// thread has finished a newer one, which then has the damage of both.
    public mutating func refused(_ frame: Frame) {
        precondition(buffers[frame.index].state == .queued, "only the frame taken last can be returned")
        ready.add(frame.damage)
        if index(in: .ready) == nil {
            buffers[frame.index].state = .ready
        } else {
            release(frame.index)
        }
    }

    /// Marks the queued buffer as current and frees the one before it. Does nothing without a queued buffer, so a
    /// completion that arrives twice is harmless.
    public mutating func flipCompleted() {
        guard let queued = index(in: .queued) else { return }
        if let previous = index(in: .current) { release(previous) }
        buffers[queued].state = .current
    }

    private mutating func release(_ index: Int) { buffers[index].state = .free }

    /// The free buffer that is used next: the one with the fewest outdated pixels, usually the one that was on screen
    /// last. So two buffers alternate until a frame is drawn while another one waits for its flip.
    private var nextFree: Int? {
        buffers.indices.lazy.filter { buffers[$0].state == .free }.min {
            buffers[$0].stalePixelCount < buffers[$1].stalePixelCount
        }
    }

    private func index(in state: State) -> Int? { buffers.firstIndex { $0.state == state } }
}
