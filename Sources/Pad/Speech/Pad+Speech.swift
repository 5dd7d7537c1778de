// SPDX-License-Identifier: Apache-2.0
import Geometry
import HostAPI
import Ink
import Record
import Touch

/// Speech for people who do not see the page: the page's description is spoken, and touches read it.
extension Pad {
    /// Whether the page belongs to a capture. Only these pages are read aloud.
    private var maySpeak: Bool {
        switch state {
        case .signing, .saving, .closing: true
        case .idle, .pairing: false
        }
    }

    private var spokenMessages: MessageTable { running?.requested.messages ?? closingMessages ?? settings.messages }

    /// Changes the running capture.
    private mutating func changeCapture(_ change: (inout Capture) -> Void) {
        guard case .signing(var capture) = state else { return }
        // Clear `state` first: with a second reference, changing `capture` would copy its strokes.
        state = .idle
        change(&capture)
        state = .signing(capture)
    }

    // MARK: beginning and end

    /// Begins to speak if the host, the configuration, or a headset that came before the capture wants it.
    private mutating func beginWantedSpeech(_ actions: inout [PadAction]) {
        guard speech == nil, !hasTriedSpeech, case .signing(let capture) = state else { return }
        let isAsked = capture.requested.capture.assistance.contains(.speech)
        if isAsked || settings.alwaysSpeaks && isSpeechReady || wasPlugged { beginSpeech(isAsked: isAsked, &actions) }
    }

    /// - Parameters:
    ///   - isAsked: the host or a key wants speech: if it is not possible, the page and the host say so.
    ///   - keepingInk: false if the finger that asked for speech is drawing.
    private mutating func beginSpeech(isAsked: Bool = false, keepingInk: Bool = true, _ actions: inout [PadAction]) {
        guard speech == nil, case .signing = state else { return }
        hasTriedSpeech = true
        wasPlugged = false
        guard isSpeechReady else {
            if isAsked { failSpeech(reason: Self.noHeadset, &actions) }
            return
        }
        let now = now
        changeCapture { capture in
            capture.release(keepingInk: keepingInk, &actions)
            capture.flow.reading?.wantsTexts = true
            if capture.isReading {
                // Lets go of fingers that scroll.
                capture.flow.reading?.disappear(at: now)
                capture.flow.reading?.appear(at: now)
                capture.updateReading(at: now, &actions)
            }
            capture.speech = SpeechState(speaks: true)
            capture.tell(capture.state, &actions)
        }
        longTouch.reset()
        speech = Speech(after: speechNumber)
    }

    static let noHeadset =
        "there is no headset, or no program to speak: plug a USB headset in, set [speech], install espeak-ng and "
        + "alsa-utils"

    private mutating func failSpeech(reason: String, _ actions: inout [PadAction]) {
        let end = after(settings.times.message)
        changeCapture { capture in
            capture.speech = SpeechState(speaks: false, fault: reason)
            capture.show(.speechFailed, until: end, &actions)
            capture.tell(capture.state, &actions)
        }
    }

    /// Ends speech. Answers to its utterances are ignored from now on.
    private mutating func forgetSpeech(_ actions: inout [PadAction]) {
        guard var ending = speech else { return }
        ending.stop(&actions)
        speechNumber = ending.number
        speech = nil
    }

    private mutating func endSpeech(_ actions: inout [PadAction]) {
        hasTriedSpeech = false
        longTouch.reset()
        forgetSpeech(&actions)
    }

    /// Handles the key that turns speech on or off.
    mutating func toggleSpeech(_ actions: inout [PadAction]) {
        if speech == nil { return beginSpeech(isAsked: true, &actions) }
        forgetSpeech(&actions)
        changeCapture { capture in
            capture.speech = SpeechState(speaks: false)
            capture.tell(capture.state, &actions)
        }
    }

    mutating func receive(_ answer: SpeechAnswer, _ actions: inout [PadAction]) {
        switch answer {
        case .ready(let isReady, let isPlugged):
            isSpeechReady = isReady
            wasPlugged = isPlugged
            if isPlugged { beginSpeech(&actions) }
            if !isReady, speech != nil {
                forgetSpeech(&actions)
                failSpeech(reason: "the headset was pulled out", &actions)
            }
        case .spoken(let number):
            let (now, messages) = (now, spokenMessages)
            guard let spoken = speech?.spoken(number, at: now, messages, &actions) else { break }
            changeCapture { $0.noteSpoken(spoken.text, for: spoken.time, at: now, &actions) }
            restartStep()
        case .failed(let number, let reason):
            guard let speech, number == speech.number else { break }
            forgetSpeech(&actions)
            failSpeech(reason: reason, &actions)
        }
    }

