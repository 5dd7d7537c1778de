// SPDX-License-Identifier: Apache-2.0

/// Characters of a text that no font has: the page shows boxes for them, or nothing.
public struct MissingGlyphs: Codable, Equatable, Sendable {
    /// The most characters of a page that are named, so that they have room in a header.
    public static let characterLimit = 100
    /// Stands for texts that belong to no capture, such as the name of a program that asks to be paired.
    public static let page = "page"

    /// The text as the host's call names it, such as `prompt[0]`, `rows[1].value` or `signer`; `labels` of the pad's
    /// own words, and `date`.
    public var text: String
    /// Each once, as Unicode writes it, such as `U+1F600`.
    public var characters: [String]

    public init(text: String, characters: [String]) {
        self.text = text
        self.characters = characters
    }
}

extension MissingGlyphs: CustomStringConvertible {
    /// Such as `U+1F600 of prompt[0]`.
    public var description: String { characters.joined(separator: ", ") + " of " + text }
}
