// SPDX-License-Identifier: Apache-2.0
import Geometry
import HostAPI
import Record

/// The sketch page's place on the pad: when its ink is restored and saved, and the messages over it.
extension Pad {
    /// Draws on the sketch page what was drawn before, once the page is shown.
    mutating func restoreSketch(_ actions: inout [PadAction]) {
        guard page == .sketch, let entries = sketch?.unrestored else { return }
        sketch?.unrestored = nil
        actions += entries.map { .render(.restore($0)) }
        sketch?.restore(entries, &actions)
    }

    /// Replaces the sketch for a display of another size.
    mutating func replaceSketch(_ actions: inout [PadAction]) {
        guard let style = settings.sketch else { return }
        sketch = Sketch(style, settings.messages.direction, on: screen)
        if let sketch { actions.append(.store(.openSketch(sketch.page))) }
    }

    mutating func saveSketch(_ actions: inout [PadAction]) {
        if isSavingSketch { return }
        isSavingSketch = true
        actions.append(.store(.saveSketch))
        give(.sketchSaving, until: nil, &actions)
    }

    /// Notes why the sketch is not kept, and shows it on the page as long as that is so.
    mutating func noteSketchFault(_ fault: String?, _ actions: inout [PadAction]) {
        sketchFault = fault
        if fault != nil {
            give(.sketchNotKept, until: after(settings.times.message), &actions)
        } else if notice?.message == .sketchNotKept {
            notice = nil
            showNotice(&actions)
        }
    }

    /// Replaces the message over the sketch page.
    mutating func give(_ message: Message, until: Timestamp?, _ actions: inout [PadAction]) {
        guard settings.sketch != nil else { return }
        notice = (message, until)
        showNotice(&actions)
    }

    /// Shows the message over the sketch page. Without one, it says if captures cannot be recorded.
    mutating func showNotice(_ actions: inout [PadAction]) {
        guard page == .sketch else { return }
        let message = notice?.message ?? (recordFault == nil ? nil : .notRecording)
        actions.append(.render(.banner(message.map { Banner(settings.messages[$0], isWarning: $0.isWarning) })))
    }
}