    // MARK: what is said

    /// Says what has changed, after each event.
    mutating func updateSpeech(after event: PadEvent, _ actions: inout [PadAction]) {
        if !maySpeak { return endSpeech(&actions) }
        beginWantedSpeech(&actions)
        if speech == nil { return }
        switch event {
        // Reports are the most frequent events. Most change no words.
        case .touch, .hover:
            if actions.allSatisfy(\.changesNoWords) { return }
        case .stored(.appended): return
        default: break
        }
        let messages = spokenMessages
        // Clear `speech` first: with a second reference, changing it would copy its items.
        guard var speaking = speech else { return }
        speech = nil
        if case .saving = state {
            speaking.saySaving(at: now, messages, &actions)
        } else {
            speaking.update(shown, at: now, messages, &actions)
            speaking.sayStrokes(at: now, messages, &actions)
        }
        speech = speaking
    }

    /// Shows whether the pages are read aloud.
    mutating func showSpeechSign(_ actions: inout [PadAction]) {
        let speaks = speech != nil
        if speaks != showsSpeech { actions.append(.render(.sign(.speaks, isShown: speaks))) }
        showsSpeech = speaks
    }

    /// Everything on the page, in the order of reading.
    var shown: Speech.Shown {
        let (description, messages) = (description, spokenMessages)
        let placed: PlacedPage? = if case .signing(let capture) = state { capture.page } else { nil }
        var shown = Speech.Shown(description: description, items: [], strokes: running?.strokeCount ?? 0)
        // Each element is used once, because a page may have the same text twice.
        var unused = placed?.elements ?? []
        shown.items = (shownPage?.spoken ?? []).map { spoken in
            let place = unused.firstIndex { $0.element == spoken.element }.map { unused.remove(at: $0).rect }
            guard case .inkField = spoken.element, let placed else {
                return Speech.Item(
                    kind: .text, words: spoken.words, place: place.map { MirrorReply.Rectangle($0) })
            }
            return Speech.Item(
                kind: .field, words: "\(spoken.words). \(messages[.speechField])",
                place: MirrorReply.Rectangle(placed.inkArea.bounds))
        }
        if let document = description.document {
            // The document is a control for people with a switch: its label names the page, and a press turns it.
            let kind: Speech.Item.Kind = isDocumentControl ? .control(Self.documentControl) : .text
            shown.items.append(Speech.Item(kind: kind, words: document.label, place: document.place))
            shown.pages = running?.flow.reading?.visiblePieces ?? []
            let pieces = shown.pages.flatMap { $0.pieces.isEmpty ? [messages[.speechNoText]] : $0.pieces }
            let filled = document.texts.dropFirst(running?.flow.reading?.visibleTexts.count ?? 0)
            shown.items += (pieces + filled).map { Speech.Item(kind: .paragraph, words: $0) }
        }
        shown.items += description.controls.map { control in
            Speech.Item(kind: .control(control.id), words: control.words(messages), place: control.place)
        }
        shown.focus = focus.flatMap { $0.page == description.number ? $0.control : nil }
        shown.notices = running?.bannerCount ?? 0
        return shown
    }

    // MARK: touches and keys

    /// Handles a touch of a page that is read aloud.
    /// - Returns: whether the touch draws, as without speech.
    mutating func touchSpeech(_ event: TouchEvent, _ actions: inout [PadAction]) -> Bool {
        guard var speaking = speech, case .signing(let capture) = state else { return false }
        let (contact, place) = (event.contact, event.sample.position)
        let isInField = capture.takesInk && capture.page.inkArea.contains(place)
        if event.phase == .began, speaking.writes, isInField, speaking.writers.isEmpty {
            speaking.writers[contact] = true
            // The hand that rests beside it reads and presses nothing while it writes.
            speaking.touch = SpeechTouch()
            speaking.stop(&actions)
        }
        if let wasInField = speaking.writers[contact] {
            speaking.writers[contact] = isInField
            if wasInField, !isInField, event.phase == .moved {
                actions.append(.speech(.tone(.edge, speaking.volume)))
            }
            switch event.phase {
            case .began, .moved, .resumed: break
            case .ended, .retired, .cancelled: speaking.writers[contact] = nil
            }
            speech = speaking
            return true
        }
        if !speaking.writers.isEmpty { return false }
        if event.phase == .began {
            speaking.stop(&actions)
            speaking.explored = nil
        }
        let current = speaking.current?.place.map { PixelRect($0) }
        let gesture = speaking.touch.receive(event, at: now, density: screen.density) { point in
            current?.contains(point) ?? false
        }
        speech = speaking
        let now = now
        changeCapture { $0.noteUse(event, at: now, &actions) }
        if let gesture { perform(gesture, &actions) }
        return false
    }

