// SPDX-License-Identifier: Apache-2.0
//
// Whether the way of a report asks for memory once a stroke is under way, and a fill and the noise filters once there
// have been some. A program of its own, because only an optimised build tells: without optimisation Swift takes memory
// for every access to an array.
import CAllocations
import Geometry
import Glibc
import Ink

/// A zigzag of cusps and arcs over half a page, then back.
func position(_ report: Int, rate: Double) -> Point {
    let phase = (Double(report) / rate * 3).truncatingRemainder(dividingBy: 2)
    let swing = phase < 1 ? phase : 2 - phase
    let x = (Double(report) / rate * 60).truncatingRemainder(dividingBy: 600)
    return Point(x: x + 40 * swing * swing, y: 100 + 80 * swing)
}

var hasFailed = false
for pen in PenName.allCases {
    for rate in [60.0, 250, 1000] {
        var model = Pen(pen).makeStroke()
        var ink = StrokeInk()
        func add(_ reports: Range<Int>) {
            for report in reports {
                let sample = Sample(
                    time: Timestamp(microseconds: Int64(Double(report) * 1_000_000 / rate)),
                    position: position(report, rate: rate))
                model.add(sample, to: &ink)
            }
        }
        let count = Int(rate * 4)
        add(0..<count)
        let before = allocation_count()
        add(count..<2 * count)
        let asked = allocation_count() - before
        // The four arrays of the ink itself may each double once more.
        let isWarm = asked <= 4
        let isRequired = pen == .ink
        hasFailed = hasFailed || isRequired && !isWarm
        print(
            "\(pen.rawValue), \(Int(rate)) Hz: memory asked for \(asked) times in \(count) reports"
                + (isWarm ? "" : isRequired ? ": too often" : ""))
    }
}
var fills = FillAllocations()
let (panel, wall) = (PixelSize(width: 800, height: 480), PixelSize(width: 3840, height: 2160))
for (name, paths, page) in [
    ("pieces", FillAllocations.pieces(panel), panel), ("whole strokes", FillAllocations.strokes(wall), wall),
] {
    let asked = fills.count(paths, page: page)
    hasFailed = hasFailed || asked != 0
    print(
        "fills of \(paths.count) \(name) on \(page.width) x \(page.height): memory asked for \(asked) times"
            + (asked == 0 ? "" : ": too often"))
}
var noise = NoiseAllocations()
let asked = noise.count(contacts: 20, reports: 1000)
// Once a contact, when it begins; never for a report.
hasFailed = hasFailed || asked > 20
print("noise filters, 20 contacts of 1000 reports: memory asked for \(asked) times" + (asked > 20 ? ": too often" : ""))
let before = allocation_count()
let array = [Int](repeating: count(of: CommandLine.arguments), count: 1000)
guard allocation_count() > before, array.count == 1000 else {
    print("allocations are not counted here")
    exit(EXIT_FAILURE)
}
exit(hasFailed ? EXIT_FAILURE : EXIT_SUCCESS)

@inline(never)
func count(of arguments: [String]) -> Int { arguments.count }
