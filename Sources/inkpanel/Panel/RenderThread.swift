// SPDX-License-Identifier: Apache-2.0
import Canvas
import Geometry
import Ink
import Linux
import Pad
import Pages
import Raster
import Record
import Screen
import Synchronization

/// The thread that turns reports into pixels: it models strokes and rasterizes them into the paper and the free back
/// buffer.
///
/// When it falls behind, it takes all waiting reports at once: drawing is coalesced, reports are not.
struct RenderThread: ~Copyable {
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

    /// The theme of pages, and the first page.
    struct Pages: Sendable {
        var theme: PageTheme
        var first: Page
    }

    /// The counts and results of the thread.
    struct Result: Sendable {
        var latency = LatencyHistogram()
        var sampleCount = 0
        /// Samples left out by the canvas (``Canvas/leftOutCount``), not included in ``sampleCount``.
        var leftOutCount = 0
        var strokeCount = 0
        var frameCount = 0
        /// Processor time of the thread in nanoseconds, without the first frame.
        var processorNanoseconds: Int64 = 0
        var strokes: [StrokeInk] = []
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
    /// Nanoseconds between frames while a backlog is drawn: one frame at 60 Hz. Without it a slow processor would show
    /// no frame until it had caught up.
    private static let drawInterval: Int64 = 16_000_000

    /// Memory for undo on signing pages, in bytes. Undo must reach all ink on the page, because each undo goes into the
    /// record. Enough for ten minutes of a pen with 1000 reports a second, at 0.4 KiB each.
    private static let undoBytes = 256 << 20

    let plan: RenderThread.Plan
    let link: RenderLink
    private(set) var screen: PadScreen
    /// nil while there is no display.
    private var target: RenderTarget?
    var canvas: Canvas
    /// nil on a bare sheet, or without fonts.
    var painter: PagePainter?
    var shown: Page?
    /// The canvas of the sketch page while another page is shown, and vice versa; nil before the first sketch page.
    private var other: Canvas?
    private var isSketching = false
    private var isBlank = false
    private(set) var result = RenderThread.Result()
    /// The kernel's times of reports that no back buffer shows yet.
    private var waiting: [Int64] = []

    init(plan: RenderThread.Plan, link: RenderLink) {
        self.plan = plan
        self.link = link
        screen = plan.screen
        target = plan.target
        canvas = Self.makeCanvas(plan, plan.screen, undoBytes: Self.undoBytes(plan))
    }

    private static func makeCanvas(
        _ plan: RenderThread.Plan, _ screen: PadScreen, undoBytes: Int
    ) -> Canvas {
        Canvas(
            size: screen.size, pen: plan.look.pen, color: plan.look.color,
            background: plan.look.background, density: screen.density, undoBytes: undoBytes)
    }

    private static func undoBytes(_ plan: RenderThread.Plan) -> Int {
        plan.pages == nil ? Canvas.standardUndoBytes : undoBytes
    }

    /// Draws on this display from now on. Ink is lost if the picture has another size or density.
    private mutating func attach(_ target: RenderTarget) {
        self.target = target
        let isSame = target.screen.showsSame(as: screen)
        screen = target.screen
        if isSame { return }
        canvas = Self.makeCanvas(plan, screen, undoBytes: Self.undoBytes(plan))
        other = nil
        isSketching = false
        shown = nil
    }

    /// Switches between the sketch's canvas and that of other pages, so that a sketch survives signatures in between.
    /// - Returns: whether the canvas is the first of the sketch page.
    mutating func turn(toSketch: Bool) -> Bool {
        if toSketch == isSketching { return false }
        isSketching = toSketch
        let isFirst = other == nil
        var next = other.take() ?? Self.makeCanvas(plan, screen, undoBytes: Canvas.standardUndoBytes)
        swap(&canvas, &next)
        other = consume next
        return isFirst
    }

    mutating func run() {
        if let pages = plan.pages { open(pages) }
        draw()
        let start = Linux.Thread.processorNanoseconds
        var steps: [RenderStep] = []
        var isEnding = false
        while !isEnding {
            let isFinishing = link.waitForWork(&steps, until: canvas.predictionExpiry)
            var drawn = MonotonicClock.nanoseconds
            for step in steps {
                if link.isAbandoned { break }
                apply(step)
                link.noteProgress()
                if MonotonicClock.nanoseconds - drawn > Self.drawInterval {
                    draw()
                    drawn = MonotonicClock.nanoseconds
                }
            }
            draw()
            // If no buffer is free, the last frame waits for a flip, which wakes this thread.
            isEnding = link.isAbandoned || isFinishing && target?.needsDrawing != true
        }
        result.processorNanoseconds = Linux.Thread.processorNanoseconds - start
    }

    private mutating func apply(_ step: RenderStep) {
        switch step {
        case .pad(let action): apply(action)
        case .attach(let target): attach(target)
        case .detach:
            target = nil
            // Their frames were never shown.
            waiting.removeAll(keepingCapacity: true)
            link.report(.detached)
        case .blank(let isBlank): blank(isBlank)
        }
    }

    private mutating func apply(_ action: RenderAction) {
        switch action {
        case .ink(let event, let reported): apply(event, reported: reported)
        case .undo: canvas.undo()
        case .redo: canvas.redo()
        case .clear: canvas.clear()
        case .wipe: canvas.wipe()
        case .show(let page): show(page)
        case .button(let button, let state): show(button, state)
        case .notice(let text): show(notice: text)
        case .use(let pen, let color): canvas.use(pen: pen, color: color)
        case .restore(let entries): restore(entries)
        case .layOut(let id, let texts, let direction): link.report(.pad(.laidOut(id, layOut(texts, direction))))
        }
    }

