// SPDX-License-Identifier: Apache-2.0
import Geometry
import Pad
import Raster
import TestSupport
import Testing

@testable import Pages

/// Uses the fonts of the machine; `PadTests` checks the rules of the layout.
@Suite("Texts of the pages for documents and questions", .serialized)
struct FlowTextTests {
    private static let sizes = [(320, 240), (480, 320), (800, 480), (1024, 600), (1920, 1080)]

    private static func buttons(_ table: MessageTable, _ buttons: [PageButton]) -> [PageElement] {
        buttons.map { button in
            let message: Message? =
                switch button {
                case .cancel: .cancel
                case .decline: .decline
                case .back: .back
                case .next: .next
                case .accept: .accept
                case .again: .applyAgain
                default: nil
                }
            return .button(button, label: message.map { table[$0] })
        }
    }

    /// The pages that have texts of the language.
    private static func pages(_ table: MessageTable) -> [Page] {
        let things = [Message.signature, .initials, .question].map { table[$0] }
        let longest = things.max { $0.count < $1.count } ?? ""
        let lead = "12/15 · \(longest) · \(table.text(.page, of: "24"))"
        let number = PageElement.text(PageText("12/16", .trailingDetail))
        func text(_ message: Message, _ role: PageText.Role = .heading) -> PageElement {
            .text(PageText(table[message], role, of: role == .heading ? .prompt : nil))
        }
        // One at a time: Swift 6.0 needs minutes for all in one expression.
        var lists: [[PageElement]] = []
        lists.append([.document] + buttons(table, [.cancel, .decline]) + [.button(.lead, label: lead)])
        let yes = PageElement.option(0, label: "Yes", .choice)
        let question: [PageElement] = [.text(PageText("Yes?", .heading, of: .prompt)), number, yes]
        lists.append(question + buttons(table, [.cancel, .back, .next]))
        // As many boxes as other terminals have (Stripe: four).
        let boxes = (0..<4).map { PageElement.option($0, label: table[.declineNoReason] + " *", .check) }
        let heading = PageElement.text(PageText("Yes?", .heading, of: .prompt))
        lists.append([heading, number] + boxes + buttons(table, [.back, .next]))
        let reasons: [PageElement] = [
            text(.declineWhy), yes, .option(1, label: table[.declineNoReason], .choice),
        ]
        let decline = PageElement.button(.next, label: table[.decline])
        lists.append(reasons + buttons(table, [.back]) + [decline])
        lists.append([.sign(.declined), text(.declineSure, .headline)] + buttons(table, [.back]) + [decline])
        let initials: [PageElement] = [text(.initials), .inkField(.signing(hint: table[.initialHere]))]
        lists.append(initials + buttons(table, [.back, .again, .undo, .clear, .accept]))
        let note: [PageElement] = [text(.question), .inkField(.note(hint: table[.writeHere]))]
        lists.append(note + buttons(table, [.back, .undo, .clear, .next]))
        let next = PageElement.text(PageText(table.text(.handOver, of: "Ada Lovelace"), .headline))
        lists.append([.sign(.nextPerson), next, text(.handOverLine, .body)] + buttons(table, [.cancel, .next]))
        lists.append([.sign(.declined), text(.declined, .headline), text(.declinedLine, .body)])
        return lists.map { Page($0, direction: table.direction) }
    }

    /// The smallest screen has the least room. Of the others, each language has one for a commit.
    private static func sizes(_ language: MessageTable.Language) -> [(Int, Int)] {
        let number = MessageTable.Language.allCases.firstIndex(of: language) ?? 0
        return [sizes[0]] + Breadth.share(of: Array(sizes[1...]), part: sizes.count - 1, first: number)
    }

    @Test("are complete in all languages", arguments: MessageTable.Language.allCases)
    func whole(language: MessageTable.Language) throws {
        let painter = PagePainter(theme: .light, fonts: try Fonts())
        let fonts = try Fonts()
        let sizes = Self.sizes(language).map { (PixelSize(width: $0, height: $1), PixelSize(width: $1, height: $0)) }
        for size in sizes.flatMap({ [$0, $1] }) {
            for (number, page) in Self.pages(MessageTable(language)).enumerated() {
                let placed = try painter.place(page, size: size, density: nil)
                let comment: Comment = "\(size), page \(number)"
                for (index, element) in placed.elements.enumerated() {
                    #expect(PixelRect(size: size).contains(element.rect), comment)
                    for other in placed.elements[..<index] where other.text != nil || other.button != nil {
                        #expect(element.rect.intersection(other.rect).isEmpty, comment)
                    }
                    var room = element.rect
                    let text: String? =
                        switch element.element {
                        case .text(let text): text.text
                        case .button(_, let label): label
                        case .option(_, let label, _): label
                        default: nil
                        }
                    if element.button != nil { room = placed.label(of: element).rect }
                    guard let text, let style = element.style else { continue }
                    let block = try TextBlock(text, style: style, width: room.width, fonts: fonts)
                    #expect(block.size.width <= room.width && block.size.height <= room.height, comment)
                    let breaksWords = block.breaksWords
                    // Four options stand in two columns on the smallest screen, which long words do not fit.
                    var isNarrow = false
                    if case .option = element.element { isNarrow = size.height <= 240 }
                    if element.button != nil { #expect(!breaksWords || isNarrow, comment) }
                }
                guard let hint = placed.hint, let style = hint.style, let words = hint.text else { continue }
                let block = try TextBlock(
                    words.text, style: style, width: hint.rect.width - Int(style.em * 1.3), fonts: fonts)
                #expect(block.lineCount == 1 && block.size.height <= hint.rect.height, comment)
            }
        }
    }
}
