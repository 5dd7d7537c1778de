// SPDX-License-Identifier: Apache-2.0
import Pad
import FoundationEssentials
import Record

/// A call as Varlink has it (https://varlink.org/Method-Call). Its parameters are read when its method is known.
package struct VarlinkCall {
    /// Ours have four levels: call, parameters, policy, minima.
    static let depthLimit = 16

    private struct Head: Decodable {
        var method: String
        var more, oneway, upgrade: Bool?
    }

    private struct Body<Parameters: StrictMembers>: Decodable {
        var parameters: Strict<Parameters>?
    }

    /// With its interface: `org.inkpanel.Panel.Capture`.
    let method: String
    /// More than one answer is welcome.
    let more: Bool
    /// No answer is.
    let oneway: Bool
    /// The connection shall become another protocol's.
    let upgrade: Bool
    private let message: Data

    package init(_ message: ArraySlice<UInt8>) throws(MalformedMessage) {
        let isSpace: (UInt8) -> Bool = { $0 == 0x20 || 0x09...0x0D ~= $0 }
        guard message.first(where: { !isSpace($0) }) == UInt8(ascii: "{") else {
            throw .noCall("it is no JSON object")
        }
        if MessageDepth.of(message) > Self.depthLimit { throw .tooDeep(limit: Self.depthLimit) }
        // A decoder may replace bytes that are no UTF-8, or stop at them.
        guard String(validating: message, as: UTF8.self) != nil else { throw .noCall("it is not UTF-8") }
        self.message = Data(message)
        let head: Head
        do {
            // Its strings are looked at here, for the parameters, too.
            head = try CheckedJSON.decode(Head.self, from: self.message)
        } catch let error as DecodingError {
            throw .noCall(error.isDamage ? "it is no JSON" : "\(error.memberPath.isEmpty ? "it" : error.memberPath)"
                + " is not as it should be")
        } catch {
            throw .noCall("it is no JSON")
        }
        method = head.method
        more = head.more ?? false
        oneway = head.oneway ?? false
        upgrade = head.upgrade ?? false
    }

    /// - Throws: ``PanelError/invalidParameter(_:expected:)`` for the first that is missing, unknown or of another type.
    func parameters<Parameters: StrictMembers>(_ type: Parameters.Type) throws(PanelError) -> Parameters {
        do {
            let body = try JSONDecoder().decode(Body<Parameters>.self, from: message)
            if let parameters = body.parameters { return parameters.value }
            return try JSONDecoder().decode(Strict<Parameters>.self, from: Data("{}".utf8)).value
        } catch let error as DecodingError {
            let path = error.memberPath
            throw .invalidParameter(
                path.isEmpty ? "parameters" : String(path.trimmingPrefix("parameters.")), expected: error.expectation)
        } catch {
            throw .invalidParameter("parameters")
        }
    }
}
