// SPDX-License-Identifier: Apache-2.0
import Ink
import TestSupport
import Testing

/// A simple model of the rules: the visible entries of every state that undo and redo can reach, and the current state.
private struct StateList {
    var states: [[Int]] = [[]]
    var current = 0
    /// The state that the last clear led to.
    var cleared: Int?

    var visible: [Int] { states[current] }
    var canUndo: Bool { current > 0 }
    var canRedo: Bool { current + 1 < states.count }

    private mutating func add(_ state: [Int]) {
        states.removeLast(states.count - current - 1)
        if let cleared, cleared > current { self.cleared = nil }
        states.append(state)
        current += 1
    }

    mutating func append(_ entry: Int) { add(visible + [entry]) }

    mutating func undo() -> Bool {
        guard canUndo else { return false }
        current -= 1
        return true
    }

    mutating func redo() -> Bool {
        guard canRedo else { return false }
        current += 1
        return true
    }

    mutating func clear() -> Bool {
        if visible.isEmpty { return false }
        add([])
        if let cleared {
            states.removeFirst(cleared)
            current -= cleared
        }
        cleared = current
        return true
    }
}

@Suite("History of undo, redo and clear")
struct HistoryTests {
    private func applied(_ steps: [History<Int>.Step]) -> History<Int> {
        var history = History<Int>()
        for step in steps {
            switch step {
            case .append(let entry): history.append(entry)
            case .undo: history.undo()
            case .clear: history.clearSheet()
            }
        }
        return history
    }

    /// The visible entries now, after each possible undo, and then after each possible redo.
    private func reachable(_ history: History<Int>) -> [[Int]] {
        var (history, states) = (history, [history.visible])
        while history.undo() != nil { states.append(history.visible) }
        while history.redo() != nil { states.append(history.visible) }
        return states
    }

    @Test("any actions have the same effect as on the model", arguments: Breadth.seeds(6, long: 20))
    func actions(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var (history, model) = (History<Int>(), StateList())
        for step in 0..<400 {
            switch Int.random(in: 0..<12, using: &random) {
            case 0..<4:
                history.append(step)
                model.append(step)
            case 4..<7:
                let before = model.visible
                let change = history.undo()
                let expected = model.undo()
                #expect((change != nil) == expected)
                if case .entry(let entry) = change { #expect(before == model.visible + [entry]) }
            case 7..<10:
                let before = model.visible
                let change = history.redo()
                let expected = model.redo()
                #expect((change != nil) == expected)
                if case .entry(let entry) = change { #expect(model.visible == before + [entry]) }
            case 10:
                let did = history.clearSheet() != nil
                let expected = model.clear()
                #expect(did == expected)
            default: #expect(history.numbers.map { history[$0] } == history.entries)
            }
            #expect(history.visible == model.visible, "seed \(seed), step \(step)")
            #expect(history.lastVisible == model.visible.last)
            #expect(history.visibleNumbers.map { history[$0] } == model.visible)
            #expect(history.isBlank == model.visible.isEmpty)
            #expect(history.canUndo == model.canUndo && history.canRedo == model.canRedo)
            #expect(Set(history.entries) == Set(model.states.joined()))
            if step % 20 == 0 { #expect(reachable(applied(history.steps)) == reachable(history)) }
        }
    }

    @Test("settled entries stay visible and cannot be undone", arguments: Breadth.seeds(6, long: 20))
    func settling(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var (history, model) = (History<Int>(), StateList())
        // The settled entries of the oldest sheet.
        var settled: [Int] = []
        for step in 0..<300 {
            switch Int.random(in: 0..<14, using: &random) {
            case 0..<5:
                history.append(step)
                model.append(step)
            case 5..<7:
                let canUndo = history.canUndo
                let did = history.undo() != nil
                let expected = did && model.undo()
                #expect(did == canUndo && did == expected)
            case 7..<9:
                let did = history.redo() != nil
                let expected = model.redo()
                #expect(did == expected)
            case 9:
                let wasPastClear = history.isPastClear
                let didClear = history.clearSheet() != nil
                let expected = model.clear()
                #expect(didClear == expected)
                if didClear, wasPastClear { settled = [] }
            case 10..<13:
                let (canUndo, isPastClear) = (history.canUndo, history.isPastClear)
                guard let entry = history.settleOldest() else { continue }
                settled.append(entry)
                #expect(history.canUndo == canUndo && history.isPastClear == isPastClear)
            default:
                guard history.isPastClear else { continue }
                history.forgetClear()
                settled = []
                #expect(!history.isPastClear && history.canUndo == !history.visible.isEmpty)
            }
            let visible = (history.isPastClear ? [] : settled) + history.visible
            #expect(visible == model.visible, "seed \(seed), step \(step)")
            #expect(history.isBlank == visible.isEmpty && history.canRedo == model.canRedo)
        }
    }

    @Test(
        "removeOldest removes the oldest entry, whatever was undone or cleared", arguments: Breadth.seeds(5, long: 16))
    func removing(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var history = History<Int>()
        for step in 0..<120 {
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<5: history.append(step)
            case 5..<7: history.undo()
            case 7: history.redo()
            default: history.clearSheet()
            }
            guard step % 10 == 9 else { continue }
            var shrinking = history
            while !shrinking.entries.isEmpty {
                let (before, states) = (shrinking, reachable(shrinking))
                shrinking.removeOldest()
                #expect(shrinking.steps.count < before.steps.count)
                // The other entries keep their order and their sheet.
                #expect(shrinking.visible == before.visible.filter(shrinking.entries.contains))
                let kept = Set(shrinking.entries)
                #expect(
                    reachable(shrinking).allSatisfy { state in states.contains { $0.filter(kept.contains) == state } })
                #expect(reachable(applied(shrinking.steps)) == reachable(shrinking))
            }
            #expect(!shrinking.canUndo && !shrinking.canRedo && shrinking.isBlank)
        }
    }
}

@Suite("Queue")
struct QueueTests {
    private final class Token {
        let number: Int
        init(_ number: Int) { self.number = number }
    }

    @Test(
        "elements keep their numbers, and a removed element is released at once", arguments: Breadth.seeds(6, long: 20))
    func numbers(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var queue = Queue<Token>()
        var expected: [Int: Int] = [:]
        var numbers = 0..<0
        for step in 0..<500 {
            switch Int.random(in: 0..<7, using: &random) {
            case 0..<4:
                queue.append(Token(step))
                expected[numbers.upperBound] = step
                numbers = numbers.lowerBound..<numbers.upperBound + 1
            case 4..<6 where !numbers.isEmpty:
                weak var first: Token?
                first = queue[numbers.lowerBound]
                queue.removeFirst()
                #expect(first == nil)
                numbers = numbers.lowerBound + 1..<numbers.upperBound
            default:
                let count = Int.random(in: 0...min(numbers.count, 3), using: &random)
                queue.removeLast(count)
                numbers = numbers.lowerBound..<numbers.upperBound - count
            }
            #expect(queue.numbers == numbers)
            for number in numbers { #expect(queue[number].number == expected[number]) }
        }
        #expect(numbers.lowerBound > 50)
    }
}
