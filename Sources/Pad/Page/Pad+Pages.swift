// SPDX-License-Identifier: Apache-2.0
import HostAPI
public import Raster
import Record

extension Pad {
    /// A page to write on: the signed texts above the field, and the signer and the date below it.
    /// - Parameters:
    ///   - lines: above the field; the first is the heading.
    ///   - signer: below the field; nil for nobody.
    ///   - buttons: Undo and Clear are icons.
    func inkPage(
        for requested: RequestedCapture, lines: [String], signer: String?, date: LocalDate?, hint: Message,
        buttons: [PageButton]
    ) -> Page {
        let messages = requested.messages
        let isNote = hint == .writeHere || hint == .initialHere
        var elements = isNote ? headings(lines) : signedTexts(of: requested, lines: lines)
        let words = messages[hint]
        elements.append(.inkField(hint == .writeHere ? .note(hint: words) : .signing(hint: words)))
        elements += signedBy(signer, date, requested)
        elements += buttons.map { .button($0, label: messages.label(of: $0)) }
        return Page(elements, direction: messages.direction)
    }

    private func headings(_ lines: [String]) -> [PageElement] {
        lines.enumerated().map { .text(PageText($1, $0 == 0 ? .heading : .body, of: .prompt)) }
    }

    /// The texts that are signed: the lines, the rows of the request and its reason.
    func signedTexts(of requested: RequestedCapture, lines: [String]) -> [PageElement] {
        let (request, shows, messages) = (
            requested.capture.request, requested.capture.shows, requested.messages
        )
        var elements = headings(lines)
        if shows.prompt { elements += (request.rows ?? []).map { .row(label: $0.label, value: $0.value) } }
        if shows.reason, let reason = request.reason {
            // A reason below rows becomes one of them, so that it is in line.
            if elements.contains(where: \.isRow), let label = messages.label(.reason) {
                elements.append(.row(label: label, value: reason, of: .reason))
            } else {
                elements.append(.text(PageText(messages.text(.reason, of: reason), .detail, of: .reason)))
            }
        }
        return elements
    }

    /// The texts with the signer and the date.
    func signedBy(_ signer: String?, _ date: LocalDate?, _ requested: RequestedCapture) -> [PageElement] {
        let (shows, messages) = (requested.capture.shows, requested.messages)
        var elements: [PageElement] = []
        if shows.signer, let signer {
            elements.append(.text(PageText(messages.text(.signer, of: signer), .detail, of: .signer)))
        }
        if shows.date, let date { elements.append(.text(PageText(date.text, .trailingDetail, of: .date))) }
        return elements
    }
}

extension MessageTable {
    /// The label of a button of a capture's pages; nil for one with an icon.
    func label(of button: PageButton) -> String? {
        switch button {
        case .accept: self[.accept]
        case .cancel: self[.cancel]
        case .next: self[.next]
        case .back: self[.back]
        case .decline: self[.decline]
        case .instead: self[.instead]
        case .again: self[.applyAgain]
        case .lead: self[.done]
        case .clear, .undo, .option, .redo, .save, .color, .width, .nextColor, .nextWidth: nil
        }
    }
}

/// The idle pages.
extension Pad {
    /// Shows the idle page with the time of day, and notes when it changes.
    mutating func showWelcome(fading: Bool = false, _ actions: inout [PadAction]) {
        (slideEnd, minuteEnd) = (nil, nil)
        var page = settings.idle[slide]
        page.fadesIn = fading
        if settings.idle.count > 1 { slideEnd = after(settings.times.slide) }
        if settings.showsClock, page.hasText {
            page.elements.append(.text(PageText(settings.date(settings.messages.timeFormat).text, .corner)))
            // The offsets of time zones are whole minutes.
            minuteEnd = after(.seconds(60) - .microseconds(settings.wallClock() % 60_000_000))
        }
        actions.append(.render(.show(page)))
    }

    /// Shows the next idle page, or the time of the next minute, when it is due.
    mutating func changeWelcome(_ actions: inout [PadAction]) {
        if let slideEnd, now >= slideEnd {
            slide = (slide + 1) % settings.idle.count
            showWelcome(fading: true, &actions)
        } else if let minuteEnd, now >= minuteEnd {
            let end = slideEnd
            showWelcome(&actions)
            slideEnd = end
        }
    }
}

/// The pages without an ink field.
extension MessageTable {
    func page(_ message: Message) -> Page { .words(self[message], direction: direction) }

    /// - Parameter act: of the person who has finished last.
    func thanksPage(_ act: PersonAct = .signed) -> Page {
        let saved = act.thanks.map { [PageElement.text(PageText(self[$0], .body))] } ?? []
        return Page([.tick, .text(PageText(self[.thanks], .headline))] + saved, direction: direction)
    }

    var declinedPage: Page {
        Page(
            [
                .sign(.declined), .text(PageText(self[.declined], .headline)),
                .text(PageText(self[.declinedLine], .body)),
            ],
            direction: direction)
    }

    var failedPage: Page {
        Page(
            [.warningSign, .text(PageText(self[.failed], .headline)), .text(PageText(self[.outOfOrderLine], .body))],
            direction: direction)
    }

    /// The page of a pad that takes no signatures.
    /// - Parameter line: what is wrong, or what to do.
    func faultPage(_ line: Message) -> Page {
        Page(
            [.warningSign, .text(PageText(self[.outOfOrder], .headline)), .text(PageText(self[line], .body))],
            direction: direction)
    }

    /// An idle page with texts.
    /// - Parameters:
    ///   - text: the headline, and after its first line feed smaller text; nil for the messages ``Message/idle`` and
    ///     ``Message/idleLine``.
    ///   - logo: above the texts.
    public func idlePage(_ text: String? = nil, logo: Picture? = nil) -> Page {
        let lines =
            text?.split(maxSplits: 1, whereSeparator: \.isNewline).map(String.init) ?? [self[.idle], self[.idleLine]]
        let texts = zip(lines, [PageText.Role.headline, .body]).map { PageElement.text(PageText($0, $1)) }
        return Page((logo.map { [.logo($0)] } ?? []) + texts, direction: direction)
    }
}
