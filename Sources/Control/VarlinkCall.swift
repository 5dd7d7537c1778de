// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Pad
import Record

/// A Varlink call (https://varlink.org/Method-Call). Its parameters are decoded when its method is known.
package struct VarlinkCall {
    /// Calls of the panel's interface have four levels: call, parameters, policy, minima.
    static let depthLimit = 16

    private struct Head: Decodable {
        var method: String
        var more, oneway, upgrade: Bool?
    }

    private struct Body<Parameters: StrictMembers>: Decodable {
        var parameters: Strict<Parameters>?
    }

    /// The full name: `org.inkpanel.Panel.Capture`.
    let method: String
    /// The caller accepts several replies.
    let more: Bool
    /// The caller wants no reply.
    let oneway: Bool
    /// The caller wants to speak another protocol on the connection.
    let upgrade: Bool
    private let message: Data

    package init(_ message: ArraySlice<UInt8>) throws(MalformedMessage) {
        let isSpace: (UInt8) -> Bool = { $0 == 0x20 || 0x09...0x0D ~= $0 }
        guard message.first(where: { !isSpace($0) }) == UInt8(ascii: "{") else {
            throw .noCall("it is not a JSON object")
        }
        if Self.depth(of: message) > Self.depthLimit { throw .tooDeep(limit: Self.depthLimit) }
        // A decoder may replace bytes that are not UTF-8, or stop at them.
        guard String(validating: message, as: UTF8.self) != nil else { throw .noCall("it is not UTF-8") }
        self.message = Data(message)
        let head: Head
        do {
            // Checks the strings of the parameters, too.
            head = try CheckedJSON.decode(Head.self, from: self.message)
        } catch let error as DecodingError {
            let member = error.memberPath.isEmpty ? "it" : error.memberPath
            throw .noCall(error.isDamage ? "it is not JSON" : "\(member) is not valid")
        } catch {
            throw .noCall("it is not JSON")
        }
        method = head.method
        more = head.more ?? false
        oneway = head.oneway ?? false
        upgrade = head.upgrade ?? false
    }

    /// - Throws: ``PanelError/invalidParameter(_:expected:)`` for the first that is missing, unknown or of another
    ///   type.
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

    /// The deepest nesting of brackets and braces, measured before a recursive decoder reads the message. Meaningless
    /// if the message is not JSON.
    private static func depth(of message: some Sequence<UInt8>) -> Int {
        var (depth, deepest) = (0, 0)
        var (isInString, isEscaped) = (false, false)
        for byte in message {
            if isEscaped {
                isEscaped = false
            } else if isInString {
                if byte == UInt8(ascii: "\\") { isEscaped = true }
                if byte == UInt8(ascii: "\"") { isInString = false }
            } else {
                switch byte {
                case UInt8(ascii: "\""): isInString = true
                case UInt8(ascii: "{"), UInt8(ascii: "["):
                    depth += 1
                    deepest = max(deepest, depth)
                case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
                default: break
                }
            }
        }
        return deepest
    }
}

/// Why a message is not a call.
package enum MalformedMessage: Error, Equatable, CustomStringConvertible {
    case tooLong(limit: Int)
    case tooDeep(limit: Int)
    case noCall(String)

    package var description: String {
        switch self {
        case .tooLong(let limit): "the message has more than \(limit) bytes"
        case .tooDeep(let limit): "the message is nested deeper than \(limit)"
        case .noCall(let reason): "the message is not a Varlink call: \(reason)"
        }
    }
}

/// Cuts a stream into Varlink messages. A zero byte ends each.
package struct MessageFramer {
    private static let terminator: UInt8 = 0

    /// The maximum size of a message in bytes, without its terminator.
    private let limit: Int
    private var bytes: [UInt8] = []
    /// The start of the next message.
    private var start = 0
    /// There is no terminator between `start` and here.
    private var searched = 0

    package init(limit: Int) { self.limit = limit }

    var isEmpty: Bool { start == bytes.count }

    package mutating func append(_ new: some Collection<UInt8>) {
        if start > 0 {
            bytes.removeFirst(start)
            searched -= start
            start = 0
        }
        bytes += new
    }

    /// The next message without its terminator; nil until it is complete.
    /// - Throws: ``MalformedMessage/tooLong(limit:)``, also before the terminator has come. The stream cannot be read
    ///   further.
    package mutating func next() throws(MalformedMessage) -> ArraySlice<UInt8>? {
        guard let end = bytes[searched...].firstIndex(of: Self.terminator) else {
            searched = bytes.count
            if bytes.count - start > limit { throw .tooLong(limit: limit) }
            return nil
        }
        if end - start > limit { throw .tooLong(limit: limit) }
        defer {
            start = end + 1
            searched = start
        }
        return bytes[start..<end]
    }
}
