// SPDX-License-Identifier: Apache-2.0
import Document
public import Geometry
public import HostAPI
import Record

/// The page on the screen in words and controls, for people who use a keyboard or a screen reader on a virtual panel.
/// It has what the glass shows at this moment: of a document only the visible pages and fields.
public struct PageDescription: Codable, Equatable, Sendable {
    /// Something to press.
    public struct Control: Codable, Equatable, Sendable {
        public enum Kind: String, Codable, Sendable {
            case button, check
            /// One of those with the same ``group``.
            case choice
        }

        /// Names the control to ``PageAct/press(page:control:)``.
        public var id: Int
        /// The name of the button, `option` or `field`.
        public var name: String
        public var kind: Kind
        /// The label in the language of the page.
        public var label: String
        /// The place in pixels of the picture.
        public var place: MirrorReply.Rectangle
        /// Pressing has an effect, even if only a message that says what is missing.
        public var isEnabled = true
        /// The state of check boxes and choices.
        public var isChosen: Bool?
        public var isRequired: Bool?
        /// The name of the choice that this is a part of, and its words for people.
        public var group, groupLabel: String?
    }

    /// The document on the page.
    public struct Document: Codable, Equatable, Sendable {
        /// The number of the page in the middle, from 1, and the number of all.
        public var page, pages: Int
        /// Both in words.
        public var label: String
        public var zoom: Double
        public var place: MirrorReply.Rectangle
        /// The texts of the visible pages, as the file has them, and what the pad has filled in; empty for a picture.
        public var texts: [String]
    }

    /// Changes with each page that is shown.
    public var number: UInt32
    public var page: PanelStatus.Page
    /// A BCP 47 tag; nil if the texts are of no language that the program includes.
    public var language: String?
    public var direction: String
    /// The texts from top to bottom; a row of label and value is one text.
    public var texts: [String]
    /// The message over the page.
    public var notice: String?
    public var document: Document?
    /// The controls in the order of reading.
    public var controls: [Control]

    /// The announcement when the page or its contents change.
    public var announcement: String?
}

/// An act on the page without a touch.
public enum PageAct: Equatable, Sendable {
    /// Presses a control of the page with this number. Without effect if another page is shown, or the control is no
    /// longer visible.
    case press(page: UInt32, control: Int)
    /// Moves the view of a document.
    case move(ViewStep)
}

/// A step of the view of a document, as a key makes it.
public enum ViewStep: UInt32, CaseIterable, Sendable {
    case lineUp = 1
    case lineDown, pageUp, pageDown, start, end, left, right, larger, smaller, usualSize
}

extension Pad {
    /// The `id` of a document's first field. Buttons have smaller ones.
    static let firstField = 10_000
    /// The document itself, for switches.
    static let documentControl = -1

    public var description: PageDescription {
        let capture = running
        let messages = capture?.requested.messages ?? closingMessages ?? settings.messages
        let page = shownPage
        var description = PageDescription(
            number: shownPages, page: self.page, language: messages.language?.rawValue,
            direction: (page?.direction ?? messages.direction).rawValue,
            texts: page?.spoken.map(\.words) ?? [], notice: capture?.banner?.text,
            controls: [])
        if let capture {
            if let reading = capture.flow.reading, capture.isReading { description.add(reading, capture, messages) }
            description.controls += capture.page.controls(messages, capture)
            for index in description.controls.indices where capture.isSaving {
                description.controls[index].isEnabled = false
            }
        } else if case .pairing(let pairing) = state {
            description.controls = pairing.page.controls(messages, nil)
        }
        let corner = page?.corner.map { [$0] } ?? []
        let heading =
            description.document?.label ?? page?.spoken.map(\.words).first { $0 != page?.corner }
            ?? description.controls.first { $0.kind == .check }?.label
        description.announcement = heading.map { ([$0] + corner).joined(separator: " · ") }
        return description
    }

    var closingMessages: MessageTable? {
        guard case .closing(let page, _, _) = state else { return nil }
        return switch page {
        case .thanks(let messages, _), .declined(let messages), .failed(let messages): messages
        }
    }

    mutating func perform(_ act: PageAct, _ actions: inout [PadAction]) {
        switch act {
        case .move(let step): move(step, &actions)
        case .press(shownPages, let control): press(control, &actions)
        // It was meant for another page.
        case .press: break
        }
    }

    /// Moves the view of the capture's document, as a touch of it does.
    private mutating func move(_ step: ViewStep, _ actions: inout [PadAction]) {
        guard case .signing(var capture) = state, capture.isReading else { return }
        // Clear `state` first: with a second reference, changing `capture` would copy its strokes.
        state = .idle
        capture.noteUse(at: now, &actions)
        capture.flow.reading?.move(step, at: now)
        capture.updateReading(at: now, &actions)
        state = .signing(capture)
    }

    private mutating func press(_ control: Int, _ actions: inout [PadAction]) {
        switch state {
        case .pairing(let pairing):
            guard now >= pairing.from, pairing.page.buttons.indices.contains(control) else { break }
            endPairing(allowed: pairing.page.buttons[control].button == .accept, &actions)
        case .signing where control == Self.documentControl: turnDocument(&actions)
        case .signing(var capture):
            state = .idle
            // A stroke that is being drawn counts, as for a host that presses Accept.
            capture.release(keepingInk: true, &actions)
            capture.noteUse(at: now, &actions)
            let field = capture.isReading ? capture.press(field: control - Self.firstField, at: now, &actions) : nil
            let buttons = capture.page.buttons
            state = .signing(capture)
            if let field {
                open(field, &actions)
            } else if buttons.indices.contains(control), let button = buttons[control].button {
                press(button, &actions)
            }
        case .idle, .saving, .closing: break
        }
    }
}

