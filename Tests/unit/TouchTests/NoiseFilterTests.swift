// SPDX-License-Identifier: Apache-2.0
import Geometry
import TestSupport
import Testing
import Touch

/// Contacts made by hand, and what a filter passes on.
private struct Hand {
    var filter: NoiseFilter
    var passed: [TouchEvent] = []

    /// At ten pixels a millimetre.
    init(_ words: String...) {
        filter = NoiseFilter(NoiseSettings(words)!, density: PixelDensity(dotsPerInch: 254))
    }

    /// - Returns: the number of events passed on.
    @discardableResult
    mutating func send(_ event: TouchEvent) -> Int {
        let more = filter.update(with: [event])
        passed += more
        return more.count
    }

    /// A contact with a report every 10 ms, which lifts 10 ms after the last.
    mutating func stroke(_ places: [Point], at start: Int64 = 0) {
        for (index, place) in places.enumerated() {
            send(Self.touch(index == 0 ? .began : .moved, place, at: start + Int64(index) * 10_000))
        }
        send(Self.touch(.ended, places[places.count - 1], at: start + Int64(places.count) * 10_000))
    }

    static func touch(_ phase: Contact.Phase, _ place: Point, at microseconds: Int64) -> TouchEvent {
        TouchEvent(
            phase, contact: 1, sample: Sample(time: Timestamp(microseconds: microseconds), position: place),
            reading: DeviceReading(x: Int32(place.x * 4), y: Int32(place.y * 4)))
    }

    var places: [Point] { passed.map(\.sample.position) }
    var downs: Int { passed.count { $0.phase == .began } }
}

private func row(_ xs: [Double]) -> [Point] { xs.map { Point(x: $0, y: 50) } }

@Suite("Noise filters")
struct NoiseFilterTests {
    @Test("without filters everything passes unchanged")
    func off() {
        var hand = Hand()
        hand.stroke(row([1, 2, 300, 4]))
        #expect(hand.places == row([1, 2, 300, 4, 4]))
    }

    @Test("join: a contact that is lost for a report goes on as the same stroke, with all of its reports")
    func join() {
        var hand = Hand("join")
        // A stroke of 600 mm a second; each 25th report is lost, as of iptsd#10.
        var contact: Int32 = 0
        for index in 0..<150 {
            let place = Point(x: Double(index) * 60, y: 50)
            var event = Hand.touch(.moved, place, at: Int64(index) * 10_000)
            if index % 25 == 24 {
                event.phase = .ended
            } else if index % 25 == 0 {
                event.phase = .began
                contact += 1
            }
            event.contact = contact
            hand.send(event)
        }
        #expect(hand.downs == 1 && !hand.passed.contains { $0.phase == .ended })
        #expect(hand.places.count == 144 && Set(hand.passed.map(\.contact)) == [1])
        // The last lift waits for its time.
        #expect(hand.filter.deadline == 1_520_000)
        #expect(hand.filter.releaseLifts(at: 1_519_999).isEmpty)
        let lift = hand.filter.releaseLifts(at: 1_520_000)
        #expect(lift.map(\.phase) == [.ended] && lift.first?.contact == 1 && lift.first?.sample.time == 1_490_000)
        #expect(hand.filter.deadline == nil)
    }

    @Test("join: another stroke, a later one and one elsewhere are their own, after the end of the one before")
    func joinNothing() {
        for (x, pause) in [(40.0, 40), (400.0, 10), (40.0, 500)] as [(Double, Int64)] {
            var hand = Hand("join:30")
            hand.stroke(row([10, 20, 30]))
            var next = Hand.touch(.began, Point(x: x, y: 50), at: 30_000 + pause * 1000)
            next.contact = 2
            hand.send(next)
            #expect(hand.passed.map(\.phase) == [.began, .moved, .moved, .ended, .began], "\(x) \(pause)")
            #expect(hand.passed.map(\.contact) == [1, 1, 1, 1, 2])
        }
        // Another device.
        var hand = Hand("join")
        hand.stroke(row([10, 20, 30]))
        var other = Hand.touch(.began, Point(x: 40, y: 50), at: 35_000)
        (other.contact, other.reading.device) = (2, 1)
        hand.send(other)
        #expect(hand.downs == 2)
        // A palm takes back all of the stroke.
        var joined = Hand("join")
        joined.stroke(row([10, 20, 30]))
        for (phase, x, time) in [
            (Contact.Phase.began, 45.0, Int64(40_000)), (.moved, 50, 50_000), (.cancelled, 50, 60_000),
        ] {
            var event = Hand.touch(phase, Point(x: x, y: 50), at: time)
            event.contact = 2
            joined.send(event)
        }
        #expect(joined.passed.map(\.phase) == [.began, .moved, .moved, .moved, .moved, .cancelled])
        #expect(Set(joined.passed.map(\.contact)) == [1] && joined.filter.deadline == nil)
    }

