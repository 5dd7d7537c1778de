// SPDX-License-Identifier: Apache-2.0
import Canvas
import Geometry
import Glibc
import HostAPI
import Linux
import Pad
import Record

/// A host's connection. For the control thread.
final class Connection {
    /// The current call. The next one is read after its final reply was sent.
    struct Running {
        var id: CallID
        var more: Bool
        var oneway: Bool
        /// The pad replies to it, and must know when its host has gone.
        var isPad: Bool
        /// A capture with ``Connection/document``.
        var usesDocument = false
    }

    let token: UInt64
    let descriptor: FileDescriptor
    var framer: MessageFramer
    var output = OutputQueue()
    var running: Running?
    /// The document that the host hands over, or has handed over.
    var document: HostDocument?
    /// The ink of the call to `Mirror`, which lasts as long as the connection.
    var mirrorInk: MirrorInk?
    /// The host has stopped sending.
    var isInputEnded = false
    /// Set when the connection is closing: it serves no further calls, and is dropped at this time at the latest.
    var endsAt: Timestamp?
    var hasEndedOutput = false
    /// When the host last read something, or had nothing to read.
    var lastRead: Timestamp
    /// When the host must have read all that waits.
    private var readBy = Timestamp.distantFuture
    /// The host's user.
    let user: uid_t
    /// nil if the user may not use the panel: the connection is closing.
    let role: HostRole?
    /// Whether the user is root or the panel's own.
    let isOwn: Bool
    /// A call was denied.
    var wasDenied = false
    /// The start of the last call, or when its last reply was sent.
    private(set) var idleSince: Timestamp
    private var hasCalled = false
    private let limits: ControlLimits
    var interest: EventPoll.Interest = .reading

    init(
        token: UInt64, descriptor: consuming FileDescriptor, user: uid_t, role: HostRole?, isOwn: Bool,
        limits: ControlLimits, now: Timestamp
    ) {
        self.token = token
        self.descriptor = descriptor
        self.user = user
        self.role = role
        self.isOwn = isOwn
        self.limits = limits
        framer = MessageFramer(limit: limits.messageBytes)
        lastRead = now
        idleSince = now
    }

    var isEnding: Bool { endsAt != nil }

    /// Whether there is neither a call nor an unread reply.
    var isIdle: Bool { running == nil && output.isEmpty }

    func send(_ message: [UInt8], now: Timestamp) {
        if output.isEmpty {
            lastRead = now
            readBy = now
        }
        // Each message in a stream of progress adds its own time.
        readBy = max(readBy, now + limits.stall) + .seconds(1) * message.count / limits.rate
        output.append(message)
    }

    /// Notes a call, or that its last reply was sent.
    func noteCall(now: Timestamp) {
        hasCalled = true
        idleSince = now
    }

    /// When the connection is dropped.
    var deadline: Timestamp {
        if let endsAt { return endsAt }
        if !output.isEmpty { return min(lastRead + limits.stall, readBy) }
        if running != nil { return .distantFuture }
        return idleSince + (hasCalled ? limits.idle : limits.silence)
    }

    /// The events to wait for. During a call nothing is read, so that a host cannot fill memory with calls; a hangup is
    /// reported nevertheless.
    var neededInterest: EventPoll.Interest {
        var interest: EventPoll.Interest = []
        if !output.isEmpty { interest.insert(.writing) }
        if !isInputEnded, isEnding || running == nil && output.isEmpty { interest.insert(.reading) }
        return interest
    }
}

/// Bytes that wait to be written to a connection.
struct OutputQueue {
    /// The maximum number of bytes to write at once, so that a host that reads fast does not delay others.
    private static let portion = 1 << 20

    private var bytes: [UInt8] = []
    private var written = 0

    var count: Int { bytes.count - written }
    var isEmpty: Bool { count == 0 }

    mutating func append(_ message: [UInt8]) {
        if isEmpty {
            bytes = message
            written = 0
        } else {
            // Removes the written part only when it is the larger one, so that each byte moves about once.
            if written > count {
                bytes.removeFirst(written)
                written = 0
            }
            bytes += message
        }
    }

    /// Writes as much as the socket accepts, but at most a portion.
    /// - Returns: whether anything was written.
    mutating func flush(to socket: borrowing FileDescriptor) throws(Errno) -> Bool {
        let start = written
        while !isEmpty {
            if written - start >= Self.portion { return true }
            do throws(Errno) {
                written += try LocalSocket.send(bytes[written...].prefix(Self.portion), to: socket)
            } catch {
                if error == .wouldBlock { return written > start }
                throw error
            }
        }
        let hasWritten = written > start
        // Frees the memory of a large reply.
        bytes = []
        written = 0
        return hasWritten
    }
}

/// Decides whether another connection is accepted. No member of the group can lock out others, root or the panel's own
/// user. The gateway's user has the places of any other, however many clients the gateway has.
struct ConnectionPlaces {
    /// A connection that is served.
    struct Holder: Equatable {
        var token: UInt64
        var user: uid_t
        /// It belongs to root or to the panel's own user.
        var isOwn: Bool
        /// The time without a call; nil during a call.
        var idle: Duration?
    }

    enum Decision: Equatable {
        case free
        /// After the connection with this token is dropped.
        case instead(of: UInt64)
        case none
    }

    var limits: ControlLimits
    var holders: [Holder]

    /// - Parameter isOwn: the user is root or the panel's own.
    func decide(for user: uid_t, isOwn: Bool) -> Decision {
        let mine = holders.filter { $0.user == user }
        if mine.count >= limits.userConnections { return spare(among: mine) }
        let others = holders.filter { !$0.isOwn }
        if holders.count >= limits.connections { return spare(among: isOwn ? holders : others) }
        if !isOwn, others.count >= limits.connections - limits.reserved { return spare(among: others) }
        return .free
    }

    /// Chooses the user with the most connections, so that a user with one keeps it, and of those the one idle longest.
    private func spare(among candidates: [Holder]) -> Decision {
        var counts: [uid_t: Int] = [:]
        for holder in holders { counts[holder.user, default: 0] += 1 }
        // Tokens grow: among connections of the same microsecond the first one goes.
        func rank(_ holder: Holder) -> (Int, Duration, UInt64) {
            (counts[holder.user] ?? 0, holder.idle ?? .zero, .max - holder.token)
        }
        let victim = candidates.filter { $0.idle.map { $0 >= limits.spare } ?? false }.max { rank($0) < rank($1) }
        return victim.map { .instead(of: $0.token) } ?? .none
    }
}
