// SPDX-License-Identifier: Apache-2.0
import Geometry
public import Ink
import Raster

/// Modelled strokes as JSON, for tools that measure ink:
/// `{"strokes":[{"centerline":[{"t":ms,"x":px,"y":px,"width":px}],"outline":[[[x,y],…],…]}]}`.
///
/// The outline's closed polygons, filled with the non-zero rule, are exactly the ink: curves become the chords that the
/// rasterizer fills.
public enum InkJSONEncoder {
    public static func encode(_ strokes: [StrokeInk]) -> [UInt8] {
        var text = "{\"strokes\":["
        for (index, stroke) in strokes.enumerated() {
            text += index == 0 ? "\n" : ",\n"
            text += "{\"centerline\":["
            text += stroke.centerline.map { point in
                "{\"t\":\(number(Double(point.microseconds) / 1000)),\"x\":\(number(point.position.x)),"
                    + "\"y\":\(number(point.position.y)),\"width\":\(number(point.width))}"
            }.joined(separator: ",")
            text += "],\"outline\":["
            text += stroke.outline.polygons(tolerance: Rasterizer.flatteningTolerance).map { polygon in
                "[" + polygon.map { "[\(number($0.x)),\(number($0.y))]" }.joined(separator: ",") + "]"
            }.joined(separator: ",")
            text += "]}"
        }
        text += "\n]}\n"
        return Array(text.utf8)
    }

    /// Four decimals: a tenth of a micrometre at 150 pixels per inch would need three.
    private static func number(_ value: Double) -> String { DecimalText.text(value, decimals: 4) }
}
