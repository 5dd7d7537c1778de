// SPDX-License-Identifier: Apache-2.0
import Geometry
import Pad
import Record
import TestSupport
import Testing
import Touch

@testable import inkpanel

/// A digitizer of 10 units a pixel and the hand on it, which draws at 100 reports a second.
private struct RuledHand {
    static let size = PixelSize(width: 800, height: 480)
    static let density = PixelDensity(dotsPerInch: 127)
    static let axes = (
        x: AxisInfo(minimum: 0, maximum: 7999), y: AxisInfo(minimum: 0, maximum: 4799)
    )
    static let lines = LineTest.places.map { line in
        LineTest.Line(start: pixel(line.start), end: pixel(line.end))
    }

    var test = LineTest(
        lines, mapping: PanelMapping(x: axes.x, y: axes.y, panel: size), density: density)
    var now: Int64 = 1_000_000
    /// Standard deviation of the noise in pixels; 5 pixels are a millimetre.
    let noise: Double
    var random = SeededGenerator(seed: 1)
    private(set) var steps: [LineTest.Step] = []

    init(noise: Double = 0) { self.noise = noise }

    private static func pixel(_ place: Point) -> Point {
        Point(x: place.x * Double(size.width), y: place.y * Double(size.height))
    }

    mutating func send(
        _ phase: Contact.Phase, _ place: Point, slot: Int = 0, isAfterDrop: Bool = false
    ) {
        func noisy(_ value: Double) -> Int32 {
            // About normal.
            let sum = (0..<12).reduce(-6.0) { sum, _ in sum + Double.random(in: 0..<1, using: &random) }
            return Int32(((value + sum * noise) * 10).rounded())
        }
        let reading = DeviceReading(x: noisy(place.x), y: noisy(place.y))
        let contact = Contact(slot: slot, trackingID: 1, phase: phase, reading: reading)
        let step = test.update(
            with: TouchFrame(time: Timestamp(microseconds: now), contacts: [contact], isAfterDrop: isAfterDrop))
        if step != .wait { steps.append(step) }
        now += 10_000
    }

    /// Draws a part of a line at 20 pixels (4 mm) a report, `aside` pixels to its right.
    mutating func draw(_ line: LineTest.Line, from: Double = 0, to: Double = 1, aside: Double = 0) {
        let way = line.end - line.start
        let shift = way.normalized!.perpendicular * aside
        let count = max(4, Int(way.length * abs(to - from) / 20))
        for index in 0...count {
            let share = from + (to - from) * Double(index) / Double(count)
            send(index == 0 ? .began : .moved, line.start + way * share + shift)
        }
        send(.ended, line.start + way * to + shift)
    }

    mutating func rest(_ microseconds: Int64) { now += microseconds }

    var result: DigitizerTest? { test.result(at: 1, program: "test") }
}

@Suite("The self-test of a digitizer")
struct LineTestTests {
    @Test("lines drawn well pass, with the measures of the digitizer")
    func passes() throws {
        var hand = RuledHand()
        for line in RuledHand.lines {
            hand.draw(line, aside: 3)
            hand.rest(500_000)
        }
        #expect(hand.steps == Array(repeating: .next, count: 5) + [.finished])
        let result = try #require(hand.result)
        #expect(abs(result.offset - 0.6) < 0.02 && abs(result.largestOffset - 0.6) < 0.05)
        #expect(result.noise < 0.02 && result.reportRate == 100)
        #expect(result.longestGap == 10_000 && result.breaks == 0 && result.drops == 0)
        #expect(result.passed && result.at == 1 && result.program == "test")
    }

    @Test("the noise is that of the positions", arguments: [0.25, 0.5, 1, 2])
    func noise(pixels: Double) throws {
        var hand = RuledHand(noise: pixels)
        for line in RuledHand.lines { hand.draw(line) }
        let result = try #require(hand.result)
        #expect(abs(result.noise / (pixels / 5) - 1) < 0.1, "\(result.noise)")
        #expect(result.passed == (pixels <= 1))
    }

    @Test("a contact that the digitizer loses is a break, and a hand that lifts draws again")
    func breaks() throws {
        var hand = RuledHand()
        hand.draw(RuledHand.lines[0], to: 0.5)
        hand.rest(30_000)
        hand.draw(RuledHand.lines[0], from: 0.51)
        #expect(hand.steps == [.again(.lifted), .next])
        hand.draw(RuledHand.lines[1], to: 0.5)
        hand.rest(1_000_000)
        hand.draw(RuledHand.lines[1])
        for line in RuledHand.lines[2...] { hand.draw(line) }
        #expect(hand.steps.last == .finished)
        let result = try #require(hand.result)
        #expect(result.breaks == 1 && !result.passed)
        #expect(result.measures.filter { !$0.isKept }.map(\.name) == ["breaks"])
    }

