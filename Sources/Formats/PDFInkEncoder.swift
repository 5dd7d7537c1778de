// SPDX-License-Identifier: Apache-2.0
public import Document
public import Geometry
import Ink

/// Writes the ink of a drawing, without its paper: the outlines that the panel fills, joined and rounded
/// (``ContourMerger``).
public enum PDFInkEncoder {
    /// Contours and the colour that they are filled with.
    private struct Run {
        var color: Color
        var contours: [GridContour]
    }

    /// - Parameters:
    ///   - density: that of the drawing.
    ///   - byteLimit: the most bytes of the content, which has about 14 bytes a vertex.
    /// - Throws: ``ExportError/noInk``, ``ExportError/textTooLarge(byteLimit:)``
    public static func encode(
        _ drawing: Drawing, density: PixelDensity, byteLimit: Int = 2 << 20
    ) throws(ExportError) -> DocumentInk {
        let runs = try runs(of: drawing, byteLimit: byteLimit)
        let points = runs.lazy.flatMap(\.contours).flatMap(\.vertices).flatMap { vertex -> [GridPoint] in
            vertex.controls.map { [$0.first, $0.second, vertex.point] } ?? [vertex.point]
        }
        guard let first = points.first else { throw .noInk }
        var (low, high) = (first, first)
        for point in points {
            low = GridPoint(x: min(low.x, point.x), y: min(low.y, point.y))
            high = GridPoint(x: max(high.x, point.x), y: max(high.y, point.y))
        }
        let scale = 72 / 25.4 / density.pixelsPerMillimetre / GridPoint.stepsPerPixel
        var writer = ContentWriter(left: low.x, bottom: high.y, scale: scale)
        for run in runs {
            writer.write(run.color)
            for contour in run.contours { writer.write(contour) }
            writer.fill()
            if writer.text.utf8.count > byteLimit { throw .textTooLarge(byteLimit: byteLimit) }
        }
        // Ink without width or height gets a size, too.
        return DocumentInk(
            width: max(Double(high.x - low.x) * scale, 0.01), height: max(Double(high.y - low.y) * scale, 0.01),
            content: writer.text)
    }

    private static func runs(of drawing: Drawing, byteLimit: Int) throws(ExportError) -> [Run] {
        let mostVertices = byteLimit / 8
        var runs: [Run] = []
        var count = 0
        for stroke in drawing.strokes {
            var merger: ContourMerger?
            func add(_ contour: GridContour) {
                count += contour.vertices.count
                if count <= mostVertices { runs[runs.count - 1].contours.append(contour) }
            }
            stroke.whileTrue { part in
                if count > mostVertices { return false }
                let ink = part.ink
                for (number, run) in ink.runs.enumerated() {
                    var start = run.start
                    // A run that continues in the next part is still one.
                    if number == 0, part.sharedCount > 0 {
                        start = part.sharedCount < ink.pieces.count ? ink.pieces[part.sharedCount].start : run.end
                    } else {
                        merger?.finish(add)
                        merger = ContourMerger()
                        runs.append(Run(color: opaque(drawing.color(of: run, in: stroke)), contours: []))
                    }
                    merger?.add(ink.outline, from: start, to: run.end, add)
                }
                return true
            }
            merger?.finish(add)
        }
        if count > mostVertices { throw .textTooLarge(byteLimit: byteLimit) }
        return runs.filter { !$0.contours.isEmpty }
    }

    /// The colour as it looks on white paper, opaque: PDF/A-1 forbids transparency.
    private static func opaque(_ color: Color) -> Color {
        var mixed = color.mixed(with: .white, 1 - Double(color.alpha) / 255)
        mixed.alpha = 255
        return mixed
    }

    /// Writes contours with two decimals of a point, which is 1/7200 inch.
    private struct ContentWriter {
        private(set) var text = ""
        /// The lower left corner of the ink, in steps of the grid, whose y points down.
        let left, bottom: Int64
        /// The points in a step of the grid.
        let scale: Double
        private var color: Color?

        init(left: Int64, bottom: Int64, scale: Double) { (self.left, self.bottom, self.scale) = (left, bottom, scale) }

        mutating func write(_ color: Color) {
            if color == self.color { return }
            self.color = color
            text += color.fillOperator
        }

        mutating func write(_ contour: GridContour) {
            guard let first = contour.vertices.first else { return }
            write([first.point], "m")
            // "h" draws a line back to the start.
            let closing = first.controls == nil ? [] : [first]
            for vertex in contour.vertices.dropFirst() + closing {
                if let controls = vertex.controls {
                    write([controls.first, controls.second, vertex.point], "c")
                } else {
                    write([vertex.point], "l")
                }
            }
            text += "h\n"
        }

        mutating func fill() { text += "f\n" }

        private mutating func write(_ points: [GridPoint], _ command: String) {
            for point in points {
                text += DecimalText.text(Double(point.x - left) * scale, decimals: 2) + " "
                text += DecimalText.text(Double(bottom - point.y) * scale, decimals: 2) + " "
            }
            text += command + "\n"
        }
    }
}
