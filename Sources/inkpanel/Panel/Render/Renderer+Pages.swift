// SPDX-License-Identifier: Apache-2.0
import Canvas
import Pad
import Geometry
import Ink
import Pages
import Record

/// Pages below the ink.
extension Renderer {
    /// On the thread that will write, as fonts want it.
    mutating func open(_ pages: RenderThread.Pages) {
        do throws(TextError) {
            painter = PagePainter(theme: pages.theme, fonts: try Fonts())
        } catch {
            return link.fail(error)
        }
        show(pages.first)
    }

    /// Shows a page. Where it is the signature page that is shown already, with other words, its ink stays.
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

    /// Draws on the sketch page what was drawn there before.
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
