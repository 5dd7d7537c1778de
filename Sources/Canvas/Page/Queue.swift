// SPDX-License-Identifier: Apache-2.0

/// A list that grows and shrinks at its end and loses its first elements in passing. An element keeps its number
/// whatever goes before it.
struct Queue<Element> {
    /// What went is nil until half of them did; then the memory of all of them is given back at once, so that taking
    /// the first one costs little however long the list.
    private var slots: [Element?] = []
    private var offset = 0
    private var goneCount = 0

    /// Of the elements that are there.
    var numbers: Range<Int> { offset + goneCount..<offset + slots.count }

    subscript(number: Int) -> Element {
        guard let element = slots[number - offset] else { preconditionFailure("the element is gone") }
        return element
    }

    mutating func append(_ element: Element) { slots.append(element) }

    /// There must be so many.
    mutating func removeLast(_ count: Int = 1) {
        precondition(count <= slots.count - goneCount, "more than there are")
        slots.removeLast(count)
    }

    /// There must be one.
    mutating func removeFirst() {
        precondition(goneCount < slots.count, "more than there are")
        slots[goneCount] = nil
        goneCount += 1
        guard goneCount * 2 >= slots.count else { return }
        // A new list, because an old one keeps the memory that it had when it was longest.
        slots = Array(slots[goneCount...])
        offset += goneCount
        goneCount = 0
    }
}
