// SPDX-License-Identifier: Apache-2.0

/// The rules of undo, redo and clear, for the screen, the sketch, a capture and a record alike.
///
/// Entries are strokes, or values that stand for them. Undo removes the last visible entry and redo brings it back. A
/// clear begins a new, blank sheet; it is undone and redone as a whole, and only the last clear can be undone. A new
/// entry and a clear end what could be redone.
///
/// A stroke that is being drawn is not an entry yet. The owner of that stroke applies three more rules: undo during a
/// stroke cancels it and does nothing else, redo does nothing, and clear cancels it too.
public struct History<Entry> {
    /// The effect of undo, redo or clear.
    public enum Change {
        /// The entry was removed or came back.
        case entry(Entry)
        /// Another sheet is visible: a clear was done, undone or redone.
        case sheet
    }

    /// The clear that can be undone or redone; there is at most one.
    @usableFromInline struct Clear: Sendable {
        /// The number of the first entry after it.
        @usableFromInline var position: Int
        @usableFromInline var isDone = true
    }

    /// All entries in the order in which they were done; undone ones are at the end.
    @usableFromInline var queue = Queue<Entry>()
    /// The number after that of the last entry that is not undone.
    @usableFromInline var end = 0
    @usableFromInline var clear: Clear?
    private var hasSettled = false

    public init() {}

    // MARK: reading (inlinable where Canvas paints)

    /// The numbers of the visible entries, without settled ones. An entry keeps its number.
    @inlinable public var visibleNumbers: Range<Int> {
        (isPastClear ? clear!.position : queue.numbers.lowerBound)..<end
    }
    /// The visible entries, without settled ones, in the order in which they were done.
    public var visible: [Entry] { visibleNumbers.map { queue[$0] } }
    public var lastVisible: Entry? { visibleNumbers.isEmpty ? nil : queue[end - 1] }
    /// The numbers of the undone entries, which the next entry removes.
    public var undoneNumbers: Range<Int> { end..<queue.numbers.upperBound }
    /// The numbers of all entries: those that are visible or that undo and redo can bring back.
    public var numbers: Range<Int> { queue.numbers }
    public var entries: [Entry] { queue.numbers.map { queue[$0] } }

    @inlinable public subscript(number: Int) -> Entry { queue[number] }

    /// Whether no entry is visible, not even a settled one.
    public var isBlank: Bool { visibleNumbers.isEmpty && (isPastClear || !hasSettled) }
    public var canUndo: Bool { !visibleNumbers.isEmpty || isPastClear }
    public var canRedo: Bool { !undoneNumbers.isEmpty || clear?.isDone == false }
    /// Whether the visible sheet is the one that the last clear began.
    @inlinable public var isPastClear: Bool { clear?.isDone == true }

    // MARK: changing

    public mutating func append(_ entry: Entry) {
        removeUndone()
        queue.append(entry)
        end += 1
    }

    /// - Returns: nil when there was nothing to undo.
    @discardableResult
    public mutating func undo() -> Change? {
        if !visibleNumbers.isEmpty {
            end -= 1
            return .entry(queue[end])
        }
        guard isPastClear else { return nil }
        clear!.isDone = false
        return .sheet
    }

    /// - Returns: nil when there was nothing to redo.
    @discardableResult
    public mutating func redo() -> Change? {
        if let clear, !clear.isDone, end == clear.position {
            self.clear!.isDone = true
            return .sheet
        }
        guard !undoneNumbers.isEmpty else { return nil }
        defer { end += 1 }
        return .entry(queue[end])
    }

    /// Begins a new sheet, unless this one is blank.
    /// - Returns: nil when it was blank.
    @discardableResult
    public mutating func clearSheet() -> Change? {
        if isBlank { return nil }
        removeUndone()
        forgetClear()
        clear = Clear(position: end)
        return .sheet
    }

    private mutating func removeUndone() {
        queue.removeLast(undoneNumbers.count)
        if !isPastClear { clear = nil }
    }

