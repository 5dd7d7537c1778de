// SPDX-License-Identifier: Apache-2.0
import Canvas
import Geometry
import Linux
import Pad
import Raster
import Screen
import Synchronization

/// A finished frame, and the times of the reports that it is the first to show.
struct ReadyFrame: Sendable {
    var frame: Swapchain.Frame
    /// Microseconds, as the kernel stamps them.
    var reports: [Int64]
}

/// A display as the render thread draws on it: its buffers, and the books of them that both threads share. Each display
/// has its own, so that nothing of one that is gone is taken for another's.
///
/// The memory behind the buffers belongs to the display: it may go only when the render thread has been told
/// ``RenderStep/detach`` and has answered.
final class RenderTarget: Sendable {
    /// The frames, and what they show.
    private struct Books: Sendable {
        var swapchain: Swapchain
        /// When the reports came into being that are in frames which the display has not been handed.
        var reports: [Int64] = []
    }

    let screen: PadScreen
    let surfaces: [Surface]
    private let books: Mutex<Books>
    private let vblank: Mutex<VblankClock>

    init(_ display: any Display, _ screen: PadScreen) {
        self.screen = screen
        surfaces = display.surfaces
        books = Mutex(Books(swapchain: Swapchain(size: screen.size, bufferCount: display.surfaces.count)))
        vblank = Mutex(VblankClock(intervalNanoseconds: display.refreshIntervalNanoseconds))
    }

    // MARK: main thread

    /// The finished frame, if there is one and no flip is outstanding; it counts as queued from here on.
    func takeReady() -> ReadyFrame? {
        books.withLock { books in
            guard let frame = books.swapchain.takeReady() else { return nil }
            defer { books.reports = [] }
            return ReadyFrame(frame: frame, reports: books.reports)
        }
    }

    /// The display would not take the frame now.
    func refused(_ ready: ReadyFrame) {
        books.withLock { books in
            books.swapchain.refused(ready.frame)
            books.reports = ready.reports + books.reports
        }
    }

    /// The queued frame was seen for the first time at `nanoseconds`; nil when that is not known.
    func flipCompleted(at nanoseconds: Int64?) {
        if let nanoseconds { vblank.withLock { $0.noteFlip(at: nanoseconds) } }
        books.withLock { $0.swapchain.flipCompleted() }
    }

    /// Whether the newest picture is on screen and nothing is under way.
    var isSettled: Bool { books.withLock { $0.swapchain.isSettled } }

    // MARK: render thread

    /// When a frame that is begun now will be seen, in microseconds of ``MonotonicClock``; nil when nobody can say.
    func timeOfNextFrame() -> Int64? {
        let isOutstanding = books.withLock { $0.swapchain.flipIsOutstanding }
        let now = MonotonicClock.nanoseconds
        return vblank.withLock { $0.timeOfFrame(begunAt: now, flipIsOutstanding: isOutstanding) }.map { $0 / 1000 }
    }

    /// Notes what is to be drawn anew though nothing of it has changed.
    func invalidate(_ damage: Damage) { books.withLock { $0.swapchain.invalidate(damage) } }

    /// Notes what has changed, and takes a buffer to draw it in if anything is to be shown and one can be had.
    func acquire(for damage: Damage) -> Swapchain.BackBuffer? {
        books.withLock { books in
            books.swapchain.invalidate(damage)
            return books.swapchain.needsDrawing ? books.swapchain.acquire() : nil
        }
    }

    /// Whether something has changed that no buffer shows yet.
    var needsDrawing: Bool { books.withLock { $0.swapchain.needsDrawing } }

    /// A frame is finished.
    /// - Parameter reports: when those came into being that it is the first to show.
    func submit(_ index: Int, showing reports: [Int64]) {
        books.withLock { books in
            books.swapchain.submit(index)
            books.reports += reports
        }
    }
}

extension RenderTarget: Equatable {
    static func == (a: RenderTarget, b: RenderTarget) -> Bool { a === b }
}
