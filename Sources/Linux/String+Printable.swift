// SPDX-License-Identifier: Apache-2.0

extension Unicode.Scalar {
    /// Whether a terminal takes it for more than a sign to show: control characters (C0, DEL and C1, which move its
    /// cursor and change its settings), and what changes the direction of the text after it (UAX #9, 2.1 to 2.6:
    /// embeddings, overrides, isolates and marks), whose end may be missing.
    public var steersTerminal: Bool {
        switch self {
        case "\u{61C}", "\u{200E}", "\u{200F}", "\u{202A}"..."\u{202E}", "\u{2066}"..."\u{2069}": true
        default: properties.generalCategory == .control
        }
    }

    /// As JSON and TOML have it in a string: `\u` and four digits. For those of 16 bits.
    public var escape: String {
        let digits = String(value, radix: 16, uppercase: true)
        return "\\u" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}

extension String {
    /// In one line, as a terminal may be sent it: a record, a panel or a device that somebody else made could say what
    /// steers the terminal. Such characters become U+FFFD.
    public var printable: String { printable(keeping: nil) }

    /// The same for a text of lines, whose line feeds stay.
    public var printableLines: String { printable(keeping: "\n") }

    private func printable(keeping kept: Unicode.Scalar?) -> String {
        String(String.UnicodeScalarView(unicodeScalars.map { $0.steersTerminal && $0 != kept ? "\u{FFFD}" : $0 }))
    }
}
