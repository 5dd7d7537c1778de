// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import JSON

// The parts that both clients share: the one that waits, and the gateway's.

/// Encodes calls as messages, with their terminators.
package enum CallEncoder {
    private struct Call<Parameters: Encodable>: Encodable {
        var method: String
        var parameters: Parameters
        var more: Bool?
    }

    /// - Parameter more: asks for several replies.
    /// - Returns: nil if a parameter is a number that JSON cannot represent.
    package static func message(_ method: PanelMethod, _ parameters: some Encodable, more: Bool = false) -> [UInt8]? {
        let call = Call(method: method.name, parameters: parameters, more: more ? true : nil)
        let encoder = JSONEncoder()
        // Each slash of Base64 would have two bytes: pieces of white scans are slashes only, and messages have a limit.
        encoder.outputFormatting = .withoutEscapingSlashes
        return (try? encoder.encode(call)).map { Array($0) + [0] }
    }
}

/// Why there is no reply of the type that was expected.
package enum ReplyError: Error, Equatable {
    /// The reply is not one of a panel of this version.
    case notUnderstood(String)
    /// The panel's own error.
    case refused(PanelError)
}

/// A reply of the panel. Its parameters are decoded when their type is known.
package struct VarlinkReply {
    private struct Head: Decodable {
        var error: String?
        var continues: Bool?
    }

    private struct Body<Parameters: Decodable>: Decodable {
        var parameters: Parameters
    }

    /// Another one follows.
    package let continues: Bool
    private let message: JSONValue

    /// - Throws: ``ReplyError``, also for an error of the panel.
    package init(_ bytes: ArraySlice<UInt8>) throws(ReplyError) {
        do throws(JSONFault) { message = try JSONValue(bytes) } catch {
            throw .notUnderstood("it does not speak Varlink (\(error))")
        }
        guard let head = try? message.decode(Head.self) else { throw .notUnderstood("it does not speak Varlink") }
        continues = head.continues ?? false
        guard let name = head.error else { return }
        guard let error = (try? message.decode(ErrorMessage.self)).flatMap(PanelError.init) else {
            throw .notUnderstood("unknown error \(name)")
        }
        throw .refused(error)
    }

    package func parameters<Parameters: Decodable>(
        _ type: Parameters.Type = Parameters.self
    ) throws(ReplyError) -> Parameters {
        do {
            return try message.decode(Body<Parameters>.self).parameters
        } catch let error as DecodingError {
            throw .notUnderstood("\(error.memberPath) is not valid")
        } catch {
            throw .notUnderstood("its answer is not JSON")
        }
    }
}