    @Test("a line that cannot be drawn in one piece counts as broken after four attempts")
    func deadZone() throws {
        var hand = RuledHand()
        for _ in 0..<4 {
            hand.draw(RuledHand.lines[0], to: 0.6)
            hand.rest(1_000_000)
        }
        #expect(hand.steps == [.again(.lifted), .again(.lifted), .again(.lifted), .next])
        for line in RuledHand.lines[1...] { hand.draw(line) }
        #expect(try #require(hand.result).breaks == 1)
    }

    @Test("two fingers and other places are refused; a tap is ignored, and the direction is free")
    func refusals() throws {
        var hand = RuledHand()
        hand.send(.began, RuledHand.lines[0].start)
        hand.send(.ended, RuledHand.lines[0].start)
        #expect(hand.steps.isEmpty)
        hand.rest(1_000_000)
        hand.send(.began, RuledHand.lines[0].start)
        hand.send(.began, RuledHand.lines[0].end, slot: 1)
        hand.send(.ended, RuledHand.lines[0].end, slot: 1)
        hand.send(.ended, RuledHand.lines[0].start)
        hand.rest(1_000_000)
        hand.draw(RuledHand.lines[2])
        hand.rest(1_000_000)
        hand.draw(RuledHand.lines[0], from: 1, to: 0)
        #expect(hand.steps == [.again(.several), .again(.elsewhere), .next])
    }

    @Test("pauses of a moving contact and lost reports count; those of a resting one do not")
    func gaps() throws {
        var hand = RuledHand()
        let line = RuledHand.lines[0]
        hand.send(.began, line.start)
        hand.rest(500_000)
        hand.send(.moved, line.start + Point(x: 1, y: 0))
        hand.rest(90_000)
        hand.send(.moved, line.start + Point(x: 40, y: 0))
        for x in stride(from: 60.0, through: 660, by: 20) { hand.send(.moved, line.start + Point(x: x, y: 0)) }
        hand.send(.ended, line.end, isAfterDrop: true)
        for line in RuledHand.lines[1...] { hand.draw(line) }
        let result = try #require(hand.result)
        #expect(result.longestGap == 100_000 && result.drops == 1 && !result.passed)
    }

    @Test("nothing was measured if no line was followed")
    func nothing() {
        var hand = RuledHand()
        for _ in 0..<24 { hand.draw(LineTest.Line(start: Point(x: 300, y: 200), end: Point(x: 500, y: 300))) }
        #expect(hand.steps.last == .finished && hand.result == nil)
    }

    @Test("a person who starts again after a break does not undo it")
    func restarted() throws {
        var hand = RuledHand()
        hand.draw(RuledHand.lines[0], to: 0.4)
        hand.rest(30_000)
        hand.draw(RuledHand.lines[0], from: 0.41, to: 0.7)
        hand.rest(1_000_000)
        for line in RuledHand.lines { hand.draw(line) }
        #expect(try #require(hand.result).breaks == 1)
    }

    @Test("many breaks of one line are one attempt")
    func manyBreaks() throws {
        var hand = RuledHand()
        for part in 0..<8 {
            hand.draw(RuledHand.lines[0], from: Double(part) / 8, to: Double(part + 1) / 8)
            hand.rest(30_000)
        }
        for line in RuledHand.lines[1...] { hand.draw(line) }
        #expect(hand.steps.last == .finished && hand.steps.filter { $0 == .next }.count == 5)
        #expect(try #require(hand.result).breaks == 7)
    }

    @Test("a contact that goes on after lost reports is no break")
    func resumed() throws {
        var hand = RuledHand()
        let line = RuledHand.lines[0]
        hand.send(.began, line.start)
        for x in stride(from: 20.0, through: 300, by: 20) { hand.send(.moved, line.start + Point(x: x, y: 0)) }
        hand.send(.ended, line.start + Point(x: 300, y: 0), isAfterDrop: true)
        hand.send(.resumed, line.start + Point(x: 340, y: 0))
        for x in stride(from: 360.0, through: 660, by: 20) { hand.send(.moved, line.start + Point(x: x, y: 0)) }
        hand.send(.ended, line.start + Point(x: 660, y: 0))
        #expect(hand.steps == [.next])
        for line in RuledHand.lines[1...] { hand.draw(line) }
        let result = try #require(hand.result)
        #expect(result.breaks == 0 && result.drops == 1)
    }

    @Test("reports at any time, in any order and anywhere end the test or leave it waiting", arguments: 0..<50)
    func wild(seed: Int) {
        var hand = RuledHand()
        var random = SeededGenerator(seed: UInt64(seed))
        for _ in 0..<2000 {
            let phase = [Contact.Phase.began, .moved, .moved, .moved, .ended, .cancelled].randomElement(using: &random)!
            hand.now = [hand.now, .random(in: .min ... .max, using: &random)].randomElement(using: &random)!
            if hand.now == .max { hand.now = 0 }
            hand.send(
                phase,
                Point(x: .random(in: -100...900, using: &random), y: .random(in: -100...600, using: &random)),
                slot: .random(in: 0...2, using: &random), isAfterDrop: .random(using: &random))
        }
        if let result = hand.result { #expect(result.offset.isFinite && result.noise.isFinite) }
    }
}
