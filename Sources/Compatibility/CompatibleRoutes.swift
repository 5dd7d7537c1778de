// SPDX-License-Identifier: Apache-2.0
import FlyingFox
import Foundation
package import HTTP

extension Route {
    /// The routes of pages that speak another pad's protocol (docs/compatible.md). A back end made the session in the
    /// path for the page.
    package static func compatible(_ pad: CompatiblePad) -> [Route] {
        let (sockets, sigWeb) = (OpenSockets(), SigWebPads(pad))
        let path = "/compat/sigweb/{session}/SigWeb/{name}"
        return [
            webSocket("/compat/signotec/{session}") { try await CompatibleSocket<SignotecPad>(pad, $0, sockets) },
            webSocket("/compat/stepover/{session}") { try await CompatibleSocket<StepOverPad>(pad, $0, sockets) },
        ]
            + ["GET", "POST"].flatMap { method in
                [path, path + "/{value...}"].map { path in
                    Route(method, session: path, .capture) { call, end in
                        // Pages add one so that no browser answers itself.
                        try call.checkQuery("noCache", "width", "height")
                        return try await sigWeb.response(
                            method, call.parameters["name"] ?? "", path: call.parameters["value"], body: call.body,
                            width: call.query("width"), height: call.query("height"), for: end.bearer)
                    }
                }
            }
    }

    private static func webSocket<Spoken: PadProtocol>(
        _ path: String, _ socket: @escaping @Sendable (BearerEnd) async throws -> CompatibleSocket<Spoken>
    ) -> Route {
        Route("GET", session: path, .capture) { call, end in
            try call.checkQuery()
            let socket = try await socket(end)
            let response = try await WebSocketHTTPHandler(handler: socket).handleRequest(call.request)
            guard response.statusCode == .switchingProtocols else {
                await socket.sockets.leave(socket.number)
                let reason = String(decoding: (try? await response.bodyData) ?? Data(), as: UTF8.self)
                throw Problem(name: .notAWebSocket, status: 400, detail: "This is a WebSocket. \(reason).")
            }
            return response
        }
    }
}
