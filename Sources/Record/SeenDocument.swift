// SPDX-License-Identifier: Apache-2.0

/// The parts of the document that a person had on the screen, as the views of the record say.
///
/// A row of a page counts if a view showed it in the page's whole width.
public struct SeenDocument: Equatable, Sendable {
    /// The numbers of the pages of which rows were seen, in their order.
    public var pages: [Int] = []
    /// Whether all rows of all pages were seen.
    public var toEnd = false

    public init(pages: [Int] = [], toEnd: Bool = false) {
        self.pages = pages
        self.toEnd = toEnd
    }
}

extension CaptureRecord {
    /// The parts of the document that each person saw, in the order of people; nil without a document.
    public var seen: [SeenDocument]? {
        guard let flow = header.flow, let document = flow.document else { return nil }
        var sizes: [Int: (width: Int, height: Int)] = [:]
        var rows: [[Int: [Range<Int>]]] = [[:]]
        var person = 0
        for case .flow(let event, _) in entries {
            switch event {
            case .person(let number):
                person = number
                while rows.count <= number, rows.count < flow.personCount { rows.append([:]) }
            case .page(let page): sizes[page.number] = (page.width, page.height)
            case .view(let view):
                for part in view.parts {
                    guard rows.indices.contains(person), let size = sizes[part.page], part.rect.count == 4,
                        part.rect[0] == 0, part.rect[2] == size.width, part.rect[1] < part.rect[3]
                    else { continue }
                    rows[person][part.page, default: []].append(part.rect[1]..<part.rect[3])
                }
            case .answer, .field, .accepted, .confirmed, .glass: break
            }
        }
        while rows.count < flow.personCount { rows.append([:]) }
        return rows.map { rows in
            let isWhole = (1...max(document.pages, 1)).allSatisfy { page in
                Self.covers(rows[page] ?? [], height: sizes[page]?.height)
            }
            return SeenDocument(pages: rows.keys.sorted(), toEnd: isWhole)
        }
    }

    private static func covers(_ rows: [Range<Int>], height: Int?) -> Bool {
        guard let height else { return false }
        var end = 0
        for range in rows.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if range.lowerBound > end { return false }
            end = max(end, range.upperBound)
        }
        return end >= height
    }
}
