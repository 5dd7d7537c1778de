// SPDX-License-Identifier: Apache-2.0
//
// How far the rasterizer's coverage is from the reference, on 100,000 small pieces and on strokes as a panel draws
// them, or on the workloads of the .rpw files named. Fails when a kind is beyond the bounds of `CoverageError`. A
// program of its own because without optimisation it would take minutes.
import Geometry
import Glibc
import Raster
import TestSupport

var table = AccuracyTable()

func measured(_ workload: Workload) -> CoverageError {
    var measurement = Measurement()
    for _ in 0..<workload.fillCount { measurement.add(workload.next(), workload.rule, page: workload.page) }
    return measurement.error
}

let files = CommandLine.arguments.dropFirst()
for file in files {
    guard let workload = Workload(file: file) else {
        print("\(file) is missing or no workload")
        exit(EXIT_FAILURE)
    }
    table.add(workload.name, fills: workload.fillCount, measured(workload))
}
if files.isEmpty {
    var all = CoverageError()
    var fillCount = 0
    for workload in Workload.pieces {
        let error = measured(workload)
        table.add(workload.name, fills: workload.fillCount, error)
        all.add(error)
        fillCount += workload.fillCount
    }
    table.add("all of these", fills: fillCount, all)
    for workload in Workload.strokes { table.add(workload.name, fills: workload.fillCount, measured(workload)) }
}

for corners in [MillionPoints.count, 4] where !MillionPoints(corners: corners).isSameInBands {
    print("a million points, \(corners) a contour: bands are not the whole")
    exit(EXIT_FAILURE)
}

// A tenth of a pixel beside its place must be seen, or none of the above says anything.
var shapes = Shapes(seed: 1)
var control = Measurement()
let page = PixelSize(width: 800, height: 480)
for _ in 0..<100 {
    let quad = shapes.bentQuad(width: 2...6, length: 5...40, in: page)
    control.add([quad], .nonZero, page: page, movedBy: Point(x: 0.1, y: 0))
}
guard !control.error.isWithinBounds else {
    print("errors are not seen here")
    exit(EXIT_FAILURE)
}
exit(table.hasFailed ? EXIT_FAILURE : EXIT_SUCCESS)
