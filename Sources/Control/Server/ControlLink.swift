// SPDX-License-Identifier: Apache-2.0
public import Linux
public import Pad

/// What the main thread and the control thread share, and how they wake each other.
public final class ControlLink: Sendable {
    private let events: Mailbox<PadEvent>
    private let replies: Mailbox<(CallID, PadReply)>

    public init() throws(Errno) {
        events = try Mailbox(blocking: false)
        replies = try Mailbox(blocking: false)
    }

    // MARK: main thread

    /// Readable when inputs wait; for the main thread's epoll set.
    public var descriptor: CInt { events.descriptor }

    /// All that wait, oldest first. Each call is named by one `call`, perhaps followed by one `gone`; it wants exactly
    /// one final answer, unless it is gone.
    public func takeEvents() -> [PadEvent] { events.take().items }

    /// Says something to a call; what is said after its final answer, or after it has gone, goes nowhere.
    public func reply(_ call: CallID, _ reply: PadReply) { replies.put((call, reply)) }

    // MARK: control thread

    /// Readable when answers wait, or the thread shall end.
    var replyDescriptor: CInt { replies.descriptor }

    func send(_ event: PadEvent) { events.put(event) }

    /// All that wait, oldest first.
    func takeReplies() -> (replies: [(CallID, PadReply)], isEnding: Bool) {
        let (items, isClosed) = replies.take()
        return (items, isClosed)
    }

    // MARK: any thread

    /// The control thread shall end after delivering what was answered before.
    func finish() { replies.close() }
}
