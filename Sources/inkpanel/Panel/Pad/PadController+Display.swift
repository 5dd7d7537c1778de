// SPDX-License-Identifier: Apache-2.0
import Capture
import Control
import Record

/// Displays that come and go.
extension PadController {
    /// What hosts are told when a signature was begun on a screen that is not there any more.
    static let exchanged = "the screen was exchanged for one of another size; nothing was kept"

    /// A display is there. What is shown was drawn for the last one: where that had another size, pages are laid out
    /// and shown anew. A signature that was begun there ends, as nobody can go on with it; one that is being stored is.
    mutating func take(_ next: PadScreen, at now: Int64, _ outputs: inout [PadOutput]) {
        let (isSame, isTrue) = (next.fits(screen), next.liesAs(screen))
        screen = next
        if isSame {
            if !isTrue { endExchanged(at: now, &outputs) }
            return
        }
        if var ticket = preparing {
            ticket.request = makeRequest()
            prepare(ticket, &outputs)
        }
        replaceSketch(&outputs)
        if running != nil, page != .saving {
            endExchanged(at: now, &outputs)
        } else if let view = viewWithoutLayout {
            outputs.append(.render(.show(view)))
        }
    }

    /// Ends the signature that was begun on another screen; what was accepted is kept.
    private mutating func endExchanged(at now: Int64, _ outputs: inout [PadOutput]) {
        guard let ticket = running, page != .saving else { return }
        running?.failure = Self.exchanged
        step(.command(.cancel(ticket.request)), at: now, &outputs)
    }

    private mutating func replaceSketch(_ outputs: inout [PadOutput]) {
        guard let style = setting.sketch else { return }
        sketch = PadSketch(style, on: screen)
        if let sketch { outputs.append(.record(.openSketch(sketch.page))) }
        if page == .sketch || page == .idle, running == nil { page = sketch == nil ? .idle : .sketch }
    }

    /// Of the page that is shown, without what only a laid out signature page has.
    private var viewWithoutLayout: PageView? {
        switch page {
        case .idle: idleView
        case .sketch: sketch?.view
        case .saving: .words(setting.messages[.saving])
        case .thanks: .words(setting.messages[.thanks])
        case .failed: .words(setting.messages[.failed])
        case .signing, .refused, .ink: nil
        }
    }
}
