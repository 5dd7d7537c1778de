// SPDX-License-Identifier: Apache-2.0
//
// Compares the rasterizer's coverage with the reference on 100,000 small pieces and on strokes as on a panel, or on the
// workloads of the given .rpw files. Fails if a kind of fill exceeds the bounds of `CoverageError`. A separate program,
// because it would take minutes without optimisation.
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
        print("\(file) is missing or not a workload")
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
    print("a million points, \(corners) a contour: bands differ from the whole")
    exit(EXIT_FAILURE)
}

// The measurement must detect a shift by a tenth of a pixel, or the results above mean nothing.
var shapes = Shapes(seed: 1)
var control = Measurement()
let page = PixelSize(width: 800, height: 480)
for _ in 0..<100 {
    let quad = shapes.bentQuad(width: 2...6, length: 5...40, in: page)
    control.add([quad], .nonZero, page: page, movedBy: Point(x: 0.1, y: 0))
}
guard !control.error.isWithinBounds else {
    print("the measurement does not detect errors")
    exit(EXIT_FAILURE)
}
exit(table.hasFailed ? EXIT_FAILURE : EXIT_SUCCESS)
