// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// What other threads have for one thread, in the order in which they put it, and the signal that wakes it. Any number
/// of threads may send; one receives. The lock is held for a swap only.
public final class Mailbox<Item: Sendable>: Sendable {
    private struct Content: Sendable {
        var items: [Item] = []
        var isClosed = false
    }

    private let content = Mutex(Content())
    private let signal: EventSignal

    /// - Parameter blocking: true for a receiver that waits in ``take()`` or ``wait()``; false for one that polls
    ///   ``descriptor``.
    public init(blocking: Bool) throws(Errno) { signal = try EventSignal(blocking: blocking) }

    // MARK: any thread

    /// What is put into a closed mailbox is still delivered.
    public func put(_ item: Item) {
        content.withLock { $0.items.append(item) }
        signal.signal()
    }

    /// Says that nothing more is to be expected; what waits is still there to be taken.
    public func close() {
        content.withLock { $0.isClosed = true }
        signal.signal()
    }

    /// Takes back what the receiver has not taken yet.
    public func removeAll(where isUnwanted: (Item) -> Bool) {
        content.withLock { $0.items.removeAll(where: isUnwanted) }
    }

    /// Wakes the receiver without anything new: what keeps it from taking is over.
    public func wake() { signal.signal() }

    public var isClosed: Bool { content.withLock { $0.isClosed } }

    // MARK: the receiver

    /// Readable when something was put, closed or woken since it was last looked; for ``EventPoll/add(_:token:)``.
    public var descriptor: CInt { signal.number }

    /// Everything that waits, the oldest first, and whether that is all there will be. A blocking mailbox waits until
    /// it is woken, which may be with nothing in it.
    /// - Parameter deadline: when to come back anyway, in nanoseconds of ``MonotonicClock``; nil is never.
    public func take(until deadline: Int64? = nil) -> (items: [Item], isClosed: Bool) {
        wait(until: deadline)
        return content.withLock { content in
            defer { content.items = [] }
            return (content.items, content.isClosed)
        }
    }

    /// The item that `choose` names by its index among those that wait, the oldest first; nil when it names none. Does
    /// not wait: ``wait(until:)`` does.
    /// - Parameter choose: called with the lock held.
    public func takeFirst(_ choose: ([Item]) -> Int?) -> Item? {
        content.withLock { content in choose(content.items).map { content.items.remove(at: $0) } }
    }

    /// Takes note of the signal; of a blocking mailbox, waits for it first, until `deadline` at most.
    public func wait(until deadline: Int64? = nil) {
        if let deadline { signal.wait(until: deadline) } else { signal.wait() }
    }
}
