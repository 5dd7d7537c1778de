// SPDX-License-Identifier: Apache-2.0
import HostAPI

/// A page of a person's turn.
enum FlowStep: Hashable {
    /// Asks for the next person.
    case handOver
    /// The document.
    case reading
    /// The question at this index, unless it is answered by hand; with it, check boxes that share its heading.
    case question(Int)
    /// An ink field: of a question at this index, of the document by its name, or, without a document, the signature.
    case note(Int)
    case field(String)
    case signature
    /// The reasons for declining.
    case declining
    /// What the person may do in place of the signature with this name, and a page of one of them.
    case choosing(String)
    case instead(String, InsteadPart)
    /// The texts of a page in large letters, which it has no room for: the part at this index. They come before it.
    indirect case texts(FlowStep, Int)

    /// The page itself, whose texts these are.
    var ofPage: FlowStep { if case .texts(let page, _) = self { page } else { self } }
}

/// A page of a capture: whose turn, and which step of it.
struct FlowPage: Hashable {
    var person: Int
    var step: FlowStep
}

/// The way through pages whose texts come before them in large letters: all of these texts, then the page itself.
extension Flow {
    var page: PlacedPage? {
        if case .texts(let page, let part) = step { return largeTexts(of: page)[part] }
        return pages[FlowPage(person: person, step: step)]
    }

    /// The pages with the texts of a page, which come before it.
    private func largeTexts(of step: FlowStep) -> [PlacedPage] {
        pages[FlowPage(person: person, step: step)]?.largeTexts ?? []
    }

    /// Where a person comes to a page: its texts, if it has no room for them in large letters.
    func entrance(to step: FlowStep) -> FlowStep { largeTexts(of: step).isEmpty ? step : .texts(step, 0) }

    /// What Next shows; nil at the end of the turn.
    var nextPage: FlowStep? {
        guard case .texts(let page, let part) = step else { return nextStep.map { entrance(to: $0) } }
        return part + 1 < largeTexts(of: page).count ? .texts(page, part + 1) : page
    }

    /// What Back shows; nil for the first page.
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
