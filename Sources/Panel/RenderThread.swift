// SPDX-License-Identifier: Apache-2.0
import Canvas
import Geometry
import HostAPI
package import Ink
import Linux
import Pad
import Pages
import Raster
package import Record
import Screen
import Synchronization

/// The thread that turns reports into pixels: it models strokes and rasterizes them into the paper and the free back
/// buffer.
///
/// When it falls behind, it takes all waiting reports at once: drawing is coalesced, reports are not.
package struct RenderThread: ~Copyable {
    /// The settings of the thread.
    struct Plan: Sendable {
        var look: Look
        /// The screen at the start.
        var screen: PadScreen
        /// nil while there is no display.
        var target: RenderTarget?
        /// Whether finished strokes are kept for the SVG of a replay. A panel that runs for years keeps none.
        var keepsStrokes = false
        /// Whether ink is drawn ahead, to the pen's probable position when the frame is on screen.
        var predicts = false
        /// nil for a bare sheet.
        var pages: Pages?
    }

    /// The theme of pages, and how the first page is shown.
    struct Pages: Sendable {
        var theme: PageTheme
        var first: [PadAction]
    }

    /// The counts and results of the thread.
    package struct Result: Sendable {
        package var latency = LatencyHistogram()
        /// The time from reports to the frame on screen, if ink is written there.
        var frontLatency = LatencyHistogram()
        package var sampleCount = 0
        /// Samples left out by the canvas (``Canvas/leftOutCount``), not included in ``sampleCount``.
        var leftOutCount = 0
        package var strokeCount = 0
        package var frameCount = 0
        /// Processor time of the thread in nanoseconds, without the first frame.
        package var processorNanoseconds: Int64 = 0
        package var strokes: [StrokeInk] = []
    }

    private let thread: Linux.Thread
    private let result: ResultBox

    private final class ResultBox: Sendable {
        let value = Mutex(Result())
    }

    init(_ plan: Plan, link: RenderLink) throws(Errno) {
        let result = ResultBox()
        // Everything that can throw comes before the first stored property: the Swift 6.0 compiler crashes on
        // partially initialized noncopyable values.
        let thread = try Linux.Thread(name: "render") {
            Linux.Thread.useShortSlices()
            var renderer = Renderer(plan: plan, link: link)
            renderer.run()
            let done = renderer.result
            result.value.withLock { $0 = done }
            link.signalEnd()
        }
        self.thread = thread
        self.result = result
    }

    /// Waits for the thread, after ``RenderLink/finish()`` or ``RenderLink/abandon()``.
    consuming func join() -> Result {
        let result = result
        thread.join()
        return result.value.withLock { $0 }
    }
}

/// The render thread's own state.
struct Renderer: ~Copyable {
    /// The time between frames while a backlog is drawn: one frame at 60 Hz. Without it a slow processor would show
    /// no frame until it had caught up.
    private static let drawInterval = Duration.milliseconds(16)

    let plan: RenderThread.Plan
    let link: RenderLink
    private var picture: PadPicture
    /// nil while there is no display.
    private var target: RenderTarget?
    private var isBlank = false
    private(set) var result = RenderThread.Result()
    /// The kernel's times of reports that no back buffer shows yet.
    private var waiting: [Timestamp] = []
    /// The number of these reports, from the first, that have been written into the frame on screen.
    private var writtenCount = 0
    /// The frame that the waiting reports are composed for; nil before it is chosen.
    private var slot: FramePacer.Slot?
    /// Whether anything but ink has changed since the last frame: pages and buttons are never late.
    private var isUrgent = true
    /// Whether ink waits to be composed late.
    private var isLate = false

    init(plan: RenderThread.Plan, link: RenderLink) {
        self.plan = plan
        self.link = link
        target = plan.target
        let look = plan.look
        picture = PadPicture(
            pen: look.pen, color: look.color, paper: look.background, screen: plan.screen,
            painter: Self.makePainter(plan, link))
    }

    /// Creates the painter on the thread that uses it, because fonts require that. nil for a bare sheet, or without
    /// fonts.
    private static func makePainter(_ plan: RenderThread.Plan, _ link: RenderLink) -> PagePainter? {
        guard let pages = plan.pages else { return nil }
        do throws(TextError) {
            return PagePainter(theme: pages.theme, fonts: try Fonts())
        } catch {
            link.report(.failed(error))
            return nil
        }
    }

    mutating func run() {
        for case .render(let action) in plan.pages?.first ?? [] { apply(action) }
        draw()
        let start = Linux.Thread.processorNanoseconds
        var steps: [RenderStep] = []
        var isEnding = false
        while !isEnding {
            // Ink for a frame that is composed later is modelled then: each wake-up costs as much as a report's model.
            let isPatient = isLate && target?.takesFrontWrites != true
            let isFinishing = link.waitForWork(&steps, until: nextDeadline, isPatient: isPatient)
            var drawn = MonotonicClock.now
            for step in steps {
                if link.isAbandoned { break }
                apply(step)
                link.noteProgress()
                // Only after ink, so that a page never appears without the states of its buttons.
                if step.isInk, MonotonicClock.now - drawn > Self.drawInterval {
                    isUrgent = true
                    draw()
                    drawn = MonotonicClock.now
                }
            }
            if isFinishing { isUrgent = true }
            draw()
            // If no buffer is free, the last frame waits for a flip, which wakes this thread.
            isEnding = link.isAbandoned || isFinishing && target?.needsDrawing != true
        }
        result.processorNanoseconds = Linux.Thread.processorNanoseconds - start
    }

