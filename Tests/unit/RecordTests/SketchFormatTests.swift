// SPDX-License-Identifier: Apache-2.0
import CaptureFixtures
import Geometry
import Ink
import Raster
import Record
import TestSupport
import Testing

@Suite("The format of sketches")
struct SketchFormatTests {
    private static let page = SketchPage(
        size: PixelSize(width: 720, height: 480), density: PixelDensity(dotsPerInch: 133.3))

    /// An example; docs/record.md has part of it.
    private static let example = """
        {"dotsPerInch":133.3,"format":"inkpanel-sketch","height":480,"version":1,"width":720}
        {"stroke":{"color":"#0b1f5c","pen":"ink","samples":[[0,30720,25600],[8012,30854,25590,32768]],\
        "switches":["taper"],"width":700}}
        {"stroke":{"color":"#b3261e80","pen":"offset","pressure":"soft","samples":[[0,-3,5]],\
        "switches":["no-pinch","varying-color"]}}
        {"action":"undo"}
        {"action":"redo"}
        {"action":"clear"}

        """

    private static var entries: [SketchEntry] {
        let first = SketchStroke(
            pen: Pen(.ink, width: 0.7), color: Color(red: 0x0B, green: 0x1F, blue: 0x5C),
            samples: [
                .init(microseconds: 0, x: 30_720, y: 25_600),
                .init(microseconds: 8012, x: 30_854, y: 25_590, pressure: 32_768),
            ])
        let second = SketchStroke(
            pen: Pen(.offset, pressureCurve: .soft, switches: [.varyingColor, .noPinch]),
            color: Color(red: 0xB3, green: 0x26, blue: 0x1E, alpha: 0x80),
            samples: [.init(microseconds: 0, x: -3, y: 5)])
        return [.stroke(first), .stroke(second), .undo, .redo, .clear]
    }

    private static func reason(_ text: String) -> SketchFormatError? {
        do throws(SketchFormatError) {
            _ = try SketchDecoder.decode(Array(text.utf8))
            return nil
        } catch {
            return error
        }
    }

    @Test("a sketch has the documented bytes")
    func documented() throws {
        #expect(String(decoding: SketchEncoder.encode(Self.page, Self.entries), as: UTF8.self) == Self.example)
        let contents = try SketchDecoder.decode(Array(Self.example.utf8))
        #expect(contents.page == Self.page && contents.entries == Self.entries)
    }

    @Test("a sketch is read back equal", arguments: Breadth.seeds(6, long: 20))
    func roundTrip(seed: UInt64) throws {
        var source = RandomSketch(seed: seed)
        let page = SketchPage(
            size: PixelSize(width: 300, height: 200),
            density: PixelDensity(dotsPerInch: .random(in: 10...10_000, using: &source.random)))
        let entries = source.entries(30)
        let contents = try SketchDecoder.decode(SketchEncoder.encode(page, entries))
        #expect(contents.page == page && contents.entries == entries, "seed \(seed)")
    }

    @Test("whole lines before a cut are read")
    func torn() throws {
        let bytes = Array(Self.example.utf8)
        let ends = bytes.indices.filter { bytes[$0] == UInt8(ascii: "\n") }
        for count in ends[0] + 1...bytes.count {
            let contents = try SketchDecoder.decode(Array(bytes[..<count]))
            let lines = ends.filter { $0 < count }.count
            #expect(contents.entries == Array(Self.entries.prefix(lines - 1)))
            #expect(contents.wholeByteCount == ends[lines - 1] + 1)
        }
        for count in 0...ends[0] {
            #expect(
                Self.reason(String(decoding: bytes[..<count], as: UTF8.self))
                    == .notASketch("there is no complete line"))
        }
    }

    @Test("invalid sketches are refused with line and reason")
    func refused() {
        let header = "{\"dotsPerInch\":100,\"format\":\"inkpanel-sketch\",\"height\":9,\"version\":1,\"width\":9}\n"
        func line(_ text: String) -> SketchFormatError? { Self.reason(header + text + "\n") }
        func stroke(_ members: String) -> SketchFormatError? { line("{\"stroke\":{\(members)}}") }
        func malformed(_ reason: String) -> SketchFormatError { .malformed(line: 2, reason: reason) }
        #expect(line("{\"action\":\"undo\"}") == nil)
        #expect(Self.reason("hello\n") == .notASketch("the first line is not a header"))
        #expect(Self.reason("{\"format\":\"other\",\"version\":1}\n") == .notASketch("it has another format"))
        #expect(Self.reason(header.replacing("\"version\":1", "\"version\":2")) == .unsupportedVersion(2))
        for bad in ["\"width\":0", "\"width\":40000", "\"width\":-1"] {
            #expect(
                Self.reason(header.replacing("\"width\":9", bad))
                    == .malformed(line: 1, reason: "the size or density of the page is out of range"))
        }
        let entryReason = "neither a stroke, nor an undo, a redo or a clear"
        let dot = "{\"pen\":\"ink\",\"color\":\"#000\",\"samples\":[[0,0,0]]}"
        for bad in ["{}", "{\"action\":\"burn\"}", "{\"action\":\"undo\",\"stroke\":\(dot)}"] {
            #expect(line(bad) == malformed(entryReason), "\(bad)")
        }
        #expect(
            stroke("\"pen\":\"ink\",\"color\":\"red\",\"samples\":[[0,0,0]]") == malformed("the colour is not valid"))
        #expect(stroke("\"pen\":\"ink\",\"color\":\"#000\",\"samples\":[]") == malformed("a stroke without samples"))
        for width in ["0", "1000001"] {
            #expect(
                stroke("\"pen\":\"ink\",\"color\":\"#000\",\"width\":\(width),\"samples\":[[0,0,0]]")
                    == malformed("the width is out of range"))
        }
        func wrongSample(_ bad: String) -> String? {
            line("{\"stroke\":{\"pen\":\"ink\",\"color\":\"#000\",\"samples\":[[0,1,2],\(bad)]}}")?.description
        }
        for bad in ["[0,0]", "[0,0,0,0,0]", "[0,2147483648,0]", "{}"] {
            #expect(wrongSample(bad)?.contains("(stroke.samples[1]): ") == true, "\(bad)")
        }
        for bad in ["[0,0,0,65537]", "[0,0,0,-1]", "[99999999999999999,0,0]"] {
            #expect(wrongSample(bad) == "line 2: sample 2 is out of range", "\(bad)")
        }
    }

    @Test("changed bytes do not crash the decoder", arguments: Breadth.seeds(8, long: 30))
    func hostile(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<60 {
            var bytes = Array(Self.example.utf8)
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes[place] = .random(in: 0...255, using: &random)
                case 1: bytes.remove(at: place)
                default: bytes.insert(contentsOf: bytes[place...].prefix(9), at: place)
                }
            }
            _ = try? SketchDecoder.decode(bytes)
        }
        let nested = "{\"a\":" + String(repeating: "[", count: 100_000) + "\n"
        #expect(Self.reason(nested) != nil)
    }
}

extension String {
    fileprivate func replacing(_ part: String, _ other: String) -> String {
        guard let range = firstRange(of: part) else { return self }
        return String(self[..<range.lowerBound]) + other + String(self[range.upperBound...])
    }
}
