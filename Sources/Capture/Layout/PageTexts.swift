// SPDX-License-Identifier: Apache-2.0

/// What is written on the signature page, each text on a line of its own; nil is not written.
public struct PageTexts: Equatable, Sendable {
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
