// SPDX-License-Identifier: Apache-2.0
import Canvas
import Capture
import Ink
import Record

/// The sketch page, where the pad has one.
extension PadController {
    /// Tells its machine something.
    mutating func step(_ input: SketchInput, reportedMicroseconds: Int64, _ outputs: inout [PadOutput]) {
        guard var sketch else { return }
        // Or the machine would be copied.
        self.sketch = nil
        for effect in sketch.machine.handle(input) {
            switch effect {
            case .button(let button, let state): outputs.append(.render(.sketchButton(button, state)))
            case .beginStroke(let point, let pen, let color):
                outputs.append(.render(.use(pen, color)))
                draw(.begin(Sample(point)), reportedMicroseconds, &outputs)
            case .extendStroke(let point): draw(.move(Sample(point)), reportedMicroseconds, &outputs)
            case .endStroke: draw(.end, reportedMicroseconds, &outputs)
            case .cancelStroke: draw(.cancel, reportedMicroseconds, &outputs)
            case .undo: outputs.append(.render(.undo))
            case .redo: outputs.append(.render(.redo))
            case .clear: outputs.append(.render(.clear))
            case .record(let entry): outputs.append(.record(.sketch(entry)))
            case .save:
                if !isSavingSketch { outputs.append(.record(.saveSketch)) }
                isSavingSketch = true
            }
        }
        self.sketch = sketch
    }

    /// What was drawn before the program started, or before the page was this one.
    mutating func restore(
        _ entries: [SketchEntry], of page: SketchPage, at now: Int64, _ outputs: inout [PadOutput]
    ) {
        guard let sketch, !sketch.isOpen, sketch.page == page else { return }
        outputs.append(.render(.restore(entries)))
        step(.restored(entries), reportedMicroseconds: now, &outputs)
        self.sketch?.isOpen = true
    }
}
