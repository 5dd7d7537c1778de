// SPDX-License-Identifier: Apache-2.0
import JSON
import Pad
import Record

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
    let method: String
    /// The caller accepts several replies.
    let more: Bool
    /// The caller wants no reply.
    let oneway: Bool
    /// The caller wants to speak another protocol on the connection.
    let upgrade: Bool
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
    func parameters<Parameters: StrictMembers>(_ type: Parameters.Type) throws(PanelError) -> Parameters {
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
