// SPDX-License-Identifier: Apache-2.0

extension DecodingError {
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