    /// Stops speech after a touch of a page that ignores touches.
    mutating func silenceSpeech(_ event: TouchEvent, _ actions: inout [PadAction]) {
        if event.phase == .began, !event.isResting { speech?.stop(&actions) }
    }

    /// Begins to speak after a finger has rested on a page without ink, and performs gestures that are recognized when
    /// time has passed.
    mutating func advanceSpeech(_ actions: inout [PadAction]) {
        if let end = longTouch.end, now >= end {
            longTouch.reset()
            if running?.strokeCount == 0 { beginSpeech(keepingInk: false, &actions) }
        }
        while let gesture = speech?.touch.advance(to: now) { perform(gesture, &actions) }
    }

    private mutating func perform(_ gesture: SpeechTouch.Gesture, _ actions: inout [PadAction]) {
        guard var speaking = speech else { return }
        let messages = spokenMessages
        switch gesture {
        case .explore(let point):
            let item = speaking.item(at: point)
            // A finger that stays on an item hears it once.
            let isSame = item == speaking.explored
            speaking.explored = item
            guard let item, !isSame else { break }
            if speaking.items[item].kind == .field { actions.append(.speech(.tone(.field, speaking.volume))) }
            speaking.read(item, at: now, messages, &actions)
        case .next where speaking.isAtLastParagraph && turnPage(&actions): break
        case .next, .previous:
            guard let item = speaking.item(after: gesture == .next ? 1 : -1) else { break }
            speaking.read(item, at: now, messages, &actions)
        case .tap, .doubleTap: return pressSpoken(messages, &actions)
        }
        speech = speaking
    }

    /// Moves the document to its next page, whose text is then read.
    /// - Returns: false at its end.
    private mutating func turnPage(_ actions: inout [PadAction]) -> Bool {
        let now = now
        var hasTurned = false
        changeCapture { capture in
            guard let page = capture.flow.reading?.view.currentPage else { return }
            var before: ReadingView?
            while !hasTurned, before != capture.flow.reading?.view {
                before = capture.flow.reading?.view
                capture.flow.reading?.move(.pageDown, at: now)
                hasTurned = capture.flow.reading?.view.currentPage != page
            }
            capture.updateReading(at: now, &actions)
        }
        return hasTurned
    }

    /// Presses the item that was read last.
    private mutating func pressSpoken(_ messages: MessageTable, _ actions: inout [PadAction]) {
        guard let item = speech?.current else { return }
        switch item.kind {
        case .text, .paragraph: speech?.say([item.words], at: now, messages, &actions)
        case .field: speech?.beginWriting(at: now, messages, &actions)
        case .command(.stop): toggleSpeech(&actions)
        case .command(let command): speech?.perform(command, at: now, messages, &actions)
        case .control(let id): perform(.press(page: shownPages, control: id), &actions)
        }
    }

    /// Handles a key that has another effect while the page is read aloud. Any other key stops the text being spoken.
    /// - Returns: whether the key had such an effect.
    mutating func pressSpeech(_ key: PageKey, _ actions: inout [PadAction]) -> Bool {
        guard var speaking = speech else { return false }
        let isReading = running?.isReading == true
        let command: Speech.Command? =
            switch key {
            case .larger: .louder
            case .smaller: .quieter
            case .pageUp where !isReading: .faster
            case .pageDown where !isReading: .slower
            case .start where !isReading: .repeat
            default: nil
            }
        if let command {
            speaking.perform(command, at: now, spokenMessages, &actions)
        } else {
            speaking.stop(&actions)
        }
        speech = speaking
        return command != nil
    }
}

extension PadAction {
    /// Whether the action leaves the words of the page as they are: speech, and reports that continue a stroke.
    fileprivate var changesNoWords: Bool {
        switch self {
        case .speech: return true
        case .render(.ink(let event, _)): if case .move = event { return true } else { return false }
        default: return false
        }
    }
}

extension PageDescription.Control {
    /// The control in words: its label, its kind and its state.
    func words(_ messages: MessageTable) -> String {
        var words = [label]
        if kind == .button { words.append(messages[.speechButton]) }
        if let isChosen { words.append(messages[isChosen ? .speechChosen : .speechNotChosen]) }
        if isRequired == true { words.append(messages[.speechRequired]) }
        if !isEnabled { words.append(messages[.speechOff]) }
        return words.joined(separator: ", ")
    }
}
