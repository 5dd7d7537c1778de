// SPDX-License-Identifier: Apache-2.0
import Record

/// The pages that the pad shows.
extension Pad {
    /// What is signed, above the signing field; who signs and when, below it.
    func signingPage(for capture: CaptureCall, date: CaptureHeader.LocalDate) -> Page {
        let (request, shows, messages) = (capture.request, capture.shows, settings.messages)
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
        for button in capture.policy.merged(over: settings.policy).buttons {
            let label = button == .accept || button == .cancel ? Message(labelOf: button).map { messages[$0] } : nil
            elements.append(.button(button, label: label))
        }
        return Page(elements, direction: messages.direction)
    }

    var thanksPage: Page {
        Page(
            [.tick, .text(PageText(settings.messages[.thanks], .headline))], direction: settings.messages.direction)
    }

    func words(_ message: Message) -> Page { .words(settings.messages[message], direction: settings.messages.direction) }
}
