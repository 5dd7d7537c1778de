// SPDX-License-Identifier: Apache-2.0
import Geometry
import Ink

/// Writes a sketch as JSON lines (docs/record.md). The same sketch gives the same bytes.
public enum SketchEncoder {
    static let format = "inkpanel-sketch"
    static let version = 1
    /// The maximum size of a header.
    static let headerByteCount = 4 << 10

    /// - Returns: the whole file.
    public static func encode(_ page: SketchPage, _ entries: [SketchEntry]) -> [UInt8] {
        let header = """
            {"dotsPerInch":\(page.density.dotsPerInch),"format":"\(format)","height":\(page.size.height),\
            "version":\(version),"width":\(page.size.width)}

            """
        return entries.reduce(into: Array(header.utf8)) { $0 += line($1) }
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
        // Encoding a string does not fail.
        bytes += (try? JSONLines.encode(stroke.pen)) ?? Array("\"\"".utf8)
        if stroke.pressureCurve != .linear { bytes += Array(",\"pressure\":\"\(stroke.pressureCurve.rawValue)\"".utf8) }
        bytes += Array(",".utf8)
        SampleList.append(stroke.samples, to: &bytes)
        if !stroke.switches.isEmpty {
            let names = stroke.switches.map { "\"\($0.rawValue)\"" }.sorted().joined(separator: ",")
            bytes += Array(",\"switches\":[\(names)]".utf8)
        }
        if let width = stroke.width { bytes += Array(",\"width\":\(width)".utf8) }
        return bytes + Array("}}\n".utf8)
    }
}

/// Reads sketches from JSON lines (docs/record.md). Ignores a torn last line, and unknown members, so that later
/// programs can add some; anything else that is wrong is an error.
public enum SketchDecoder {
    /// A year. No stroke takes longer, and sums of such times fit.
    private static let longestMicroseconds: Int64 = 366 * 86_400_000_000
    private static let longestName = 64

    private struct Page: Decodable {
        var width, height: Int
        var dotsPerInch: Double
    }

    /// Either a stroke or an action.
    private struct Line: Decodable {
        struct Stroke: Decodable {
            var pen: String
            var color: String
            var width: Int32?
            var pressure: String?
            var switches: [String]?
        }

        var stroke: Stroke?
        var action: String?
    }

    public struct Contents: Equatable, Sendable {
        public var page: SketchPage
        public var entries: [SketchEntry]
        /// The size of the whole lines.
        public var wholeByteCount: Int
    }

    public static func decode(_ bytes: [UInt8]) throws(SketchFormatError) -> Contents {
        let lines = JSONLines.whole(bytes)
        guard let first = lines.first else { throw .notASketch("there is no complete line") }
        guard first.count < SketchEncoder.headerByteCount,
            let format = try? JSONLines.parse(JSONLines.Format.self, first)
        else { throw .notASketch("the first line is not a header") }
        guard format.format == SketchEncoder.format else { throw .notASketch("it has another format") }
        guard format.version == SketchEncoder.version else { throw .unsupportedVersion(format.version) }
        var contents: Contents?
        for (index, line) in lines.enumerated() {
            do throws(JSONLineError) {
                if index == 0 {
                    contents = Contents(
                        page: try page(line), entries: [], wholeByteCount: JSONLines.wholeByteCount(bytes))
                } else {
                    contents!.entries.append(try entry(line))
                }
            } catch {
                throw .malformed(line: index + 1, reason: error.reason)
            }
        }
        return contents!
    }

    private static func page(_ line: ArraySlice<UInt8>) throws(JSONLineError) -> SketchPage {
        let page = try JSONLines.parse(Page.self, line)
        let sides = 1...SketchPage.maximumSide
        guard sides.contains(page.width), sides.contains(page.height),
            PixelDensity.dotsPerInchRange.contains(page.dotsPerInch)
        else { throw JSONLineError(reason: "the size or density of the page is out of range") }
        return SketchPage(
            size: PixelSize(width: page.width, height: page.height),
            density: PixelDensity(dotsPerInch: page.dotsPerInch))
    }

    private static func entry(_ text: ArraySlice<UInt8>) throws(JSONLineError) -> SketchEntry {
        let (value, samples, _) = try SampleList.read(text)
        let line = try JSONLines.decode(Line.self, value)
        switch (line.stroke, line.action) {
        case (nil, "undo"): return .undo
        case (nil, "redo"): return .redo
        case (nil, "clear"): return .clear
        case (let stroke?, nil): return .stroke(try self.stroke(stroke, samples ?? []))
        default: throw JSONLineError(reason: "neither a stroke, nor an undo, a redo or a clear")
        }
    }

    private static func stroke(
        _ stroke: Line.Stroke, _ samples: [SampleList.Sample]
    ) throws(JSONLineError) -> SketchStroke {
        guard let color = Color(hex: stroke.color) else { throw JSONLineError(reason: "the colour is not valid") }
        if let width = stroke.width, !(1...SketchStroke.maximumWidth ~= width) {
            throw JSONLineError(reason: "the width is out of range")
        }
        if stroke.pen.utf8.count > longestName { throw JSONLineError(reason: "the pen's name is too long") }
        if samples.isEmpty { throw JSONLineError(reason: "a stroke without samples") }
        let invalid = samples.firstIndex { sample in
            !(-longestMicroseconds...longestMicroseconds ~= sample.microseconds)
                || !(0...Int32(SketchStroke.pressureScale) ~= sample.pressure ?? 0)
        }
        if let invalid { throw JSONLineError(reason: "sample \(invalid + 1) is out of range") }
        // Settings that this program does not know are ignored.
        let pen = Pen(
            .default, pressureCurve: stroke.pressure.flatMap { PressureCurve(rawValue: $0) } ?? .linear,
            switches: Set((stroke.switches ?? []).compactMap { PenSwitch(rawValue: $0) }))
        var result = SketchStroke(pen: pen, color: color, samples: samples)
        result.pen = stroke.pen
        result.width = stroke.width
        return result
    }
}

/// Why a file is not a sketch.
public enum SketchFormatError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The first line is not a header, or it is not a file.
    case notASketch(String)
    /// Written by a later program.
    case unsupportedVersion(Int)
    /// The first line is line 1.
    case malformed(line: Int, reason: String)
    case tooLarge(limit: Int)

    public var description: String {
        switch self {
        case .notASketch(let reason): "not a sketch: \(reason)"
        case .unsupportedVersion(let version):
            "version \(version) of the sketch format is not supported (only \(SketchEncoder.version)): use a later "
                + "inkpanel"
        case .malformed(let line, let reason): "line \(line): \(reason)"
        case .tooLarge(let limit): "the sketch is larger than \(limit) bytes"
        }
    }
}
