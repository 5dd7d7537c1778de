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
    /// The kernel's times of the reports.
    var reports: [Timestamp]
    /// nil unless the frame was composed late.
    var slot: FramePacer.Slot?
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
        var reports: [Timestamp] = []
        /// The slot of the frame that was finished last.
        var slot: FramePacer.Slot?
        /// Whether the render thread waits for the outstanding flip.
        var awaitsFlip = false
        /// Whether ink may be written into frames that are on screen.
        var allowsFrontWrites = false
        /// Whether a frame that is not on screen yet shows more than new ink: perhaps another page.
        var pageIsWaiting = false
    }

    /// The share of the screen from which a frame is composed at once. A page that has changed is outdated in every
    /// buffer, and copying one takes milliseconds; ink is far smaller.
    private static let largeShare = 16

    let screen: PadScreen
    let surfaces: [Surface]
    private let state: Mutex<State>
    private let pacer: Mutex<FramePacer>

    init(_ display: any Display, _ screen: PadScreen) {
        self.screen = screen
        surfaces = display.surfaces
        state = Mutex(State(swapchain: Swapchain(size: screen.size, bufferCount: display.surfaces.count)))
        pacer = Mutex(
            FramePacer(
                interval: display.refreshInterval,
                latchLead: display.latchLead))
    }

    // MARK: main thread

    /// Takes the finished frame, if there is one and no flip is outstanding. It counts as queued from now on.
    func takeReady() -> ReadyFrame? {
        state.withLock { state in
            guard let frame = state.swapchain.takeReady() else { return nil }
            defer { (state.reports, state.slot) = ([], nil) }
            return ReadyFrame(frame: frame, reports: state.reports, slot: state.slot)
        }
    }

    /// The display did not accept the frame because it was busy.
    func refused(_ ready: ReadyFrame) {
        state.withLock { state in
            state.swapchain.refused(ready.frame)
            state.reports = ready.reports + state.reports
        }
    }

    /// The display has accepted the frame, which will be shown at the next vblank.
    func queued(_ ready: ReadyFrame) {
        guard let slot = ready.slot else { return }
        let now = MonotonicClock.now
        pacer.withLock { $0.notePresented(slot, at: now) }
    }

    /// The queued frame first appeared on screen at `time`; nil if that is unknown.
    /// - Returns: whether the render thread waits for this, and must be woken.
    @discardableResult
    func flipCompleted(at time: Timestamp?) -> Bool {
        pacer.withLock { pacer in
            if let time { pacer.noteFlip(at: time) } else { pacer.forgetFlip() }
        }
        return state.withLock { state in
            state.swapchain.flipCompleted()
            defer { state.awaitsFlip = false }
            if !state.swapchain.isFrameWaiting { state.pageIsWaiting = false }
            return state.awaitsFlip
        }
    }

    /// Allows front writes: the display scans out its buffers in place, and new ink should show before the next frame.
    func allowFrontWrites() { state.withLock { $0.allowsFrontWrites = true } }

    /// Whether the newest picture is on screen and no flip is outstanding.
    var isSettled: Bool { state.withLock { $0.swapchain.isSettled } }

    // MARK: render thread

    /// When a frame started now will be on screen, on ``MonotonicClock``; nil if that is unknown.
    func timeOfNextFrame() -> Timestamp? {
        let isOutstanding = state.withLock { $0.swapchain.flipIsOutstanding }
        let now = MonotonicClock.now
        return pacer.withLock { $0.clock.timeOfFrame(begunAt: now, flipIsOutstanding: isOutstanding) }
    }

    /// When to compose a frame with new ink.
    func timing(at now: Timestamp) -> FramePacer.Timing {
        let (isOutstanding, pixels) = state.withLock { state in
            let isOutstanding = state.swapchain.flipIsOutstanding
            if isOutstanding { state.awaitsFlip = true }
            return (isOutstanding, state.swapchain.outdatedPixelCount)
        }
        if pixels > screen.size.width * screen.size.height / Self.largeShare { return .atOnce }
        return pacer.withLock { $0.timing(at: now, flipIsOutstanding: isOutstanding) }
    }

    /// Whether new ink may be written into the buffers of which ``isShown(_:)`` is true.
    var takesFrontWrites: Bool { state.withLock { $0.allowsFrontWrites && !$0.pageIsWaiting } }

    /// Whether a buffer is on screen, or will be without being drawn again. Ink that is written there counts as
    /// outdated until a frame repaints it, so it never has to be removed.
    func isShown(_ index: Int) -> Bool {
        switch state.withLock({ $0.swapchain.state(of: index) }) {
        // A flip may free the buffer meanwhile. Only the render thread, which asks, would draw in it then.
        case .ready, .queued, .current: true
        case .free, .drawing: false
        }
    }

    /// The buffer on screen, if it has the newest picture and no flip is outstanding.
    var settledSurface: Surface? {
        state.withLock { state in
            guard state.swapchain.isSettled else { return nil }
            return surfaces.indices.first { state.swapchain.state(of: $0) == .current }.map { surfaces[$0] }
        }
    }

    /// Marks damage that must be redrawn although the canvas has not changed.
    func invalidate(_ damage: Damage) { state.withLock { $0.swapchain.invalidate(damage) } }

    /// Adds damage, and returns a buffer if one is free and there is anything to draw.
    func acquire(for damage: Damage) -> Swapchain.BackBuffer? {
        state.withLock { state in
            state.swapchain.invalidate(damage)
            guard state.swapchain.needsDrawing else { return nil }
            let buffer = state.swapchain.acquire()
            if buffer == nil { state.awaitsFlip = true }
            return buffer
        }
    }

    /// Whether there are changes that no buffer shows yet.
    var needsDrawing: Bool { state.withLock { $0.swapchain.needsDrawing } }

    /// Submits a finished frame.
    /// - Parameters:
    ///   - reports: the times of the reports that it is the first to show.
    ///   - slot: nil unless it was composed late.
    ///   - isInkOnly: nothing but ink is new.
    func submit(_ index: Int, showing reports: [Timestamp], in slot: FramePacer.Slot?, isInkOnly: Bool) {
        state.withLock { state in
            state.swapchain.submit(index)
            state.reports += reports
            state.slot = slot
            if !isInkOnly { state.pageIsWaiting = true }
        }
    }
}

extension RenderTarget: Equatable {
    static func == (a: RenderTarget, b: RenderTarget) -> Bool { a === b }
}
