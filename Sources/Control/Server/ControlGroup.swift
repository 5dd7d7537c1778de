// SPDX-License-Identifier: Apache-2.0
public import Glibc
import Linux

/// The group whose members may use the panel.
public struct ControlGroup: Equatable, Sendable {
    public let number: gid_t

    public init(number: gid_t) { self.number = number }

    /// - Parameter name: or its number.
    /// - Throws: ``ControlSocketError/noSuchGroup(_:)``.
    public init(named name: String) throws(ControlSocketError) {
        // Some directory services have groups of many thousand members; 1 MiB is room for them.
        for size in [1 << 12, 1 << 16, 1 << 20] {
            var buffer = [CChar](repeating: 0, count: size)
            var entry = group()
            var found: UnsafeMutablePointer<group>?
            let error = getgrnam_r(name, &entry, &buffer, size, &found)
            if error == ERANGE { continue }
            if found != nil {
                number = entry.gr_gid
                return
            }
            break
        }
        guard let number = gid_t(name) else { throw .noSuchGroup(name) }
        self.number = number
    }
}

/// Who may use the panel: root, the user that the panel runs as, and the members of a group.
public struct AccessRule: Equatable, Sendable {
    private let user: uid_t
    private let group: ControlGroup?

    /// - Parameter group: nil: no group.
    public init(group: ControlGroup?) {
        user = geteuid()
        self.group = group
    }

    /// Root, or the user that the panel runs as.
    func isOwn(_ peer: LocalSocket.Peer) -> Bool { peer.user == 0 || peer.user == user }

    func permits(_ peer: LocalSocket.Peer) -> Bool {
        isOwn(peer) || group.map { peer.groups.contains($0.number) } ?? false
    }
}
