// SPDX-License-Identifier: Apache-2.0
package import Linux

/// Why a file cannot be checked.
package enum EvidenceFileError: Error, CustomStringConvertible {
    case cannotRead(_ path: String, _ errno: Errno)
    /// - Parameter limit: in bytes.
    case tooLong(_ path: String, limit: Int)

    package var description: String {
        switch self {
        case .cannotRead(let path, let errno): "cannot read \(path): \(errno)"
        case .tooLong(let path, let limit): "\(path): the file has more than \(limit) bytes"
        }
    }
}
