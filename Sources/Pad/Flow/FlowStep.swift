// SPDX-License-Identifier: Apache-2.0
import HostAPI

/// A page of a person's turn.
enum FlowStep: Hashable {
    /// Asks for the next person.
    case handOver
    /// The document.
    case reading
    /// The page with the question at this index, and with the check boxes that share its heading. A question that is
    /// answered by hand is a ``note(_:)``.
    case question(Int)
    /// A page with an ink field: for the question at this index, for the document's field with this name, or for the
    /// signature if there is no document.
    case note(Int)
    case field(String)
    case signature
    /// The reasons for declining.
    case declining
    /// The choice between the alternatives to the signature with this name, and a page of one of these alternatives.
    case choosing(String)
    case instead(String, InsteadPart)
    /// A page with texts of another page in large letters, for which that page has no room: the part at this index. All
    /// parts come before that page.
    indirect case texts(FlowStep, Int)

    /// The page that the texts belong to; other steps are their own page.
    var ofPage: FlowStep { if case .texts(let page, _) = self { page } else { self } }
}

/// A page of a capture: whose turn, and which step of it.
struct FlowPage: Hashable {
    var person: Int
    var step: FlowStep
}

/// The order of pages with texts in large letters: all of these texts, then the page itself.
extension Flow {
    var page: PlacedPage? {
        if case .texts(let page, let part) = step { return largeTexts(of: page)[part] }
        return pages[FlowPage(person: person, step: step)]
    }

    /// The pages with the texts of a page, which come before it.
    private func largeTexts(of step: FlowStep) -> [PlacedPage] {
        pages[FlowPage(person: person, step: step)]?.largeTexts ?? []
    }

    /// The first step to a page: its texts in large letters if it has no room for these, otherwise the page itself.
    func entrance(to step: FlowStep) -> FlowStep { largeTexts(of: step).isEmpty ? step : .texts(step, 0) }

    /// The page that Next shows; nil at the end of the turn.
    var nextPage: FlowStep? {
        guard case .texts(let page, let part) = step else { return nextStep.map { entrance(to: $0) } }
        return part + 1 < largeTexts(of: page).count ? .texts(page, part + 1) : page
    }

    /// The page that Back shows; nil on the first page.
    var previousPage: FlowStep? {
        var before = self
        if case .texts(let page, let part) = step {
            if part > 0 { return .texts(page, part - 1) }
            before.step = page
        } else if let last = largeTexts(of: step).indices.last {
            return .texts(step, last)
        }
        return before.step == .declining ? entrance(to: firstStep) : before.previousStep
    }
}
