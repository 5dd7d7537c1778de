// SPDX-License-Identifier: Apache-2.0
import Capture
import Record
import Testing
import Touch

@Suite("What pens do in the air")
struct InAirTests {
    private func places(_ entry: CaptureEntry) -> [Int32]? {
        guard case .inAir(let movement) = entry else { return nil }
        return movement.samples.map(\.x)
    }

    @Test("is recorded where it belongs, and nothing else is done for it")
    func course() throws {
        var pad = MachineDriver()
        // Before and after the capture it is nobody's.
        #expect(pad.hover(1, 1).isEmpty)
        pad.request(1)
        let start = pad.now
        #expect(pad.hover(2, 2).isEmpty)
        #expect(pad.hover(3, 3).isEmpty)
        pad.sign()
        #expect(pad.hover(4, 4).isEmpty)
        pad.press(.undo)
        #expect(pad.hover(5, 5).isEmpty)
        pad.sign()
        pad.press(.clear)
        pad.sign()
        #expect(pad.hover(6, 6).isEmpty)
        pad.press(.accept)
        #expect(pad.hover(7, 7).isEmpty)
        let entries = pad.entries(1)
        #expect(entries.map(places) == [[2, 3], nil, [4], nil, [5], nil, nil, nil, [6]])
        guard case .inAir(let first) = try #require(entries.first) else { return }
        let expected = CaptureInAir(
            samples: [
                .init(microseconds: 8000, x: 2, y: 2, distance: 2),
                .init(microseconds: 16_000, x: 3, y: 3, distance: 3),
            ])
        #expect(start == 1_008_000 && first == expected)
        // All of it before the record is closed.
        let steps = pad.effects.compactMap { effect -> RecordStep? in
            if case .record(_, let step) = effect { step } else { nil }
        }
        #expect(steps.last == .accept(ignoredContacts: 0))
    }

    @Test("keeps nobody's time from running out, and does not take a message away")
    func noTouch() {
        var pad = MachineDriver()
        pad.request(1)
        let deadline = pad.machine.deadline
        pad.hover(1, 1)
        #expect(pad.machine.deadline == deadline)
        pad.press(.accept)
        #expect(pad.effects.contains(.show(.refused(.noInk))))
        #expect(pad.hover(2, 2).isEmpty)
    }

    @Test("goes with a capture that is cancelled")
    func cancelled() {
        var pad = MachineDriver()
        pad.request(1)
        pad.hover(1, 1)
        pad.press(.cancel)
        pad.request(2)
        pad.sign()
        #expect(pad.entries(1).isEmpty)
        #expect(pad.entries(2).map(places) == [nil])
    }

    @Test("an entry is of one pen, and of bounded length; a pen that lies beside the page does not fill the disk")
    func bounds() {
        var pad = MachineDriver()
        pad.request(1, CapturePolicy(pen: "ink", inactivityLimit: .max, totalLimit: .max))
        pad.hover(1, 1)
        pad.hover(2, 2, device: 1)
        #expect(pad.entries(1).map(places) == [[1]])
        let limit = CaptureLimits.inAirSampleCount
        for number in 0..<limit + 5000 { pad.hover(Int32(number), 0, device: 1) }
        pad.sign()
        let entries = pad.entries(1)
        let counts = entries.map { places($0)?.count ?? 0 }
        #expect(counts.reduce(0, +) == limit && counts.max() == 2000)
        #expect(places(entries[1])?.prefix(3) == [2, 0, 1])
    }
}
