// SPDX-License-Identifier: Apache-2.0
import CaptureFixtures
import Geometry
import Ink
import Record
import TestSupport
import Testing

@testable import Formats

@Suite("InkML, read")
struct InkMLDecoderTests {
    private func decode(_ body: String) throws -> ImportedInk {
        try InkMLDecoder.decode(Array("<ink xmlns=\"http://www.w3.org/2003/InkML\">\(body)</ink>".utf8))
    }

    /// The positions of all samples.
    private func places(_ body: String) throws -> [[[Double]]] {
        try decode(body).strokes.map { $0.map { [$0.position.x, $0.position.y] } }
    }

    private func format(_ channels: String...) -> String {
        let list = channels.map { "<channel " + $0 + "/>" }
        return "<traceFormat>" + list.joined() + "</traceFormat>"
    }

    @Test("without a format, traces are X and Y of unknown size")
    func plain() throws {
        let ink = try decode("<trace>10 0, 9 14,\n 8 28 , 7 42</trace><trace> </trace><trace>1.5 -2e1,</trace>")
        #expect(ink.unit == .arbitrary)
        #expect(ink.strokes.map { $0.map(\.position.x) } == [[10, 9, 8, 7], [1.5]])
        #expect(ink.strokes[1][0].position.y == -20)
        #expect(ink.strokes[0].allSatisfy { $0.pressure == nil })
        // 100 samples a second without times.
        #expect(ink.strokes[0].map(\.time) == [0, 10_000, 20_000, 30_000])
    }

    private func points(_ text: String, _ format: InkMLFormat) throws -> [[Double?]] {
        var points: [[Double?]] = []
        try InkMLTrace.forEachPoint(Array(text.utf8), format) { point throws(InkMLTrace.Malformed) in
            points.append(point)
        }
        return points
    }

