// SPDX-License-Identifier: Apache-2.0

/// What is written on the signature page; nil is not written.
public struct PageTexts: Equatable, Sendable {
    public enum Field: String, Sendable, CaseIterable {
        case prompt, signer, reason, date
        /// Those of the buttons.
        case labels
    }

    public var prompt: [String]
    public var signer: String?
    public var reason: String?
    public var date: String?
    /// What is written on each button that the page has, and so which ones it has.
    public var labels: [PageButton: String]

    public init(
        prompt: [String], signer: String? = nil, reason: String? = nil, date: String? = nil,
        labels: [PageButton: String]
    ) {
        self.prompt = prompt
        self.signer = signer
        self.reason = reason
        self.date = date
        self.labels = labels
    }
}

/// A page's texts do not fit on the picture, at the smallest sizes that can be read.
public struct PageTooSmall: Error, Equatable, Sendable {
    /// The text that needs the most room; nil when there is no page without it either.
    public var field: PageTexts.Field?

    public init(field: PageTexts.Field? = nil) { self.field = field }
}
