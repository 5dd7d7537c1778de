// SPDX-License-Identifier: Apache-2.0
import Foundation

/// The preferences of a client (RFC 7240), of which the first of a name counts. What cannot be read is no preference.
package struct Preferences {
    private var values: [String: String] = [:]

    /// - Parameter header: the values of all headers Prefer, joined by commas.
    package init(_ header: String) {
        for item in Self.parts(of: header, at: ",") {
            // After a semicolon come parameters of the preference.
            guard let preference = Self.parts(of: item, at: ";").first else { continue }
            let pair = preference.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                .map(\.withoutSpace)
            let (name, value) = (pair[0].lowercased(), pair.count > 1 ? Self.unquoted(pair[1]) : "")
            if !name.isEmpty, values[name] == nil { values[name] = value }
        }
    }

    /// - Returns: the value, empty if the preference has none; nil without the preference.
    package subscript(name: String) -> String? { values[name] }

    /// The seconds of `wait` (RFC 7240, 4.3).
    /// - Returns: at most `longest`; nil without the preference, or if it cannot be honoured.
    package func wait(atMost longest: Int) -> Int? {
        guard let seconds = self["wait"], !seconds.isEmpty, seconds.utf8.allSatisfy({ 0x30...0x39 ~= $0 }) else {
            return nil
        }
        // A number beyond the range of Int has more digits than any below the limit.
        let number = min(Int(seconds) ?? longest, longest)
        return number > 0 ? number : nil
    }

    /// The parts between separators that are not in quotes (RFC 9110, 5.6.4).
    private static func parts(of text: some StringProtocol, at separator: Character) -> [String] {
        var parts = [""]
        var (isQuoted, isEscaped) = (false, false)
        for character in text {
            if character == separator, !isQuoted {
                parts.append("")
                continue
            }
            parts[parts.count - 1].append(character)
            if character == "\"", !isEscaped { isQuoted.toggle() }
            isEscaped = isQuoted && character == "\\" && !isEscaped
        }
        return parts
    }

    private static func unquoted(_ text: String) -> String {
        guard text.count > 1, text.hasPrefix("\""), text.hasSuffix("\"") else { return text }
        var value = ""
        var isEscaped = false
        for character in text.dropFirst().dropLast() {
            isEscaped = character == "\\" && !isEscaped
            if !isEscaped { value.append(character) }
        }
        return value
    }
}