    @Test("median: removes a single jump, keeps corners and ends, and delays by one report")
    func median() {
        var hand = Hand("median")
        let first = hand.send(Hand.touch(.began, Point(x: 10, y: 50), at: 0))
        let second = hand.send(Hand.touch(.moved, Point(x: 20, y: 50), at: 1))
        let third = hand.send(Hand.touch(.moved, Point(x: 30, y: 50), at: 2))
        #expect([first, second, third] == [1, 0, 1])
        var other = Hand("median:3")
        other.stroke(row([10, 20, 700, 40, 50, 60, 50, 40]))
        #expect(other.places == row([10, 20, 40, 50, 50, 50, 50, 40, 40]))
    }

    @Test("median:5 removes a jump of two reports")
    func deepMedian() {
        var hand = Hand("median:5")
        hand.stroke(row([10, 20, 30, 600, 610, 60, 70, 80]))
        // The reports near the ends have smaller medians.
        #expect(hand.places == row([10, 20, 30, 60, 70, 80, 70, 80, 80]))
    }

    @Test("dejitter: tslib's weights for slow positions, and no change to a step over the limit")
    func dejitter() {
        var hand = Hand("dejitter:2")
        hand.stroke(row([16, 32, 48, 32, 400, 400]))
        // 32 * 5/8 + 16 * 3/8, then (48 * 8 + 32 * 5 + 16 * 3) / 16, then (32 * 6 + 48 * 4 + 32 * 3 + 16 * 3) / 16.
        #expect(hand.places == row([16, 26, 37, 33, 400, 400, 400]))
    }

    @Test("evthres: a touch of fewer reports is dropped, a longer one passes whole")
    func evthres() {
        var hand = Hand("evthres:3")
        hand.stroke(row([1, 2]))
        #expect(hand.passed.isEmpty && hand.filter.droppedCount == 1)
        hand.stroke(row([1, 2, 3]), at: 1_000_000)
        #expect(hand.places == row([1, 2, 3, 3]) && hand.downs == 1)
        #expect(hand.passed.map(\.sample.time) == [1_000_000, 1_010_000, 1_020_000, 1_030_000])
        #expect(hand.filter.droppedCount == 1)
    }

    @Test("skip: reports at both ends keep their times and take the positions of their neighbours")
    func skip() {
        var hand = Hand("skip:2,1")
        hand.stroke(row([90, 80, 10, 11, 12, 70]))
        #expect(hand.places == row([10, 10, 10, 11, 12, 12, 12]))
        #expect(hand.passed.map(\.reading.x) == [360, 320, 40, 44, 48, 280, 280])
        hand.stroke(row([1, 2, 3]), at: 1_000_000)
        #expect(hand.passed.count == 7 && hand.filter.droppedCount == 1, "nothing of it is sure")
    }

    @Test("debounce: a contact just after another passes if it lasts, and is dropped if not")
    func debounce() {
        var hand = Hand("debounce:40")
        hand.stroke(row([1, 2, 3]))
        #expect(hand.passed.count == 4)
        hand.stroke(row([4]), at: 40_000)
        #expect(hand.passed.count == 4 && hand.filter.droppedCount == 1)
        // That lifted at 50 ms; this one lasts beyond 90 ms.
        hand.stroke(row([5, 6, 7, 8]), at: 60_000)
        #expect(hand.places.suffix(5) == row([5, 6, 7, 8, 8])[...] && hand.downs == 2)
        hand.stroke(row([9]), at: 140_000)
        #expect(hand.downs == 3, "40 ms later it is a touch of its own")
    }

