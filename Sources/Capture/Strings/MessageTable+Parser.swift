// SPDX-License-Identifier: Apache-2.0

extension MessageTable {
    /// In Unicode scalars: what a line of text can have on the page, with room for the host's.
    static let longestText = 512

    /// Reads lines `key = text`; empty lines and those that start with # say nothing. `direction` is a key too,
    /// `left-to-right` when it is left out.
    /// - Parameter fallback: where messages are taken from that the text has not; nil when it must have all.
    /// - Throws: the first ``MessageError``.
    public init(parsing text: String, fallback: MessageTable? = nil) throws(MessageError) {
        texts = fallback?.texts ?? [:]
        direction = .leftToRight
        var lineOfKey: [String: Int] = [:]
        // A mark at the start, and carriage returns: files that went through Windows.
        let body = text.hasPrefix("\u{FEFF}") ? text.dropFirst() : text[...]
        for (index, line) in body.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let content = Self.trimmed(line)
            if content.isEmpty || content.hasPrefix("#") { continue }
            guard let equals = content.firstIndex(of: "=") else { throw .noEqualsSign(line: index + 1) }
            let key = String(Self.trimmed(content[..<equals]))
            if let first = lineOfKey.updateValue(index + 1, forKey: key) {
                throw .repeatedKey(line: index + 1, key: key, firstLine: first)
            }
            try take(key, String(Self.trimmed(content[content.index(after: equals)...])), line: index + 1)
        }
        let missing = Message.allCases.filter { texts[$0] == nil }
        if !missing.isEmpty { throw .missingKeys(missing.map(\.rawValue)) }
    }

    private mutating func take(_ key: String, _ text: String, line: Int) throws(MessageError) {
        if key == "direction" {
            guard let direction = LayoutDirection(rawValue: text) else { throw .noDirection(line: line, text: text) }
            self.direction = direction
            return
        }
        guard let message = Message(rawValue: key) else { throw .unknownKey(line: line, key: key) }
        if text.isEmpty { throw .emptyText(line: line, key: key) }
        let length = text.unicodeScalars.count
        if length > Self.longestText { throw .longText(line: line, key: key, length: length) }
        let places = text.split(separator: Self.place, omittingEmptySubsequences: false).count - 1
        let wanted = message.hasPlace ? 1 : 0
        if places != wanted { throw .wrongPlaces(line: line, key: key, count: places, expected: wanted) }
        texts[message] = text
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text
        while let first = text.first, first.isWhitespace { text.removeFirst() }
        while let last = text.last, last.isWhitespace { text.removeLast() }
        return text
    }
}
