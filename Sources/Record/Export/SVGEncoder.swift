// SPDX-License-Identifier: Apache-2.0
import Geometry
import Ink
import Raster

/// A drawing as SVG 1.1: one path a stroke, filled non-zero, the very outlines the panel fills. A stroke of several
/// tones is a path for each run of one tone.
public enum SVGEncoder {
    /// - Parameters:
    ///   - dotsPerInch: gives the picture its size on paper in millimetres; nil leaves it in pixels.
    ///   - isTransparent: without the paper.
    ///   - identity: what the file says of the capture in it.
    public static func encode(
        _ drawing: Drawing, dotsPerInch: Double? = nil, isTransparent: Bool = false,
        identity: PictureIdentity? = nil
    ) -> [UInt8] {
        func length(_ pixels: Int) -> String {
            guard let dotsPerInch else { return "\(pixels)" }
            return DecimalText.text(Double(pixels) * 25.4 / dotsPerInch, decimals: 3) + "mm"
        }
        let size = drawing.size
        var text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <svg xmlns="http://www.w3.org/2000/svg" width="\(length(size.width))" height="\(length(size.height))" \
            viewBox="0 0 \(size.width) \(size.height)">
            \(identity?.svg ?? "")\(isTransparent ? "" : paper(drawing))\
            <g fill="\(drawing.color.rgbHex)" fill-rule="nonzero"\(opacity(drawing.color))>

            """
        for stroke in drawing.strokes {
            for run in stroke.ink.runs {
                let data = pathData(stroke.ink.outline, from: run.start, to: run.end)
                text += "<path\(fill(drawing, stroke, run)) d=\"\(data)\"/>\n"
            }
        }
        text += "</g>\n</svg>\n"
        return Array(text.utf8)
    }

    /// What is other than the drawing's colour.
    private static func fill(_ drawing: Drawing, _ stroke: Drawing.Stroke, _ run: StrokeInk.Run) -> String {
        if stroke.color == nil, run.tone == nil { return "" }
        let color = drawing.color(of: run, in: stroke)
        let isAsOpaque = color.alpha == drawing.color.alpha
        return " fill=\"\(color.rgbHex)\"" + (isAsOpaque ? "" : " fill-opacity=\"\(share(color.alpha))\"")
    }

    private static func paper(_ drawing: Drawing) -> String {
        let size = drawing.size
        return "<rect width=\"\(size.width)\" height=\"\(size.height)\" fill=\"\(drawing.background.rgbHex)\"/>\n"
    }

    /// Contours in SVG path syntax, in pixels to three decimals, a quarter of the rasterizer's grid of 1/256.
    static func pathData(_ path: Path, from start: Path.Mark, to end: Path.Mark) -> String {
        var text = ""
        var index = start.pointCount
        func add(_ letter: String, _ count: Int) {
            text += letter
            for point in path.points[index..<index + count] {
                if !text.hasSuffix(letter) { text += " " }
                text += DecimalText.text(point.x, decimals: 3) + " " + DecimalText.text(point.y, decimals: 3)
            }
            index += count
        }
        for verb in path.verbs[start.verbCount..<end.verbCount] {
            switch verb {
            case .move:
                if !text.isEmpty { text += "Z" }
                add("M", 1)
            case .line: add("L", 1)
            case .quadratic: add("Q", 2)
            case .cubic: add("C", 3)
            }
        }
        return text.isEmpty ? "" : text + "Z"
    }

    private static func opacity(_ color: Color) -> String {
        color.alpha == 255 ? "" : " fill-opacity=\"\(share(color.alpha))\""
    }

    private static func share(_ alpha: UInt8) -> String { DecimalText.text(Double(alpha) / 255, decimals: 3) }
}
