// SPDX-License-Identifier: Apache-2.0
import Canvas
public import Geometry
public import Ink
public import Pad
public import Raster
import Record

/// The picture of the pad: its page, and the ink on it. It carries out the pad's ``RenderAction``s.
///
/// One thread at a time; reads no clock.
public struct PadPicture: ~Copyable {
    /// Memory for undo on signing pages, in bytes. Undo must reach all ink on the page, because each undo goes into the
    /// record. Enough for ten minutes of a pen with 1000 reports a second, at 0.4 KiB each.
    private static let undoBytes = 256 << 20

    private let pen: Pen
    private let color: Color
    private let paper: Color
    public private(set) var screen: PadScreen
    /// The ink of the current page.
    private var canvas: Canvas
    /// nil on a bare sheet, which has no page.
    private var painter: PagePainter?
    /// The page; nil before the first.
    public private(set) var shown: PlacedPage?
    /// The last page that was laid out; usually it is shown next.
    private var laidOut: PlacedPage?
    /// The canvas of the sketch page while another page is shown, and vice versa; nil before the first sketch page.
    private var other: Canvas?
    private var isSketching = false
    /// The states of the buttons that have changed on the page.
    private var buttonStates: [PageButton: ButtonState] = [:]
    /// The styles that labels had when the page was laid out, of buttons with another label now.
    private var labelStyles: [PageButton: TextStyle] = [:]
    /// The scene of the document element; nil before the first.
    private var scene: DocumentScene?
    private var documentMemory = DocumentMemory()
    /// The ring around the control that a key presses; nil without one.
    private var focus: PixelRect?
    /// The places at which a ring was added or removed since the last frame.
    private var focusDamage = Damage()
    private var signs: Set<CaptureSign> = []
    /// The motion on the page; nil while nothing moves.
    private var motion: Motion?
    /// When it began to move; nil before its first frame.
    private var motionStart: Timestamp?

    public init(pen: Pen, color: Color, paper: Color, screen: PadScreen, painter: consuming PagePainter?) {
        self.pen = pen
        self.color = color
        self.paper = paper
        self.screen = screen
        let undoBytes = painter == nil ? Canvas.standardUndoBytes : Self.undoBytes
        canvas = Self.makeCanvas(pen, color, paper, screen, undoBytes)
        self.painter = painter
    }

    private static func makeCanvas(
        _ pen: Pen, _ color: Color, _ paper: Color, _ screen: PadScreen, _ undoBytes: Int
    ) -> Canvas {
        Canvas(
            size: screen.size, pen: pen, color: color, background: paper, density: screen.density,
            undoBytes: undoBytes)
    }

    public var size: PixelSize { canvas.size }

    /// Draws for another screen from now on. Ink and page are lost if its picture has another size or density.
    public mutating func change(to next: PadScreen) {
        let isSame = next.showsSame(as: screen)
        screen = next
        if isSame { return }
        let undoBytes = painter == nil ? Canvas.standardUndoBytes : Self.undoBytes
        canvas = Self.makeCanvas(pen, color, paper, screen, undoBytes)
        other = nil
        isSketching = false
        (shown, laidOut, motion, focus) = (nil, nil, nil, nil)
        (scene, buttonStates, labelStyles) = (nil, [:], [:])
        documentMemory.removeAll()
    }

