// SPDX-License-Identifier: Apache-2.0
public import Geometry

/// The books of the back buffers: which one is on screen, which one is drawn into, and what each of them lacks.
///
/// A value without I/O. Size and damage are in whatever coordinates the caller keeps: the program's are the picture's,
/// before rotation, and it converts a frame's damage for the display. The render thread and the main thread share one
/// behind a lock:
///
///     render:  invalidate(damage); acquire() -> paint `stale` into the buffer -> submit(index)
///     main:    takeReady() -> display.present() -> queued: nothing more | busy: refused() | shown: flipCompleted()
///              a completion event -> flipCompleted()
///
/// Names are those of wlroots' swapchain: *current* is on screen, *queued* will be at the next vblank. Instead of an
/// age every buffer carries the damage it has missed, which is the same thing without a history to keep.
public struct Swapchain: Sendable {
    /// Where a buffer is in its round. The render thread writes to it in `drawing` only.
    public enum State: Equatable, Sendable { case free, drawing, ready, queued, current }

    /// A buffer to paint in.
    public struct BackBuffer: Equatable, Sendable {
        /// Of ``Display/surfaces``.
        public let index: Int
        /// What must be repainted for the buffer to show the newest picture; the rest of it is right already.
        public let stale: Damage
    }

    /// A buffer to hand to the display.
    public struct Frame: Equatable, Sendable {
        public let index: Int
        /// What differs from the frame handed over before, whichever buffer that was in; once it is in the panel's
        /// coordinates, what the kernel calls damage since the last plane update.
        public let damage: Damage
    }

    private struct Buffer {
        var state = State.free
        /// What this buffer shows wrongly.
        var stale: Damage
        /// When it became free; the one waiting longest is taken next, so that no buffer is ever older than one round
        /// and a repaint never grows beyond the last few frames.
        var freedAt = 0
    }

    private var buffers: [Buffer]
    private var round = 0
    /// Invalidated, and in no buffer yet.
    private var undrawn: Damage
    /// What the buffer in `drawing` adds over what was drawn before it.
    private var drawing = Damage()
    /// What the buffer in `ready` adds over the frame handed over last.
    private var ready = Damage()

    /// - Parameters:
    ///   - size: of what is shown, in the caller's coordinates.
    ///   - bufferCount: of the display's surfaces, at least 2. With 2 the render thread waits for each flip.
    public init(size: PixelSize, bufferCount: Int) {
        precondition(bufferCount >= 2, "one buffer is on screen, another is drawn into")
        let whole = Damage(PixelRect(size: size))
        undrawn = whole
        buffers = (0..<bufferCount).map { _ in Buffer(stale: whole) }
    }

    /// Notes that the picture has changed in `damage`.
    public mutating func invalidate(_ damage: Damage) {
        undrawn.add(damage)
        for index in buffers.indices { buffers[index].stale.add(damage) }
    }

    /// Whether something was invalidated that no buffer shows yet: the render thread has work when a buffer is free.
    public var needsDrawing: Bool { !undrawn.isEmpty }

    /// Whether the newest picture is on screen and nothing is under way.
    public var isSettled: Bool {
        !needsDrawing && buffers.allSatisfy { $0.state == .free || $0.state == .current }
    }

    /// Whether a frame waits for its vblank: the one after it is the next one's.
    public var flipIsOutstanding: Bool { index(in: .queued) != nil }

    public func state(of index: Int) -> State { buffers[index].state }

    /// Takes a buffer to draw the newest picture in.
    ///
    /// When no buffer is free but a finished frame still waits for its turn, that one is taken back: it will show
    /// newer ink at the same vblank instead of being one frame late. Nothing is lost if it misses that vblank.
    /// - Returns: nil while every buffer is on screen, queued or being drawn; ask again after a flip.
    public mutating func acquire() -> BackBuffer? {
        guard index(in: .drawing) == nil else { return nil }
        let free = buffers.indices.filter { buffers[$0].state == .free }
            .min { buffers[$0].freedAt < buffers[$1].freedAt }
        guard let index = free ?? index(in: .ready) else { return nil }
        let stale = buffers[index].stale
        buffers[index].state = .drawing
        buffers[index].stale.removeAll()
        drawing = undrawn
        undrawn.removeAll()
        return BackBuffer(index: index, stale: stale)
    }

    /// The buffer of ``acquire()`` now shows the picture as it was then.
    ///
    /// A finished frame that was never handed over is displaced: its buffer is free again and its damage is part of
    /// the new frame's.
    public mutating func submit(_ index: Int) {
        precondition(buffers[index].state == .drawing, "a buffer is submitted once after it was acquired")
        if let displaced = self.index(in: .ready) { release(displaced) }
        ready.add(drawing)
        drawing.removeAll()
        buffers[index].state = .ready
    }

    /// The finished frame, to be handed to the display at once; it counts as queued from here on.
    /// - Returns: nil when there is none or when a flip is outstanding: the kernel takes one at a time.
    public mutating func takeReady() -> Frame? {
        guard index(in: .queued) == nil, let index = index(in: .ready) else { return nil }
        let frame = Frame(index: index, damage: ready)
        ready.removeAll()
        buffers[index].state = .queued
        return frame
    }

    /// The display would not take `frame` now. It is ready again with all of its damage, unless the render thread has
    /// finished a newer one meanwhile, which then carries the damage of both.
    public mutating func refused(_ frame: Frame) {
        precondition(buffers[frame.index].state == .queued, "only the frame taken last can be refused")
        ready.add(frame.damage)
        if index(in: .ready) == nil {
            buffers[frame.index].state = .ready
        } else {
            release(frame.index)
        }
    }

    /// The queued buffer is on screen; the one before it is free. Without a queued buffer nothing happens, so a
    /// completion that arrives twice does no harm.
    public mutating func flipCompleted() {
        guard let queued = index(in: .queued) else { return }
        if let previous = index(in: .current) { release(previous) }
        buffers[queued].state = .current
    }

    private mutating func release(_ index: Int) {
        round += 1
        buffers[index].state = .free
        buffers[index].freedAt = round
    }

    private func index(in state: State) -> Int? { buffers.firstIndex { $0.state == state } }
}
