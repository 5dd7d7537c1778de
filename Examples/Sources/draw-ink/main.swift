// SPDX-License-Identifier: Apache-2.0
import Canvas
import Foundation
import Geometry
import Ink
import PNG
import Raster

// swift run draw-ink [POINTS.csv [PICTURE.png]]
let arguments = CommandLine.arguments
let points = try String(contentsOfFile: arguments.count > 1 ? arguments[1] : "signature.csv", encoding: .utf8)
let density = PixelDensity(dotsPerInch: 300)
let pixel = density.pixelsPerMillimetre
let pen = Pen(width: 0.7, pressureCurve: .firm)
var canvas = Canvas(
    size: PixelSize(width: 720, height: 320), pen: pen, color: 0x1B2A6B, background: .white, density: density)
var last = 0.0
for line in points.split(separator: "\n").dropFirst() {
    // stroke, milliseconds, x and y in millimetres, pressure from 0 to 1
    let fields = line.split(separator: ",").compactMap { Double($0) }
    let sample = Sample(
        time: .zero + .milliseconds(fields[1]), position: Point(x: fields[2] * pixel, y: fields[3] * pixel),
        pressure: fields[4])
    // The beginning of a stroke ends the one before.
    canvas.apply(fields[0] == last ? .move(sample) : .begin(sample))
    last = fields[0]
}
canvas.apply(.end)
let picture = try PNGEncoder.encode(canvas.dryPixels, dotsPerInch: density.dotsPerInch)
try Data(picture).write(to: URL(fileURLWithPath: arguments.count > 2 ? arguments[2] : "signature.png"))
