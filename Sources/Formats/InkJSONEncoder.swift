// SPDX-License-Identifier: Apache-2.0
import Geometry
public import Ink
import Raster

/// Writes modelled strokes as JSON, for tools that measure ink:
/// `{"strokes":[{"centerline":[{"t":ms,"x":px,"y":px,"width":px}],"outline":[[[x,y],…],…]}]}`.
///
/// The closed polygons of the outline, filled with the non-zero rule, are exactly the ink: curves become the chords
/// that the rasterizer fills. A stroke of several tones also has `"tones":[[polygons,lightness],…]`: the number of
/// polygons in each run and their lightness (0 the ink's colour, 1 the lightest); each run is drawn over those before.
public enum InkJSONEncoder {
    public static func encode(_ strokes: [StrokeInk]) -> [UInt8] {
        var text = "{\"strokes\":["
        for (index, stroke) in strokes.enumerated() {
            text += index == 0 ? "\n" : ",\n"
            text += "{\"centerline\":["
            text += stroke.centerline.map { point in
                "{\"t\":\(number(Double(point.time.microseconds) / 1000)),\"x\":\(number(point.position.x)),"
                    + "\"y\":\(number(point.position.y)),\"width\":\(number(point.width))}"
            }.joined(separator: ",")
            text += "],\"outline\":["
            text += stroke.outline.polygons(tolerance: Rasterizer.flatteningTolerance).map { polygon in
                "[" + polygon.map { "[\(number($0.x)),\(number($0.y))]" }.joined(separator: ",") + "]"
            }.joined(separator: ",")
            text += "]" + tones(of: stroke) + "}"
        }
        text += "\n]}\n"
        return Array(text.utf8)
    }

    private static func tones(of stroke: StrokeInk) -> String {
        let runs = stroke.runs
        guard runs.contains(where: { $0.tone != nil }) else { return "" }
        let list = runs.map { run in
            let verbs = stroke.outline.verbs[run.start.verbCount..<run.end.verbCount]
            return "[\(verbs.count { $0 == .move }),\(number(run.tone?.lightness ?? 0))]"
        }
        return ",\"tones\":[" + list.joined(separator: ",") + "]"
    }

    /// At 150 pixels per inch, three decimals are 0.2 um.
    private static func number(_ value: Double) -> String { DecimalText.text(value, decimals: 4) }
}
