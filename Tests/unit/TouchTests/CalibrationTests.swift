// SPDX-License-Identifier: Apache-2.0
import Geometry
import TestSupport
import Testing

@testable import Touch

/// A panel of seven inches.
private let size = Point(x: 154, y: 86)

/// A digitizer that needs the given matrix to be correct.
private struct Digitizer {
    let truth: Transform
    private let back: Transform

    init(_ truth: Transform) {
        self.truth = truth
        back = truth.inverted!
    }

    /// Rotated by quarters, perhaps mirrored, slightly sheared, scaled and shifted.
    static func random(_ random: inout SeededGenerator) -> Digitizer {
        let turn = Rotation.allCases.randomElement(using: &random)!.panelToPicture
        let isMirrored = Bool.random(using: &random)
        let mirror = isMirrored ? Transform(a: -1, b: 0, tx: 1, c: 0, d: 1, ty: 0) : .identity
        let skew = Transform(
            a: .random(in: 0.9...1.5, using: &random), b: .random(in: -0.05...0.05, using: &random),
            tx: .random(in: -0.1...0.1, using: &random), c: .random(in: -0.05...0.05, using: &random),
            d: .random(in: 0.9...1.5, using: &random), ty: .random(in: -0.1...0.1, using: &random))
        return Digitizer(turn.then(mirror).then(skew))
    }

    func pairs(_ miss: (Int) -> Point) -> [CalibrationFit.Pair] {
        CalibrationProcedure.places.enumerated().map { number, target in
            let off = miss(number)
            let touched = Point(x: target.x + off.x / size.x, y: target.y + off.y / size.y)
            return CalibrationFit.Pair(target: target, reading: back.apply(touched))
        }
    }
}

private func offset(_ length: Double, _ random: inout SeededGenerator) -> Point {
    while true {
        let x = Double.random(in: -1...1, using: &random)
        let y = Double.random(in: -1...1, using: &random)
        if let direction = Point(x: x, y: y).normalized { return direction * length }
    }
}

@Suite("The matrix from touched targets")
struct CalibrationFitTests {
    @Test("exact touches give the digitizer's own matrix", arguments: Breadth.seeds(33, long: 200))
    func exact(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let digitizer = Digitizer.random(&random)
        let fit = try #require(CalibrationFit(digitizer.pairs { _ in .zero }, millimetres: size))
        #expect(fit.worst < 1e-9, "seed \(seed)")
        let pairs = zip(
            [fit.matrix.a, fit.matrix.b, fit.matrix.tx, fit.matrix.c, fit.matrix.d, fit.matrix.ty],
            [
                digitizer.truth.a, digitizer.truth.b, digitizer.truth.tx, digitizer.truth.c, digitizer.truth.d,
                digitizer.truth.ty,
            ])
        #expect(pairs.allSatisfy { abs($0 - $1) < 1e-9 }, "seed \(seed)")
    }

    @Test("no other map is nearer to all targets together", arguments: Breadth.seeds(8, long: 50))
    func least(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let digitizer = Digitizer.random(&random)
        let misses = (0..<5).map { _ in offset(.random(in: 0...2, using: &random), &random) }
        let pairs = digitizer.pairs { misses[$0] }
        let fit = try #require(CalibrationFit(pairs, millimetres: size))
        // The sum of squares, in units of the panel.
        func sum(_ matrix: Transform) -> Double {
            pairs.reduce(0) { $0 + matrix.apply($1.reading).squaredDistance(to: $1.target) }
        }
        let least = sum(fit.matrix)
        for _ in 0..<50 {
            var other = fit.matrix
            other.a += .random(in: -0.01...0.01, using: &random)
            other.b += .random(in: -0.01...0.01, using: &random)
            other.ty += .random(in: -0.01...0.01, using: &random)
            #expect(sum(other) >= least, "seed \(seed)")
        }
    }