extension PageDescription {
    /// Adds what is visible of the document.
    fileprivate mutating func add(_ reading: Reading, _ capture: Capture, _ messages: MessageTable) {
        let flow = capture.flow
        let (view, count) = (reading.view, reading.document.facts.pages.count)
        document = Document(
            page: view.currentPage, pages: count,
            label: messages.text(.page, of: count == 1 ? "1" : "\(view.currentPage)/\(count)"), zoom: view.zoom,
            place: MirrorReply.Rectangle(view.viewport),
            texts: reading.visibleTexts)
        for (index, field) in reading.document.plan.fields.enumerated() {
            guard let place = reading.visiblePlace(of: field) else { continue }
            if let words = flow.words(in: field) {
                document?.texts.append(words)
            } else if flow.isFilledByPerson(field) {
                controls.append(Control(field, id: Pad.firstField + index, place, flow, messages))
            }
        }
    }
}

extension PageDescription.Control {
    /// - Parameter field: one that people fill.
    fileprivate init(_ field: Field, id: Int, _ place: PixelRect, _ flow: Flow, _ messages: MessageTable) {
        let words = field.label ?? (field.formName ?? field.name)
        self.init(id: id, name: "field", kind: .button, label: words, place: MirrorReply.Rectangle(place))
        let answer = flow.answer(to: field.name)
        switch field.kind {
        case .check:
            kind = .check
            isChosen = answer?.checked == true
            isRequired = flow.mustFill(field)
        case .choice:
            isRequired = flow.mustFill(field)
            kind = .choice
            isChosen = answer?.choice != nil && answer?.choice == field.choice
            (group, groupLabel) = (field.name, words)
            label = field.meaning ?? field.choice ?? words
        case .signature, .initials:
            let isInitials = field.kind == .initials
            let open: Message = isInitials ? .initialHere : .signHere
            let signed: Message = isInitials ? .initials : .signature
            label = messages[flow.isFilled(field.name) ? signed : open]
            if let words = field.label { label += " · " + words }
            isRequired = flow.mustFill(field)
        case .date, .name, .text: break
        }
    }
}

extension PlacedPage {
    /// The buttons in the order of reading.
    /// - Parameter capture: whose page it is; nil for a page without states.
    fileprivate func controls(_ messages: MessageTable, _ capture: Capture?) -> [PageDescription.Control] {
        let question = page.spoken.first?.words
        let isMirrored = page.direction == .rightToLeft
        let ordered = buttons.enumerated().sorted { one, other in
            let (first, second) = (one.element.rect, other.element.rect)
            if first.minY != second.minY { return first.minY < second.minY }
            return isMirrored ? first.minX > second.minX : first.minX < second.minX
        }
        return ordered.compactMap { index, placed in
            guard let button = placed.button else { return nil }
            var control = PageDescription.Control(
                id: index, name: button.name, kind: .button, label: "", place: MirrorReply.Rectangle(placed.rect))
            switch placed.element {
            case .option(_, let label, let style):
                control.label = label
                control.kind = style == .check ? .check : .choice
                control.isChosen = capture?.state(of: button).isChosen ?? false
                if style != .check { (control.group, control.groupLabel) = ("answer", question) }
                control.isRequired = capture?.flow.mustChoose(button)
            case .button(_, let label):
                let current = button == .lead ? capture?.shownLead : nil
                control.label = current ?? label ?? Message(labelOf: button).map { messages[$0] } ?? button.name
            default: return nil
            }
            if let capture { control.isEnabled = capture.state(of: button).isEnabled }
            return control
        }
    }
}

extension Page {
    /// The number of the question, or the time, in the corner.
    fileprivate var corner: String? {
        for case .text(let text) in elements where text.role == .corner { return text.text }
        return nil
    }

    /// The texts from top to bottom, each with its element; last that in the corner.
    var spoken: [(element: PageElement, words: String)] {
        let texts = elements.compactMap { element -> (element: PageElement, words: String)? in
            switch element {
            case .text(let text): text.role == .corner ? nil : (element, text.text)
            case .row(let label, let value, _): (element, "\(label): \(value)")
            case .inkField(.signing(let hint)), .inkField(.note(let hint)): (element, hint)
            default: nil
            }
        }
        let corners = elements.compactMap { element -> (element: PageElement, words: String)? in
            if case .text(let text) = element, text.role == .corner { (element, text.text) } else { nil }
        }
        return texts + corners.prefix(1)
    }

    /// The texts and the answers to choose.
    var words: [String] {
        spoken.map(\.words)
            + elements.compactMap { if case .option(_, let label, _) = $0 { label } else { nil } }
    }
}

extension PageButton {
    /// The name for programs.
    fileprivate var name: String {
        switch self {
        case .accept: "accept"
        case .clear: "clear"
        case .cancel: "cancel"
        case .undo: "undo"
        case .next: "next"
        case .back: "back"
        case .decline: "decline"
        case .instead: "instead"
        case .lead: "lead"
        case .again: "again"
        case .option: "option"
        case .redo, .save, .color, .width, .nextColor, .nextWidth: "tool"
        }
    }
}

extension MirrorReply.Rectangle {
    public init(_ rect: PixelRect) { self.init(x: rect.minX, y: rect.minY, width: rect.width, height: rect.height) }
}

extension PixelRect {
    init(_ place: MirrorReply.Rectangle) {
        self.init(minX: place.x, minY: place.y, maxX: place.x + place.width, maxY: place.y + place.height)
    }
}