    /// Carries out an action.
    /// - Returns: the answer to ``RenderAction/layOut(_:_:)``, ``RenderAction/screenshot(_:)`` or
    ///   ``RenderAction/backdrop(_:)``.
    public mutating func apply(_ action: RenderAction) -> PadEvent? {
        switch action {
        case .ink(let event, _): draw(event)
        case .undo: canvas.undo()
        case .redo: canvas.redo()
        case .clear: canvas.clear()
        case .wipe: canvas.wipe()
        case .show(let page): show(page)
        case .button(let button, let state):
            guard painter != nil, let shown, let placed = shown.element(of: button) else { break }
            buttonStates[button] = state
            painter!.draw(placed, state, shown, on: canvas.changeBackdrop(placed.rect))
            if state.isBusy {
                (motion, motionStart) = (.ring(placed, state, step: 0), nil)
            } else if case .ring(placed, _, _)? = motion {
                motion = nil
            }
        case .hint(let isShown):
            guard painter != nil, let shown, let hint = shown.hint else { break }
            painter!.drawGuide(shown, showsHint: isShown, on: canvas.changeBackdrop(hint.rect))
        case .banner(let banner): show(banner)
        case .label(let button, let text): label(button, text)
        case .document(let scene): show(scene)
        case .use(let pen, let color): canvas.use(pen: pen, color: color)
        case .restore(let entry): restore(entry)
        case .layOut(let id, let page): return .laidOut(id, layOutWithTexts(page))
        case .screenshot(let call): return .screenshot(call, takeScreenshot())
        case .backdrop(let call): return .backdrop(call, copyBackdrop())
        case .focus(let ring):
            for rect in [focus, ring].compactMap(\.self) { focusDamage.add(rect.intersection(PixelRect(size: size))) }
            focus = ring
        case .sign(let sign, let isShown):
            if isShown { signs.insert(sign) } else { signs.remove(sign) }
            draw(sign)
        }
        return nil
    }

    // MARK: ink and frames

    /// Draws a step of a stroke.
    /// - Returns: the stroke that it finished.
    @discardableResult
    public mutating func draw(_ event: StrokeEvent) -> StrokeInk? { canvas.apply(event) }

    /// ``Canvas/leftOutCount`` of the current page.
    public var leftOutCount: Int { canvas.leftOutCount }

    /// Whether undo would change anything on the page.
    public var canUndo: Bool { canvas.canUndo }

    /// Draws predicted ink: as ``Canvas/predict(until:)``.
    public mutating func predict(until time: Timestamp?) { canvas.predict(until: time) }

    /// ``Canvas/predictionExpiry`` of the current page.
    public var predictionExpiry: Timestamp? { canvas.predictionExpiry }

    /// The changes since the last call, in pixels of the picture; at first everything.
    public mutating func takeDamage() -> Damage {
        var damage = canvas.takeDamage()
        damage.add(focusDamage)
        focusDamage = Damage()
        return damage
    }

    /// Writes the damaged part of the picture to a back buffer of the screen.
    public mutating func compose(_ damage: Damage, onto surface: Surface) {
        canvas.compose(damage, onto: surface, rotation: screen.rotation)
        drawFocus(on: surface, rotation: screen.rotation)
    }

    /// Draws the ring over a frame, so that the page below it can change. The two bands have different colours: one of
    /// them stands out from any page.
    private mutating func drawFocus(on surface: Surface, rotation: Rotation) {
        guard let focus, painter != nil else { return }
        let theme = painter!.theme
        let width = screen.ringWidth
        let inner = focus.inset(by: width)
        for (outer, hole, color) in [(focus, inner, theme.paperText), (inner, inner.inset(by: width), theme.paper)] {
            for rect in outer.excluding(hole) {
                let seen = rect.intersection(PixelRect(size: size))
                if !seen.isEmpty { surface.fill(rotation.panelRect(of: seen, picture: size), with: color) }
            }
        }
    }

    /// Writes the wet ink of the damaged part to a buffer that may be on screen.
    /// - Returns: whether there was any.
    public mutating func writeWetInk(of damage: Damage, onto surface: Surface) -> Bool {
        canvas.writeWetInk(of: damage, onto: surface, rotation: screen.rotation)
    }

    /// Copies the page as a frame would show it now, for the record: without a ring, which hides a bit of it.
    public mutating func pageImage(at time: Timestamp) -> PageImage {
        let fonts = shown.map { painter?.fontNames(of: $0) ?? [] } ?? []
        return PageImage(picture: takeScreenshot(withFocus: false), fonts: fonts, takenAt: time)
    }

