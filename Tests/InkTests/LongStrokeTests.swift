// SPDX-License-Identifier: Apache-2.0
import Geometry
import Ink
import Testing

@Suite("Long strokes")
struct LongStrokeTests {
    @Test("ink dries as it comes through a stroke of 5000 samples of the fastest device")
    func fastDevice() {
        var ink = StrokeInk()
        var model = Pen(.ink).makeStroke()
        var dryCount = 0
        for index in 0..<5000 {
            // To and fro at 400 px/s, five pixels further down each time.
            let (row, column) = index.quotientAndRemainder(dividingBy: 1000)
            let x = Double(row % 2 == 0 ? column : 1000 - column) * 0.4
            model.add(
                Sample(microseconds: Int64(index) * 1000, position: Point(x: x, y: Double(index) * 0.005)), to: &ink)
            guard index % 100 == 99 else { continue }
            #expect(ink.dryPointCount > dryCount, "sample \(index)")
            dryCount = ink.dryPointCount
        }
        #expect(ink.isFinite)
    }
}
