// SPDX-License-Identifier: Apache-2.0
import TestSupport
import Testing

@testable import Canvas

@Suite("A list that loses its first elements")
struct QueueTests {
    private final class Token {
        let number: Int
        init(_ number: Int) { self.number = number }
    }

    @Test("every element keeps its number, and what has gone is released at once", arguments: 0..<20 as Range<UInt64>)
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
