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
    /// The kernel's times of the reports, in microseconds.
    var reports: [Int64]
}

/// The buffers of a display and their state, shared by the main and the render thread. Each display has its own
/// target, so that late results for a lost display cannot affect another one.
///
/// The display owns the memory of the buffers. It may be freed only after the render thread has answered
/// ``RenderStep/detach``.
final class RenderTarget: Sendable {
    private struct State: Sendable {
        var swapchain: Swapchain
        /// The times of reports whose frames have not been passed to the display.
        var reports: [Int64] = []
    }

    let screen: PadScreen
    let surfaces: [Surface]
    private let state: Mutex<State>
    private let vblank: Mutex<VblankClock>

    init(_ display: any Display, _ screen: PadScreen) {
        self.screen = screen
        surfaces = display.surfaces
        state = Mutex(State(swapchain: Swapchain(size: screen.size, bufferCount: display.surfaces.count)))
        vblank = Mutex(VblankClock(intervalNanoseconds: display.refreshIntervalNanoseconds))
    }

    // MARK: main thread

    /// Takes the finished frame, if there is one and no flip is outstanding. It counts as queued from now on.
    func takeReady() -> ReadyFrame? {
        state.withLock { state in
            guard let frame = state.swapchain.takeReady() else { return nil }
            defer { state.reports = [] }
            return ReadyFrame(frame: frame, reports: state.reports)
        }
    }

    /// The display did not accept the frame because it was busy.
    func refused(_ ready: ReadyFrame) {
        state.withLock { state in
            state.swapchain.refused(ready.frame)
            state.reports = ready.reports + state.reports
        }
    }

    /// The queued frame first appeared on screen at `nanoseconds`; nil if the time is unknown.
    func flipCompleted(at nanoseconds: Int64?) {
        if let nanoseconds { vblank.withLock { $0.noteFlip(at: nanoseconds) } }
        state.withLock { $0.swapchain.flipCompleted() }
    }

    /// Whether the newest picture is on screen and no flip is outstanding.
    var isSettled: Bool { state.withLock { $0.swapchain.isSettled } }

    // MARK: render thread

    /// When a frame started now will be on screen, in microseconds of ``MonotonicClock``; nil if that is unknown.
    func timeOfNextFrame() -> Int64? {
        let isOutstanding = state.withLock { $0.swapchain.flipIsOutstanding }
        let now = MonotonicClock.nanoseconds
        return vblank.withLock { $0.timeOfFrame(begunAt: now, flipIsOutstanding: isOutstanding) }.map { $0 / 1000 }
    }

    /// Marks damage that must be redrawn although the canvas has not changed.
    func invalidate(_ damage: Damage) { state.withLock { $0.swapchain.invalidate(damage) } }

    /// Adds damage, and returns a buffer if one is free and there is anything to draw.
    func acquire(for damage: Damage) -> Swapchain.BackBuffer? {
        state.withLock { state in
            state.swapchain.invalidate(damage)
            return state.swapchain.needsDrawing ? state.swapchain.acquire() : nil
        }
    }

    /// Whether there are changes that no buffer shows yet.
    var needsDrawing: Bool { state.withLock { $0.swapchain.needsDrawing } }

    /// Submits a finished frame.
    /// - Parameter reports: the times of the reports that it is the first to show.
    func submit(_ index: Int, showing reports: [Int64]) {
        state.withLock { state in
            state.swapchain.submit(index)
            state.reports += reports
        }
    }
}

extension RenderTarget: Equatable {
    static func == (a: RenderTarget, b: RenderTarget) -> Bool { a === b }
}