    @Test("debounce: no report is lost if times run backwards or stand still")
    func strangeClocks() {
        var hand = Hand("debounce:1000")
        hand.stroke(row([1]), at: 5_000_000)
        hand.stroke(row([2]), at: 1_000_000)
        #expect(hand.downs == 2)
        hand.send(Hand.touch(.began, Point(x: 3, y: 3), at: 1_020_000))
        for _ in 0..<5000 { hand.send(Hand.touch(.moved, Point(x: 3, y: 3), at: 1_020_000)) }
        #expect(hand.downs == 3 && hand.passed.count == 2 + 2 + 5001)
    }

    @Test("cancelling a contact cancels what was passed on, and nothing else")
    func cancelled() {
        var hand = Hand("evthres:3")
        hand.send(Hand.touch(.began, Point(x: 1, y: 1), at: 0))
        hand.send(Hand.touch(.cancelled, Point(x: 1, y: 1), at: 1))
        #expect(hand.passed.isEmpty && hand.filter.droppedCount == 1)
        var other = Hand("median:9")
        other.send(Hand.touch(.began, Point(x: 1, y: 1), at: 0))
        other.send(Hand.touch(.moved, Point(x: 2, y: 1), at: 1))
        other.send(Hand.touch(.cancelled, Point(x: 2, y: 1), at: 2))
        #expect(other.places == row([1, 1]).map { Point(x: $0.x, y: 1) } && other.passed.count == 2)
        guard other.passed[1].phase == .cancelled else {
            Issue.record("passed \(other.passed[1])")
            return
        }
    }

    @Test("a contact that resumes after lost events passes at once; if it was withheld before, it begins")
    func resumed() {
        var hand = Hand("evthres:3", "skip:2,0")
        hand.stroke(row([1, 2, 3, 4]))
        let count = hand.send(Hand.touch(.resumed, Point(x: 9, y: 9), at: 60_000))
        #expect(count == 1)
        #expect(hand.passed.last == Hand.touch(.resumed, Point(x: 9, y: 9), at: 60_000))

        var other = Hand("evthres:2")
        other.send(Hand.touch(.began, Point(x: 1, y: 1), at: 0))
        other.send(Hand.touch(.ended, Point(x: 1, y: 1), at: 1))
        other.send(Hand.touch(.resumed, Point(x: 2, y: 1), at: 2))
        other.send(Hand.touch(.moved, Point(x: 3, y: 1), at: 3))
        #expect(other.passed.first == Hand.touch(.began, Point(x: 2, y: 1), at: 2) && other.passed.count == 2)
    }
}

@Suite("Noise settings as text")
struct NoiseSettingsTests {
    @Test("filters with and without parameters are read and written")
    func read() throws {
        let usual = try #require(NoiseSettings(["median", "dejitter", "skip", "evthres", "debounce"]))
        #expect(usual.words == ["debounce:40", "evthres:3", "skip:1,1", "median:3", "dejitter:0.4"])
        #expect(NoiseSettings(usual.words) == usual)
        let own = try #require(NoiseSettings(["skip:0,2", "median:7", "dejitter:1.5", "debounce:1000"]))
        #expect(own.skip == .init(head: 0, tail: 2) && own.median == 7 && own.dejitter == 1.5)
        #expect(own.debounce == .seconds(1) && own.evthres == nil)
        #expect(NoiseSettings([])?.isEmpty == true)
    }

    @Test(
        "anything else is refused",
        arguments: [
            ["iir"], [""], ["median:4"], ["median:1"], ["median:11"], ["median:"], ["median", "median:5"], ["skip:1"],
            ["skip:0,0"], ["skip:1,-1"], ["skip:1,2,3"], ["dejitter:0"], ["dejitter:nan"], ["dejitter:inf"],
            ["debounce:0"], ["debounce:1001"], ["debounce:9999999999999999999"], ["evthres:1"], ["evthres: 3"],
            ["Median"],
        ])
    func refused(words: [String]) { #expect(NoiseSettings(words) == nil) }
}