    private mutating func apply(_ step: RenderStep) {
        if !step.isInk { isUrgent = true }
        switch step {
        case .pad(let action): apply(action)
        case .attach(let target):
            self.target = target
            picture.change(to: target.screen)
        case .detach:
            target = nil
            slot = nil
            // Their frames were never shown.
            waiting.removeAll(keepingCapacity: true)
            writtenCount = 0
            link.report(.detached)
        case .blank(let isBlank): blank(isBlank)
        case .inspect: link.report(.inspected(fits: inspect()))
        case .image(let id): link.report(.image(picture.pageImage(at: MonotonicClock.now), of: id))
        }
    }

    private mutating func apply(_ action: RenderAction) {
        if case .ink(let event, let reported) = action { return draw(event, reported: reported) }
        if let answer = picture.apply(action) { link.report(.pad(answer)) }
    }

    private mutating func draw(_ event: StrokeEvent, reported: Timestamp) {
        let leftOutBefore = picture.leftOutCount
        let stroke = picture.draw(event)
        let isLeftOut = picture.leftOutCount > leftOutBefore
        if isLeftOut { result.leftOutCount += 1 }
        switch event {
        case .begin, .move:
            if isLeftOut { break }
            waiting.append(reported)
            result.sampleCount += 1
        case .end, .cancel: break
        }
        guard let stroke else { return }
        result.strokeCount += 1
        if plan.keepsStrokes { result.strokes.append(stroke) }
    }

    /// Whether the memory that the screen shows contains the current picture; nil while the picture changes, or is not
    /// shown.
    private mutating func inspect() -> Bool? {
        draw()
        guard let target, !isBlank, !picture.isMoving, picture.predictionExpiry == nil,
            let shown = target.settledSurface
        else { return nil }
        let pixels = PixelBuffer(unwritten: shown.size)
        picture.compose(Damage(PixelRect(size: picture.size)), onto: pixels.surface)
        return shown.hasPixels(of: pixels.surface)
    }

    /// When to draw without new work: predicted ink expires, or something moves.
    private var nextDeadline: Timestamp? {
        if isLate { return slot?.begin }
        if picture.isMoving, target != nil, !isBlank { return MonotonicClock.now + Self.drawInterval }
        return picture.predictionExpiry
    }

    /// Starts or ends black frames. The canvas is updated meanwhile.
    private mutating func blank(_ isBlank: Bool) {
        if isBlank == self.isBlank { return }
        self.isBlank = isBlank
        target?.invalidate(Damage(PixelRect(size: picture.size)))
    }

    /// Updates the prediction after new reports, and removes it when no report has followed: ink must not stay ahead of
    /// a resting pen. A flip alone causes no update, because a resting pen would then cause a frame at every vblank.
    private mutating func predict() {
        if !waiting.isEmpty {
            picture.predict(until: slot?.visible ?? target?.timeOfNextFrame())
        }
        // Checked last, because late reports may yield a prediction that has already expired.
        if let expiry = picture.predictionExpiry, MonotonicClock.now >= expiry {
            picture.predict(until: nil)
        }
    }

    /// Whether the frame is composed later, at ``slot`` or, without one, after the flip that is outstanding. Until then
    /// ink waits in the canvas. A chosen slot stays, and is used even if this thread wakes too late for it.
    private mutating func postpones() -> Bool {
        guard let target, !isUrgent, !isBlank, !picture.isMoving, !waiting.isEmpty else {
            slot = nil
            return false
        }
        let now = MonotonicClock.now
        if let slot { return now < slot.begin }
        switch target.timing(at: now) {
        case .atOnce: return false
        case .afterFlip: return true
        case .late(let next):
            slot = next
            return now < next.begin
        }
    }

    /// Writes new ink into the frame that is on screen, ahead of the frame that will have it, if that is wanted.
    private mutating func writeToFront() {
        guard let target, writtenCount < waiting.count, !isUrgent, !isBlank, target.takesFrontWrites else { return }
        if plan.predicts { predict() }
        let damage = picture.takeDamage()
        target.invalidate(damage)
        var hasWritten = false
        for index in target.surfaces.indices where target.isShown(index) {
            if picture.writeWetInk(of: damage, onto: target.surfaces[index]) { hasWritten = true }
        }
        let now = MonotonicClock.now
        // The end of a stroke, for example, waits for the next frame.
        if hasWritten { for time in waiting[writtenCount...] { result.frontLatency.add(now - time) } }
        writtenCount = waiting.count
    }

    /// Updates a free back buffer, if there is one and anything has changed and it is time.
    private mutating func draw() {
        isLate = postpones()
        writeToFront()
        if isLate { return }
        defer { slot = nil }
        if plan.predicts { predict() }
        guard let target else { return }
        if picture.isMoving { picture.move(to: MonotonicClock.now) }
        guard let drawing = target.acquire(for: picture.takeDamage()) else {
            if !target.needsDrawing { isUrgent = false }
            return
        }
        let surface = target.surfaces[drawing.index]
        if isBlank {
            for rect in drawing.stale.rects {
                surface.fill(picture.screen.rotation.panelRect(of: rect, picture: picture.size), with: .black)
            }
        } else {
            picture.compose(drawing.stale, onto: surface)
        }
        let now = MonotonicClock.now
        for time in waiting { result.latency.add(now - time) }
        result.frameCount += 1
        target.submit(drawing.index, showing: waiting, in: slot, isInkOnly: !isUrgent)
        link.noteFrame()
        waiting.removeAll(keepingCapacity: true)
        writtenCount = 0
        isUrgent = false
    }
}
