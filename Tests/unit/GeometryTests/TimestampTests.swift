// SPDX-License-Identifier: Apache-2.0
import Geometry
import TestSupport
import Testing

@Suite("Instants and spans")
struct TimestampTests {
    @Test("sums are clamped to the range, differences are exact")
    func arithmetic() {
        #expect(Timestamp.zero + .milliseconds(8) == 8000)
        #expect(Timestamp(microseconds: 5) - .microseconds(7) == -2)
        #expect(Timestamp(microseconds: 5) - Timestamp(microseconds: 7) == .microseconds(-2))
        #expect(Timestamp.distantFuture + .microseconds(1) == .distantFuture)
        #expect(Timestamp.distantPast - .seconds(1) == .distantPast)
        #expect(Timestamp.zero + .seconds(Int64.max) == .distantFuture)
        #expect(Timestamp.zero - .seconds(Int64.max) == .distantPast)
        let all = Timestamp.distantFuture - Timestamp.distantPast
        #expect(all == .microseconds(Int64.max) + .microseconds(Int64.max) + .microseconds(1))
        #expect(Timestamp.distantPast + all == -1, "the span itself is clamped to 64 bits")
    }

    @Test("a span is rounded towards zero to whole microseconds")
    func rounded() {
        #expect(Duration.nanoseconds(1999).microseconds == 1)
        #expect(Duration.nanoseconds(-1999).microseconds == -1)
        #expect(Timestamp.zero + .nanoseconds(-1999) == -1)
        #expect(Duration.milliseconds(250).seconds == 0.25)
        #expect(Duration.seconds(Int64.min).microseconds == .min && Duration.seconds(Int64.max).microseconds == .max)
        #expect(Duration.seconds(-3).magnitude == .seconds(3))
    }

    @Test("the way to another instant is exact at both ends, also over the whole range")
    func interpolated() {
        #expect(Timestamp(microseconds: 10).interpolated(to: 20, 0.5) == 15)
        #expect(Timestamp(microseconds: 10).interpolated(to: 21, 0) == 10)
        #expect(Timestamp(microseconds: 10).interpolated(to: 21, 1) == 21)
        #expect(Timestamp.distantPast.interpolated(to: .distantFuture, 1) == .distantFuture)
        #expect(Timestamp(microseconds: 3_000_000).seconds(since: 1_000_000) == 2)
    }
}
