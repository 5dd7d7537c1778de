// SPDX-License-Identifier: Apache-2.0
import Capture
import Geometry
import TestSupport
import Touch

/// What can happen to a pad, likely and unlikely, in any order.
struct RandomPad {
    var random: SeededGenerator
    private(set) var now: Int64 = 5_000_000
    private var requests: UInt64 = 0
    /// Contacts that are down, and where.
    private var contacts: [Int32: Point] = [:]

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    private mutating func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &random) }

    private mutating func place() -> Point {
        func inside(_ rect: PixelRect) -> Point {
            Point(
                x: Double.random(in: Double(rect.minX)...Double(rect.maxX), using: &random),
                y: Double.random(in: Double(rect.minY)...Double(rect.maxY), using: &random))
        }
        switch number(0..<20) {
        case 0..<9: return inside(TestPad.area)
        case 9..<15: return inside(TestPad.buttons[PageButton.allCases[number(0..<4)]]!)
        case 15: return Point(x: Double(TestPad.area.maxX), y: Double(TestPad.area.minY))
        case 16: return number(0..<3) == 0 ? Point(x: .nan, y: 100) : inside(TestPad.area)
        default: return inside(PixelRect(minX: 0, minY: 0, maxX: 400, maxY: 300))
        }
    }

    /// A few of the requests there have been, or none of them.
    private mutating func request() -> RequestID {
        RequestID(number(0..<8) == 0 ? requests + 100 : max(1, requests - min(requests, UInt64(number(0..<2)))))
    }

    private mutating func policy() -> CapturePolicy {
        let isEasy = number(0..<3) > 0
        let minima =
            isEasy
            ? InkMinima(strokes: 0, samples: 0, length: 0, extent: 0, breadth: 0, duration: 0)
            : InkMinima(samples: 2, length: 5, duration: 1000)
        return CapturePolicy(
            allowsUndo: Bool.random(using: &random), minima: minima, pen: "ink",
            inactivityLimit: Int64(number(1..<60_000_000)), totalLimit: Int64(number(1..<300_000_000)))
    }

    mutating func next(_ machine: CaptureMachine) -> (input: CaptureInput, now: Int64) {
        switch number(0..<300) {
        case 0: now += Int64(number(0..<80_000_000))
        case 1..<5: now += Int64(number(0..<5_000_000))
        case 5: now = machine.deadline ?? now
        default: now += Int64(number(0..<20_000))
        }
        return (input(machine), now)
    }

    private mutating func input(_ machine: CaptureMachine) -> CaptureInput {
        let writer = machine.running ?? request()
        switch number(0..<(machine.running == nil ? 40 : 200)) {
        case 0..<5:
            requests += 1
            return .request(TestPad.order(requests, policy()))
        case 5, 6: return .time
        case 7: return number(0..<4) == 0 ? .command(.cancel(request())) : .time
        case 8: return .command(.clear(request()))
        case 9, 10: return .command(.accept(request()))
        case 11..<18: return .recordDurable(number(0..<3) == 0 ? request() : writer)
        case 19..<24:
            let hover = PenHover(x: Int32(number(0..<400)), y: Int32(number(0..<300)), distance: Int32(number(0..<9)))
            return .hover(hover, device: number(0..<2), microseconds: now - Int64(number(0..<3000)))
        case 18: return number(0..<4) == 0 ? .recordFailed(writer, reason: "full") : .time
        default: return touch()
        }
    }

    private mutating func touch() -> CaptureInput {
        // Mostly one finger; sometimes another, or a report that should not be.
        let contact = number(0..<6) == 0 ? Int32(number(1..<4)) : contacts.keys.min() ?? 1
        let time = now - Int64(number(0..<3000))
        guard let last = contacts[contact], number(0..<60) > 0 else {
            let place = place()
            contacts[contact] = place
            let sample = TestPad.sample(place.x, place.y, at: time)
            let event: TouchEvent = number(0..<8) == 0 ? .resume(sample) : .down(sample)
            return .touch(number(0..<80) == 0 ? .motion(event.sample) : event, contact: contact)
        }
        let sample = TestPad.sample(last.x, last.y, at: time)
        switch number(0..<20) {
        case 0..<6:
            contacts[contact] = nil
            return .touch(.up(sample), contact: contact)
        case 6 where number(0..<3) == 0:
            contacts[contact] = nil
            return .touch(.cancel(sample), contact: contact)
        case 7..<9:
            let place = place()
            contacts[contact] = place
            return .touch(.motion(TestPad.sample(place.x, place.y, at: time)), contact: contact)
        default:
            let step = Point(x: Double(number(-30..<31)), y: Double(number(-30..<31)))
            let place = last + step
            contacts[contact] = place
            return .touch(.motion(TestPad.sample(place.x, place.y, at: time)), contact: contact)
        }
    }
}