    // MARK: limits

    /// Removes the oldest entry and leaves it visible for good, out of the reach of undo. The last visible entry can
    /// always be undone.
    /// - Returns: the entry; nil when no entry of the oldest sheet can settle.
    public mutating func settleOldest() -> Entry? {
        let number = queue.numbers.lowerBound
        guard number < (isPastClear ? clear!.position : end - 1) else { return nil }
        hasSettled = true
        defer { queue.removeFirst() }
        return queue[number]
    }

    /// Forgets the sheet before the clear, so that the clear cannot be undone. Does nothing unless ``isPastClear``.
    public mutating func forgetClear() {
        guard let clear, clear.isDone else { return }
        while queue.numbers.lowerBound < clear.position { queue.removeFirst() }
        self.clear = nil
        hasSettled = false
    }

    /// Removes the oldest entry, even if it is visible. If all entries of the oldest sheet are undone, removes the
    /// clear with the sheet after it, or else the entry that redo would bring back last.
    public mutating func removeOldest() {
        let first = queue.numbers.lowerBound
        if first < min(end, clear?.position ?? end) {
            queue.removeFirst()
        } else if clear != nil {
            removeClear()
        } else if !undoneNumbers.isEmpty {
            queue.removeLast()
        }
        // A blank sheet is not cleared.
        if clear?.position == queue.numbers.lowerBound, !hasSettled { removeClear() }
    }

    /// Removes the clear with the sheet that is not visible.
    private mutating func removeClear() {
        forgetClear()
        guard let clear else { return }
        queue.removeLast(queue.numbers.upperBound - clear.position)
        self.clear = nil
    }

    // MARK: steps

    /// A step to repeat a history with (``steps``).
    public enum Step {
        case append(Entry)
        case undo, clear
    }

    /// The fewest steps from an empty history to this one, settled entries apart.
    public var steps: [Step] {
        var steps: [Step] = []
        for number in queue.numbers {
            if clear?.position == number { steps.append(.clear) }
            steps.append(.append(queue[number]))
        }
        if clear?.position == queue.numbers.upperBound { steps.append(.clear) }
        let undoCount = undoneNumbers.count + (clear?.isDone == false ? 1 : 0)
        return steps + (0..<undoCount).map { _ in .undo }
    }
}

extension History: Sendable where Entry: Sendable {}
extension History.Change: Sendable where Entry: Sendable {}
extension History.Step: Sendable where Entry: Sendable {}

/// A list that grows and shrinks at its end and loses its first elements one by one. An element keeps its number when
/// elements before it go. Inlinable, because Canvas has such a list for every tile.
public struct Queue<Element> {
    /// Removed elements are nil until they are half of all; then the memory of all of them is released at once, so that
    /// removing the first one is cheap however long the list.
    @usableFromInline var slots: [Element?] = []
    @usableFromInline var offset = 0
    @usableFromInline var goneCount = 0

    @inlinable public init() {}

    /// The numbers of the elements that are there.
    @inlinable public var numbers: Range<Int> { offset + goneCount..<offset + slots.count }

    @inlinable public subscript(number: Int) -> Element {
        guard let element = slots[number - offset] else { preconditionFailure("the element is gone") }
        return element
    }

    @inlinable public mutating func append(_ element: Element) { slots.append(element) }

    /// - Parameter count: at most as many as there are.
    @inlinable public mutating func removeLast(_ count: Int = 1) {
        precondition(count <= slots.count - goneCount, "more than there are")
        slots.removeLast(count)
    }

    /// The list must not be empty.
    @inlinable public mutating func removeFirst() {
        precondition(goneCount < slots.count, "more than there are")
        slots[goneCount] = nil
        goneCount += 1
        guard goneCount * 2 >= slots.count else { return }
        // A new array, because the old one keeps the memory that it had when it was longest.
        slots = Array(slots[goneCount...])
        offset += goneCount
        goneCount = 0
    }
}

extension Queue: Sendable where Element: Sendable {}
