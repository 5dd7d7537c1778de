// SPDX-License-Identifier: Apache-2.0
public import Glibc
import HostAPI
import Linux

// Access rights. All decisions are in this file: `AccessRule` gives each user a role, and the table of `PanelMethod`
// says what a role may call.

extension PanelMethod {
    private enum Right {
        /// All captures and records.
        case all
        /// The captures that hosts of the same role asked for, and their records.
        case own
        case none
    }

    /// The table. An attacker in the network reaches the gateway first. So it sees and changes only what it asked for,
    /// and destroys no record.
    private var rights: (operator: Right, gateway: Right, fleet: Right) {
        switch self {
        case .openDocument, .append, .closeDocument, .capture: (operator: .all, gateway: .own, fleet: .own)
        case .cancel: (operator: .all, gateway: .own, fleet: .own)
        case .clear: (operator: .all, gateway: .own, fleet: .none)
        case .accept, .typeName: (operator: .all, gateway: .own, fleet: .none)
        case .list: (operator: .all, gateway: .own, fleet: .none)
        case .get, .getDocument: (operator: .all, gateway: .own, fleet: .own)
        case .delete: (operator: .all, gateway: .none, fleet: .none)
        case .status: (operator: .all, gateway: .own, fleet: .own)
        case .health: (operator: .all, gateway: .own, fleet: .own)
        case .watch: (operator: .all, gateway: .own, fleet: .own)
        case .mirror: (operator: .all, gateway: .own, fleet: .none)
        case .pair: (operator: .all, gateway: .own, fleet: .none)
        case .abilities: (operator: .all, gateway: .own, fleet: .own)
        case .events: (operator: .all, gateway: .none, fleet: .none)
        // Whoever holds the gateway must not show a key of its own as that of the panel.
        case .identify: (operator: .all, gateway: .none, fleet: .none)
        // It shows the ink of whoever signs.
        case .screenshot: (operator: .all, gateway: .none, fleet: .none)
        case .simulate: (operator: .all, gateway: .own, fleet: .none)
        case .reload: (operator: .all, gateway: .none, fleet: .none)
        }
    }

    /// The captures and records that the call of a host may concern.
    /// - Throws: ``PanelError/permissionDenied``.
    func reach(of role: HostRole) throws(PanelError) -> CaptureReach {
        let right =
            switch role {
            case .operator: rights.operator
            case .gateway: rights.gateway
            case .fleet: rights.fleet
            // It speaks to servers elsewhere, so it gets what it tells them, and nothing else.
            case .webhooks: self == .events || self == .list ? Right.all : .none
            }
        switch right {
        case .all: return .all
        case .own: return .askedBy(role)
        case .none: throw .permissionDenied
        }
    }
}

/// Gives each user that may use the panel a role.
public struct AccessRule: Equatable, Sendable {
    private let user: uid_t
    private let group: ControlGroup?
    private let gateway, fleet, webhooks: ControlUser?

    /// - Parameters:
    ///   - group: nil for none.
    ///   - gateway: nil for none.
    ///   - fleet: nil for none.
    ///   - webhooks: nil for none.
    public init(
        group: ControlGroup?, gateway: ControlUser? = nil, fleet: ControlUser? = nil, webhooks: ControlUser? = nil
    ) {
        user = geteuid()
        self.group = group
        self.gateway = gateway
        self.fleet = fleet
        self.webhooks = webhooks
    }

    /// Whether it is root or the panel's own user.
    func isOwn(_ peer: LocalSocket.Peer) -> Bool { peer.user == 0 || peer.user == user }

    /// The role of a host; nil if its user may not use the panel. The users of the gateway, of inkpanel-fleet and of
    /// the webhooks need the group to reach the socket, which gives them no other role.
    func role(of peer: LocalSocket.Peer) -> HostRole? {
        if isOwn(peer) { return .operator }
        if peer.user == gateway?.number { return .gateway }
        if peer.user == fleet?.number { return .fleet }
        if peer.user == webhooks?.number { return .webhooks }
        return group.map { peer.groups.contains($0.number) } == true ? .operator : nil
    }

    func noteRefusal(of peer: LocalSocket.Peer, _ log: Log) {
        log.notice("user \(peer.user) (process \(peer.process)) may not use the panel")
    }
}

/// The group whose members may use the panel.
public struct ControlGroup: Equatable, Sendable {
    public let number: gid_t

    public init(number: gid_t) { self.number = number }

    /// - Parameter name: or a number.
    /// - Throws: ``ControlSocketError/noSuchGroup(_:)``.
    public init(named name: String) throws(ControlSocketError) {
        var entry = group()
        let isThere = readEntry(&entry) { getgrnam_r(name, $0, $1, $2, $3) }
        guard let number = isThere ? entry.gr_gid : gid_t(name) else { throw .noSuchGroup(name) }
        self.number = number
    }
}

/// The user that the gateway, inkpanel-fleet or the webhooks run as.
public struct ControlUser: Equatable, Sendable {
    public let number: uid_t

    public init(number: uid_t) { self.number = number }

    /// - Parameter name: or a number.
    /// - Throws: ``ControlSocketError/noSuchUser(_:)``.
    public init(named name: String) throws(ControlSocketError) {
        var entry = passwd()
        let isThere = readEntry(&entry) { getpwnam_r(name, $0, $1, $2, $3) }
        guard let number = isThere ? entry.pw_uid : uid_t(name) else { throw .noSuchUser(name) }
        self.number = number
    }
}

/// Reads an entry of the users or groups.
/// - Parameter read: takes the entry, a buffer for its texts, the size of that, and where to note the entry if it
///   exists.
/// - Returns: whether the entry exists.
private func readEntry<Entry>(
    _ entry: inout Entry,
    _ read: (
        UnsafeMutablePointer<Entry>, UnsafeMutablePointer<CChar>, Int,
        UnsafeMutablePointer<UnsafeMutablePointer<Entry>?>
    ) -> CInt
) -> Bool {
    // Directory services may have groups of many thousand members.
    for size in [1 << 12, 1 << 16, 1 << 20] {
        var buffer = [CChar](repeating: 0, count: size)
        var found: UnsafeMutablePointer<Entry>?
        if read(&entry, &buffer, size, &found) != ERANGE { return found != nil }
    }
    return false
}
