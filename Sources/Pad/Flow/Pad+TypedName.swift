// SPDX-License-Identifier: Apache-2.0
import Document
import HostAPI
import Record

/// A typed name from a host, whose page is being laid out. The page before is still shown.
struct PreparedName {
    let call: CallID
    let layout: LayoutID
    let capture: CaptureID
    let person: Int
    /// The name of the signature that it replaces.
    let field: String
    let typed: TypedName
}

/// Names that are typed at the host in place of signatures.
extension Pad {
    mutating func show(
        _ typed: TypedName, for id: CaptureID?, _ call: CallID, _ reach: CaptureReach, _ actions: inout [PadAction]
    ) {
        func fail(_ error: PanelError) { actions.append(.reply(call, .failed(error))) }
        guard let running, running.requested.isNamed(id, within: reach) else { return fail(.notRunning) }
        guard case .signing(let capture) = state else { return fail(.beingStored) }
        guard alternatives(of: capture.requested).contains(.typed) else {
            return fail(.invalidParameter("alternatives", expected: "typed among those of the capture"))
        }
        guard let field = capture.flow.askedSignature, let asking = capture.flow.askingPage else {
            return fail(.notSigning)
        }
        endPreparedName(.notSigning, &actions)
        layoutCount += 1
        let layout = LayoutID(layoutCount)
        preparedName = PreparedName(
            call: call, layout: layout, capture: capture.requested.id, person: capture.flow.person, field: field,
            typed: typed)
        let messages = capture.requested.messages
        var texts = asking.elements.filter(\.isSigned)
        if let reason = typed.reason {
            texts.append(.text(PageText(messages.text(.typedReason, of: reason), .detail, of: .typedReason)))
        }
        var page = confirmingPage(texts, messages.words(of: typed), messages)
        (page.letters, page.turning) = (asking.letters, asking.turning)
        actions.append(.render(.layOut(layout, page)))
    }

    /// - Returns: whether the layout is that of a typed name's page.
    mutating func nameLaidOut(
        _ id: LayoutID, _ result: Result<PlacedPage, PageTooSmall>, _ actions: inout [PadAction]
    ) -> Bool {
        guard let prepared = preparedName, prepared.layout == id else { return false }
        // The person may have left the signature while the page was laid out.
        guard case .signing(var capture) = state, capture.requested.id == prepared.capture,
            capture.flow.person == prepared.person, capture.flow.askedSignature == prepared.field
        else {
            endPreparedName(.notSigning, &actions)
            return true
        }
        switch result {
        case .failure(let error):
            // The host can shorten the name and the reason here, but not the texts of the capture's call.
            let isReason = error.field == .typedReason
            endPreparedName(
                .tooSmallScreen(field: isReason ? "reason" : "name", fits: isReason ? error.fits : nil), &actions)
        case .success(let page):
            let missing = Self.missing(on: page)
            if !missing.isEmpty {
                endPreparedName(.missingGlyphs(missing), &actions)
                return true
            }
            // Clear `state` first: with a second reference, changing `capture` would copy its strokes.
            state = .idle
            let step = FlowStep.instead(prepared.field, .typed)
            capture.flow.show(prepared.typed, on: page, of: step)
            capture.lastTouch = now
            capture.go(to: capture.flow.entrance(to: step), at: now, &actions)
            state = .signing(capture)
            preparedName = nil
            actions.append(.reply(prepared.call, .done))
        }
        return true
    }

    /// The characters of the name and the reason that no font has. They are an error: people cannot check such a name,
    /// and the record's header, which lists missing characters, is already written. A page lists at most
    /// ``MissingGlyphs/characterLimit`` missing characters; if other texts have used these up, all are returned.
    private static func missing(on page: PlacedPage) -> [MissingGlyphs] {
        let names = [PageText.Field.choices: "name", PageText.Field.typedReason.rawValue: "reason"]
        let missing = page.missingGlyphs.compactMap { missing in
            names[missing.text].map { MissingGlyphs(text: $0, characters: missing.characters) }
        }
        let isCut = page.missingGlyphs.reduce(0) { $0 + $1.characters.count } >= MissingGlyphs.characterLimit
        return missing.isEmpty && isCut ? page.missingGlyphs : missing
    }

    /// Ends the call of a typed name that gets no page.
    mutating func endPreparedName(_ error: PanelError, _ actions: inout [PadAction]) {
        guard let prepared = preparedName else { return }
        preparedName = nil
        actions.append(.reply(prepared.call, .failed(error)))
    }

    /// Accepts the name on the page for the host.
    mutating func acceptName(byHost capture: Capture, _ actions: inout [PadAction]) {
        guard let name = capture.sheetName else { return }
        var capture = capture
        // Clear `state` first: with a second reference, changing `capture` would copy its strokes.
        state = .idle
        capture.confirm(name, heard: false, byHost: true, at: now, &actions)
        state = .signing(capture)
        leaveSheet(&actions)
    }
}

extension Flow {
    /// The signature that the page on the screen asks for; nil for other pages.
    var askedSignature: String? {
        switch step.ofPage {
        case .signature: RecordedFlow.signatureName
        case .field(let name): field(named: name)?.kind == .signature ? name : nil
        case .choosing(let name), .instead(let name, _): name
        case .handOver, .reading, .question, .note, .declining, .texts: nil
        }
    }

    /// The page for the ink of ``askedSignature``.
    fileprivate var askingPage: Page? {
        askedSignature.flatMap { name in
            pages[FlowPage(person: person, step: document == nil ? .signature : .field(name))]?.page
        }
    }
}

extension PageElement {
    /// Whether it is a text that is signed, rather than a control or the field.
    fileprivate var isSigned: Bool {
        switch self {
        case .text, .row: true
        default: false
        }
    }
}

extension MessageTable {
    /// The words that the page shows for a typed name.
    func words(of typed: TypedName) -> String {
        text(typed.by == .staff ? .typedByStaff : .typedByPerson, of: typed.name)
    }
}