    @Test("a finger's touches, a millimetre off, are accepted and corrected", arguments: Breadth.seeds(33, long: 200))
    func finger(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let digitizer = Digitizer.random(&random)
        let misses = (0..<5).map { _ in offset(.random(in: 0...1.2, using: &random), &random) }
        guard case .fits(let fit) = CalibrationFit.judge(digitizer.pairs { misses[$0] }, millimetres: size) else {
            Issue.record("seed \(seed): refused")
            return
        }
        let middle = Point(x: 0.5, y: 0.5)
        let off = fit.matrix.apply(digitizer.truth.inverted!.apply(middle)) - middle
        #expect(Point(x: off.x * size.x, y: off.y * size.y).length < 2.5, "seed \(seed)")
    }

    @Test("one touch far off is found, whichever it is", arguments: Breadth.seeds(50, long: 300))
    func outlier(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let digitizer = Digitizer.random(&random)
        let wrong = Int(seed % 5)
        let misses = (0..<5).map { number in
            number == wrong
                ? offset(.random(in: 18...40, using: &random), &random)
                : offset(.random(in: 0...0.3, using: &random), &random)
        }
        #expect(
            CalibrationFit.judge(digitizer.pairs { misses[$0] }, millimetres: size) == .outlier(wrong), "seed \(seed)")
    }

    @Test("touches without any order are refused", arguments: Breadth.seeds(16, long: 100))
    func disorder(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let pairs = CalibrationProcedure.places.shuffled(using: &random).map { target in
            CalibrationFit.Pair(
                target: target,
                reading: Point(x: .random(in: 0...1, using: &random), y: .random(in: 0...1, using: &random)))
        }
        if case .fits(let fit) = CalibrationFit.judge(pairs, millimetres: size) {
            #expect(fit.worst <= CalibrationFit.tolerance, "seed \(seed)")
            // May happen by chance, once in thousands.
            #expect(fit.matrix.inverted != nil)
            Issue.record("seed \(seed): random places fit")
        }
    }

    @Test("places on one line, equal ones, too few and NaN have no matrix")
    func degenerate() {
        func fit(_ readings: [Point]) -> CalibrationFit? {
            let pairs = zip(CalibrationProcedure.places, readings).map { CalibrationFit.Pair(target: $0, reading: $1) }
            return CalibrationFit(pairs, millimetres: size)
        }
        let places = CalibrationProcedure.places
        #expect(fit(places) != nil)
        #expect(fit(places.map { Point(x: $0.x, y: 0.5) }) == nil)
        #expect(fit(places.map { Point(x: $0.x, y: $0.x) }) == nil)
        #expect(fit(places.map { _ in Point(x: 0.3, y: 0.3) }) == nil)
        #expect(fit(Array(places.prefix(2))) == nil)
        #expect(fit(places.map { Point(x: $0.x, y: .nan) }) == nil)
        // Ranges that are too large or too small by some bits, and further than any driver's.
        for scale in [1.0 / 16, 32] { #expect(fit(places.map { $0 * scale }) != nil) }
        for scale in [0.01, 500] { #expect(fit(places.map { $0 * scale }) == nil) }
    }
}

@Suite("The procedure of a calibration")
struct CalibrationProcedureTests {
    private let device = DeviceDescription.multitouch(1000, 1000)
    private var id: Int32 = 0

    private func frame(_ phase: Contact.Phase, _ place: Point, slot: Int = 0) -> TouchFrame {
        let reading = DeviceReading(x: Int32(place.x * 1000), y: Int32(place.y * 1000))
        return TouchFrame(
            time: .zero, contacts: [Contact(slot: slot, trackingID: 1, phase: phase, reading: reading)])
    }

    private func procedure() -> CalibrationProcedure {
        CalibrationProcedure(device, targets: CalibrationProcedure.places, millimetres: size)!
    }

    private func tap(_ procedure: inout CalibrationProcedure, _ place: Point) -> CalibrationProcedure.Step {
        #expect(procedure.update(with: frame(.began, place)) == .wait)
        #expect(procedure.update(with: frame(.moved, place)) == .wait)
        return procedure.update(with: frame(.ended, place))
    }

    @Test("five touches at their targets are the identity")
    func straight() {
        var procedure = procedure()
        for (number, place) in CalibrationProcedure.places.enumerated() {
            #expect(procedure.target == number)
            let step = tap(&procedure, place)
            if number < 4 {
                #expect(step == .next)
            } else if case .finished(let fit) = step {
                #expect(fit.worst < 0.2)
                #expect(abs(fit.matrix.a - 1) < 1e-2 && abs(fit.matrix.b) < 1e-2 && abs(fit.matrix.ty) < 1e-2)
            } else {
                Issue.record("\(step)")
            }
        }
    }

    @Test(
        "a driver that states exchanged, too small or too large ranges is repaired by the matrix",
        arguments: [
            // The stated ranges, and those of the readings.
            ((960, 1600), (1600, 960)), ((16_384, 16_384), (65_536, 65_536)), ((1024, 1024), (32_768, 32_768)),
            ((4096, 4096), (800, 480)), ((32_768, 32_768), (4096, 4096)),
        ] as [((Int32, Int32), (Double, Double))])
    func wrongRanges(stated: (Int32, Int32), real: (Double, Double)) {
        var procedure = CalibrationProcedure(
            .multitouch(stated.0, stated.1), targets: CalibrationProcedure.places, millimetres: size)!
        func frame(_ phase: Contact.Phase, _ place: Point) -> TouchFrame {
            let reading = DeviceReading(x: Int32(place.x * real.0), y: Int32(place.y * real.1))
            return TouchFrame(
                time: .zero, contacts: [Contact(slot: 0, trackingID: 1, phase: phase, reading: reading)])
        }
        var step = CalibrationProcedure.Step.wait
        for place in CalibrationProcedure.places {
            _ = procedure.update(with: frame(.began, place))
            _ = procedure.update(with: frame(.moved, Point(x: place.x + 0.005, y: place.y)))
            step = procedure.update(with: frame(.ended, place))
        }
        guard case .finished(let fit) = step else {
            Issue.record("\(step)")
            return
        }
        let (a, d) = (Double(stated.0) / real.0, Double(stated.1) / real.1)
        #expect(abs(fit.matrix.a / a - 1) < 0.01 && abs(fit.matrix.b) < 0.01 * a)
        #expect(abs(fit.matrix.d / d - 1) < 0.01 && abs(fit.matrix.c) < 0.01 * d)
    }

    @Test("a contact that is stuck does not spoil the touches of others", arguments: [false, true])
    func stuck(isNoisy: Bool) {
        var procedure = procedure()
        func frame(_ phase: Contact.Phase, _ place: Point, slot: Int, at microseconds: Int64) -> TouchFrame {
            let reading = DeviceReading(x: Int32(place.x * 1000), y: Int32(place.y * 1000))
            return TouchFrame(
                time: Timestamp(microseconds: microseconds),
                contacts: [Contact(slot: slot, trackingID: Int32(slot), phase: phase, reading: reading)])
        }
        let corner = Point(x: 0.02, y: 0.97)
        #expect(procedure.update(with: frame(.began, corner, slot: 0, at: 0)) == .wait)
        for (number, place) in CalibrationProcedure.places.enumerated() {
            let time = Int64(number + 1) * 3_000_000
            if isNoisy {
                let noise = Point(x: corner.x + 0.003 * Double(number % 2), y: corner.y)
                #expect(procedure.update(with: frame(.moved, noise, slot: 0, at: time)) == .wait)
            }
            #expect(procedure.update(with: frame(.began, place, slot: 1, at: time + 1)) == .wait)
            let step = procedure.update(with: frame(.ended, place, slot: 1, at: time + 50_000))
            if number < 4 {
                #expect(step == .next)
            } else if case .finished(let fit) = step {
                #expect(fit.worst < 0.2)
            } else {
                Issue.record("\(step)")
            }
        }
    }

    @Test("a touch that moves, two fingers, and a touch at the previous place are refused")
    func refused() {
        var procedure = procedure()
        let (first, second) = (CalibrationProcedure.places[0], CalibrationProcedure.places[1])
        _ = procedure.update(with: frame(.began, first))
        _ = procedure.update(with: frame(.moved, second))
        #expect(procedure.update(with: frame(.ended, second)) == .again(.moved))
        _ = procedure.update(with: frame(.began, first))
        _ = procedure.update(with: frame(.began, second, slot: 1))
        #expect(procedure.update(with: frame(.ended, first)) == .wait)
        #expect(procedure.update(with: frame(.ended, second, slot: 1)) == .again(.several))
        #expect(procedure.target == 0)
        #expect(tap(&procedure, first) == .next)
        #expect(tap(&procedure, first) == .again(.sameAsBefore))
        #expect(procedure.target == 1)
        // A palm does not count.
        _ = procedure.update(with: frame(.began, second))
        #expect(procedure.update(with: frame(.cancelled, second)) == .wait)
        #expect(tap(&procedure, second) == .next)
    }

    @Test("a wrong touch is repeated and the others are kept")
    func outlier() {
        var procedure = procedure()
        for (number, place) in CalibrationProcedure.places.enumerated() {
            let isWrong = number == 2
            let step = tap(&procedure, isWrong ? Point(x: 0.6, y: 0.6) : place)
            #expect(step == (number == 4 ? .again(.outlier) : .next))
        }
        #expect(procedure.target == 2)
        guard case .finished(let fit) = tap(&procedure, CalibrationProcedure.places[2]) else {
            Issue.record("not finished")
            return
        }
        #expect(fit.worst < 0.2)
    }

    @Test("random touches are all repeated, up to a limit")
    func failed() {
        var procedure = procedure()
        let anywhere = [
            Point(x: 0.1, y: 0.1), Point(x: 0.9, y: 0.9), Point(x: 0.1, y: 0.8), Point(x: 0.9, y: 0.2),
            Point(x: 0.2, y: 0.5),
        ]
        var rounds = 0
        for _ in 0..<10 {
            for (number, place) in anywhere.enumerated() {
                let step = tap(&procedure, place)
                guard number == 4 else { continue }
                rounds += 1
                if step == .failed {
                    #expect(rounds == 4)
                    return
                }
                #expect(step == .again(.contradiction) && procedure.target == 0)
            }
        }
        Issue.record("asked for ever")
    }
}

@Suite("The matrix in words")
struct CalibrationTextTests {
    @Test("text is read as it was written, to six decimals", arguments: Breadth.seeds(16, long: 100))
    func roundTrip(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let truth = Digitizer.random(&random).truth
        let text = Calibration.text(truth)
        #expect(!text.contains("e"))
        let read = try Calibration.matrix(text)
        let corner = Point(x: 1, y: 1)
        #expect(read.apply(corner).distance(to: truth.apply(corner)) < 5e-6, "seed \(seed) \(text)")
        #expect(Calibration.text(read) == text)
    }

    @Test("whole and small numbers are written without exponents")
    func plain() {
        #expect(Calibration.text(.identity) == "1 0 0 0 1 0")
        #expect(Calibration.text(Transform(a: 0, b: -1, tx: 1, c: 1, d: 0, ty: 0)) == "0 -1 1 1 0 0")
        let small = Transform(a: 1.25, b: -0.00002, tx: 0.0000004, c: -0.5, d: 12.000001, ty: -1e-9)
        #expect(Calibration.text(small) == "1.25 -0.00002 0 -0.5 12.000001 0")
    }

    @Test("a rule matches the device's name with special characters replaced")
    func rule() {
        let device = DeviceDescription(name: "A \"B\" [x]|* $é ", vendor: 0x0EEF, product: 1)
        let text = Calibration.udevRule(for: device, matrix: .identity)
        let line = text.split(separator: "\n").last.map(String.init) ?? ""
        #expect(
            line == "ACTION!=\"remove\", SUBSYSTEM==\"input\", KERNEL==\"event[0-9]*\", "
                + "ATTRS{name}==\"A ?B? ?x??? ?*\", ATTRS{id/vendor}==\"0eef\", ATTRS{id/product}==\"0001\", "
                + "ENV{LIBINPUT_CALIBRATION_MATRIX}=\"1 0 0 0 1 0\"")
        #expect(text.split(separator: "\n").dropLast().allSatisfy { $0.hasPrefix("#") })
    }
}
