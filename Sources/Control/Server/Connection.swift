// SPDX-License-Identifier: Apache-2.0
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
    var interest: EventPoll.Interest = .reading

    init(token: UInt64, descriptor: consuming FileDescriptor, messageLimit: Int, now: Int64) {
        self.token = token
        self.descriptor = descriptor
        framer = MessageFramer(limit: messageLimit)
        lastTaken = now
    }

    var isEnding: Bool { endsAt != nil }

    func say(_ message: [UInt8], now: Int64) {
        if output.isEmpty { lastTaken = now }
        output.append(message)
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
