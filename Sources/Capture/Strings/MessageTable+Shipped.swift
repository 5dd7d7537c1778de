// SPDX-License-Identifier: Apache-2.0

extension MessageTable {
    /// A language that the program speaks by itself, by its tag (BCP 47).
    public enum Language: String, Sendable, CaseIterable {
        case english = "en"
        case german = "de"
    }

    public init(_ language: Language) {
        do {
            self = try MessageTable(parsing: Self.source(of: language))
        } catch {
            preconditionFailure("the messages in \(language.rawValue) that are part of the program: \(error)")
        }
    }

    /// The file that the language is read from: what to begin another one with.
    public static func source(of language: Language) -> String {
        switch language {
        case .english: String(decoding: PackageResources.en_messages, as: UTF8.self)
        case .german: String(decoding: PackageResources.de_messages, as: UTF8.self)
        }
    }
}
