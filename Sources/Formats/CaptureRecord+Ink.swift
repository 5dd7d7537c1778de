// SPDX-License-Identifier: Apache-2.0
import Geometry
import Ink
import Raster
import Record

extension CaptureRecord {
    /// The strokes as the pad drew them, in pixels of its screen. Those of a pen that this program does not know are
    /// drawn with its standard one.
    /// - Parameters:
    ///   - density: of the screen.
    ///   - byteLimit: of the outlines that are kept in memory.
    func ink(
        _ selection: StrokeSelection, on plane: CapturePlane, density: PixelDensity, byteLimit: Int
    ) throws(ExportError) -> [InkParts] {
        var strokes: [InkParts] = []
        var byteCount = 0
        for stroke in self.strokes(selection) {
            let axis = device(of: stroke)?.pressure
            let name = PenName(rawValue: stroke.pen) ?? .default
            let pen = header.screen.penLook?.pen(name) ?? Pen(name)
            // All of them before the first is drawn.
            for sample in stroke.samples { _ = try plane.position(sample, of: stroke.device) }
            let samples = StrokeSamples(count: stroke.samples.count) { number in
                let sample = stroke.samples[number]
                return Sample(
                    microseconds: sample.microseconds,
                    position: (try? plane.position(sample, of: stroke.device)) ?? .zero,
                    pressure: axis.flatMap { axis in sample.pressure.map(axis.share) })
            }
            let parts = InkParts(of: samples, pen: pen, density: density, byteLimit: byteLimit - byteCount)
            if parts.bounds.isEmpty { continue }
            byteCount += parts.byteCount
            strokes.append(parts)
        }
        return strokes
    }
}
