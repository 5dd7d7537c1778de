// SPDX-License-Identifier: Apache-2.0
import Geometry
import HostAPI
import Record
import TestSupport
import Touch

@testable import Pad

/// Random events of a pad, likely and unlikely, in any order: touches on the page of ``TestPad``, calls, answers of
/// the record thread, and time.
struct RandomPad {
    var random: SeededGenerator
    private(set) var now = Timestamp(microseconds: 5_000_000)
    private(set) var calls: UInt64 = 0
    /// The positions of contacts that are down.
    private var contacts: [Int32: Point] = [:]
    /// Every capture of the run.
    var ids: [CaptureID] = []

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
        case 9..<15: return inside(TestPad.rect(PageButton.signing[number(0..<4)]))
        case 15: return Point(x: Double(TestPad.area.maxX), y: Double(TestPad.area.minY))
        case 16: return number(0..<3) == 0 ? Point(x: .nan, y: 100) : inside(TestPad.area)
        default: return inside(PixelRect(minX: 0, minY: 0, maxX: 400, maxY: 300))
        }
    }

    /// A recent capture, or one that does not exist.
    private mutating func capture() -> CaptureID {
        number(0..<8) == 0 || ids.isEmpty ? CaptureID("none")! : ids[max(0, ids.count - 1 - number(0..<2))]
    }

    private mutating func policy() -> CapturePolicy {
        let isEasy = number(0..<3) > 0
        let minima =
            isEasy
            ? CapturePolicy.Minima(strokes: 0, samples: 0, length: 0, extent: 0, breadth: 0, duration: .zero)
            : CapturePolicy.Minima(samples: 2, length: 5, duration: .milliseconds(1))
        return CapturePolicy(
            undo: Bool.random(using: &random), inactivityLimit: .microseconds(number(1..<60_000_000)),
            totalLimit: .microseconds(number(1..<300_000_000)), minima: minima)
    }

    mutating func next(_ pad: Pad) -> (event: PadEvent, now: Timestamp) {
        switch number(0..<300) {
        case 0: now += .microseconds(number(0..<80_000_000))
        case 1..<5: now += .microseconds(number(0..<5_000_000))
        case 5: now = pad.deadline ?? now
        default: now += .microseconds(number(0..<20_000))
        }
        return (event(pad), now)
    }

    private mutating func event(_ pad: Pad) -> PadEvent {
        let running = pad.status.running?.id
        func call(_ asked: PadCall) -> PadEvent {
            calls += 1
            return .call(CallID(calls), asked, .all)
        }
        switch number(0..<(running == nil ? 40 : 200)) {
        case 0..<5:
            return call(
                .capture(
                    CaptureCall(
                        request: CaptureRequest(prompt: ["p"], language: [nil, "ar", "pl"][number(0..<3)]),
                        policy: policy(), waits: number(0..<3) == 0, follows: true)))
        case 5, 6: return .time
        case 7: return number(0..<4) == 0 ? call(.cancel(capture())) : .time
        case 8: return call(.clear(capture()))
        case 9, 10: return call(.accept(capture()))
        case 11..<18: return .stored(.committed(number(0..<3) == 0 ? capture() : running ?? capture()))
        case 18: return number(0..<4) == 0 ? .stored(.failed(running ?? capture(), reason: "full")) : .time
        case 19..<24:
            let hover = PenHover(x: Int32(number(0..<400)), y: Int32(number(0..<300)), distance: Int32(number(0..<9)))
            return .hover(hover, device: number(0..<2), at: now - .microseconds(number(0..<3000)))
        default: return touch()
        }
    }

    private mutating func touch() -> PadEvent {
        // Mostly one finger; sometimes another, or an invalid report.
        let contact = number(0..<6) == 0 ? Int32(number(1..<4)) : contacts.keys.min() ?? 1
        let time = now - .microseconds(number(0..<3000))
        func touch(_ phase: Contact.Phase, _ place: Point) -> PadEvent {
            .touch(TestPad.touch(phase, place.x, place.y, contact, at: time), reported: time)
        }
        guard let last = contacts[contact], number(0..<60) > 0 else {
            let place = place()
            contacts[contact] = place
            let first: Contact.Phase = number(0..<8) == 0 ? .resumed : .began
            return touch(number(0..<80) == 0 ? .moved : first, place)
        }
        switch number(0..<20) {
        case 0..<6:
            contacts[contact] = nil
            return touch(.ended, last)
        case 6 where number(0..<3) == 0:
            contacts[contact] = nil
            return touch(.cancelled, last)
        case 7..<9:
            let place = place()
            contacts[contact] = place
            return touch(.moved, place)
        default:
            let step = Point(x: Double(number(-30..<31)), y: Double(number(-30..<31)))
            let place = last + step
            contacts[contact] = place
            return touch(.moved, place)
        }
    }
}
