// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Geometry
import Ink
import Raster

/// Sketches from JSON lines (docs/sketch.md). A torn last line is left out; anything else that is not as it should be
/// is an error. Members that are not known are ignored, so that later programs can say more.
public enum SketchDecoder {
    /// A year: no stroke takes longer, and sums of such times fit.
    private static let longestMicroseconds: Int64 = 366 * 86_400_000_000
    private static let longestName = 64

    private struct Header: Decodable {
        var format: String
        var version: Int
    }

    private struct Page: Decodable {
        var width, height: Int
        var dotsPerInch: Double
    }

    /// One of stroke and action.
    private struct Line: Decodable {
        struct Stroke: Decodable {
            var pen: String
            var color: String
            var width: Int32?
            var pressure: String?
            var switches: [String]?
            var samples: [[Int64]]
        }

        var stroke: Stroke?
        var action: String?
    }

    /// The page that the strokes are on, and what was done, with the bytes of the whole lines.
    public struct Contents: Equatable, Sendable {
        public var page: SketchPage
        public var entries: [SketchEntry]
        public var wholeByteCount: Int
    }

    public static func decode(_ bytes: [UInt8]) throws(SketchFormatError) -> Contents {
        let lines = CaptureLines.whole(bytes)
        guard let first = lines.first else { throw .notASketch("there is no whole line") }
        let header: Header
        do throws(SketchFormatError) {
            if first.count >= SketchEncoder.headerByteCount { throw .notASketch("the first line is too long") }
            header = try parse(Header.self, first, number: 1)
        } catch {
            throw .notASketch("the first line is no header")
        }
        guard header.format == SketchEncoder.format else { throw .notASketch("its format is another") }
        guard header.version == SketchEncoder.version else { throw .unsupportedVersion(header.version) }
        let page = try page(try parse(Page.self, first, number: 1))
        var entries: [SketchEntry] = []
        for (index, text) in lines.enumerated().dropFirst() {
            entries.append(try entry(try parse(Line.self, text, number: index + 1), number: index + 1))
        }
        return Contents(page: page, entries: entries, wholeByteCount: CaptureLines.wholeByteCount(bytes))
    }

    private static func page(_ page: Page) throws(SketchFormatError) -> SketchPage {
        let sides = 1...SketchPage.maximumSide
        guard sides.contains(page.width), sides.contains(page.height),
            PixelDensity.dotsPerInchRange.contains(page.dotsPerInch)
        else { throw .malformed(line: 1, reason: "no page has this size or density") }
        return SketchPage(
            size: PixelSize(width: page.width, height: page.height),
            density: PixelDensity(dotsPerInch: page.dotsPerInch))
    }

    private static func entry(_ line: Line, number: Int) throws(SketchFormatError) -> SketchEntry {
        switch (line.stroke, line.action) {
        case (nil, "undo"): return .undo
        case (nil, "redo"): return .redo
        case (nil, "clear"): return .clear
        case (let stroke?, nil): return .stroke(try self.stroke(stroke, number: number))
        default: throw .malformed(line: number, reason: "neither a stroke, nor an undo, a redo or a clear")
        }
    }

    private static func stroke(_ stroke: Line.Stroke, number: Int) throws(SketchFormatError) -> SketchStroke {
        func fault(_ reason: String) -> SketchFormatError { .malformed(line: number, reason: reason) }
        guard let color = Color(hex: stroke.color) else { throw fault("the colour is none") }
        if let width = stroke.width, !(1...SketchStroke.maximumWidth ~= width) { throw fault("no line is as wide") }
        if stroke.pen.utf8.count > longestName { throw fault("the pen's name is too long") }
        if stroke.samples.isEmpty { throw fault("a stroke without samples") }
        var samples: [SketchStroke.Sample] = []
        samples.reserveCapacity(stroke.samples.count)
        for (index, numbers) in stroke.samples.enumerated() {
            guard let sample = sample(numbers) else {
                throw fault("sample \(index + 1) is not a time, x, y and perhaps a pressure")
            }
            samples.append(sample)
        }
        // What a later program has more of is drawn as well as this one can.
        let pen = Pen(
            .default, pressureCurve: stroke.pressure.flatMap { PressureCurve(rawValue: $0) } ?? .linear,
            switches: Set((stroke.switches ?? []).compactMap { PenSwitch(rawValue: $0) }))
        var result = SketchStroke(pen: pen, color: color, samples: samples)
        result.pen = stroke.pen
        result.width = stroke.width
        return result
    }

    private static func sample(_ numbers: [Int64]) -> SketchStroke.Sample? {
        guard (3...4).contains(numbers.count), -longestMicroseconds...longestMicroseconds ~= numbers[0],
            let x = Int32(exactly: numbers[1]), let y = Int32(exactly: numbers[2])
        else { return nil }
        if numbers.count == 3 { return SketchStroke.Sample(microseconds: numbers[0], x: x, y: y) }
        guard 0...Int64(SketchStroke.pressureScale) ~= numbers[3] else { return nil }
        return SketchStroke.Sample(microseconds: numbers[0], x: x, y: y, pressure: Int32(numbers[3]))
    }

    private static func parse<Value: Decodable>(
        _ type: Value.Type, _ line: ArraySlice<UInt8>, number: Int
    ) throws(SketchFormatError) -> Value {
        do throws(JSONLineError) { return try JSONLine.parse(type, line) } catch {
            throw .malformed(line: number, reason: error.reason)
        }
    }
}
