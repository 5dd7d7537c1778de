// SPDX-License-Identifier: Apache-2.0
import Pad
import Glibc
import Linux

/// A host's connection. Control thread only.
final class Connection {
    /// The call that is being answered; the next one is read after its last answer is written.
    struct Running {
        var id: CallID
        var more: Bool
        var oneway: Bool
        /// It is the main thread's, which is told when nobody waits any more.
        var isPanel: Bool
    }

    let token: UInt64
    let descriptor: FileDescriptor
    var framer: MessageFramer
    var output = OutputQueue()
    var running: Running?
    /// Nothing more will be read.
    var isInputEnded = false
    /// Nothing more will be answered: what is left is written, and then it ends, at this time at the latest.
    var endsAt: Int64?
    var hasEndedOutput = false
    /// When the host took something of what waits for it, or nothing waited.
    var lastTaken: Int64
    /// When all that waits must have been taken.
    private var takenBy: Int64 = .max
    /// Who is at the other end.
    let user: uid_t
    /// Whether that is root, or the user that the panel runs as.
    let isOwn: Bool
    /// Since when there is nothing to do for it: no call was begun, or the last one's answer was taken.
    private(set) var idleSince: Int64
    private var hasCalled = false
    private let limits: ControlLimits
    var interest: EventPoll.Interest = .reading

    init(
        token: UInt64, descriptor: consuming FileDescriptor, user: uid_t, isOwn: Bool, limits: ControlLimits, now: Int64
    ) {
        self.token = token
        self.descriptor = descriptor
        self.user = user
        self.isOwn = isOwn
        self.limits = limits
        framer = MessageFramer(limit: limits.messageBytes)
        lastTaken = now
        idleSince = now
    }

    var isEnding: Bool { endsAt != nil }

    /// Whether nothing is asked and nothing left to be taken.
    var isIdle: Bool { running == nil && output.isEmpty }

    func say(_ message: [UInt8], now: Int64) {
        if output.isEmpty {
            lastTaken = now
            takenBy = now
        }
        // Of what follows a state of things, each message has its time.
        takenBy = max(takenBy, now + limits.stall) + Int64(message.count) * 1000 / limits.rate
        output.append(message)
    }

    /// A call was begun, or its last answer was taken. What is only a part of a call does not count.
    func noteCall(now: Int64) {
        hasCalled = true
        idleSince = now
    }

    /// When it ends by itself, in milliseconds.
    var deadline: Int64 {
        if let endsAt { return endsAt }
        if !output.isEmpty { return min(lastTaken + limits.stall, takenBy) }
        if running != nil { return .max }
        return idleSince + (hasCalled ? limits.idle : limits.silence)
    }

    /// What is to be waited for. While a call runs nothing is read, so that a host cannot fill memory with calls; its
    /// end is told of all the same.
    var wanted: EventPoll.Interest {
        var wanted: EventPoll.Interest = []
        if !output.isEmpty { wanted.insert(.writing) }
        if !isInputEnded, isEnding || running == nil && output.isEmpty { wanted.insert(.reading) }
        return wanted
    }
}
