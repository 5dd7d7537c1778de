// SPDX-License-Identifier: Apache-2.0
import Configuration
import FlyingFox
import Foundation
import Glibc
package import HTTP
package import HostAPI
import Webhooks

extension Route {
    /// The routes of hosts, which ``WebFile/description`` describes.
    /// - Parameters:
    ///   - program: name and version of this program.
    ///   - webhooks: the file in which the webhooks say how they are.
    package static func api(
        _ panel: PanelService, _ captures: Captures, _ documents: Documents, _ mirror: MirrorFeeds, _ bearers: Bearers,
        _ pairings: Pairings, _ address: WebAddress, program: String, webhooks: String = WebhookStatus.usualPath
    ) -> [Route] {
        // One sum would take the compiler minutes.
        var routes = self.captures(captures, bearers, panel)
        routes += self.documents(documents)
        routes += records(captures, panel)
        routes.append(signedDocument(captures, panel))
        routes += self.panel(panel, program, webhooks: webhooks)
        routes += self.mirror(mirror, captures)
        routes += sessions(bearers, address)
        routes += self.pairings(pairings)
        routes += simulator(panel)
        return routes
    }

    /// The panel's status, what it can do, and its figures.
    private static func panel(_ panel: PanelService, _ program: String, webhooks: String) -> [Route] {
        [
            Route("GET", "/v1/panel", .panel) { call, _ in
                try call.checkQuery()
                let status = try await panel.status()
                let abilities = try await panel.abilities()
                return HTTPResponse(
                    document: PanelDocument(
                        status: status, abilities: abilities, gateway: program,
                        webhooks: WebhookSummary(WebhookStatus.read(webhooks))))
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
    let gateway: String
    let webhooks: WebhookSummary

    private enum CodingKeys: CodingKey { case abilities, gateway, webhooks }

    func encode(to encoder: any Encoder) throws {
        try status.encode(to: encoder)
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(abilities, forKey: .abilities)
        try members.encode(gateway, forKey: .gateway)
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

extension PanelService {
    func abilities() async throws -> PanelAbilities {
        try await call(.abilities, NoParameters(), AbilitiesReply.self).abilities
    }

    package func status() async throws -> PanelStatus {
        try await call(.status, NoParameters(), StatusReply.self).status
    }
    func health() async throws -> PanelHealth { try await call(.health, NoParameters(), HealthReply.self).health }
}
