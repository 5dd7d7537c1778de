// SPDX-License-Identifier: Apache-2.0
import Geometry
import Ink
public import Raster

extension CaptureRecord {
    /// What the ink is drawn with on white paper: the colour that it had on the screen. Black where the record does not
    /// say, or where the ink was lighter than the screen's paper and could not be seen on white.
    public var inkColor: Color { header.screen.penLook?.inkColor ?? .black }

    /// The strokes as the pad drew them, in pixels of its screen. Those of a pen that this program does not know are
    /// drawn with its standard one.
    /// - Parameter density: of the screen.
    func ink(
        _ selection: StrokeSelection, on plane: CapturePlane, density: PixelDensity
    ) throws(ExportError) -> [StrokeInk] {
        var strokes: [StrokeInk] = []
        for stroke in self.strokes(selection) {
            let pressureAxis = device(of: stroke)?.pressure
            let name = PenName(rawValue: stroke.pen) ?? .default
            let pen = header.screen.penLook?.pen(name) ?? Pen(name)
            var model = pen.makeStroke(density: density)
            var ink = StrokeInk()
            for sample in stroke.samples {
                let pressure = pressureAxis.flatMap { axis in sample.pressure.map(axis.share) }
                model.add(
                    Sample(
                        microseconds: sample.microseconds,
                        position: try plane.position(sample, of: stroke.device), pressure: pressure),
                    to: &ink)
            }
            ink.dry()
            if !ink.pieces.isEmpty { strokes.append(ink) }
        }
        return strokes
    }
}
