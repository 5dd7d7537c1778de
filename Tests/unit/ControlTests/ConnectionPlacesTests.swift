// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Control

@Suite("Places for connections")
struct ConnectionPlacesTests {
    private typealias Holder = ConnectionPlaces.Holder

    /// - Parameter users: for each connection the idle time in milliseconds; nil during a call.
    private func holders(_ users: [(user: UInt32, idle: [Int64?])]) -> [Holder] {
        var holders: [Holder] = []
        for (user, idle) in users {
            for idle in idle {
                holders.append(
                    Holder(
                        token: UInt64(holders.count), user: user, isOwn: user == 0, idle: idle.map { .milliseconds($0) }
                    ))
            }
        }
        return holders
    }

    private func decide(_ user: UInt32, _ holders: [Holder]) -> ConnectionPlaces.Decision {
        ConnectionPlaces(limits: ControlLimits(), holders: holders).decide(for: user, isOwn: user == 0)
    }

    private func busy(_ count: Int) -> [Int64?] { [Int64?](repeating: nil, count: count) }

    @Test("each user, including root, has at most half of the places")
    func share() {
        #expect(decide(7, holders([(7, busy(15))])) == .free)
        #expect(decide(7, holders([(7, busy(16))])) == .none)
        #expect(decide(0, holders([(0, busy(16))])) == .none)
        #expect(decide(8, holders([(7, busy(16))])) == .free)
    }

    @Test("the last places are reserved for root and the panel's own user")
    func reserve() {
        let others = holders([(7, busy(16)), (8, busy(12))])
        #expect(decide(9, others) == .none)
        #expect(decide(8, others) == .none)
        #expect(decide(0, others) == .free)
        #expect(decide(0, holders([(7, busy(16)), (8, busy(12)), (0, busy(3))])) == .free)
        #expect(decide(0, holders([(7, busy(16)), (8, busy(12)), (0, busy(4))])) == .none)
        // Root's connections do not reduce the others' places while there are free ones.
        #expect(decide(9, holders([(7, busy(14)), (0, busy(4))])) == .free)
        #expect(decide(9, holders([(7, busy(16)), (0, busy(16))])) == .none)
    }

    @Test("the longest idle connection of the user with the most makes room, unless it is new")
    func room() {
        #expect(decide(7, holders([(7, [5000, 9000, 8000] + busy(13))])) == .instead(of: 1))
        #expect(decide(7, holders([(7, [999] + busy(15))])) == .none)
        // A user whose share is used up gets no place from another user.
        #expect(decide(7, holders([(8, [600_000]), (7, busy(16))])) == .none)
        // User 8 has only one, and keeps it, although it is idle longer.
        #expect(decide(9, holders([(8, [600_000]), (7, busy(15) + [5000]), (6, busy(11))])) == .instead(of: 16))
        #expect(decide(9, holders([(8, [600_000]), (7, busy(16)), (6, busy(11))])) == .instead(of: 0))
        // Root's places are not given to others.
        #expect(decide(9, holders([(0, [600_000]), (7, busy(16)), (6, busy(12))])) == .none)
        #expect(decide(9, holders([(0, [600_000] + busy(15)), (7, busy(16))])) == .none)
        #expect(decide(0, holders([(0, [600_000] + busy(14)), (7, busy(16)), (8, busy(1))])) == .instead(of: 0))
    }
}
