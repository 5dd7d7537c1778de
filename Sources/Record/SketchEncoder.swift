// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Geometry
import Ink
import Raster

/// A sketch as JSON lines (docs/sketch.md): the same sketch gives the same bytes.
public enum SketchEncoder {
    static let format = "inkpanel-sketch"
    static let version = 1
    /// More than a header has.
    package static let headerByteCount = 4 << 10

    /// The whole file.
    public static func encode(_ page: SketchPage, _ entries: [SketchEntry]) -> [UInt8] {
        entries.reduce(into: line(page)) { $0 += line($1) }
    }

    static func line(_ page: SketchPage) -> [UInt8] {
        Array(
            """
            {"dotsPerInch":\(page.density.dotsPerInch),"format":"\(format)","height":\(page.size.height),\
            "version":\(version),"width":\(page.size.width)}

            """.utf8)
    }

    package static func line(_ entry: SketchEntry) -> [UInt8] {
        switch entry {
        case .stroke(let stroke): line(stroke)
        case .undo: action("undo")
        case .redo: action("redo")
        case .clear: action("clear")
        }
    }

    private static func action(_ name: String) -> [UInt8] { Array("{\"action\":\"\(name)\"}\n".utf8) }

    private static func line(_ stroke: SketchStroke) -> [UInt8] {
        precondition(!stroke.samples.isEmpty, "a stroke has a sample")
        var bytes = Array("{\"stroke\":{\"color\":\"\(stroke.color.hexText)\",\"pen\":".utf8)
        bytes += json(stroke.pen)
        if stroke.pressureCurve != .linear { bytes += Array(",\"pressure\":\"\(stroke.pressureCurve.rawValue)\"".utf8) }
        bytes += Array(",\"samples\":".utf8)
        var separator = UInt8(ascii: "[")
        for sample in stroke.samples {
            bytes.append(separator)
            bytes += Array("[\(sample.microseconds),\(sample.x),\(sample.y)".utf8)
            if let pressure = sample.pressure { bytes += Array(",\(pressure)".utf8) }
            bytes.append(UInt8(ascii: "]"))
            separator = UInt8(ascii: ",")
        }
        bytes.append(UInt8(ascii: "]"))
        if !stroke.switches.isEmpty {
            let names = stroke.switches.map { "\"\($0.rawValue)\"" }.sorted().joined(separator: ",")
            bytes += Array(",\"switches\":[\(names)]".utf8)
        }
        if let width = stroke.width { bytes += Array(",\"width\":\(width)".utf8) }
        return bytes + Array("}}\n".utf8)
    }

    private static func json(_ text: String) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        // Text always is JSON.
        return (try? encoder.encode(text)).map { Array($0) } ?? Array("\"\"".utf8)
    }
}
