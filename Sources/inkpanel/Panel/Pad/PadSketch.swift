// SPDX-License-Identifier: Apache-2.0
import Capture
import Record

/// The sketch page of a pad, shown while nobody is asked for a signature.
struct PadSketch {
    let layout: SketchLayout
    let tools: SketchTools
    var machine: SketchMachine
    /// What was drawn before the program started is there again; until then nobody draws.
    var isOpen = false

    init(layout: SketchLayout, tools: SketchTools, clearsOnDoubleTap: Bool) {
        self.layout = layout
        self.tools = tools
        machine = SketchMachine(pad: layout.pad, tools: tools, clearsOnDoubleTap: clearsOnDoubleTap)
    }

    var view: PageView {
        let states = layout.buttons.map { ($0.button, machine.state(of: $0.button)) }
        return .sketch(layout, tools, Dictionary(uniqueKeysWithValues: states))
    }
}
