// SPDX-License-Identifier: Apache-2.0
import Geometry
import HostAPI
import Touch

/// Touches of the pages, and their buttons.
extension Pad {
    /// The time after a change of the page in which a tap may be the second of two, meant for the page before.
    private static let secondTap = Duration.milliseconds(500)
    /// The sides of the corners, in millimetres, and the most of the shorter side of the page.
    private static let (cornerSide, cornerShare) = (20.0, 0.25)

    mutating func touch(_ event: TouchEvent, reported: Timestamp, _ actions: inout [PadAction]) {
        switch state {
        case .idle:
            if settings.offersReports, idlePage != .sketch { touchCorner(event) }
            guard idlePage == .sketch, sketch?.isOpen == true else { break }
            sketchTouch = now
            if sketch?.receive(event, reported: reported, &actions) == true { saveSketch(&actions) }
        case .signing(var capture):
            if speech != nil {
                if !touchSpeech(event, &actions) { break }
            } else if isSpeechReady {
                longTouch.receive(event, at: now, density: screen.density)
            }
            // Clear `state` first: with a second reference, changing `capture` would copy its strokes.
            state = .idle
            let hadOwner = capture.contacts.isOwned
            let pressed = capture.receive(event, at: now, reported: reported, &actions)
            // A new contact means that the message has been read.
            if !hadOwner, capture.contacts.isOwned { capture.removeMessage(&actions) }
            state = .signing(capture)
            switch pressed {
            case .button(let button): press(button, &actions)
            case .field(let field): open(field, &actions)
            case nil: break
            }
        case .pairing(let pairing): touchPairing(pairing, event, &actions)
        // Contacts that begin on these pages have no effect later either.
        case .saving: silenceSpeech(event, &actions)
        case .closing(let page, let letters, let until):
            silenceSpeech(event, &actions)
            // People who touch the page read it. The second tap of two was meant for the page before.
            guard event.phase == .began, !event.isResting, now - shownAt >= Self.secondTap else { break }
            state = .closing(page, letters: letters, until: max(until, after(settings.times.reading)))
        }
    }

    mutating func press(_ button: PageButton, _ actions: inout [PadAction]) {
        guard case .signing(var capture) = state else { return }
        let isSecondTap = now - capture.leftAt < Self.secondTap
        switch button {
        // The second tap of two was meant for the page before, which had a button in the same place.
        case .accept:
            let followsButton = capture.flow.isWitnessing || capture.flow.followsTexts
            if followsButton, capture.strokeCount == 0, isSecondTap { break }
            accept(&actions)
        // The second tap of two was meant for the page before, which may have had Back in the same place.
        case .cancel: if !isSecondTap { end(.cancelled(by: .person), &actions) }
        case .clear:
            capture.clear(&actions)
            state = .signing(capture)
        case .undo:
            capture.undo(&actions)
            state = .signing(capture)
        case .next: if !(capture.flow.followsTexts && isSecondTap) { goOn(&actions) }
        case .back: goBack(&actions)
        case .lead: lead(&actions)
        case .decline: go(to: .declining, &actions)
        case .instead: if let name = capture.sheetName { go(to: .choosing(name), &actions) }
        case .option(let index): choose(index, &actions)
        case .again: useInitialsAgain(&actions)
        case .redo, .save, .color, .width, .nextColor, .nextWidth: break
        }
    }

    // MARK: reports

    /// A finger that rests in a corner of the page without a capture asks for a report, which `inkpanel report` writes:
    /// the way for a board without a network or a keyboard.
    private mutating func touchCorner(_ event: TouchEvent) {
        let (width, height) = (Double(screen.size.width), Double(screen.size.height))
        let side = min(
            Self.cornerSide * screen.density.pixelsPerMillimetre, Self.cornerShare * min(width, height))
        cornerTouch.receive(event, at: now, density: screen.density) { place in
            min(place.x, width - place.x) <= side && min(place.y, height - place.y) <= side
        }
    }

    mutating func requestReport(_ actions: inout [PadAction]) {
        guard let end = cornerTouch.end, now >= end else { return }
        cornerTouch.reset()
        actions.append(.requestReport)
    }
}
