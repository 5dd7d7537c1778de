// SPDX-License-Identifier: Apache-2.0
import FlyingFox
import Foundation
import HTTP
import JSON

extension Route {
    /// Scopes that a host may ask for. A person at the pad cannot judge more.
    static let pairingScopes: Set<Scope> = [
        .capture, .record, .panel, .mirrorState, .mirrorPresence, .mirrorInk,
    ]

    /// A new host asks for a token (docs/gateway.md, Pairing).
    static func pairings(_ pairings: Pairings) -> [Route] {
        [
            Route(open: "POST", "/v1/pairings") { call in
                try call.checkQuery()
                let members = try call.object()
                if let other = members.keys.sorted().first(where: { !["name", "scopes", "commit"].contains($0) }) {
                    throw Problem.invalid("/" + other, "name, scopes and commit only")
                }
                let name = members["name"]?.text ?? ""
                if let expectation = Token.expectation(ofName: name) { throw Problem.invalid("/name", expectation) }
                guard let commitment = members["commit"]?.text.flatMap(bytes(hexadecimal:)) else {
                    throw Problem.invalid("/commit", "SHA-256 of 32 random bytes in 64 hexadecimal digits")
                }
                let (id, number) = try await pairings.begin(
                    name: name, scopes: try scopes(members["scopes"]), commitment: commitment, client: call.client)
                return HTTPResponse(
                    .created, json: ["id": .text(id), "b": .text(number.hexadecimal)],
                    headers: [.location: "/v1/pairings/" + id])
            },
            Route(open: "POST", "/v1/pairings/{id}") { call in
                try call.checkQuery()
                guard let number = try call.object()["a"]?.text.flatMap(bytes(hexadecimal:)) else {
                    throw Problem.invalid("/a", "32 bytes in 64 hexadecimal digits")
                }
                let state = try await pairings.reveal(call.parameters["id", default: ""], number: number)
                return HTTPResponse(.accepted, json: ["state": .text(Pairings.word(for: state))])
            },
            Route(open: "GET", "/v1/pairings/{id}") { call in
                try call.checkQuery()
                let state = try await pairings.state(of: call.parameters["id", default: ""])
                var body: [String: JSONValue] = ["state": .text(Pairings.word(for: state))]
                switch state {
                case .allowed(let token?): body["token"] = .text(token)
                case .failed(let reason): body["reason"] = .text(reason)
                default: break
                }
                return HTTPResponse(json: .object(body))
            },
        ]
    }

    private static func scopes(_ value: JSONValue?) throws -> Set<Scope> {
        guard let value, value != .null else { return [.capture, .record, .panel] }
        let scopes = value.list?.map { $0.text.flatMap(Scope.init(rawValue:)) }
        guard let scopes, !scopes.isEmpty, scopes.count <= Scope.allCases.count,
            case let known = Set(scopes.compactMap { $0 }), !scopes.contains(nil), known.isSubset(of: pairingScopes)
        else {
            throw Problem.invalid(
                "/scopes", "an array of " + pairingScopes.map(\.rawValue).sorted().joined(separator: ", "))
        }
        return known
    }

    /// - Returns: nil unless the text has 64 digits.
    private static func bytes(hexadecimal text: String) -> [UInt8]? {
        let digits = Array(text.utf8)
        guard digits.count == 2 * Pairings.numberLength else { return nil }
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard !text.contains("+"), !text.contains("-"),
                let byte = UInt8(String(decoding: digits[index...index + 1], as: UTF8.self), radix: 16)
            else { return nil }
            bytes.append(byte)
        }
        return bytes
    }
}
