// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Control

@Suite("Places for connections")
struct ConnectionPlacesTests {
    private typealias Holder = ConnectionPlaces.Holder

    /// `idle`: in milliseconds, for each connection; nil is answered.
    private func holders(_ users: [(user: UInt32, idle: [Int64?])]) -> [Holder] {
        var holders: [Holder] = []
        for (user, idle) in users {
            for idle in idle {
                holders.append(Holder(token: UInt64(holders.count), user: user, isOwn: user == 0, idle: idle))
            }
        }
        return holders
    }

    private func decide(_ user: UInt32, _ holders: [Holder]) -> ConnectionPlaces.Decision {
        ConnectionPlaces(limits: ControlLimits(), holders: holders).decide(for: user, isOwn: user == 0)
    }

    private func busy(_ count: Int) -> [Int64?] { [Int64?](repeating: nil, count: count) }

    @Test("a user has half of them, root too")
    func share() {
        #expect(decide(7, holders([(7, busy(15))])) == .free)
        #expect(decide(7, holders([(7, busy(16))])) == .none)
        #expect(decide(0, holders([(0, busy(16))])) == .none)
        #expect(decide(8, holders([(7, busy(16))])) == .free)
    }

    @Test("the last are root's and the panel's own")
    func reserve() {
        let others = holders([(7, busy(16)), (8, busy(12))])
        #expect(decide(9, others) == .none)
        #expect(decide(8, others) == .none)
        #expect(decide(0, others) == .free)
        #expect(decide(0, holders([(7, busy(16)), (8, busy(12)), (0, busy(3))])) == .free)
        #expect(decide(0, holders([(7, busy(16)), (8, busy(12)), (0, busy(4))])) == .none)
        // Those that root holds do not count against the others, as long as there are any.
        #expect(decide(9, holders([(7, busy(14)), (0, busy(4))])) == .free)
        #expect(decide(9, holders([(7, busy(16)), (0, busy(16))])) == .none)
    }

    @Test("who is idle longest makes room, of the user with the most, and nobody who has just connected")
    func room() {
        #expect(decide(7, holders([(7, [5000, 9000, 8000] + busy(13))])) == .instead(of: 1))
        #expect(decide(7, holders([(7, [999] + busy(15))])) == .none)
        // Another user's is not taken for a share that is used up.
        #expect(decide(7, holders([(8, [600_000]), (7, busy(16))])) == .none)
        // User 8 has one only, idle for longer, and keeps it.
        #expect(decide(9, holders([(8, [600_000]), (7, busy(15) + [5000]), (6, busy(11))])) == .instead(of: 16))
        #expect(decide(9, holders([(8, [600_000]), (7, busy(16)), (6, busy(11))])) == .instead(of: 0))
        // Nobody else gets one of root's places.
        #expect(decide(9, holders([(0, [600_000]), (7, busy(16)), (6, busy(12))])) == .none)
        #expect(decide(9, holders([(0, [600_000] + busy(15)), (7, busy(16))])) == .none)
        #expect(decide(0, holders([(0, [600_000] + busy(14)), (7, busy(16)), (8, busy(1))])) == .instead(of: 0))
    }
}
