// SPDX-License-Identifier: Apache-2.0

/// What a value must be, as the underlying error of ours that the decoder passes on; fits after "expected".
struct Expectation: Error {
    let text: String

    /// The error for a value that is something else.
    static func failure(_ text: String, at path: [any CodingKey]) -> DecodingError {
        .dataCorrupted(.init(codingPath: path, debugDescription: text, underlyingError: Expectation(text: text)))
    }
}

extension DecodingError {
    /// What would have been right; fits after "expected". Nil when the error does not tell.
    var expectation: String? {
        switch self {
        case .typeMismatch(let type, _), .valueNotFound(let type, _):
            switch type {
            case is String.Type: "a text"
            case is Bool.Type: "true or false"
            case is Double.Type: "a number"
            // The decoder names its own types here.
            default: "\(type)".hasPrefix("Array") ? "an array" : "\(type)".hasPrefix("Dictionary") ? "an object" : nil
            }
        case .keyNotFound: "a value: it is missing"
        case .dataCorrupted(let context): (context.underlyingError as? Expectation)?.text
        @unknown default: nil
        }
    }

    /// Whether the text is no JSON at all.
    var isDamage: Bool {
        guard case .dataCorrupted(let context) = self else { return false }
        return context.codingPath.isEmpty
    }

    /// Where it is, as `policy.minima.length` or `prompt[2]`; empty for the whole.
    var memberPath: String {
        let keys: [any CodingKey]
        switch self {
        case .keyNotFound(let key, let context): keys = context.codingPath + [key]
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
            keys = context.codingPath
        @unknown default: keys = []
        }
        var path = ""
        for key in keys {
            if let index = key.intValue {
                path += "[\(index)]"
            } else {
                path += (path.isEmpty ? "" : ".") + key.stringValue
            }
        }
        return path
    }
}
