// SPDX-License-Identifier: Apache-2.0

/// The reason why the helper gives no result.
package enum DocumentHelperError: Error, Equatable, Sendable, CustomStringConvertible {
    /// A package is missing.
    case notInstalled(String)
    /// The helper says why the document or the request is refused.
    case refused(DocumentFault)
    case tooSlow
    /// The call was ended early, because its capture has ended.
    case stopped
    /// The helper has ended, or cannot be reached.
    case noAnswer(reason: String)
    /// The answer is not valid, as if the document had taken over the helper.
    case wrongAnswer(reason: String)

    /// Whether another attempt may have an answer: the program was killed, perhaps in the middle of its answer.
    package var mayPass: Bool {
        switch self {
        case .noAnswer, .wrongAnswer: true
        case .notInstalled, .refused, .tooSlow, .stopped: false
        }
    }

    package var description: String {
        switch self {
        case .notInstalled(let package):
            "documents cannot be read here: install \(package), and start inkpanel-document.socket"
        case .refused(let fault): fault.description
        case .tooSlow: "the document takes too long to read: print it to a simpler PDF"
        case .stopped: "the capture has ended"
        case .noAnswer(let reason): "the document cannot be read (\(reason))"
        case .wrongAnswer(let reason): "the answer of inkpanel-document is not valid: \(reason)"
        }
    }
}
