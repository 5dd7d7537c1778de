// SPDX-License-Identifier: Apache-2.0

/// How the document of a capture was checked against what other readers show: a member of the end.
public struct DocumentCheck: Codable, Equatable, Sendable {
    /// A place that the two engines draw differently.
    public struct Place: Codable, Equatable, Sendable {
        /// The number of the page, from 1.
        public var page: Int
        /// Left, lower, right and upper edge in points, from the lower left corner of the page as it is shown.
        public var rectangle: [Double]

        public init(page: Int, rectangle: [Double]) {
            self.page = page
            self.rectangle = rectangle
        }
    }

    /// A message of the engine that draws the pages, about something that it could not draw.
    public struct Message: Codable, Equatable, Sendable {
        /// The number of the page, from 1.
        public var page: Int
        public var text: String

        public init(page: Int, text: String) {
            self.page = page
            self.text = text
        }
    }

    /// The most places, and the most messages, of all pages.
    public static let most = 32
    /// The longest text of a message, in bytes of UTF-8.
    public static let longestText = 256

    /// The engine that has drawn all pages, too, with its version; nil if no second one was installed.
    public var second: String?
    /// The places that the engines draw differently. The host has allowed them, or nobody has signed.
    public var differences: [Place]?
    /// Messages about parts that could not be drawn. The host has allowed it, or nobody has signed.
    public var notDrawn: [Message]?
    /// Whether the signed file was drawn again, and compared with what was shown, before the record was stored; nil if
    /// nobody has signed the document.
    public var redrawn: Bool?

    public init(
        second: String? = nil, differences: [Place]? = nil, notDrawn: [Message]? = nil, redrawn: Bool? = nil
    ) {
        self.second = second
        self.differences = differences
        self.notDrawn = notDrawn
        self.redrawn = redrawn
    }

    /// Why a value is not valid; nil if all are.
    func fault(pages: Int) -> String? {
        if let second, second.isEmpty || second.utf8.count > 64 { return "the name of the second engine" }
        let differences = differences ?? []
        let arePlaces = differences.allSatisfy { place in
            (1...max(pages, 1)).contains(place.page) && place.rectangle.count == 4
                && place.rectangle.allSatisfy { abs($0) <= 1e6 } && place.rectangle[0] <= place.rectangle[2]
                && place.rectangle[1] <= place.rectangle[3]
        }
        guard arePlaces, differences.count <= Self.most else { return "the places that are drawn differently" }
        let messages = notDrawn ?? []
        let areMessages = messages.allSatisfy { message in
            (1...max(pages, 1)).contains(message.page) && message.text.utf8.count <= Self.longestText
        }
        return areMessages && messages.count <= Self.most ? nil : "the messages about what was not drawn"
    }
}
