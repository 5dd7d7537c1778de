// SPDX-License-Identifier: Apache-2.0
import Capture
import Control
import Record

/// How the sketch page is, whatever the screen.
struct SketchStyle: Equatable, Sendable {
    var tools: SketchTools
    var clearsOnDoubleTap: Bool
    var direction: LayoutDirection
}

/// The sketch page of a pad, shown while nobody is asked for a signature.
struct PadSketch {
    let layout: SketchLayout
    let tools: SketchTools
    /// As the journal knows it.
    let page: SketchPage
    var machine: SketchMachine
    /// What was drawn before the program started is there again; until then nobody draws.
    var isOpen = false
    /// That, while another page is shown: it is drawn when the sketch page is.
    var unrestored: [SketchEntry]?

    /// - Returns: nil where the page does not fit on the screen.
    init?(_ style: SketchStyle, on screen: PadScreen) {
        guard
            let layout = SketchLayout(
                size: screen.status.size, density: screen.pageDensity, direction: style.direction, tools: style.tools)
        else { return nil }
        self.layout = layout
        tools = style.tools
        machine = SketchMachine(pad: layout.pad, tools: style.tools, clearsOnDoubleTap: style.clearsOnDoubleTap)
        // In the density that ink is drawn with, which is not that of a page laid out for a screen of unknown size.
        page = SketchPage(size: layout.pad.page.size, density: screen.status.density)
    }

    var view: PageView {
        let states = layout.buttons.map { ($0.button, machine.state(of: $0.button)) }
        return .sketch(layout, tools, Dictionary(uniqueKeysWithValues: states))
    }
}
