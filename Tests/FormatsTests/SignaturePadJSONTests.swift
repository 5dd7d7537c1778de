// SPDX-License-Identifier: Apache-2.0
import Formats
import Geometry
import Ink
import Record
import Testing
import TestSupport

@Suite("signature_pad JSON")
struct SignaturePadJSONTests {
    private func decode(_ text: String) throws -> [[Sample]] { try SignaturePadJSON.decode(Array(text.utf8)) }

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
                    Sample(microseconds: 1500, position: Point(x: 10, y: 20.25), pressure: 0.2),
                    Sample(microseconds: 17000, position: Point(x: 11, y: 21), pressure: 0.7),
                ]
            ])
    }

    @Test("a pressure that never varies was not measured")
    func constantPressure() throws {
        let strokes = try decode(
            "[{\"points\":[{\"time\":0,\"x\":1,\"y\":1,\"pressure\":0.5},{\"x\":2,\"y\":1,\"pressure\":0.5}]}]")
        #expect(strokes[0].map(\.pressure) == [nil, nil])
    }

    @Test(
        "malformed input is refused with the place",
        arguments: [
            ("", "truncated or malformed"), ("[{\"points\":[{\"x\":1", "truncated or malformed"), ("{}", "another type"),
            ("[{\"points\":[{\"y\":1}]}]", "\"x\" is missing at [0].points[0]"), ("[{}]", "\"points\" is missing"),
            ("[{\"points\":[{\"x\":1e99,\"y\":0}]}]", "stroke 0, point 0 is out of range"),
            ("[{\"points\":[{\"x\":1,\"y\":0,\"time\":1e300}]}]", "out of range"),
        ])
    func refuses(text: String, expected: String) {
        let error = thrownError { try decode(text) }
        #expect((error as? ImportError)?.description.contains(expected) == true, "\(String(describing: error))")
    }

    @Test("mutated files are read or refused", arguments: 0..<300 as Range<UInt64>)
    func fuzz(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var bytes = Array("[{\"points\":[{\"time\":1,\"x\":10,\"y\":20,\"pressure\":0.5}]}]".utf8)
        for _ in 0..<Int.random(in: 1...6, using: &random) {
            bytes[Int.random(in: 0..<bytes.count, using: &random)] = .random(in: 0...255, using: &random)
        }
        _ = try? SignaturePadJSON.decode(bytes)
    }
}
