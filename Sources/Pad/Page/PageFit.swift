// SPDX-License-Identifier: Apache-2.0

/// How much of a page's texts fits, for the host whose page is too long.
extension PageLayout {
    /// Precision of the number of characters: a hundredth of the text.
    private static let precision = 100

    /// Finds the text to shorten, and the length that fits. If shortening one of several texts is enough, it is the
    /// text that loses the smallest share.
    /// - Parameter error: of this layout, which has the smallest letters and spaces.
    func measured(_ error: PageTooSmall) -> PageTooSmall {
        if error.field == .labels { return error }
        var best: (field: PageText.Field, fits: Int, share: Double)?
        for field in PageText.Field.allCases {
            let whole = page.amount(of: field)
            guard whole > 0, hasRoom(for: 0, of: field) else { continue }
            var (fits, excess) = (0, whole)
            let step = field == .rows ? 1 : max(1, whole / Self.precision)
            while excess - fits > step {
                let middle = (fits + excess) / 2
                if hasRoom(for: middle, of: field) { fits = middle } else { excess = middle }
            }
            let share = Double(fits) / Double(whole)
            if best.map({ share > $0.share }) ?? true { best = (field, fits, share) }
        }
        if let best { return PageTooSmall(field: best.field, fits: best.fits) }
        return hasRoomWithoutAnswers ? PageTooSmall() : error
    }

    /// Whether a question has room, but not with its answers: no text is at fault then.
    private var hasRoomWithoutAnswers: Bool {
        var question = page
        question.elements.removeAll { if case .option = $0 { true } else { false } }
        if question.elements.count == page.elements.count { return false }
        let layout = PageLayout(page: question, size: size, design: design, measure: measure)
        return (try? layout.place()) != nil
    }

    private func hasRoom(for amount: Int, of field: PageText.Field) -> Bool {
        let shorter = PageLayout(page: page.limiting(field, to: amount), size: size, design: design, measure: measure)
        return (try? shorter.place()) != nil
    }
}

extension Page {
    /// The number of rows, or of the Unicode scalars of a text.
    fileprivate func amount(of field: PageText.Field) -> Int {
        elements.reduce(0) { sum, element in
            switch element {
            // A row of another field than the prompt is a labelled text.
            case .row(_, _, .prompt): sum + (field == .rows ? 1 : 0)
            case .row(_, let value, let own): sum + (own == field ? value.unicodeScalars.count : 0)
            case .text(let text): sum + (text.field == field ? text.text.unicodeScalars.count : 0)
            default: sum
            }
        }
    }

    /// The page with the first rows, or the first Unicode scalars of a text.
    fileprivate func limiting(_ field: PageText.Field, to amount: Int) -> Page {
        var page = self
        var left = amount
        func take(_ text: String) -> String? {
            guard left > 0 else { return nil }
            let scalars = text.unicodeScalars
            defer { left -= scalars.count }
            return String(String.UnicodeScalarView(scalars.prefix(left)))
        }
        page.elements = elements.compactMap { element in
            switch element {
            case .row(_, _, .prompt):
                if field != .rows { return element }
                left -= 1
                return left >= 0 ? element : nil
            case .row(let label, let value, field): return take(value).map { .row(label: label, value: $0, of: field) }
            case .text(var text) where text.field == field:
                guard let part = take(text.text) else { return nil }
                text.text = part
                return .text(text)
            default: return element
            }
        }
        return page
    }
}
