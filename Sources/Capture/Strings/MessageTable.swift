// SPDX-License-Identifier: Apache-2.0

/// The texts of the pad in one language, and the direction in which its pages run.
public struct MessageTable: Equatable, Sendable {
    /// Where a message has a place for a text of the host.
    public static let place = "{text}"

    public var direction: LayoutDirection
    var texts: [Message: String]

    public subscript(message: Message) -> String {
        guard let text = texts[message] else { preconditionFailure("a table has all messages") }
        return text
    }

    /// The message with a host's text in its place, which keeps its own direction whatever the message's is (Unicode's
    /// FIRST STRONG ISOLATE to POP DIRECTIONAL ISOLATE).
    public func text(_ message: Message, of text: String) -> String {
        let parts = self[message].split(separator: Self.place, maxSplits: 1, omittingEmptySubsequences: false)
        return parts.joined(separator: "\u{2068}\(text)\u{2069}")
    }
}
