// SPDX-License-Identifier: Apache-2.0
public import Document
public import Geometry

extension PDFInkEncoder {
    /// Writes a path that is filled by the non-zero rule.
    /// - Parameters:
    ///   - path: from 0, 0, y down.
    ///   - width: the width of the result, in the units of the path, as `height`.
    ///   - scale: the points in a unit of the path.
    ///   - color: opaque.
    public static func encode(
        _ path: Path, width: Double, height: Double, scale: Double, color: Color = .black
    ) -> DocumentInk {
        var content = color.fillOperator
        func write(_ points: ArraySlice<Point>, _ command: String) {
            for point in points {
                content += DecimalText.text(point.x * scale, decimals: 2) + " "
                content += DecimalText.text((height - point.y) * scale, decimals: 2) + " "
            }
            content += command + "\n"
        }
        var next = 0
        for verb in path.verbs {
            let (count, command) =
                switch verb {
                case .move: (1, "m")
                case .line: (1, "l")
                case .cubic: (3, "c")
                }
            write(path.points[next..<next + count], command)
            next += count
        }
        if !path.isEmpty { content += "f\n" }
        return DocumentInk(width: max(width * scale, 0.01), height: max(height * scale, 0.01), content: content)
    }
}

extension Color {
    /// The operator that sets the colour of fills (ISO 32000-1, 8.6.8), with a line end. Alpha is ignored.
    package var fillOperator: String {
        let channels = [red, green, blue].map { DecimalText.text(Double($0) / 255, decimals: 3) }
        return channels.joined(separator: " ") + " rg\n"
    }
}

extension DocumentInk {
    /// The operators for the ink at another size and place, in points.
    package func content(scaledBy scale: Double, x: Double, y: Double) -> String {
        var result = ""
        for line in content.split(separator: "\n") {
            let words = line.split(separator: " ")
            guard let command = words.last, ["m", "l", "c"].contains(command) else {
                result += line + "\n"
                continue
            }
            for (index, word) in words.dropLast().enumerated() {
                let number = (Double(word) ?? 0) * scale + (index % 2 == 0 ? x : y)
                result += DecimalText.text(number, decimals: 2) + " "
            }
            result += command + "\n"
        }
        return result
    }
}
