// SPDX-License-Identifier: Apache-2.0
import HostAPI
import JSON

/// Why a request through the broker fails; the panel's own errors are ``PanelError``.
enum FleetError: String, Error {
    case keyReused = "org.inkpanel.Fleet.KeyReused"
    case expired = "org.inkpanel.Fleet.Expired"
    case interrupted = "org.inkpanel.Fleet.Interrupted"
    case notKept = "org.inkpanel.Fleet.NotKept"
}

/// The payload of a response.
enum FleetAnswer {
    private struct Reply: Encodable {
        enum CodingKeys: CodingKey { case key }

        let key: String
        let reply: CaptureReply

        func encode(to encoder: any Encoder) throws {
            try reply.encode(to: encoder)
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(key, forKey: .key)
        }
    }

    /// The state of a capture, without the stroke, because ink does not travel through the broker, and without the
    /// host's data, because answers are kept for a day.
    static func reply(_ reply: CaptureReply, to key: RequestKey) -> [UInt8] {
        var reply = reply
        (reply.stroke, reply.data) = (nil, nil)
        return Reply(key: key.text, reply: reply).bytes
    }

    /// Whether nobody has signed or declined, by the last answer: it was cancelled, say, or nobody came in time.
    static func isVoid(_ answer: [UInt8]) -> Bool {
        let result = (try? JSONValue(answer))?["outcome"]?["result"]?.text
        return result != "accepted" && result != "declined"
    }

    /// - Parameter key: of the request; nil if it has none.
    static func refusal(_ error: PanelError, to key: RequestKey? = nil) -> [UInt8] {
        guard var message = try? JSONValue(ReplyEncoder.message(error).dropLast()).object else { return [] }
        message["key"] = key.map { .text($0.text) }
        return JSONValue.object(message).bytes
    }

    /// - Parameter reason: for people.
    static func refusal(_ error: FleetError, reason: String? = nil, to key: RequestKey) -> [UInt8] {
        let parameters: JSONValue = reason.map { ["reason": .text($0)] } ?? [:]
        return JSONValue.object([
            "error": .text(error.rawValue), "key": .text(key.text), "parameters": parameters,
        ]).bytes
    }
}
