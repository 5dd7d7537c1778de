// SPDX-License-Identifier: Apache-2.0
import Geometry
import Ink
import Raster
import Record

/// Writes a drawing as SVG 1.1. A stroke is one path for each run of equal tone: the outlines that the panel fills,
/// joined and rounded (``ContourMerger``), with the non-zero rule.
public enum SVGEncoder {
    /// - Parameters:
    ///   - dotsPerInch: for the size of the picture in millimetres; nil leaves it in pixels.
    ///   - isTransparent: leaves out the paper.
    /// - Throws: ``ExportError/textTooLarge(byteLimit:)``; drawing stops as soon as the paths exceed the limit.
    public static func encode(
        _ drawing: Drawing, dotsPerInch: Double? = nil, isTransparent: Bool = false,
        identity: PictureIdentity? = nil, byteLimit: Int = .max
    ) throws(ExportError) -> [UInt8] {
        func length(_ pixels: Int) -> String {
            guard let dotsPerInch else { return "\(pixels)" }
            return DecimalText.text(Double(pixels) * 25.4 / dotsPerInch, decimals: 3) + "mm"
        }
        let size = drawing.size
        let head = """
            <?xml version="1.0" encoding="UTF-8"?>
            <svg xmlns="http://www.w3.org/2000/svg" width="\(length(size.width))" height="\(length(size.height))" \
            viewBox="0 0 \(size.width) \(size.height)">
            \(identity?.svg ?? "")\(isTransparent ? "" : paper(drawing))\
            <g fill="\(drawing.color.rgbHex)" fill-rule="nonzero"\(opacity(drawing.color))>

            """
        var paths = PathWriter(head)
        for stroke in drawing.strokes {
            if paths.byteCount > byteLimit { break }
            // One part at a time, to save memory. A run that continues in the next part is still one path.
            stroke.whileTrue { part in
                let ink = part.ink
                for (number, run) in ink.runs.enumerated() {
                    var start = run.start
                    if number == 0, part.sharedCount > 0 {
                        start = part.sharedCount < ink.pieces.count ? ink.pieces[part.sharedCount].start : run.end
                    } else {
                        paths.begin(fill(drawing, stroke, run))
                    }
                    paths.add(ink.outline, from: start, to: run.end)
                }
                return paths.byteCount <= byteLimit
            }
            paths.end()
        }
        let text = paths.text(endingWith: "</g>\n</svg>\n")
        if text.count > byteLimit { throw .textTooLarge(byteLimit: byteLimit) }
        return text
    }

    /// The attributes of a run that differs from the drawing's colour.
    private static func fill(_ drawing: Drawing, _ stroke: Drawing.Stroke, _ run: StrokeInk.Run) -> String {
        if stroke.color == nil, run.tone == nil { return "" }
        let color = drawing.color(of: run, in: stroke)
        return " fill=\"\(color.rgbHex)\"" + opacity(color, unless: drawing.color.alpha)
    }

    private static func paper(_ drawing: Drawing) -> String {
        let size = drawing.size
        return "<rect width=\"\(size.width)\" height=\"\(size.height)\" fill=\"\(drawing.background.rgbHex)\"/>\n"
    }

    /// Writes contours in SVG path syntax, relative, in pixels with two decimals.
    private struct PathWriter {
        private var text: [UInt8]
        private var merger: ContourMerger?
        /// The start of the path and of its contours in ``text``.
        private var places = (path: 0, contours: 0)
        /// The start of the last contour, to which "z" returns.
        private var start = GridPoint(x: 0, y: 0)
        private var command: Character?

        init(_ head: String) { text = Array(head.utf8) }

        var byteCount: Int { text.count }

        /// Begins a path after ending the previous one.
        mutating func begin(_ attributes: String) {
            end()
            let path = text.count
            append("<path\(attributes) d=\"")
            places = (path, text.count)
            (start, command, merger) = (GridPoint(x: 0, y: 0), nil, ContourMerger())
        }

        mutating func add(_ outline: Path, from start: Path.Mark, to end: Path.Mark) {
            guard var merger = merger.take() else { return }
            merger.add(outline, from: start, to: end) { add($0) }
            self.merger = merger
        }

        mutating func end() {
            guard var merger = merger.take() else { return }
            merger.finish { add($0) }
            if text.count == places.contours { text.removeLast(text.count - places.path) } else { append("\"/>\n") }
        }

        consuming func text(endingWith tail: String) -> [UInt8] {
            text.append(contentsOf: tail.utf8)
            return text
        }

        private mutating func append(_ words: String) { text.append(contentsOf: words.utf8) }

        private mutating func add(_ contour: GridContour) {
            guard let first = contour.vertices.first else { return }
            write("m", [first.point], from: start)
            start = first.point
            var last = start
            // "z" draws a line back to the start.
            let closing = first.controls == nil ? [] : [first]
            for vertex in contour.vertices.dropFirst() + closing {
                if let controls = vertex.controls {
                    write("c", [controls.first, controls.second, vertex.point], from: last)
                } else {
                    write("l", [vertex.point], from: last)
                }
                last = vertex.point
            }
            append("z")
            command = nil
        }

        private mutating func write(_ letter: Character, _ points: [GridPoint], from last: GridPoint) {
            // Further numbers repeat the command; after "m" they are lines.
            if letter != command {
                if letter != "l" || command != "m" { append(String(letter)) }
            }
            let isFirst = text.last == letter.asciiValue
            command = letter
            for (index, point) in points.enumerated() {
                let step = point - last
                write(step.x, isSeparate: isFirst && index == 0)
                write(step.y, isSeparate: false)
            }
        }

        private mutating func write(_ steps: Int64, isSeparate: Bool) {
            var number = DecimalText.text(units: steps, decimals: GridPoint.decimals)
            if number.hasPrefix("0.") { number.removeFirst() }
            if number.hasPrefix("-0.") { number.remove(at: number.index(after: number.startIndex)) }
            if !isSeparate, steps >= 0 { append(" ") }
            append(number)
        }
    }

    /// The attribute for the colour's opacity, unless the element has it already.
    private static func opacity(_ color: Color, unless inherited: UInt8 = 255) -> String {
        if color.alpha == inherited { return "" }
        return " fill-opacity=\"\(DecimalText.text(Double(color.alpha) / 255, decimals: 3))\""
    }
}
