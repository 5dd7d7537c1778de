// SPDX-License-Identifier: Apache-2.0
import FlyingFox
import Foundation
import HTTP
import HostAPI

extension Route {
    /// The pad's page and the ink on it, for a clerk.
    static func mirror(_ feeds: MirrorFeeds, _ captures: Captures) -> [Route] {
        [
            Route("GET", "/v1/mirror", nil) { call, end in
                try call.checkQuery("level")
                guard let most = MirrorLevel(of: end.bearer) else {
                    throw Problem(
                        name: .missingScope, status: 403,
                        detail:
                            "This needs a token with one of the scopes mirror:state, mirror:presence and mirror:ink.")
                }
                func follow(_ level: MirrorLevel) async throws -> HTTPResponse {
                    try await feeds[level].follow(until: end) { id in
                        await captures.mirrorAccess(to: id, for: end.bearer)
                    }
                }
                if let name = call.query("level") {
                    guard let asked = MirrorLevel(rawValue: name) else {
                        throw Problem.invalid("level", "state, presence or ink")
                    }
                    guard asked <= most else {
                        throw Problem(
                            name: .missingScope, status: 403,
                            detail: "This needs a token with the scope mirror:\(name).")
                    }
                    return try await follow(asked)
                }
                // The panel refuses levels above that of its configuration.
                for level in MirrorLevel.allCases.reversed() where level <= most {
                    do { return try await follow(level) } catch let problem as Problem {
                        guard problem.errors.first?.pointer == "/level", level > .state else { throw problem }
                    }
                }
                return try await follow(.state)
            }
        ]
    }
}