    /// Copies what a frame would show now, predicted ink included.
    private mutating func takeScreenshot(withFocus: Bool = true) -> Screenshot {
        let pixels = PixelBuffer(unwritten: size)
        canvas.compose(Damage(PixelRect(size: size)), onto: pixels.surface, rotation: .none)
        if withFocus { drawFocus(on: pixels.surface, rotation: .none) }
        return Screenshot(pixels)
    }

    /// Copies the page without ink, and without a banner over the ink field.
    private mutating func copyBackdrop() -> Screenshot {
        let pixels = PixelBuffer(unwritten: size)
        pixels.surface.copy(PixelRect(size: size), from: canvas.changeBackdrop(.empty), rotation: .none)
        return Screenshot(pixels)
    }

    /// Draws or removes a sign. Only pages of captures have any.
    private mutating func draw(_ sign: CaptureSign) {
        guard painter != nil, let shown, shown.hasSigns else { return }
        painter!.draw(sign, shown, isShown: signs.contains(sign), on: canvas.changeBackdrop(shown.place(of: sign)))
    }

    // MARK: pages

    private mutating func layOut(_ page: Page) -> Result<PlacedPage, PageTooSmall> {
        if let laidOut, laidOut.page == page { return .success(laidOut) }
        guard painter != nil else { return .failure(PageTooSmall()) }
        do throws(PageTooSmall) {
            let placed = try painter!.place(
                page, size: canvas.size, density: screen.pageDensity, gloves: screen.gloves, letters: screen.letters)
            laidOut = placed
            return .success(placed)
        } catch {
            return .failure(error)
        }
    }

    /// Lays out a page of a capture before it is shown, with those that come before it.
    private mutating func layOutWithTexts(_ page: Page) -> Result<PlacedPage, PageTooSmall> {
        guard painter != nil else { return .failure(PageTooSmall()) }
        do throws(PageTooSmall) {
            let placed = try painter!.placeWithTexts(
                page, size: canvas.size, density: screen.pageDensity, gloves: screen.gloves, letters: screen.letters)
            laidOut = placed
            return .success(placed)
        } catch {
            return .failure(error)
        }
    }

    /// Shows a page. Only the sketch page keeps its ink.
    private mutating func show(_ page: Page) {
        guard painter != nil, let placed = try? layOut(page).get() else { return }
        let isSketch = if case .drawing = page.inkField { true } else { false }
        let isFirst = turn(toSketch: isSketch)
        (motion, motionStart) = (nil, nil)
        if isSketch, !isFirst {
            canvas.showAgain()
        } else {
            let fade = page.fadesIn && shown?.page.inkField == nil ? makeFade(to: placed) : nil
            let area = placed.inkArea
            let surface = canvas.beginPage(inkArea: area.bounds, except: area.icons)
            if let fade {
                surface.mix(fade.from.surface, fade.to.surface, share: 0)
            } else {
                painter!.draw(placed, on: surface)
            }
            motion = fade.map { .fade($0) } ?? placed.elements.first { $0.element == .tick }.map { .tick($0) }
        }
        (shown, scene, buttonStates, labelStyles) = (placed, nil, [:], [:])
        if placed.documentArea.isEmpty { documentMemory.removeAll() }
        for sign in CaptureSign.allCases where signs.contains(sign) { draw(sign) }
    }

    /// Copies the page that is shown, and draws the next one.
    private mutating func makeFade(to page: PlacedPage) -> Fade {
        let fade = Fade(size: size)
        fade.from.surface.copy(PixelRect(size: size), from: canvas.changeBackdrop(.empty), rotation: .none)
        painter!.draw(page, on: fade.to.surface)
        return fade
    }

