// SPDX-License-Identifier: Apache-2.0
import Record

extension Pad {
    /// The page of a capture: what is signed, above the signing field; who signs and when, below it.
    func signingPage(for requested: RequestedCapture, date: CaptureHeader.LocalDate) -> Page {
        let (request, shows) = (requested.capture.request, requested.capture.shows)
        let messages = requested.messages
        var elements: [PageElement] = []
        func add(_ text: String?, _ role: PageText.Role, of field: PageText.Field) {
            if let text { elements.append(.text(PageText(text, role, of: field))) }
        }
        for (index, line) in (shows.prompt ? request.prompt : []).enumerated() {
            add(line, index == 0 ? .heading : .body, of: .prompt)
        }
        if shows.reason { add(request.reason.map { messages.text(.reason, of: $0) }, .detail, of: .reason) }
        elements.append(.inkField(.signing(hint: messages[.signHere])))
        if shows.signer { add(request.signer.map { messages.text(.signer, of: $0) }, .detail, of: .signer) }
        if shows.date { add(date.text, .trailingDetail, of: .date) }
        // Undo and Clear are icons.
        for button in requested.capture.policy.merged(over: settings.policy).buttons {
            let label: Message? = button == .accept ? .accept : button == .cancel ? .cancel : nil
            elements.append(.button(button, label: label.map { messages[$0] }))
        }
        return Page(elements, direction: messages.direction)
    }
}

/// The pages without an ink field.
extension MessageTable {
    func page(_ message: Message) -> Page { .words(self[message], direction: direction) }

    var thanksPage: Page {
        Page(
            [.tick, .text(PageText(self[.thanks], .headline)), .text(PageText(self[.thanksNext], .body))],
            direction: direction)
    }

    /// The page of a pad that takes no signatures.
    /// - Parameter line: what is wrong, or what to do.
    func faultPage(_ line: Message) -> Page {
        Page(
            [.warningSign, .text(PageText(self[.outOfOrder], .headline)), .text(PageText(self[line], .body))],
            direction: direction)
    }

    /// The idle page.
    /// - Parameter text: the headline; nil for the message ``Message/idle`` and what comes next.
    public func idlePage(_ text: String? = nil) -> Page {
        if let text { return .words(text, direction: direction) }
        return Page(
            [.text(PageText(self[.idle], .headline)), .text(PageText(self[.idleLine], .body))], direction: direction)
    }
}
