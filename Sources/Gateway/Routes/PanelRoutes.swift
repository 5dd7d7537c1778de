// SPDX-License-Identifier: Apache-2.0
import FlyingFox
import Foundation
import HostAPI

extension Route {
    /// What hosts call; ``WebFile/description`` describes it.
    static func api(
        _ panel: Panel, _ captures: Captures, _ documents: Documents, _ mirror: MirrorFeeds, _ bearers: Bearers,
        _ pairings: Pairings, _ address: WebAddress
    ) -> [Route] {
        // One sum would take the compiler minutes.
        var routes = self.captures(captures, bearers, panel)
        routes += self.documents(documents)
        routes += records(captures, panel)
        routes.append(signedDocument(captures, panel))
        routes += self.panel(panel)
        routes += self.mirror(mirror, captures)
        routes += sessions(bearers, address)
        routes += self.pairings(pairings)
        routes += simulator(panel)
        routes += compatible(CompatiblePad(captures: captures, bearers: bearers, panel: panel, mirror: mirror))
        return routes
    }

    /// The panel's status and its figures.
    static func panel(_ panel: Panel) -> [Route] {
        [
            Route("GET", "/v1/panel", .panel) { call, _ in
                try call.checkQuery()
                return HTTPResponse(document: try await panel.status())
            },
            Route("GET", "/v1/health", .panel) { call, _ in
                try call.checkQuery()
                return HTTPResponse(document: try await panel.health())
            },
            // The usual path for Prometheus.
            Route("GET", "/metrics", .panel) { call, _ in
                try call.checkQuery()
                let text = PanelHealth.metrics(try? await panel.health())
                return HTTPResponse(
                    statusCode: .ok, headers: [.contentType: "text/plain; version=0.0.4; charset=utf-8"],
                    body: Data(text.utf8))
            },
        ]
    }
}

extension Panel {
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
