// SPDX-License-Identifier: Apache-2.0
import FlyingFox
import Foundation
import Pad

extension Route {
    /// The pad's page and the ink on it, for a clerk.
    static func mirror(_ feeds: MirrorFeeds, _ captures: Captures) -> [Route] {
        [
            Route("GET", "/v1/mirror", .token) { call in
                try call.checkQuery("level")
                guard let bearer = call.bearer, let most = MirrorLevel(of: bearer) else {
                    throw Problem(
                        name: "missing-scope", status: 403,
                        detail:
                            "This needs a token with one of the scopes mirror:state, mirror:presence and mirror:ink.")
                }
                var level = most
                if let name = call.query("level") {
                    guard let asked = MirrorLevel(rawValue: name) else {
                        throw Problem.invalid("level", "state, presence or ink")
                    }
                    guard asked <= most else {
                        throw Problem(
                            name: "missing-scope", status: 403,
                            detail: "This needs a token with the scope mirror:\(name).")
                    }
                    level = asked
                }
                return try await feeds[level].follow { id in await captures.capture(id, for: bearer) != nil }
            }
        ]
    }
}
