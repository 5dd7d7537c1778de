// SPDX-License-Identifier: Apache-2.0

extension DecodingError {
    /// What is wrong with the JSON and where in it, for the person whose file it is.
    package var reason: String {
        func place(_ context: Context) -> String {
            let path = context.codingPath.map { $0.intValue.map { "[\($0)]" } ?? ".\($0.stringValue)" }.joined()
            return path.isEmpty ? "" : " at \(path)"
        }
        switch self {
        case .keyNotFound(let key, let context): return "\"\(key.stringValue)\" is missing\(place(context))"
        case .typeMismatch(_, let context): return "a value of another type was expected\(place(context))"
        case .valueNotFound(_, let context): return "a value is missing\(place(context))"
        // The decoder says the same of bad syntax and of numbers out of range, and not where.
        case .dataCorrupted(let context) where context.codingPath.isEmpty:
            return "the JSON is cut or malformed, or a number in it does not fit"
        case .dataCorrupted(let context): return "a value is none of those possible\(place(context))"
        @unknown default: return "the JSON cannot be decoded"
        }
    }
}
