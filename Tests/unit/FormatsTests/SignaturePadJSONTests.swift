// SPDX-License-Identifier: Apache-2.0
import Formats
import Geometry
import Ink
import Record
import TestSupport
import Testing

@Suite("signature_pad JSON")
struct SignaturePadJSONTests {
    private func decode(_ text: String) throws -> [[Sample]] { try SignaturePadJSON.decode(Array(text.utf8)).strokes }

    /// The times of the points in milliseconds.
    private func times(_ text: String) throws -> [[Double]] {
        try decode(text).map { $0.map { Double($0.time.microseconds) / 1000 } }
    }

    @Test("strokes have milliseconds and pixels, and unknown keys are ignored")
    func decodes() throws {
        let strokes = try decode(
            """
            [{"penColor":"black","points":[{"time":1.5,"x":10,"y":20.25,"pressure":0.2},
                                           {"time":17,"x":11,"y":21,"pressure":0.7}]},
             {"points":[]}]
            """)
        #expect(
            strokes == [
                [
                    Sample(time: Timestamp(microseconds: 1500), position: Point(x: 10, y: 20.25), pressure: 0.2),
                    Sample(time: Timestamp(microseconds: 17000), position: Point(x: 11, y: 21), pressure: 0.7),
                ]
            ])
    }

    @Test("strokes are lists of points (1.6 to 2.3) or objects with such a list")
    func versions() throws {
        let lists =
            "[[{\"x\":1,\"y\":2,\"time\":1000,\"color\":\"black\"},{\"x\":3,\"y\":4,\"time\":1010}],"
            + "[],[{\"x\":5,\"y\":6}]]"
        let objects =
            "[{\"color\":\"black\",\"points\":[{\"x\":1,\"y\":2,\"time\":1000},{\"x\":3,\"y\":4,\"time\":1010}]},"
            + "{\"points\":[]},{\"penColor\":\"#000\",\"dotSize\":0,\"points\":[{\"x\":5,\"y\":6}]}]"
        let strokes = try decode(lists)
        #expect(strokes.map { $0.map(\.position) } == [[Point(x: 1, y: 2), Point(x: 3, y: 4)], [Point(x: 5, y: 6)]])
        #expect(try decode(objects) == strokes)
    }

    @Test("points without times follow each other at 100 a second, or lie evenly between those with times")
    func missingTimes() throws {
        func points(_ times: [String]) -> String {
            "[{\"points\":[" + times.map { "{\"x\":1,\"y\":1\($0)}" }.joined(separator: ",") + "]}]"
        }
        func time(_ value: String) -> String { ",\"time\":" + value }
        #expect(try times(points(["", "", ""])) == [[0, 10, 20]])
        #expect(try times(points([time("null"), time("null")])) == [[0, 10]])
        #expect(try times(points(["", "", time("1000")])) == [[980, 990, 1000]])
        #expect(try times(points([time("1000"), "", "", time("1030"), ""])) == [[1000, 1010, 1020, 1030, 1040]])
        // A clock that stands still tells no times.
        #expect(try times(points([time("7"), time("7"), time("7")])) == [[7, 17, 27]])
        // Pens repair times that run backwards, as those of devices.
        #expect(try times(points([time("20"), time("10"), time("30")])) == [[20, 10, 30]])
    }

    @Test("numbers may be texts, and times seconds")
    func otherNumbers() throws {
        let texts = "[{\"points\":[{\"x\":\"1.5\",\"y\":\"2\",\"time\":\"16\"},{\"x\":3,\"y\":4,\"time\":\"24\"}]}]"
        #expect(
            try decode(texts) == [
                [
                    Sample(time: Timestamp(microseconds: 16_000), position: Point(x: 1.5, y: 2)),
                    Sample(time: Timestamp(microseconds: 24_000), position: Point(x: 3, y: 4)),
                ]
            ])
        let seconds = ["1700000000.5", "1700000000.514"].map { "{\"x\":1,\"y\":1,\"time\":\($0)}" }
        #expect(try times("[[\(seconds.joined(separator: ","))]]") == [[1_700_000_000_500, 1_700_000_000_514]])
        #expect(try times("[[{\"x\":1,\"y\":1,\"time\":0},{\"x\":2,\"y\":1,\"time\":0.014}]]") == [[0, 14]])
        #expect(try times("[[{\"x\":1,\"y\":1,\"time\":0},{\"x\":2,\"y\":1,\"time\":0.5}]]") == [[0, 0.5]])
    }

    @Test("points without a position are left out and counted")
    func leftOut() throws {
        let text =
            "[{\"points\":[{\"x\":null,\"y\":1,\"time\":1},{\"x\":2,\"y\":1,\"time\":2},null,{\"y\":1,\"time\":3}]},"
            + "[{\"x\":null,\"y\":null}]]"
        let ink = try SignaturePadJSON.decode(Array(text.utf8))
        #expect(ink.strokes.map { $0.map(\.position) } == [[Point(x: 2, y: 1)]] && ink.leftOutCount == 4)
    }

    @Test("a pressure that never varies was not measured")
    func constantPressure() throws {
        let strokes = try decode(
            "[{\"points\":[{\"time\":0,\"x\":1,\"y\":1,\"pressure\":0.5},{\"x\":2,\"y\":1,\"pressure\":0.5}]}]")
        #expect(strokes[0].map(\.pressure) == [nil, nil])
        func pressures(_ values: [Double]) throws -> [Double?] {
            let points = values.map { "{\"x\":1,\"y\":1,\"pressure\":\($0)}" }
            return try decode("[[\(points.joined(separator: ","))]]")[0].map(\.pressure)
        }
        // Browsers report 0 when the button is released.
        #expect(try pressures([0.5, 0.5, 0]) == [nil, nil, nil] && pressures([0, 0]) == [nil, nil])
        #expect(try pressures([0.5, 0.4, 0]) == [0.5, 0.4, 0])
    }

    @Test(
        "malformed input is refused with the place",
        arguments: [
            ("", "line 1, column 1: it ends"), ("[{\"points\":[{\"x\":1", "a comma or } is missing"),
            ("{}", "another type"),
            ("[{\"points\":[{\"y\":1}]}]", "none of its 1 points has a position"), ("[{}]", "[0].points is missing"),
            ("[{\"points\":[{\"x\":1,\"y\":0,\"x\":2}]}]", "[0].points[0]): the name \"x\" is there twice"),
            ("[[{\"x\":\"one\",\"y\":1}]]", "[0][0].x"),
            ("[[{\"x\":1,\"y\":1,\"time\":\"2023-11-14\"}]]", "[0][0].time"),
            ("[[[1,2]]]", "another type"), ("[1]", "another type"),
            ("[{\"points\":[{\"x\":1e99,\"y\":0}]}]", "stroke 0, point 0 is out of range"),
            ("[{\"points\":[{\"x\":1,\"y\":0,\"time\":1e300}]}]", "out of range"),
        ])
    func refuses(text: String, expected: String) {
        let error = thrownError { try decode(text) }
        #expect((error as? ImportError)?.description.contains(expected) == true, "\(String(describing: error))")
    }

    @Test("mutated files are read or refused", arguments: Breadth.seeds(50, long: 300))
    func fuzz(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var bytes = Array("[{\"points\":[{\"time\":1,\"x\":10,\"y\":20,\"pressure\":0.5}]}]".utf8)
        for _ in 0..<Int.random(in: 1...6, using: &random) {
            bytes[Int.random(in: 0..<bytes.count, using: &random)] = .random(in: 0...255, using: &random)
        }
        _ = try? SignaturePadJSON.decode(bytes)
    }
}
