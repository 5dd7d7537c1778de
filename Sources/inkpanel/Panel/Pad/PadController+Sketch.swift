// SPDX-License-Identifier: Apache-2.0
import Canvas
import Capture
import Control
import Ink
import Record

/// The sketch page, where the pad has one.
extension PadController {
    /// Tells its machine something.
    mutating func step(_ input: SketchInput, reportedMicroseconds: Int64, _ outputs: inout [PadOutput]) {
        guard var sketch else { return }
        // Or the machine would be copied.
        self.sketch = nil
        var saving = false
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
                if isSavingSketch { break }
                isSavingSketch = true
                outputs.append(.record(.saveSketch))
                saving = true
            }
        }
        self.sketch = sketch
        if saving { give(.sketchSaving, at: nil, &outputs) }
    }

    // MARK: notices

    /// Puts a few words on the sketch page, in place of those before.
    /// - Parameter now: nil for one that stands until another comes.
    mutating func give(_ message: Message, at now: Int64?, _ outputs: inout [PadOutput]) {
        guard sketch != nil else { return }
        let times = setting.times
        notice = (message, now.map { $0 &+ (message == .sketchSaved ? times.thanks : times.message) })
        showNotice(&outputs)
    }

    /// Takes note of what keeps the sketch from being kept, if anything, and says so on the page as long as it is true.
    mutating func noteSketch(_ fault: String?, at now: Int64, _ outputs: inout [PadOutput]) {
        sketchFault = fault
        if fault != nil {
            give(.sketchNotKept, at: now, &outputs)
        } else if notice?.message == .sketchNotKept {
            notice = nil
            showNotice(&outputs)
        }
    }

    /// Takes the notice away when its time is over.
    mutating func passNotice(at now: Int64, _ outputs: inout [PadOutput]) {
        guard let until = notice?.until, now >= until else { return }
        notice = nil
        showNotice(&outputs)
    }

    /// As the page should have it, which has just been shown or has a new one. That nothing can be recorded stands
    /// there while nothing else does.
    func showNotice(_ outputs: inout [PadOutput]) {
        guard page == .sketch else { return }
        let message = notice?.message ?? (recordFault == nil ? nil : .notRecording)
        outputs.append(.render(.notice(message.map { setting.messages[$0] })))
    }

    /// What was drawn before the program started, or before the page was this one.
    mutating func restore(
        _ entries: [SketchEntry], of page: SketchPage, at now: Int64, _ outputs: inout [PadOutput]
    ) {
        guard let sketch, !sketch.isOpen, sketch.page == page else { return }
        self.sketch?.unrestored = entries
        restoreWhereShown(at: now, &outputs)
    }

    /// The render thread draws on the page that is shown.
    mutating func restoreWhereShown(at now: Int64, _ outputs: inout [PadOutput]) {
        guard page == .sketch, let entries = sketch?.unrestored else { return }
        sketch?.unrestored = nil
        outputs.append(.render(.restore(entries)))
        step(.restored(entries), reportedMicroseconds: now, &outputs)
        sketch?.isOpen = true
    }
}
