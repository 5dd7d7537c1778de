// SPDX-License-Identifier: Apache-2.0

/// Why a text is no table of messages. Lines count from 1.
public enum MessageError: Error, Equatable, Sendable {
    case noEqualsSign(line: Int)
    case unknownKey(line: Int, key: String)
    case repeatedKey(line: Int, key: String, firstLine: Int)
    case emptyText(line: Int, key: String)
    case longText(line: Int, key: String, length: Int)
    case wrongPlaces(line: Int, key: String, count: Int, expected: Int)
    case noDirection(line: Int, text: String)
    case missingKeys([String])
}

extension MessageError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .noEqualsSign(let line): "line \(line): expected key = text"
        case .unknownKey(let line, let key):
            "line \(line): there is no message \"\(key)\"; there are direction, "
                + Message.allCases.map(\.rawValue).joined(separator: ", ")
        case .repeatedKey(let line, let key, let first): "line \(line): \"\(key)\" is in line \(first) already"
        case .emptyText(let line, let key): "line \(line): \"\(key)\" has no text"
        case .longText(let line, let key, let length):
            "line \(line): the text of \"\(key)\" has \(length) characters, and \(MessageTable.longestText) at most "
                + "fit a page"
        case .wrongPlaces(let line, let key, let count, let expected):
            expected == 0
                ? "line \(line): \"\(key)\" has no place for \(MessageTable.place)"
                : "line \(line): \"\(key)\" must have \(MessageTable.place) once, where what the host says goes, "
                    + "and has it \(count) times"
        case .noDirection(let line, let text):
            "line \(line): \"direction\" is left-to-right or right-to-left, not \"\(text)\""
        case .missingKeys(let keys): "these messages are missing: " + keys.joined(separator: ", ")
        }
    }
}
