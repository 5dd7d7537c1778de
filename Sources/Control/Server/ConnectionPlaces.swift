// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Who gets a place among the connections. The group's members share the panel with root and with its own service:
/// whatever one of them does, the others get in.
struct ConnectionPlaces {
    /// A connection that is being served.
    struct Holder: Equatable {
        var token: UInt64
        var user: uid_t
        /// It is root's or that of the user the panel runs as.
        var isOwn: Bool
        /// Milliseconds without a call; nil while one is answered.
        var idle: Int64?
    }

    enum Decision: Equatable {
        case free
        /// In the place of the connection of this token.
        case instead(of: UInt64)
        case none
    }

    var limits: ControlLimits
    var holders: [Holder]

    /// - Parameter isOwn: it is root, or the user the panel runs as.
    func decide(for user: uid_t, isOwn: Bool) -> Decision {
        let mine = holders.filter { $0.user == user }
        if mine.count >= limits.userConnections { return spare(among: mine) }
        let others = holders.filter { !$0.isOwn }
        if holders.count >= limits.connections { return spare(among: isOwn ? holders : others) }
        if !isOwn, others.count >= limits.connections - limits.reserved { return spare(among: others) }
        return .free
    }

    /// Of the user with the most connections, so that who has one keeps it; of that one's, the one idle longest.
    private func spare(among candidates: [Holder]) -> Decision {
        var counts: [uid_t: Int] = [:]
        for holder in holders { counts[holder.user, default: 0] += 1 }
        // Tokens grow: of two that came in the same millisecond the first has the lower one.
        func rank(_ holder: Holder) -> (Int, Int64, UInt64) {
            (counts[holder.user] ?? 0, holder.idle ?? 0, .max - holder.token)
        }
        let victim = candidates.filter { $0.idle.map { $0 >= limits.spare } ?? false }.max { rank($0) < rank($1) }
        return victim.map { .instead(of: $0.token) } ?? .none
    }
}
