// SPDX-License-Identifier: Apache-2.0
import FlyingFox
import Foundation
package import HTTP
import HostAPI
import JSON

extension Route {
    private static let subprotocol = "inkpanel.v1"

    /// The look of the virtual panel, which its page may change while nobody signs.
    package static func virtualLook(_ look: VirtualLook, of virtual: VirtualPanel, _ panel: PanelService) -> [Route] {
        ["GET", "PUT"].map { method in
            Route(method, "/v1/virtual/look", .virtual) { call, _ in
                try call.checkQuery()
                if method == "PUT" {
                    if try await panel.status().running != nil { throw Problem(PanelError.busy(with: nil)) }
                    try await look.change(try call.object())
                }
                var document = try await look.document()
                document["hasPage"] = .flag(virtual.hasPage)
                return HTTPResponse(json: .object(document))
            }
        }
    }

    /// The virtual panel's WebSocket.
    package static func virtual(_ panel: VirtualPanel) -> [Route] {
        [
            Route("GET", "/v1/virtual", .virtual) { call, end in
                try call.checkQuery()
                let page = VirtualPanel.Page(panel: panel, end: end)
                var response = try await WebSocketHTTPHandler(handler: page).handleRequest(call.request)
                guard response.statusCode == .switchingProtocols else {
                    let reason = String(decoding: (try? await response.bodyData) ?? Data(), as: UTF8.self)
                    throw Problem(
                        name: .notAWebSocket, status: 400,
                        detail: "This is a WebSocket with the subprotocols \(subprotocol) and inkpanel.token.TOKEN. "
                            + "\(reason).")
                }
                // Never the one with the token.
                response.headers[HTTPHeader("Sec-WebSocket-Protocol")] = subprotocol
                return response
            }
        ]
    }
}
