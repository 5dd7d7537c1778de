// SPDX-License-Identifier: Apache-2.0
import Geometry
import Ink
import Raster

/// A drawing as SVG 1.1: one path a stroke, filled non-zero, of the outlines that the panel fills, joined and rounded
/// (``ContourMerger``). A stroke of several tones is a path for each run of one tone.
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
                if data.isEmpty { continue }
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

    /// Contours in SVG path syntax, joined and simplified, relative to one another, in pixels to two decimals.
    static func pathData(_ path: Path, from start: Path.Mark, to end: Path.Mark) -> String {
        var data = PathData()
        var merger = ContourMerger()
        merger.add(path, from: start, to: end) { data.add($0) }
        merger.finish { data.add($0) }
        return data.text
    }

    /// What each number is relative to, and how it is told from the one before it.
    private struct PathData {
        private(set) var text = ""
        /// Where the last contour started: "z" goes back there.
        private var start = GridPoint(x: 0, y: 0)
        private var command: Character?

        mutating func add(_ contour: GridContour) {
            guard let first = contour.vertices.first else { return }
            write("m", [first.point], from: start)
            start = first.point
            var last = start
            // A line back to the start is what "z" draws.
            let closing = first.controls == nil ? [] : [first]
            for vertex in contour.vertices.dropFirst() + closing {
                if let controls = vertex.controls {
                    write("c", [controls.first, controls.second, vertex.point], from: last)
                } else {
                    write("l", [vertex.point], from: last)
                }
                last = vertex.point
            }
            text += "z"
            command = nil
        }

        private mutating func write(_ letter: Character, _ points: [GridPoint], from last: GridPoint) {
            // Numbers that follow those of a command repeat it; after "m" they are lines.
            if letter != command {
                if letter != "l" || command != "m" { text.append(letter) }
            }
            let isFirst = text.last == letter
            command = letter
            for (index, point) in points.enumerated() {
                let way = point - last
                write(way.x, isSeparate: isFirst && index == 0)
                write(way.y, isSeparate: false)
            }
        }

        private mutating func write(_ steps: Int64, isSeparate: Bool) {
            var number = DecimalText.text(units: steps, decimals: GridPoint.decimals)
            if number.hasPrefix("0.") { number.removeFirst() }
            if number.hasPrefix("-0.") { number.remove(at: number.index(after: number.startIndex)) }
            if !isSeparate, steps >= 0 { text += " " }
            text += number
        }
    }

    private static func opacity(_ color: Color) -> String {
        color.alpha == 255 ? "" : " fill-opacity=\"\(share(color.alpha))\""
    }

    private static func share(_ alpha: UInt8) -> String { DecimalText.text(Double(alpha) / 255, decimals: 3) }
}
