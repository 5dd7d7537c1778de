// SPDX-License-Identifier: Apache-2.0
package import Document
package import HostAPI
package import Record

/// Compares all pages of a document as two engines draw them, before it is signed. People sign what poppler draws; a
/// file can be made so that others draw something else.
package struct DocumentComparison {
    /// Whether pages that are drawn differently, or not wholly, are an error.
    private let refuses: Bool
    private let allowed: Set<ReadDocument.Allowance>
    private var check = DocumentCheck()

    /// - Parameters:
    ///   - refuses: whether the document is signed, rather than only read.
    ///   - allowed: the faults that the host takes.
    package init(refuses: Bool, allowed: [ReadDocument.Allowance]) {
        self.refuses = refuses
        self.allowed = Set(allowed)
    }

    /// - Parameter compared: compares the page with a number, as both engines draw it in the document that will be
    ///   signed.
    /// - Throws: ``DocumentComparisonFault``, or ``DocumentHelperError`` if a page cannot be compared.
    package mutating func compare(
        _ pages: [DocumentFacts.PageSize], compared: (Int) throws(DocumentHelperError) -> PageComparison
    ) throws -> DocumentCheck {
        check = DocumentCheck()
        for (index, size) in pages.enumerated() {
            let number = index + 1
            let page: PageComparison
            do throws(DocumentHelperError) { page = try compared(number) } catch {
                // Differences and missing parts of this page are unknown, so it passes only if the host allows both.
                guard error != .stopped, !refuses || allowed == [.drawnDifferently, .notDrawn] else { throw error }
                page = PageComparison(
                    second: check.second,
                    differences: [DocumentRectangle(minX: 0, minY: 0, maxX: size.width, maxY: size.height)])
            }
            check.second = check.second ?? page.second
            try add(page, number)
        }
        return check
    }

    private mutating func add(_ page: PageComparison, _ number: Int) throws(DocumentComparisonFault) {
        if let place = page.differences.first, refuses, !allowed.contains(.drawnDifferently) {
            throw .drawnDifferently(page: number, place, second: page.second ?? "another engine")
        }
        if let text = page.complaints.first, refuses, !allowed.contains(.notDrawn) {
            throw .notDrawn(page: number, text)
        }
        let places = page.differences.map { place in
            DocumentCheck.Place(
                page: number,
                rectangle: [place.minX, place.minY, place.maxX, place.maxY].map { ($0 * 10).rounded() / 10 })
        }
        check.differences = Self.joined(check.differences, places)
        let messages = page.complaints.map { complaint in
            var text = PlainText.printable(complaint, atMost: DocumentCheck.longestText)
            while text.utf8.count > DocumentCheck.longestText { text.removeLast() }
            return DocumentCheck.Message(page: number, text: text)
        }
        check.notDrawn = Self.joined(check.notDrawn, messages)
    }

    private static func joined<Element>(_ first: [Element]?, _ others: [Element]) -> [Element]? {
        let all = (first ?? []) + others
        return all.isEmpty ? nil : Array(all.prefix(DocumentCheck.most))
    }
}

/// Why a document must not be signed, although it can be shown.
package enum DocumentComparisonFault: Error, Equatable, Sendable, CustomStringConvertible {
    /// - Parameter second: the engine that draws it in another way.
    case drawnDifferently(page: Int, DocumentRectangle, second: String)
    /// - Parameter text: the message of the engine that draws the pages.
    case notDrawn(page: Int, String)

    /// The fault's name for hosts.
    package var name: ReadDocument.Allowance {
        switch self {
        case .drawnDifferently: .drawnDifferently
        case .notDrawn: .notDrawn
        }
    }

    package var description: String {
        let remedy = "flatten the document (inkpanel document flatten IN OUT), or allow \(name.rawValue)"
        return switch self {
        case .drawnDifferently(let page, let place, let second):
            "\(second) draws page \(page) differently at \(place.edges) (inkpanel document compare shows it): \(remedy)"
        case .notDrawn(let page, let text): "a part of page \(page) cannot be drawn (\(text)): \(remedy)"
        }
    }
}
