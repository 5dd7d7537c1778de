// SPDX-License-Identifier: Apache-2.0

/// The role of a host, by the user that it runs as. It decides what the host may call.
public enum HostRole: String, Codable, Sendable, CaseIterable {
    /// Root, the panel's own user, and the members of its group.
    case `operator`
    /// The user of the program that lets a network reach the panel.
    case gateway
    /// The user of the program that connects the panel to a broker.
    case fleet
    /// The user of the program that tells other servers what has happened.
    case webhooks
}

/// The captures and records that a call may concern. Others are to the call as if they did not exist.
public enum CaptureReach: Equatable, Sendable {
    case all
    /// Those that hosts of this role asked for.
    case askedBy(HostRole)

    /// - Parameter asker: the role of the host that asked for the capture.
    public func includes(_ asker: HostRole) -> Bool {
        switch self {
        case .all: true
        case .askedBy(let role): role == asker
        }
    }
}

/// Limits of the panel that programs between it and hosts divide among these.
package enum PanelLimits {
    /// Bytes of all documents of the gateway's user: the longest one, and half as much for others beside it.
    package static let gatewayDocumentBytes = 48 << 20
}

/// How a host shares places with others: it gets none that would leave fewer free than it has. So one host alone has
/// half of them, a second one half of the rest, and so on; a place that is left goes to nobody who has one.
package enum Share {
    /// - Parameters:
    ///   - own: places of this host.
    ///   - taken: of all hosts.
    package static func isFree(_ own: Int, of taken: Int, _ limit: Int) -> Bool { own < limit - taken }
}
