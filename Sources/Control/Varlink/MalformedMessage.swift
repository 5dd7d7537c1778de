// SPDX-License-Identifier: Apache-2.0

/// Why a message cannot be answered as a call: whoever sent it speaks something else.
package enum MalformedMessage: Error, Equatable, CustomStringConvertible {
    case tooLong(limit: Int)
    case tooDeep(limit: Int)
    case noCall(String)

    package var description: String {
        switch self {
        case .tooLong(let limit): "the message has more than \(limit) bytes"
        case .tooDeep(let limit): "the message is nested deeper than \(limit)"
        case .noCall(let reason): "the message is no Varlink call: \(reason)"
        }
    }
}
