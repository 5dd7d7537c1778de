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
    public static func encode(
        _ drawing: Drawing, dotsPerInch: Double? = nil, isTransparent: Bool = false
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
            \(isTransparent ? "" : paper(drawing))\
            <g fill="\(hex(drawing.color))" fill-rule="nonzero"\(opacity(drawing.color))>

            """
        for stroke in drawing.strokes {
            for run in stroke.runs {
                let color = run.tone.map { drawing.color.mixed(with: drawing.background, $0.paperShare) }
                let fill = color.map { " fill=\"\(hex($0))\"" } ?? ""
                text += "<path\(fill) d=\"\(pathData(stroke.outline, from: run.start, to: run.end))\"/>\n"
            }
        }
        text += "</g>\n</svg>\n"
        return Array(text.utf8)
    }

    private static func paper(_ drawing: Drawing) -> String {
        let size = drawing.size
        return "<rect width=\"\(size.width)\" height=\"\(size.height)\" fill=\"\(hex(drawing.background))\"/>\n"
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

    private static func hex(_ color: Color) -> String {
        let digits = String(color.xrgb8888 & 0xFF_FFFF, radix: 16)
        return "#" + String(repeating: "0", count: 6 - digits.count) + digits
    }

    private static func opacity(_ color: Color) -> String {
        color.alpha == 255 ? "" : " fill-opacity=\"\(DecimalText.text(Double(color.alpha) / 255, decimals: 3))\""
    }
}
