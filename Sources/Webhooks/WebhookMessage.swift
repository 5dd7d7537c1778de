// SPDX-License-Identifier: Apache-2.0
import CLibcrypto
import Configuration
import Foundation
import HTTP
package import HostAPI
import JSON
import Linux

/// A message of Standard Webhooks (https://www.standardwebhooks.com).
package struct WebhookMessage {
    /// The id of the event, equal in all its repetitions, by which receivers recognise them.
    package let id: String
    package let event: WebhookEndpoint.Event
    /// The message for endpoints that do not get the texts that were signed.
    package let body: [UInt8]
    /// The message for the others; the same if there are no such texts.
    let fullBody: [UInt8]

    private struct Body: Encodable {
        var type: String
        var timestamp: String
        var data: Data
    }

    private struct Data: Encodable {
        /// The panel's name in records.
        var panel: String?
        var capture: CaptureID?
        /// The outcome of a capture, as the gateway's API has it; an interrupted one has that result.
        var outcome: JSONValue?
        /// The result of a record.
        var result: RecordOutcome?
        var seal: SealHead?
        var signed: Bool?
        /// The alternatives that were accepted in place of signatures.
        var instead: [GivenInstead]?
        /// The host's own.
        var data: [String: String]?
        var request: SignedRequest?
        /// Why nobody can sign.
        var fault: String?
    }

    private init(
        _ event: WebhookEndpoint.Event, id: String, time: Int64, _ data: Data, request: SignedRequest? = nil
    ) {
        self.id = id
        self.event = event
        let timestamp = TimestampText.second(microseconds: time)
        var full = data
        full.request = request
        body = Array(Body(type: event.rawValue, timestamp: timestamp, data: data).json)
        fullBody = request == nil ? body : Array(Body(type: event.rawValue, timestamp: timestamp, data: full).json)
    }

    /// The messages of a capture that has ended. The message about the record of an accepted capture comes first.
    package static func messages(of event: PanelEvent, panel: String?) -> [WebhookMessage] {
        guard let id = event.id, let outcome = event.outcome else { return [] }
        var data = Data(panel: panel, capture: id, data: event.data)
        var messages: [WebhookMessage] = []
        if outcome == .accepted {
            (data.seal, data.signed, data.result) = (event.seal, event.signed, .accepted)
            data.instead = event.instead
            messages.append(
                WebhookMessage(.stored, id: "msg_stored-\(id)", time: event.time, data, request: event.request))
            data.result = nil
        }
        data.outcome = try? JSONValue(Array(outcome.json))
        messages.append(WebhookMessage(.ended, id: "msg_ended-\(id)", time: event.time, data))
        return messages
    }

    /// A record that was stored while nobody listened.
    package static func messages(of record: RecordSummary, panel: String?) -> [WebhookMessage] {
        let time = record.endedAt ?? record.startedAt
        // The list does not say whether there is a signed document.
        var data = Data(panel: panel, capture: record.id, data: record.data)
        (data.result, data.seal) = (record.outcome.result, record.seal)
        let request = record.encrypted == true ? nil : SignedRequest(record)
        let stored = WebhookMessage(.stored, id: "msg_stored-\(record.id)", time: time, data, request: request)
        (data.result, data.outcome) = (nil, ["result": .text(record.outcome.result.rawValue)])
        return [stored, WebhookMessage(.ended, id: "msg_ended-\(record.id)", time: time, data)]
    }

    /// Nobody can sign, or somebody can again (nil).
    /// - Parameter id: of this change.
    package static func message(fault: String?, id: String, panel: String?, time: Int64) -> WebhookMessage {
        WebhookMessage(
            fault == nil ? .recovered : .fault, id: "msg_\(fault == nil ? "recovered" : "fault")-\(id)", time: time,
            Data(panel: panel, fault: fault))
    }

    /// The subject of a message: its capture, or the panel. Messages with one subject must arrive in order. It is the
    /// part of the id after the kind, but for faults, whose ids differ each time.
    static func subject(ofID id: String) -> Substring {
        let kind = id.prefix { $0 != "-" }
        if kind == "msg_fault" || kind == "msg_recovered" { return "panel" }
        return id.dropFirst(kind.count + 1)
    }

    /// The type of a message, from its id.
    package static func event(ofID id: String) -> WebhookEndpoint.Event? {
        switch id.prefix(while: { $0 != "-" }) {
        case "msg_ended": .ended
        case "msg_stored": .stored
        case "msg_fault": .fault
        case "msg_recovered": .recovered
        default: nil
        }
    }

    /// Whether a text can be the id of a message, and a part of a file's name.
    static func isID(_ text: some StringProtocol) -> Bool {
        5...120 ~= text.utf8.count && text.hasPrefix("msg_")
            && text.utf8.allSatisfy { byte in
                0x61...0x7A ~= byte || 0x41...0x5A ~= byte || 0x30...0x39 ~= byte || byte == UInt8(ascii: "-")
                    || byte == UInt8(ascii: "_")
            }
    }

    /// The value of the header webhook-signature: a signature with each secret, of id, time and body.
    /// - Parameter timestamp: seconds since 1970-01-01 UTC, when the message is sent.
    static func signatures(id: String, timestamp: Int64, body: [UInt8], secrets: [[UInt8]]) -> String {
        let signed = Array("\(id).\(timestamp).".utf8) + body
        return secrets.map { secret in
            var code = [UInt8](repeating: 0, count: 32)
            _ = HMAC(EVP_sha256(), secret, Int32(secret.count), signed, signed.count, &code, nil)
            return "v1," + Foundation.Data(code).base64EncodedString()
        }.joined(separator: " ")
    }
}
