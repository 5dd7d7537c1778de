// SPDX-License-Identifier: Apache-2.0
import Testing
import Touch

@testable import inkpanel

@Suite("Reports of several devices") struct TouchMergeTests {
    private func reading(_ times: [Int64], handedOut: Int64? = nil, isFinished: Bool = false) -> TouchReading {
        TouchReading(
            frames: times.map { TouchFrame(microseconds: $0, contacts: []) }, handedOutMicroseconds: handedOut,
            isFinished: isFinished)
    }

    private func all(_ merge: inout TouchMerge) -> [[Int64]] {
        var reports: [[Int64]] = []
        while let report = merge.next() {
            reports.append([Int64(report.device), report.frame.microseconds, report.microseconds])
        }
        return reports
    }

    @Test("come in the order of their times, and of one device in its own, whatever its clock says")
    func order() {
        var merge = TouchMerge()
        merge.add(reading([10, 30, 20, 60]), of: 2)
        merge.add(reading([]), of: 0)
        merge.add(reading([5, 30, 61]), of: 1)
        #expect(
            all(&merge) == [[1, 5, 5], [2, 10, 10], [2, 30, 30], [2, 20, 20], [1, 30, 30], [2, 60, 60], [1, 61, 61]])
        #expect(merge.finished == [])
    }

    @Test("a recording's keep their pace and say when they were handed out; those that are at their end are named")
    func recordings() {
        var merge = TouchMerge()
        merge.add(reading([10, 20], handedOut: 500, isFinished: true), of: 3)
        #expect(all(&merge) == [[3, 10, 500], [3, 20, 500]])
        #expect(merge.finished == [3])
    }

    @Test("none are none")
    func none() {
        var merge = TouchMerge()
        #expect(merge.next() == nil)
        merge.add(reading([.max]), of: 0)
        #expect(all(&merge) == [[0, .max, .max]])
    }
}
