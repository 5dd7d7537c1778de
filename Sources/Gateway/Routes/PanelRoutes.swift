// SPDX-License-Identifier: Apache-2.0
import Configuration
import FlyingFox
import Foundation
import Glibc
import HostAPI

extension Route {
    /// The routes of hosts, which ``WebFile/description`` describes.
    static func api(
        _ panel: Panel, _ captures: Captures, _ documents: Documents, _ mirror: MirrorFeeds, _ bearers: Bearers,
        _ pairings: Pairings, _ address: WebAddress, webhooks: String = WebhookStatus.usualPath
    ) -> [Route] {
        // One sum would take the compiler minutes.
        var routes = self.captures(captures, bearers, panel)
        routes += self.documents(documents)
        routes += records(captures, panel)
        routes.append(signedDocument(captures, panel))
        routes += self.panel(panel, webhooks: webhooks)
        routes += self.mirror(mirror, captures)
        routes += sessions(bearers, address)
        routes += self.pairings(pairings)
        routes += simulator(panel)
        routes += compatible(CompatiblePad(captures: captures, bearers: bearers, panel: panel, mirror: mirror))
        return routes
    }

    /// The panel's status, what it can do, and its figures.
    /// - Parameter webhooks: the file in which the webhooks say how they are.
    static func panel(_ panel: Panel, webhooks: String) -> [Route] {
        [
            Route("GET", "/v1/panel", .panel) { call, _ in
                try call.checkQuery()
                let status = try await panel.status()
                let abilities = try await panel.abilities()
                return HTTPResponse(
                    document: PanelDocument(
                        status: status, abilities: abilities, webhooks: WebhookSummary(WebhookStatus.read(webhooks))))
            },
            Route("GET", "/v1/health", .panel) { call, _ in
                try call.checkQuery()
                return HTTPResponse(document: try await panel.health())
            },
            // The usual path for Prometheus.
            Route("GET", "/metrics", .panel) { call, _ in
                try call.checkQuery()
                let text =
                    PanelHealth.metrics(try? await panel.health()) + (WebhookStatus.read(webhooks)?.metrics ?? "")
                return HTTPResponse(
                    statusCode: .ok, headers: [.contentType: "text/plain; version=0.0.4; charset=utf-8"],
                    body: Data(text.utf8))
            },
        ]
    }
}

/// The panel's status, and what it can do, so that an integrator asks instead of guessing.
private struct PanelDocument: Encodable {
    let status: PanelStatus
    let abilities: PanelAbilities
    let webhooks: WebhookSummary

    private enum CodingKeys: CodingKey { case abilities, gateway, webhooks }

    func encode(to encoder: any Encoder) throws {
        try status.encode(to: encoder)
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(abilities, forKey: .abilities)
        try members.encode("\(GatewayCommand.name) \(GatewayCommand.version)", forKey: .gateway)
        try members.encode(webhooks, forKey: .webhooks)
    }
}

/// The state of the webhooks for hosts, without addresses.
private struct WebhookSummary: Encodable {
    struct Webhook: Encodable {
        var name: String
        var waiting, givenUp: Int
        var failing, disabled: Bool
    }

    var configured, running: Bool
    var webhooks: [Webhook]

    init(_ status: WebhookStatus?) {
        running = status != nil
        configured = running || access(WebhookFile.usualPath, F_OK) == 0
        webhooks = (status?.webhooks ?? []).map { webhook in
            Webhook(
                name: webhook.name, waiting: webhook.waiting, givenUp: webhook.givenUp, failing: webhook.fault != nil,
                disabled: webhook.disabled)
        }
    }
}

extension Panel {
    func abilities() async throws -> PanelAbilities {
        try await call(.abilities, NoParameters(), AbilitiesReply.self).abilities
    }

    func status() async throws -> PanelStatus { try await call(.status, NoParameters(), StatusReply.self).status }
    func health() async throws -> PanelHealth { try await call(.health, NoParameters(), HealthReply.self).health }
}

extension HTTPResponse {
    /// - Parameter json: a literal is a ``JSONValue``.
    init(_ status: HTTPStatusCode = .ok, json: JSONValue, headers: HTTPHeaders = [:]) {
        self.init(status, document: json, headers: headers)
    }

    init(_ status: HTTPStatusCode = .ok, document: some Encodable, headers: HTTPHeaders = [:]) {
        self.init(statusCode: status, headers: headers, body: document.json)
        self.headers[.contentType] = "application/json"
    }

    /// The client has the version with this tag (RFC 9110, 15.4.5).
    static func notModified(_ tag: String) -> HTTPResponse {
        var response = HTTPResponse(statusCode: .notModified)
        response.headers[.eTag] = tag
        return response
    }
}
