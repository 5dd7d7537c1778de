// SPDX-License-Identifier: Apache-2.0
import Geometry
import TestSupport
import Testing
import Touch

@Suite("Noise filters with random touches")
struct NoiseFilterPropertyTests {
    private static func settings(_ random: inout SeededGenerator) -> NoiseSettings {
        var settings = NoiseSettings()
        if Bool.random(using: &random) { settings.debounce = .milliseconds(Int.random(in: 1...200, using: &random)) }
        if Bool.random(using: &random) { settings.evthres = .random(in: 2...8, using: &random) }
        if Bool.random(using: &random) {
            settings.skip = .init(head: .random(in: 0...4, using: &random), tail: .random(in: 0...4, using: &random))
        }
        if Bool.random(using: &random) { settings.median = [3, 5, 7, 9].randomElement(using: &random) }
        if Bool.random(using: &random) { settings.dejitter = .random(in: 0.01...10, using: &random) }
        return settings
    }

    /// Up to four contacts of two devices at once, with unique numbers.
    private static func touches(_ random: inout SeededGenerator) -> [TouchEvent] {
        var touches: [TouchEvent] = []
        var down: [TouchEvent] = []
        var now = Timestamp.zero
        var name: Int32 = 0
        for _ in 0..<Int.random(in: 10...300, using: &random) {
            now += .microseconds(Int.random(in: -2000...30_000, using: &random))
            if down.isEmpty || down.count < 4 && Int.random(in: 0..<12, using: &random) == 0 {
                name += 1
                let touch = Self.touch(
                    .began, near: Point(x: 400, y: 240), name, device: Int(name % 2), at: now, &random)
                down.append(touch)
                touches.append(touch)
                continue
            }
            let index = Int.random(in: 0..<down.count, using: &random)
            let last = down[index]
            switch Int.random(in: 0..<16, using: &random) {
            case 0, 1:
                var end = last
                end.sample.time = now
                end.phase = Int.random(in: 0..<4, using: &random) > 0 ? .ended : .cancelled
                down.remove(at: index)
                touches.append(end)
            default:
                let next = Self.touch(
                    .moved, near: last.sample.position, last.contact, device: last.reading.device, at: now, &random)
                down[index] = next
                touches.append(next)
            }
        }
        for var touch in down {
            touch.phase = .ended
            touches.append(touch)
        }
        return touches
    }

    private static func touch(
        _ phase: Contact.Phase, near place: Point, _ contact: Int32 = 1, device: Int, at time: Timestamp,
        _ random: inout SeededGenerator
    ) -> TouchEvent {
        let step = Bool.random(using: &random) ? 3.0 : 80
        let x = min(max(place.x + .random(in: -step...step, using: &random), 0), 799)
        let y = min(max(place.y + .random(in: -step...step, using: &random), 0), 479)
        return TouchEvent(
            phase, contact: contact,
            sample: Sample(
                time: time, position: Point(x: x, y: y), pressure: .random(in: 0...1, using: &random)),
            reading: DeviceReading(
                x: .random(in: .min ... .max, using: &random), y: .random(in: .min ... .max, using: &random),
                pressure: .random(in: 0...255, using: &random), device: device))
    }

    private static func reports(_ touches: [TouchEvent], of contact: Int32) -> [TouchEvent] {
        touches.filter { $0.contact == contact && [.began, .moved].contains($0.phase) }
    }

    @Test(
        "a contact passes whole or not at all; only positions change, within the range of those received",
        arguments: Breadth.seeds(66, long: 400))
    func onlyPositions(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let settings = Self.settings(&random)
        let touches = Self.touches(&random)
        var filter = NoiseFilter(settings, density: PixelDensity(dotsPerInch: 150))
        let passed = touches.flatMap { filter.update(with: [$0]) }
        var dropped = 0
        for contact in Set(touches.map(\.contact)) {
            let came = Self.reports(touches, of: contact)
            let went = Self.reports(passed, of: contact)
            let events = passed.filter { $0.contact == contact }
            let ending = try #require(touches.last { $0.contact == contact })
            guard let last = events.last else {
                dropped += 1
                continue
            }
            // A beginning first, one end last.
            guard events[0].phase == .began else {
                Issue.record("seed \(seed): begins with \(events[0])")
                continue
            }
            for event in events.dropFirst().dropLast() {
                guard event.phase == .moved else {
                    Issue.record("seed \(seed): \(event) within a contact")
                    continue
                }
            }
            #expect(last.phase == ending.phase && last.sample.time == ending.sample.time)
            #expect(last.sample.position == went.last?.sample.position, "seed \(seed)")
            if last.phase == .ended {
                #expect(went.count == came.count, "seed \(seed): reports of a contact that passed are missing")
            }
            for (original, filtered) in zip(came, went) {
                var expected = original
                expected.sample.position = filtered.sample.position
                #expect(filtered == expected, "seed \(seed): more than the position changed")
            }
            let (places, passedPlaces) = (came.map(\.sample.position), went.map(\.sample.position))
            let (xs, ys) = (places.map(\.x), places.map(\.y))
            let (xRange, yRange) = (xs.min()! - 1e-9...xs.max()! + 1e-9, ys.min()! - 1e-9...ys.max()! + 1e-9)
            let areAmong = passedPlaces.allSatisfy { xRange.contains($0.x) && yRange.contains($0.y) }
            #expect(areAmong, "seed \(seed)")
        }
        #expect(filter.droppedCount == dropped, "seed \(seed)")
    }

    @Test(
        "reports are delayed by no more than the filters' settings say",
        arguments: Breadth.seeds(33, long: 200))
    func delay(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var settings = Self.settings(&random)
        settings.debounce = nil
        var filter = NoiseFilter(settings, density: .standard)
        let held = max(
            (settings.evthres ?? 1) - 1,
            (settings.skip?.head ?? 0) + (settings.skip?.tail ?? 0) + (settings.median ?? 1) / 2)
        var passed = 0
        for number in 0..<100 {
            let touch = Self.touch(
                number == 0 ? .began : .moved, near: Point(x: 1, y: 1), device: 0,
                at: .zero + .milliseconds(10 * number),
                &random)
            passed += filter.update(with: [touch]).count
            #expect(number + 1 - passed <= held, "seed \(seed), report \(number)")
        }
    }

    @Test(
        "the median removes jumps of single reports from a line", arguments: Breadth.seeds(8, long: 50))
    func despiked(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var filter = NoiseFilter(NoiseSettings(["median:3"])!, density: .standard)
        var worst = 0.0
        for number in 0..<200 {
            // Never two in a row, and not at the ends.
            let isSpike = number % 4 == 2 && number < 198 && Bool.random(using: &random)
            let y = isSpike ? Double.random(in: 300...400, using: &random) : 100
            let touch = TouchEvent(
                number == 0 ? .began : .moved, contact: 1,
                sample: Sample(time: .zero + .milliseconds(10 * number), position: Point(x: Double(number), y: y)),
                reading: DeviceReading(x: 0, y: 0))
            for touch in filter.update(with: [touch]) {
                worst = max(worst, abs(touch.sample.position.y - 100))
            }
        }
        #expect(worst == 0, "seed \(seed)")
    }
}
