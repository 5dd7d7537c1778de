// SPDX-License-Identifier: Apache-2.0
import Geometry
import TestSupport
import Testing

@testable import RasterKernel

@Suite("Areas of sampled pixels")
struct SampledAreasTests {
    /// One pixel, in numbers of 64 bits, step by step.
    private func area(_ integral: Int64, winding: Int64, ink: Int64, _ rule: FillRule) -> Int64 {
        let full = Int64(Coverage.full)
        func plain(_ winding: Int64) -> Int64 {
            switch rule {
            case .nonZero: return min(abs(winding), full)
            case .evenOdd: return full - abs(abs(winding) % (2 * full) - full)
            }
        }
        if plain(winding) == ink { return plain(integral) }
        if rule == .evenOdd { return ink }
        if integral != 0 && (integral < 0) == (winding < 0) && abs(winding) > ink {
            return min((ink * abs(integral) + abs(winding) / 2) / abs(winding), full)
        }
        return max(0, min(full, ink + integral.signum() * (integral - winding)))
    }

    @Test(
        "four at a time are what they are one by one, whatever winds around them",
        arguments: [FillRule.nonZero, .evenOdd], [2, 40, Coverage.mostWindings])
    func areas(rule: FillRule, windings: Int) {
        var random = SeededGenerator(seed: UInt64(windings))
        let full = Int64(Coverage.full)
        let most = Int64(windings) * full
        for round in 0..<10_000 {
            var lanes: [(integral: Int64, winding: Int64, ink: Int64)] = []
            for _ in 0..<4 {
                // Ends and whole pixels as often as anything between.
                let anything = Int64.random(in: -most...most, using: &random)
                let integral = [0, full, -full, most, -most, anything][Int.random(in: 0..<6, using: &random)]
                // Samples of thousands of boundaries are not off by all of them: differences fit 32 bits.
                let reach = [0, 2_000, min(2 * most, 1 << 30)][Int.random(in: 0..<3, using: &random)]
                let winding = max(-most, min(most, integral + Int64.random(in: -reach...reach, using: &random)))
                let inks: [Int64] = [
                    0, full, min(abs(winding), full), Int64.random(in: 0...full, using: &random),
                ]
                lanes.append((integral, winding, inks[Int.random(in: 0..<4, using: &random)]))
            }
            func four(_ value: (Int) -> Int64) -> SIMD4<Int32> {
                SIMD4((0..<4).map { Int32(value($0)) })
            }
            let sampled = SampledAreas(winding: four { lanes[$0].winding }, ink: four { lanes[$0].ink })
            let areas = sampled.areas(four { lanes[$0].integral }, rule)
            for (lane, (integral, winding, ink)) in lanes.enumerated() {
                let expected = area(integral, winding: winding, ink: ink, rule)
                if Int64(areas[lane]) != expected {
                    Issue.record(
                        "round \(round): \(areas[lane]), not \(expected): \(integral), \(winding), \(ink)")
                    return
                }
            }
        }
    }

    @Test("are areas also of lanes that mean nothing")
    func nothing() {
        var random = SeededGenerator(seed: 3)
        let numbers: [Int32] = [0, 1, -1, Coverage.full, -Coverage.full, .max, .min + 1]
        func four() -> SIMD4<Int32> {
            SIMD4((0..<4).map { _ in numbers[Int.random(in: 0..<numbers.count, using: &random)] })
        }
        for _ in 0..<2_000 {
            let (winding, ink, integrals) = (four(), four(), four())
            let areas = SampledAreas(winding: winding, ink: ink).areas(integrals, .nonZero)
            for lane in 0..<4 {
                #expect(
                    areas[lane] >= 0 && areas[lane] <= Coverage.full,
                    "\(winding[lane]), \(ink[lane]), \(integrals[lane])")
            }
        }
    }
}
