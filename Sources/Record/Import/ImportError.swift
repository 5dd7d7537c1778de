// SPDX-License-Identifier: Apache-2.0

/// Why a file with strokes could not be read.
public enum ImportError: Error, Equatable, CustomStringConvertible {
    /// Not JSON, or not of the expected shape; the text says where.
    case malformed(String)

    public var description: String {
        switch self {
        case .malformed(let reason): "not signature_pad's toData() JSON: \(reason)"
        }
    }
}