    /// Switches between the sketch's canvas and that of other pages, so that a sketch survives signatures in between.
    /// - Returns: whether the sketch page is shown for the first time, or another page.
    private mutating func turn(toSketch: Bool) -> Bool {
        if toSketch == isSketching { return !toSketch }
        isSketching = toSketch
        let isFirst = other == nil
        var next = other.take() ?? Self.makeCanvas(pen, color, paper, screen, Canvas.standardUndoBytes)
        swap(&canvas, &next)
        other = consume next
        return isFirst || !toSketch
    }

    private mutating func label(_ button: PageButton, _ text: String) {
        guard painter != nil, let shown, let index = shown.elements.firstIndex(where: { $0.button == button }) else {
            return
        }
        var element = shown.elements[index]
        element.style = labelStyles[button] ?? element.style
        labelStyles[button] = element.style
        element = painter!.relabelled(element, text, on: shown)
        self.shown?.elements[index] = element
        painter!.draw(element, buttonStates[button] ?? ButtonState(), shown, on: canvas.changeBackdrop(element.rect))
    }

    private mutating func show(_ scene: DocumentScene) {
        guard painter != nil, let shown, !shown.documentArea.isEmpty else { return }
        let change = PagePainter.change(from: self.scene, to: scene, on: shown)
        self.scene = scene
        if change.isEmpty { return }
        painter!.draw(scene, part: change, of: shown, &documentMemory, on: canvas.changeBackdrop(change))
    }

    private mutating func show(_ banner: Banner?) {
        guard painter != nil, let shown else { return }
        guard let banner else { return canvas.uncover() }
        let place = painter!.place(banner, over: shown, avoiding: { canvas.hasInk(in: $0) })
        guard let surface = canvas.cover(place.rect) else { return }
        painter!.draw(banner, place, shown, on: surface)
    }

    /// Draws an entry of the stored sketch on the sketch page.
    private mutating func restore(_ entry: SketchEntry) {
        guard let field = shown?.inkField else { return }
        let corner = Point(x: Double(field.minX), y: Double(field.minY))
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
    }

    // MARK: motion

    /// A page that fades into another.
    private final class Fade {
        let from, to: PixelBuffer

        init(size: PixelSize) {
            from = PixelBuffer(size: size)
            to = PixelBuffer(size: size)
        }
    }

    private enum Motion {
        case tick(PlacedElement)
        /// The ring of a busy button.
        /// - Parameter step: the number of ``Path/turnSteps`` that it has turned.
        case ring(PlacedElement, ButtonState, step: Int)
        /// A page fades into another.
        case fade(Fade)
    }

    /// Whether something moves on the page.
    public var isMoving: Bool { motion != nil }

    /// Draws what moves as it is at a time.
    public mutating func move(to time: Timestamp) {
        guard let motion, let shown, painter != nil else { return }
        let start = motionStart ?? time
        let elapsed = max(.zero, time - start)
        let share = min(1, elapsed / PageDesign.motion)
        motionStart = start
        var isOver = share == 1
        switch motion {
        case .tick(let element):
            painter!.drawTick(element, progress: share, on: canvas.changeBackdrop(element.rect))
        case .fade(let fade):
            canvas.changeBackdrop(PixelRect(size: size)).mix(
                fade.from.surface, fade.to.surface, share: UInt32(share * 256))
        case .ring(let element, let state, let last):
            let turn = PageDesign.turn.microseconds
            let step = Int(elapsed.microseconds % turn) * Path.turnSteps / Int(turn)
            if step != last {
                painter!.draw(element, state, turned: step, shown, on: canvas.changeBackdrop(element.rect))
            }
            self.motion = .ring(element, state, step: step)
            isOver = false
        }
        if isOver { (self.motion, motionStart) = (nil, nil) }
    }
}

extension PlacedPage {
    /// Whether the page has signs in its margin: it is one of a capture, on which people read, answer, write or go on.
    fileprivate var hasSigns: Bool {
        switch page.inkField {
        case .signing, .note: true
        case .drawing: false
        case nil: buttons.contains { [.lead, .next, .option(0)].contains($0.button) }
        }
    }
}
