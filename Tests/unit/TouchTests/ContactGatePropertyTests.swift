// SPDX-License-Identifier: Apache-2.0
import Geometry
import TestSupport
import Testing
import Touch

@Suite("Random contacts that may draw")
struct ContactGatePropertyTests {
    /// One contact from its beginning to its end, identified by its x.
    private final class Life {
        let device: Int
        let slot: Int
        let trackingID: Int32
        let x: Int32
        let tool: Contact.Tool
        /// It never moves.
        let start: Timestamp
        /// According to the rules in docs/capture.md.
        var mayDraw = true
        var name: Int32?
        var isDown = false

        init(device: Int, slot: Int, trackingID: Int32, x: Int32, tool: Contact.Tool, start: Timestamp) {
            (self.device, self.slot, self.trackingID, self.x, self.tool) = (device, slot, trackingID, x, tool)
            self.start = start
        }
    }

    /// Two panels, one of which detects pens, and a pen.
    private static let devices: [DeviceDescription] = [.multitouch(), .multitouch(), .pen()]

    @Test(
        "numbers, beginnings and ends are consistent, and exactly the permitted contacts draw",
        arguments: Breadth.seeds(66, long: 400))
    func rules(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var gate = ContactGate(
            mappings: Self.devices.map { PanelMapping($0, panel: PixelSize(width: 800, height: 480))! }, palmLimit: 20)
        var lives: [Life] = []
        var names: Set<Int32> = []
        var expectedIgnored = 0
        var now: Timestamp = 1_000_000
        var nextX: Int32 = 0
        var isNear = [false, false, false]
        var lastNear: [Timestamp?] = [nil, nil, nil]
        var left: [Timestamp?] = [nil, nil, nil]
        /// Where pens are, in pixels, and since when.
        var places: [(x: Double?, since: Timestamp)] = Array(repeating: (nil, 0), count: 3)

        /// Whole millimetres, so that the limit itself occurs.
        func size(upTo largest: Int, _ random: inout SeededGenerator) -> Double? {
            Bool.random(using: &random) ? Double(Int.random(in: 1...largest, using: &random)) : nil
        }
        func penRests(_ device: Int) -> Bool { now - places[device].since >= .seconds(5) }
        func isPenNear() -> Bool {
            for device in 0..<3 {
                if isNear[device], penRests(device) { continue }
                let isTipDown = lives.contains { $0.device == device && $0.tool == .pen && $0.isDown }
                if isNear[device], isTipDown || now - lastNear[device]! < .seconds(1) { return true }
                if !isNear[device], let time = left[device], now - time < .milliseconds(300) { return true }
            }
            return false
        }

        for _ in 0..<250 {
            let isPause = Int.random(in: 0..<10, using: &random) == 0
            now += .microseconds(Int.random(in: 0..<(isPause ? 1_500_000 : 20_000), using: &random))
            let device = Int.random(in: 0..<3, using: &random)
            var contacts: [Contact] = []
            var touched: [(life: Life, phase: Contact.Phase, size: Double?)] = []
            // Pens are near on devices 1 and 2, and always while they touch.
            for life in lives where life.device == device && Int.random(in: 0..<3, using: &random) > 0 {
                let phase: Contact.Phase = [.moved, .moved, .moved, .ended, .cancelled].randomElement(using: &random)!
                touched.append((life, phase, size(upTo: 21, &random)))
            }
            let slot = Int.random(in: 0..<(device == 2 ? 1 : 3), using: &random)
            if Bool.random(using: &random), !lives.contains(where: { $0.device == device && $0.slot == slot }) {
                let isPen = device == 2 || device == 1 && slot == 2
                nextX += 1
                let life = Life(
                    device: device, slot: slot, trackingID: nextX % 5, x: nextX, tool: isPen ? .pen : .finger,
                    start: now)
                touched.append((life, .began, size(upTo: 24, &random)))
            }
            for (life, phase, size) in touched {
                contacts.append(
                    Contact(
                        slot: life.slot, trackingID: life.trackingID, phase: phase,
                        // Fingers come down in other places than those before, which would be ghosts.
                        reading: DeviceReading(x: life.x, y: life.tool == .finger ? life.x % 20 * 23 : 1),
                        tool: life.tool, size: size))
            }
            let hasPen = (lives + touched.map(\.life)).contains { $0.device == device && $0.tool == .pen }
            let isInRange = device > 0 && (hasPen || Int.random(in: 0..<3, using: &random) == 0)
            if isInRange { lastNear[device] = now } else if isNear[device] { left[device] = now }
            if isInRange {
                let scale = device == 2 ? 0.08 : 1
                let pen = touched.first { $0.life.tool == .pen }.map { Double($0.life.x) * scale }
                let place = isNear[device] ? places[device].x : nil
                if !isNear[device] {
                    places[device] = (pen, now)
                } else if let pen, place.map({ abs($0 - pen) > 8 }) ?? true {
                    places[device] = (pen, now)
                }
            }
            isNear[device] = isInRange

            // The rules.
            if isInRange, !penRests(device) { for life in lives where life.tool == .finger { life.mayDraw = false } }
            var retired: Set<Int32> = []
            for (life, phase, size) in touched where phase == .began || phase == .moved {
                if life.tool == .finger, let size, size >= 20 { life.mayDraw = false }
                if phase == .began, life.tool == .finger, isPenNear() { life.mayDraw = false }
                if phase == .began, !life.mayDraw { expectedIgnored += 1 }
                if phase == .began {
                    // It retires those that rest and do not lift in this report.
                    let going = touched.filter { $0.phase == .ended || $0.phase == .cancelled }.map(\.life.x)
                    for other in lives where life.mayDraw && !going.contains(other.x) {
                        guard now - other.start >= (other.tool == .pen ? .seconds(5) : .seconds(2)) else { continue }
                        // Its last report may be in this frame.
                        if other.mayDraw { retired.insert(other.x) }
                        other.mayDraw = false
                    }
                    lives.append(life)
                }
            }

            let frame = TouchFrame(time: now, contacts: contacts, isPenInRange: isInRange)
            for touch in gate.update(with: frame, of: device) {
                let sample = touch.sample
                guard let life = lives.first(where: { $0.x == touch.reading.x }) else {
                    Issue.record("seed \(seed): a contact that is not there")
                    continue
                }
                #expect(touch.reading.device == life.device && sample.time == now, "seed \(seed)")
                switch touch.phase {
                case .began:
                    #expect(names.insert(touch.contact).inserted && life.name == nil, "seed \(seed): a name twice")
                    (life.name, life.isDown) = (touch.contact, true)
                case .resumed: Issue.record("seed \(seed): resumed, and nothing was lost")
                case .moved:
                    let mayDraw = life.mayDraw || retired.contains(life.x)
                    #expect(mayDraw && life.isDown && life.name == touch.contact, "seed \(seed)")
                case .ended, .retired, .cancelled:
                    #expect(life.isDown && life.name == touch.contact, "seed \(seed)")
                    if touch.phase == .ended { #expect(life.mayDraw, "seed \(seed): kept what should go") }
                    life.isDown = false
                }
            }
            let ended = touched.filter { $0.phase == .ended || $0.phase == .cancelled }.map(\.life.x)
            for life in lives {
                #expect(life.isDown == (life.mayDraw && !ended.contains(life.x)), "seed \(seed): \(life.x)")
            }
            lives.removeAll { ended.contains($0.x) }
            #expect(gate.ignoredCount == expectedIgnored, "seed \(seed)")

            if Int.random(in: 0..<40, using: &random) == 0 {
                let gone = gate.remove(device, at: now)
                let expected = Set(lives.filter { $0.device == device && $0.isDown }.map(\.x))
                #expect(Set(gone.map(\.reading.x)) == expected && gone.count == expected.count)
                lives.removeAll { $0.device == device }
                (isNear[device], left[device], lastNear[device]) = (false, nil, nil)
            }
        }
        #expect(expectedIgnored > 0 && !names.isEmpty, "seed \(seed): nothing was tried")
    }
}
