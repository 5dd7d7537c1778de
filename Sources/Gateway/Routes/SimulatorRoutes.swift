// SPDX-License-Identifier: Apache-2.0
import FlyingFox
import Foundation
import HTTP
import HostAPI

extension Route {
    /// The routes that say what the simulated person of `inkpanel run --simulate` does next.
    static func simulator(_ panel: PanelService) -> [Route] {
        SimulatedAct.allCases.map { act in
            Route("POST", "/v1/simulator/" + act.rawValue, .simulate) { call, _ in
                try call.checkQuery()
                do {
                    _ = try await panel.call(.simulate, SimulateCall(act: act), NoReply.self)
                } catch let problem as Problem where problem.name == .unavailable {
                    throw Problem(
                        name: .noSimulator, status: 404,
                        detail: "This panel has no simulated person; start it with: inkpanel run --simulate")
                }
                return HTTPResponse(statusCode: .noContent)
            }
        }
    }
}