    @Test("constructs that make a small file large in memory are refused")
    func amplification() {
        func reason(_ document: String) -> String {
            do {
                _ = try InkMLDecoder.decode(Array(document.utf8))
                return "none"
            } catch { return "\(error)" }
        }
        let long = String(repeating: "n", count: 2000)
        let traces = String(repeating: "<trace>1 1</trace>", count: 20)
        #expect(
            reason("<!DOCTYPE ink [<!ATTLIST trace id CDATA \"\(long)\">]><ink>\(traces)</ink>").contains(
                "line 1: it declares attributes"))
        #expect(reason("<!DOCTYPE ink [<!ELEMENT ink ANY>]><ink>\(traces)</ink>") == "none")
        #expect(
            reason("<ink><trace id='a'>1 1</trace><trace xml:id='a'>2 2</trace></ink>").contains(
                "two traces have the id a"))
        for element in ["context", "traceFormat", "inkSource"] {
            let twice = "<definitions><\(element) xml:id='a'/><\(element) xml:id='a'/></definitions>"
            #expect(reason("<ink>\(twice)</ink>").contains("have the id a"), "\(element)")
        }
        #expect(
            reason("<ink><traceGroup contextRef='#\(long)'>\(traces)</traceGroup></ink>").contains(
                "contextRef has more"))
        let channels = String(repeating: "<channel name='A'/>", count: 100)
        #expect(reason("<ink><traceFormat>\(channels)</traceFormat></ink>").contains("more than 64 channels"))
        let intermittent = "<channel name='X'/><intermittentChannels><channel name='Y'/></intermittentChannels>"
        #expect(
            reason("<ink><traceFormat>\(intermittent)</traceFormat><trace>1,,,</trace></ink>").contains("intermittent"))
        let chain = (0..<40).map { "<context xml:id='c\($0)' contextRef='#c\($0 + 1)'/>" }.joined()
        let definitions = "<definitions>\(chain)<context xml:id='c40'/></definitions>"
        #expect(reason("<ink>\(definitions)<trace contextRef='#c0'>1 1</trace></ink>").contains("more than 32 deep"))
    }

    @Test("the Recommendation's example is read: differences, second differences, wildcards, booleans")
    func differences() throws {
        var format = InkMLFormat.standard
        format.channels += ["B1", "B2"].compactMap { InkMLChannel(["name": $0, "type": "boolean"]) }
        let text = "1125 18432 F F,'23'43,\"7\"-8,3-5,7 -3,6 2,6 8,3 6 T,2 4*T,3 6,3-6 F F"
        let points = try points(text, format)
        #expect(
            points.map { [$0[0], $0[1]] } == [
                [1125, 18432], [1148, 18475], [1178, 18510], [1211, 18540], [1251, 18567], [1297, 18596],
                [1349, 18633], [1404, 18676], [1461, 18723], [1521, 18776], [1584, 18823],
            ])
        #expect(points.map { $0[2] } == [0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 0])
        #expect(points.map { $0[3] } == [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0])
    }

    @Test(
        "all forms of values are read",
        arguments: [
            ("1 2", [[1, 2]]), ("1-2", [[1, -2]]), ("- 1 +2", [[-1, 2]]), ("#1F #-a", nil), ("#1F -#a", [[31, -10]]),
            (".5 5.", [[0.5, 5]]), ("1e2-1E-2", [[100, -0.01]]),
            ("1 1,'1'2,1 1,!5 '1,6 0", [[1, 1], [2, 3], [3, 4], [5, 5], [6, 5]]),
            ("1 1,* 2,? 3", [[1, 1], [1, 2], [nil, 3]]), ("'1 1", nil), ("1", nil), ("1 2 3", nil), ("1 x", nil),
            ("1 --2", nil), ("1 e", nil), ("1e400 1", nil), (",", nil), ("1 2,,3 4", nil), ("", []),
        ] as [(String, [[Double?]]?)])
    func values(text: String, expected: [[Double?]]?) throws {
        let points = try? points(text, .standard)
        #expect(points == expected)
    }

    @Test("channels follow the order of the format; pressure is scaled to its range, time by its unit")
    func channels() throws {
        let ink = try decode(
            format(
                "name=\"T\" units=\"s\"", "name=\"F\" min=\"100\" max=\"300\"", "name=\"Y\" units=\"cm\"",
                "name=\"X\" units=\"cm\"")
                + "<trace>0.5 150 2 1,0.75 ? 4 3,1 400 6 5</trace>")
        #expect(ink.unit == .millimetres)
        #expect(
            ink.strokes == [
                [
                    Sample(time: Timestamp(microseconds: 500_000), position: Point(x: 10, y: 20), pressure: 0.25),
                    Sample(time: Timestamp(microseconds: 750_000), position: Point(x: 30, y: 40)),
                    Sample(time: Timestamp(microseconds: 1_000_000), position: Point(x: 50, y: 60), pressure: 1),
                ]
            ])
    }

    @Test("pressure without a maximum is scaled to the largest one; one that never varies is ignored")
    func pressure() throws {
        let channels = format("name=\"X\"", "name=\"Y\"", "name=\"F\"")
        let strokes = try decode(channels + "<trace>1 1 10,1 2 20</trace><trace>1 1 40</trace>").strokes
        #expect(strokes.joined().map(\.pressure) == [0.25, 0.5, 1])
        #expect(try decode(channels + "<trace>1 1 7,1 2 7</trace>").strokes[0].map(\.pressure) == [nil, nil])
        #expect(try decode(channels + "<trace>1 1 7,1 2 0</trace>").strokes[0].map(\.pressure) == [nil, nil])
        let percent = format("name=\"X\"", "name=\"Y\"", "name=\"F\" units=\"%\"")
        #expect(try decode(percent + "<trace>1 1 50,1 2 25</trace>").strokes[0].map(\.pressure) == [0.5, 0.25])
    }

    @Test(
        "units of length become millimetres",
        arguments: [
            ("m", 1000.0), ("cm", 10), ("mm", 1), ("in", 25.4), ("pt", 25.4 / 72), ("pc", 25.4 / 6),
            ("himetric", 0.01), ("HIMETRIC", 0.01), ("CM", 10), ("um", 0.001), ("\u{B5}m", 0.001), ("\u{3BC}m", 0.001),
            ("nm", 1e-6), ("micrometre", 0.001), ("Millimeters", 1), ("inches", 25.4), ("twips", 25.4 / 1440),
            ("EMU", 25.4 / 914_400), ("mil", 0.0254), (" mm ", 1),
        ] as [(String, Double)])
    func units(unit: String, millimetres: Double) throws {
        let ink = try decode(format("name=\"X\" units=\"\(unit)\"", "name=\"Y\" units=\"mm\"") + "<trace>2 3</trace>")
        #expect(ink.unit == .millimetres && ink.strokes[0][0].position == Point(x: 2 * millimetres, y: 3))
    }

    @Test(
        "units of time become microseconds",
        arguments: [
            ("s", 2_000_000), ("S", 2_000_000), ("ms", 2000), ("MS", 2000), ("us", 2), ("\u{B5}s", 2),
            ("seconds", 2_000_000),
            ("msec", 2000), ("", 2000), ("dev", 2000),
        ] as [(String, Int64)])
    func times(unit: String, microseconds: Int64) throws {
        let channels = format("name=\"X\"", "name=\"Y\"", "name=\"T\" units=\"\(unit)\"")
        #expect(
            try decode(channels + "<trace>1 1 0,1 1 2</trace>").strokes[0][1].time
                == Timestamp(microseconds: microseconds))
        let fine = format("name=\"X\"", "name=\"Y\"", "name=\"T\" units=\"ns\"")
        #expect(try decode(fine + "<trace>1 1 0,1 1 2000</trace>").strokes[0][1].time == 2)
    }

    @Test(
        "other units are refused by name",
        arguments: [
            ("X", "furlong"), ("X", "em"), ("X", "s"), ("Y", "%"), ("Y", "deg"), ("T", "fortnight"), ("T", "mm"),
            ("T", "px"),
        ])
    func unknownUnits(channel: String, unit: String) {
        let channels = ["X", "Y", "T"].map {
            "name=\"\($0)\" units=\"\($0 == channel ? unit : $0 == "T" ? "ms" : "mm")\""
        }
        let error = thrownError { try decode(format(channels[0], channels[1], channels[2]) + "<trace>1 1 1</trace>") }
        let wanted = "channel \(channel) has units=\"\(unit)\"; expected one of \(channel == "T" ? "s ms" : "m cm mm")"
        #expect((error as? ImportError)?.description.contains(wanted) == true, "\(String(describing: error))")
    }

    /// A trace of Office's integers: 1000 and 500 in `units`, and the resolution `value` in `per`.
    private func office(_ units: String, _ value: String?, _ per: String) throws -> ImportedInk {
        let properties = ["X", "Y"].map {
            "<channelProperty channel=\"\($0)\" name=\"resolution\" value=\"\(value ?? "")\" units=\"\(per)\"/>"
        }
        let channels = ["X", "Y"].map { "name=\"\($0)\" type=\"integer\" max=\"32767\" units=\"\(units)\"" }
        let list = value == nil ? "" : "<channelProperties>\(properties.joined())</channelProperties>"
        return try decode(
            "<definitions><context xml:id=\"c\"><inkSource xml:id=\"s\">\(format(channels[0], channels[1]))\(list)"
                + "</inkSource></context></definitions><trace contextRef=\"#c\">1000 500</trace>")
    }

    @Test("himetric, alone or with its resolution, is a thousand to the centimetre")
    func himetric() throws {
        let ink = [
            try office("cm", "1000", "1/cm"), try office("himetric", nil, ""),
            try office("himetric", "1", "1/himetric"),
            try office("HIMETRIC", "1000", "1 / CM"), try office("dev", "2540", "dpi"),
            try office("px", "2540", "dev/in"),
            try office("cm", "1000", ""), try office("himetric", "1", "1/dev"),
            try office("himetric", "0", "1/himetric"),
        ]
        for ink in ink {
            let place = ink.strokes[0][0].position
            #expect(ink.unit == .millimetres && abs(place.x - 10) < 1e-9 && abs(place.y - 5) < 1e-9)
        }
        for per in ["1/furlong", "cm", "1/s"] {
            let error = thrownError { try office("cm", "1000", per) }
            let wanted = "channel X has a resolution with units=\"\(per)\"; expected 1/ and one of m cm"
            #expect((error as? ImportError)?.description.contains(wanted) == true, "\(String(describing: error))")
        }
    }

    @Test("points without times lie between those with times, and those without a position are counted")
    func missingTimes() throws {
        let channels = format("name=\"X\"", "name=\"Y\"", "name=\"T\"")
        let ink = try decode(
            channels + "<trace>1 1 ?,2 2 100,? 3 110,3 3 ?,4 4 200,5 5 ?</trace><trace>1 1 5,2 2 5</trace>")
        #expect(
            ink.strokes.map { $0.map(\.time) } == [
                [90_000, 100_000, 150_000, 200_000, 210_000], [5000, 15_000],
            ])
        #expect(ink.leftOutCount == 1)
    }

    @Test("pixels are pixels, other units have no known size, and a reversed channel is mirrored")
    func otherUnits() throws {
        let pixels = try decode(format("name=\"X\" units=\"px\"", "name=\"Y\" units=\"px\"") + "<trace>2 3</trace>")
        #expect(pixels.unit == .pixels)
        let device = try decode(
            format("name=\"X\" units=\"dev\"", "name=\"Y\" units=\"dev\" orientation=\"-ve\"") + "<trace>2 3</trace>")
        #expect(device.unit == .arbitrary && device.strokes[0][0].position == Point(x: 2, y: -3))
    }

    @Test("integers with a resolution are device units, as Office writes them")
    func resolution() throws {
        let body = """
            <definitions><context xml:id="c"><inkSource xml:id="s"><traceFormat>
            <channel name="X" type="integer" max="32767" units="cm"/><channel name="Y" type="integer" units="cm"/>
            <channel name="T" type="integer" units="dev"/></traceFormat>
            <channelProperties><channelProperty channel="X" name="resolution" value="1000" units="1/cm"/>
            <channelProperty channel="Y" name="resolution" value="500" units="1/cm"/></channelProperties>
            </inkSource></context></definitions>
            <trace contextRef="#c">1000 1000 0,'50'25'8</trace>
            """
        let ink = try decode(body)
        #expect(ink.unit == .millimetres)
        #expect(ink.strokes[0].map(\.position) == [Point(x: 10, y: 20), Point(x: 10.5, y: 20.5)])
        #expect(ink.strokes[0].map(\.time) == [0, 8000])
    }

    @Test("a trace has the format of its context, of its group's, or of the last context beside the traces")
    func contexts() throws {
        let yx = format("name=\"Y\"", "name=\"X\"")
        let body = """
            <trace>1 2</trace>
            <trace contextRef="#late">1 2</trace>
            <traceGroup contextRef="#late"><traceGroup><trace>3 4</trace></traceGroup></traceGroup>
            <context>\(yx)</context>
            <trace>5 6</trace>
            <trace contextRef="#DefaultContext">7 8</trace>
            <definitions><context xml:id="late" contextRef="#base"/><context xml:id="base" traceFormatRef="#yx"/>
            <traceFormat xml:id="yx"><channel name="Y"/><channel name="X"/></traceFormat></definitions>
            """
        #expect(try places(body) == [[[1, 2]], [[2, 1]], [[4, 3]], [[6, 5]], [[7, 8]]])
        // Data sets of formulas have the format there.
        #expect(try places(yx + "<trace id=\"0\">1 2</trace>") == [[[2, 1]]])
    }

    @Test("samples without times follow at the stated rate")
    func sampleRate() throws {
        let format = format("name=\"X\"", "name=\"Y\"")
        let source = "<inkSource xml:id=\"s\">\(format)<sampleRate value=\"200\"/></inkSource>"
        let body = "<definitions>\(source)<context xml:id=\"c\" inkSourceRef=\"#s\"/></definitions>"
        let strokes = try decode(body + "<trace contextRef=\"#c\">1 1,2 2,3 3</trace>").strokes
        #expect(strokes[0].map(\.time) == [0, 5000, 10_000])
    }

    @Test("traces in the air, in definitions and in other languages are ignored")
    func noInk() throws {
        let body = """
            <definitions><trace xml:id="t">1 1</trace></definitions><trace type="penUp">2 2</trace>
            <annotationXML><trace>3 3</trace></annotationXML><traceView traceDataRef="#t"/>
            <annotation>4 4</annotation><trace type="indeterminate">5 5<!-- 6 6 --></trace>
            """
        #expect(try places(body) == [[[5, 5]]])
    }

    @Test("a continued trace is appended to the one that it names, or to the previous one")
    func continuations() throws {
        let body = """
            <trace id="a" continuation="begin">1 1</trace><trace id="b">9 9</trace>
            <trace id="c" continuation="middle" priorRef="#a">2 2</trace>
            <trace continuation="end" priorRef="#c">3 3</trace><trace continuation="end">4 4</trace>
            """
        #expect(try places(body) == [[[1, 1], [2, 2], [3, 3]], [[9, 9], [4, 4]]])
    }

    @Test("prefixes, a document type and UTF-16 are accepted")
    func forms() throws {
        let text =
            "<?xml version=\"1.0\"?><!DOCTYPE i:ink SYSTEM \"x.dtd\"><i:ink xmlns:i=\"u\">"
            + "<i:trace>1 2</i:trace></i:ink>"
        #expect(try InkMLDecoder.decode(Array(text.utf8)).strokes.count == 1)
        let wide: [UInt8] = [0xFF, 0xFE] + text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        #expect(try InkMLDecoder.decode(wide).strokes.count == 1)
    }

    @Test(
        "invalid files are refused with the place and the reason",
        arguments: [
            ("<ink><trace>1 2", "line 1: the XML is truncated or malformed"), ("", "malformed (no element found)"),
            ("<svg/>", "line 1: the document is <svg>, not InkML's <ink>"),
            ("<ink>\n<trace>1 2,3</trace></ink>", "trace 1, point 2 has 1 values, and its trace format 2 channels"),
            ("<ink><trace/><trace>1 2 3</trace></ink>", "trace 2, point 1 has more values than its trace format"),
            ("<ink><trace>1 x</trace></ink>", "trace 1, point 1 contains something that is not a number"),
            ("<ink><trace>'1 1</trace></ink>", "has a difference without a previous value"),
            ("<ink><trace>1e300 1</trace></ink>", "trace 1, point 1 is out of range"),
            ("<ink><trace contextRef='#c'>1 1</trace></ink>", "contextRef=\"#c\" refers to nothing in the file"),
            ("<ink><context xml:id='c' contextRef='#c'/><trace>1 1</trace></ink>", "in a circle"),
            ("<ink>\n<traceFormat><channel/></traceFormat></ink>", "line 2: a channel has no name"),
            ("<ink><traceFormat><channel name='X'/></traceFormat><trace>1</trace></ink>", "no channels X and Y"),
            (
                "<ink><traceFormat><channel name='X' units='mm'/><channel name='Y'/></traceFormat>"
                    + "<trace>1 1</trace></ink>",
                "different kinds of units"
            ),
            (
                "<ink><trace>1 1</trace><traceFormat><channel name='X' units='mm'/><channel name='Y' units='mm'/>"
                    + "</traceFormat><trace>1 1</trace></ink>",
                "some traces have sizes and others have none"
            ),
            ("<!DOCTYPE ink [\n<!ENTITY a 'b'>]><ink/>", "line 2: it defines entities"),
        ])
    func refuses(text: String, expected: String) {
        let error = thrownError { try InkMLDecoder.decode(Array(text.utf8)) }
        let description = (error as? ImportError)?.description ?? ""
        #expect(description.contains(expected) && description.hasPrefix("not readable as InkML: "), "\(description)")
    }

    @Test("nested entities and deep elements are refused")
    func bombs() {
        var text = "<!DOCTYPE ink [<!ENTITY a0 \"\(String(repeating: "x", count: 100))\">"
        for level in 1...20 { text += "<!ENTITY a\(level) \"\(String(repeating: "&a\(level - 1);", count: 10))\">" }
        text += "]><ink><trace>&a20;</trace></ink>"
        #expect(throws: ImportError.self) { try InkMLDecoder.decode(Array(text.utf8)) }
        let deep = "<ink>" + String(repeating: "<traceGroup>", count: 200_000)
        let error = thrownError { try InkMLDecoder.decode(Array(deep.utf8)) }
        #expect((error as? ImportError)?.description.contains("more than 100 deep") == true)
    }

    @Test(
        "mutated files are read or refused, and numbers are finite",
        arguments: Breadth.seeds(66, long: 400))
    func fuzz(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var bytes = try InkMLEncoder.encode(.random(seed: seed % 7))
        // Changes bytes within the traces.
        let start = try #require(bytes.firstRange(of: Array("<trace ".utf8))).upperBound
        bytes.removeSubrange(min(start + 500, bytes.count - 20)...)
        bytes += Array(",'1'2'3'4,\"5?*T,#F 1e5</trace></ink>".utf8)
        for _ in 0..<Int.random(in: 0...4, using: &random) {
            let index = Int.random(in: 0..<bytes.count, using: &random)
            switch Int.random(in: 0..<3, using: &random) {
            case 0: bytes[index] = .random(in: 0...255, using: &random)
            case 1: bytes.remove(at: index)
            default: bytes.insert(Array("'\"!*?,-#<&>eTF 09".utf8).randomElement(using: &random)!, at: index)
            }
        }
        guard let ink = try? InkMLDecoder.decode(bytes) else { return }
        #expect(ink.strokes.joined().allSatisfy { abs($0.position.x) <= 1e9 && abs($0.position.y) <= 1e9 })
    }
}