    private mutating func apply(_ event: StrokeEvent, reported: Int64) {
        let leftOutBefore = canvas.leftOutCount
        let stroke = canvas.apply(event)
        let isLeftOut = canvas.leftOutCount > leftOutBefore
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

    /// Starts or ends black frames. The canvas is updated meanwhile.
    private mutating func blank(_ isBlank: Bool) {
        if isBlank == self.isBlank { return }
        self.isBlank = isBlank
        target?.invalidate(Damage(PixelRect(size: canvas.size)))
    }

    /// Updates the prediction after new reports, and removes it when no report has followed: ink must not stay ahead of
    /// a resting pen. A flip alone causes no update, because a resting pen would then cause a frame at every vblank.
    private mutating func predict() {
        if !waiting.isEmpty { canvas.predict(until: target?.timeOfNextFrame()) }
        // Checked last, because late reports may yield a prediction that has already expired.
        if let expiry = canvas.predictionExpiry, MonotonicClock.microseconds >= expiry { canvas.predict(until: nil) }
    }

    /// Updates a free back buffer, if there is one and anything has changed.
    private mutating func draw() {
        if plan.predicts { predict() }
        guard let target else { return }
        guard let drawing = target.acquire(for: canvas.takeDamage()) else { return }
        let surface = target.surfaces[drawing.index]
        if isBlank {
            for rect in drawing.stale.rects {
                surface.fill(screen.rotation.panelRect(of: rect, picture: canvas.size), with: .black)
            }
        } else {
            canvas.compose(drawing.stale, onto: surface, rotation: screen.rotation)
        }
        let now = MonotonicClock.microseconds
        for time in waiting { result.latency.add(microseconds: now - time) }
        result.frameCount += 1
        target.submit(drawing.index, showing: waiting)
        link.noteFrame()
        waiting.removeAll(keepingCapacity: true)
    }
}

/// Pages below the ink.
extension Renderer {
    /// Creates the painter on the thread that uses it, because fonts require that.
    mutating func open(_ pages: RenderThread.Pages) {
        do throws(TextError) {
            painter = PagePainter(theme: pages.theme, fonts: try Fonts())
        } catch {
            return link.report(.failed(error))
        }
        show(pages.first)
    }

    /// Shows a page. Ink is kept if only the message or the buttons of the signing page change.
    mutating func show(_ view: Page) {
        guard painter != nil else { return }
        let isSketch = if case .sketch = view { true } else { false }
        let isFirst = turn(toSketch: isSketch)
        switch view {
        case .words(let text):
            let surface = canvas.beginPage(inkArea: .empty)
            painter!.drawMessage(text, density: screen.pageDensity, on: surface)
        case .picture(let picture): painter!.drawPicture(picture, on: canvas.beginPage(inkArea: .empty))
        case .sketch(let layout, let tools, let states):
            let surface =
                isFirst
                ? canvas.beginPage(inkArea: layout.drawingArea) : canvas.changeBackdrop(PixelRect(size: canvas.size))
            painter!.draw(layout, tools, states: states, on: surface)
        case .signature(let layout, let message, let hasButtons):
            let surface =
                layout == shownLayout
                ? canvas.changeBackdrop(PixelRect(size: canvas.size)) : canvas.beginPage(inkArea: layout.signingArea)
            canvas.showInk(in: painter!.draw(layout, message: message, hasButtons: hasButtons, on: surface))
        }
        shown = view
    }

    mutating func show(_ button: PageButton, _ state: ButtonState) {
        guard painter != nil else { return }
        switch shown {
        case .signature(let layout, _, _):
            guard let placed = layout.buttons.first(where: { $0.button == button }) else { break }
            painter!.draw(placed, isPressed: state.isPressed, layout, on: canvas.changeBackdrop(placed.rect))
        case .sketch(let layout, let tools, _):
            guard let placed = layout.buttons.first(where: { $0.button == button }) else { break }
            painter!.draw(placed, state, layout, tools, on: canvas.changeBackdrop(placed.rect))
        case .words, .picture, nil: break
        }
    }

    mutating func show(notice text: String?) {
        guard painter != nil, case .sketch(let layout, _, _) = shown else { return }
        guard let text else { return canvas.uncover() }
        guard let surface = canvas.cover(layout.noticeArea) else { return }
        painter!.drawNotice(text, layout, on: surface)
    }

    /// Draws the stored sketch on the sketch page.
    mutating func restore(_ entries: [SketchEntry]) {
        guard case .sketch(let layout, _, _) = shown else { return }
        let corner = Point(x: Double(layout.drawingArea.minX), y: Double(layout.drawingArea.minY))
        for entry in entries {
            switch entry {
            case .stroke(let stroke):
                canvas.use(pen: stroke.inkPen, color: stroke.color)
                for (index, sample) in stroke.inkSamples(from: corner).enumerated() {
                    canvas.apply(index == 0 ? .begin(sample) : .move(sample))
                }
                canvas.apply(.end)
            case .undo: canvas.undo()
            case .redo: canvas.redo()
            case .clear: canvas.clear()
            }
            link.noteProgress()
        }
    }

    func layOut(_ texts: PageTexts, _ direction: LayoutDirection) -> Result<SignatureLayout, PageTooSmall> {
        do throws(PageTooSmall) {
            let layout = try painter?.layout(
                size: canvas.size, density: screen.pageDensity, direction: direction, texts: texts)
            return layout.map { .success($0) } ?? .failure(PageTooSmall())
        } catch {
            return .failure(error)
        }
    }

    private var shownLayout: SignatureLayout? {
        guard case .signature(let layout, _, _) = shown else { return nil }
        return layout
    }
}
