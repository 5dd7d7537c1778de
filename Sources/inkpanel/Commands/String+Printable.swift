// SPDX-License-Identifier: Apache-2.0

extension String {
    /// As a terminal may be sent it: a record that somebody else made could hold what moves its cursor or changes its
    /// settings. Control characters, and those that turn the direction of what follows, become U+FFFD.
    var printable: String {
        String(
            String.UnicodeScalarView(
                unicodeScalars.map { scalar in
                    let isControl = scalar.properties.generalCategory == .control
                    // Embeddings, overrides and isolates (UAX #9, 2.1 to 2.4), whose ends may be missing.
                    let isTurn = "\u{202A}"..."\u{202E}" ~= scalar || "\u{2066}"..."\u{2069}" ~= scalar
                    return isControl || isTurn ? "\u{FFFD}" : scalar
                }))
    }
}
