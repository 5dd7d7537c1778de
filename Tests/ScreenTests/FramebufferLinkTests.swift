// SPDX-License-Identifier: Apache-2.0
import Geometry
import Linux
import Testing
@testable import Screen

@Suite("What the panel shares with the thread that writes frames")
struct FramebufferLinkTests {
    @Test("when an answer has been taken nothing wakes the panel for it, however the threads meet")
    func signal() throws {
        let link = try FramebufferLink()
        let thread = try Linux.Thread(name: "answers") {
            while let order = link.nextOrder() { link.answer(.success(Int64(order.index))) }
            link.signalEnd()
        }
        let poll = try EventPoll()
        try poll.add(link.descriptor, token: 1)
        var wakeUps = 0
        for round in 0..<500 {
            link.send(FramebufferLink.Order(index: round, damage: Damage()))
            // Not by waiting for the signal: the answer is to be met before it.
            let deadline = MonotonicClock.nanoseconds + 5_000_000_000
            var answer = link.takeAnswer()
            while answer == nil, MonotonicClock.nanoseconds < deadline { answer = link.takeAnswer() }
            #expect(answer == .success(Int64(round)))
            wakeUps += try poll.wait(milliseconds: 1).count
        }
        #expect(wakeUps == 0)
        #expect(link.end(until: MonotonicClock.nanoseconds + 5_000_000_000))
        thread.join()
    }
}
