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
        for round in 0..<2000 {
            link.send(FramebufferLink.Order(index: round, damage: Damage()))
            let answer = link.awaitAnswer(until: MonotonicClock.nanoseconds + 5_000_000_000)
            #expect(answer == .success(Int64(round)))
            wakeUps += try poll.wait(milliseconds: 0).count
        }
        #expect(wakeUps == 0)
        #expect(link.end(until: MonotonicClock.nanoseconds + 5_000_000_000))
        thread.join()
    }
}
