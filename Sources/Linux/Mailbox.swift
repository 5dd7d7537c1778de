// SPDX-License-Identifier: Apache-2.0
public import Geometry
import Synchronization

/// A queue of items for one receiving thread, with a signal that wakes it. Any number of threads may send. The lock is
/// held only to append or swap.
public final class Mailbox<Item: Sendable>: Sendable {
    private struct Content: Sendable {
        var items: [Item] = []
        var isClosed = false
        /// Whether the receiver does not want to be woken for items that can wait.
        var isPatient = false
    }

    private let content = Mutex(Content())
    private let signal: EventSignal

    /// - Parameter blocking: true for a receiver that waits in ``take()`` or ``wait()``; false for one that polls
    ///   ``descriptor``.
    public init(blocking: Bool) throws(Errno) { signal = try EventSignal(blocking: blocking) }

    // MARK: Any thread

    /// Appends an item. A closed mailbox still delivers it.
    public func put(_ item: Item) {
        content.withLock { $0.items.append(item) }
        signal.signal()
    }

    /// Appends items in order, with one wake-up.
    /// - Parameter canWait: a patient receiver is not woken.
    public func put(contentsOf items: [Item], canWait: Bool = false) {
        if items.isEmpty { return }
        let wakes = content.withLock { content in
            content.items += items
            return !(canWait && content.isPatient)
        }
        if wakes { signal.signal() }
    }

    /// Announces that no more items will come. Waiting items are still delivered.
    public func close() {
        content.withLock { $0.isClosed = true }
        signal.signal()
    }

    /// Removes items that the receiver has not taken yet.
    public func removeAll(where isUnwanted: (Item) -> Bool) {
        content.withLock { $0.items.removeAll(where: isUnwanted) }
    }

    /// Wakes the receiver without a new item, for example when it may go on with items it has left here.
    public func wake() { signal.signal() }

    public var isClosed: Bool { content.withLock { $0.isClosed } }
    /// Whether items wait that the receiver has not taken.
    public var hasItems: Bool { content.withLock { !$0.items.isEmpty } }

    // MARK: The receiver

    /// Readable after ``put(_:)``, ``close()`` or ``wake()`` until the receiver takes or waits; for ``EventPoll``.
    public var descriptor: CInt { signal.number }

    /// Removes and returns all items, the oldest first, and whether the mailbox is closed. A blocking mailbox waits for
    /// a signal first, which may come without an item.
    /// - Parameter deadline: when to return anyway, on ``MonotonicClock``; nil is never.
    public func take(until deadline: Timestamp? = nil) -> (items: [Item], isClosed: Bool) {
        wait(until: deadline)
        return content.withLock { content in
            defer { content.items = [] }
            return (content.items, content.isClosed)
        }
    }

    /// Does the same as ``take(until:)``, but the mailbox keeps the memory of `items` for the next ones.
    /// - Parameters:
    ///   - items: replaced by the items in the mailbox.
    ///   - isPatient: whether items that can wait end the wait, or only the deadline and other signals do.
    /// - Returns: whether the mailbox is closed.
    public func take(into items: inout [Item], until deadline: Timestamp? = nil, isPatient: Bool = false) -> Bool {
        items.removeAll(keepingCapacity: true)
        if isPatient { content.withLock { $0.isPatient = true } }
        wait(until: deadline)
        return content.withLock { content in
            // Together with the swap, so that no item is left behind without a signal.
            content.isPatient = false
            swap(&content.items, &items)
            return content.isClosed
        }
    }

    /// Removes and returns one item. Does not wait; ``wait(until:)`` does.
    /// - Parameter choose: returns the index of an item, the oldest first, or nil for none. Called with the lock held.
    public func takeFirst(_ choose: ([Item]) -> Int?) -> Item? {
        content.withLock { content in choose(content.items).map { content.items.remove(at: $0) } }
    }

    /// Clears the signal. A blocking mailbox waits for it first, at most until `deadline`.
    public func wait(until deadline: Timestamp? = nil) {
        if let deadline { signal.wait(until: deadline) } else { signal.wait() }
    }
}
