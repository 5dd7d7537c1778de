// SPDX-License-Identifier: Apache-2.0
import Canvas
import Capture
import Geometry
import Pages
import Text

/// Pages below the ink.
extension Renderer {
    /// On the thread that will write, as fonts want it.
    mutating func open(_ pages: PageLook) {
        do throws(TextError) {
            painter = PagePainter(theme: pages.theme, fonts: try Fonts())
        } catch {
            return link.fail(error)
        }
        show(pages.first)
    }

    /// Shows a page. Where it is the signature page that is shown already, with other words, its ink stays.
    mutating func show(_ view: PageView) {
        guard painter != nil else { return }
        switch view {
        case .words(let text):
            let surface = canvas.beginPage(inkArea: .empty)
            painter!.drawMessage(text, density: plan.pages?.density, on: surface)
        case .picture(let picture): painter!.drawPicture(picture, on: canvas.beginPage(inkArea: .empty))
        case .signature(let layout, let message, let hasButtons):
            let surface =
                layout == shownLayout
                ? canvas.changeBackdrop(PixelRect(size: canvas.size)) : canvas.beginPage(inkArea: layout.signingArea)
            painter!.draw(layout, message: message, hasButtons: hasButtons, on: surface)
        }
        shown = view
    }

    mutating func show(_ button: PageButton, isPressed: Bool) {
        guard painter != nil, let layout = shownLayout,
            let placed = layout.buttons.first(where: { $0.button == button })
        else { return }
        painter!.draw(placed, isPressed: isPressed, layout, on: canvas.changeBackdrop(placed.rect))
    }

    func layOut(_ order: LayoutOrder) -> LayoutAnswer {
        let layout = painter?.layout(
            size: canvas.size, density: plan.pages?.density, direction: order.direction, texts: order.texts)
        return LayoutAnswer(request: order.request, layout: layout)
    }

    private var shownLayout: SignatureLayout? {
        guard case .signature(let layout, _, _) = shown else { return nil }
        return layout
    }
}
