// SPDX-License-Identifier: Apache-2.0
import Evidence
import FoundationEssentials
import HostAPI
import JSON

/// A message of the broker, as it was received.
struct BrokerMessage: Equatable {
    var topic: String
    var payload: [UInt8]
    var responseTopic: String?
    var correlation: [UInt8]?
}

/// The key that a host gives a capture. The keys of two hosts are different, even with the same text.
struct RequestKey: Hashable {
    let host: FleetName
    let text: String

    /// nil unless it has 8 to 64 letters, digits, `-` and `_`: it is a word in a line of ``RequestFile``.
    init?(_ host: FleetName, _ text: some StringProtocol) {
        let isWord = text.utf8.allSatisfy {
            0x61...0x7A ~= $0 | 0x20 || 0x30...0x39 ~= $0 || $0 == 0x2D || $0 == 0x5F
        }
        guard 8...64 ~= text.utf8.count, isWord else { return nil }
        self.host = host
        self.text = String(text)
    }
}

/// The payload of a request to capture.
struct FleetRequest: Equatable {
    let key: RequestKey
    /// Microseconds since 1970-01-01 UTC: the page is not shown afterwards.
    let until: Int64
    /// Those of `Capture`, which the panel checks.
    let parameters: JSONValue
    /// A digest of the parameters, by which the same request is known again.
    let digest: SHA256Digest

    /// The largest payload.
    static let byteLimit = 64 << 10

    /// - Throws: ``PanelError/invalidParameter(_:expected:)``.
    init(_ payload: [UInt8], from host: FleetName) throws(PanelError) {
        let members = try Self.members(of: payload, ["key", "parameters", "until"])
        key = try Self.key(in: members, of: host)
        guard let until = members["until"]?.integer, FleetOrders.times.contains(until) else {
            throw .invalidParameter("until", expected: "microseconds since 1970")
        }
        let parameters = members["parameters"] ?? [:]
        guard parameters.object != nil else { throw .invalidParameter("parameters", expected: "an object") }
        self.until = until
        self.parameters = parameters
        digest = SHA256Digest(of: parameters.bytes)
    }

    /// The key in the payload of a request to cancel.
    /// - Throws: ``PanelError/invalidParameter(_:expected:)``.
    static func cancelled(_ payload: [UInt8], from host: FleetName) throws(PanelError) -> RequestKey {
        try key(in: members(of: payload, ["key"]), of: host)
    }

    /// The members of an object without others.
    static func members(of payload: [UInt8], _ names: [String]) throws(PanelError) -> [String: JSONValue] {
        guard payload.count <= byteLimit else {
            throw .malformedMessage(reason: "it has more than \(byteLimit) bytes")
        }
        let value: JSONValue
        do throws(JSONFault) { value = try JSONValue(payload[...]) } catch {
            throw .malformedMessage(reason: "it is not JSON: \(error)")
        }
        guard case .object(let members) = value else { throw .malformedMessage(reason: "it is not a JSON object") }
        if let unknown = members.keys.filter({ !names.contains($0) }).min() {
            throw .invalidParameter(
                unknown, expected: names.isEmpty ? "no members" : "one of " + names.joined(separator: ", "))
        }
        return members
    }

    private static func key(in members: [String: JSONValue], of host: FleetName) throws(PanelError) -> RequestKey {
        guard let key = members["key"]?.text.flatMap({ RequestKey(host, $0) }) else {
            throw .invalidParameter("key", expected: "8 to 64 letters, digits, - and _")
        }
        return key
    }
}

extension Encodable {
    /// The value as JSON with sorted members. Infinite numbers, which JSON does not have, become `null`.
    var bytes: [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(self)).map { Array($0) } ?? Array("null".utf8)
    }
}
