// SPDX-License-Identifier: Apache-2.0
import JSON

/// A Varlink call (https://varlink.org/Method-Call). Its parameters are decoded when its method is known.
package struct VarlinkCall {
    private struct Head: Decodable {
        var method: String
        var more, oneway, upgrade: Bool?
    }

    private struct Body<Parameters: StrictMembers>: Decodable {
        var parameters: Strict<Parameters>?
    }

    /// The full name: `org.inkpanel.Panel.Capture`.
    package let method: String
    /// The caller accepts several replies.
    package let more: Bool
    /// The caller wants no reply.
    package let oneway: Bool
    /// The caller wants to speak another protocol on the connection.
    package let upgrade: Bool
    private let message: JSONValue

    package init(_ message: ArraySlice<UInt8>) throws(MalformedMessage) {
        do throws(JSONFault) { self.message = try JSONValue(message) } catch {
            throw .noCall("it is not JSON: \(error)")
        }
        guard case .object = self.message else { throw .noCall("it is not a JSON object") }
        let head: Head
        do {
            head = try self.message.decode()
        } catch let error as DecodingError {
            throw .noCall(error.reason)
        } catch {
            throw .noCall("it cannot be decoded")
        }
        method = head.method
        more = head.more ?? false
        oneway = head.oneway ?? false
        upgrade = head.upgrade ?? false
    }

    /// - Throws: ``PanelError/invalidParameter(_:expected:)`` for the first that is missing, unknown or of another
    ///   type.
    package func parameters<Parameters: StrictMembers>(_ type: Parameters.Type) throws(PanelError) -> Parameters {
        do {
            let body = try message.decode(Body<Parameters>.self)
            if let parameters = body.parameters { return parameters.value }
            return try JSONValue.object([:]).decode(Strict<Parameters>.self).value
        } catch let error as DecodingError {
            let path = error.memberPath
            throw .invalidParameter(
                path.isEmpty ? "parameters" : String(path.trimmingPrefix("parameters.")), expected: error.expectation)
        } catch {
            throw .invalidParameter("parameters")
        }
    }
}

/// Why a message is not a call.
package enum MalformedMessage: Error, Equatable, CustomStringConvertible {
    case tooLong(limit: Int)
    case noCall(String)

    package var description: String {
        switch self {
        case .tooLong(let limit): "the message has more than \(limit) bytes"
        case .noCall(let reason): "the message is not a Varlink call: \(reason)"
        }
    }
}
