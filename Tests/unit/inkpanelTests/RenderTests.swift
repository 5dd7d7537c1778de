// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Linux
import TestSupport
import Testing

@testable import inkpanel

@Suite("Rendering")
struct RenderTests {
    /// The output of `render` for a line of 100 px in 0.25 s.
    private func rendered(_ options: [String], to name: String = "out") throws -> [UInt8] {
        let points = (0...25).map { "{\"time\":\($0 * 10),\"x\":\(20 + $0 * 4),\"y\":30}" }
        return try rendered(strokes: [points], options, to: name)
    }

    /// - Parameter strokes: the points of each stroke, as JSON.
    private func rendered(
        strokes: [[String]], _ options: [String], to name: String = "out"
    ) throws -> [UInt8] {
        let directory = try TemporaryDirectory()
        let (input, output) = (directory.path + "/in.json", directory.path + "/" + name)
        let groups = strokes.map { "{\"points\":[\($0.joined(separator: ","))]}" }
        try AtomicFile.write(Array("[\(groups.joined(separator: ","))]".utf8), to: input)
        let command = try #require(
            try Inkpanel.parseAsRoot(["render", input, "--output", output, "--size", "150x60"] + options)
                as? RenderCommand)
        try command.run()
        return try #require(try InputFile.read(output, maximumByteCount: 1 << 20))
    }

    @Test("a line is drawn to its last sample with the pen up or down", arguments: ["png", "svg", "json"])
    func live(format: String) throws {
        // On a line of constant speed only the tail could differ, and it ends at the same sample.
        let lifted = try rendered(["--format", format, "--pen", "linear"])
        #expect(try rendered(["--format", format, "--pen", "linear", "--live"]) == lifted)
        #expect(try rendered(["--format", format, "--pen", "linear", "--live", "--predict", "16"]) != lifted)
    }

    @Test("known scatter changes the ink of a stroke that is too short to show its own")
    func scatter() throws {
        // Off any grid, whose step would count as noise, too.
        let points = (0..<9).map { index in
            let (x, y) = (Double(400 * index + index * 53 % 100) / 100, Double(index * 37 % 100) / 100)
            return "{\"time\":\(index * 5),\"x\":\(20 + x),\"y\":\(30 + y)}"
        }
        func ink(_ options: [String]) throws -> [UInt8] {
            try rendered(strokes: [points], ["--format", "json"] + options)
        }
        let unknown = try ink(["--scatter", "none"])
        #expect(try ink(["--scatter", "0.3"]) != unknown)
        #expect(try ink(["--scatter", "0"]) == unknown)
    }

    @Test("prediction continues from the last sample for the requested time")
    func predict() throws {
        let text = String(
            decoding: try rendered(["--format", "json", "--live", "--predict", "16"]), as: UTF8.self)
        // At 400 px/s: the last sample, and the last predicted node 16 ms later.
        #expect(text.contains("{\"t\":250,\"x\":120,") && text.contains("{\"t\":266,\"x\":12"))
        #expect(!text.contains("\"t\":268"))
    }

    @Test(
        "the format is as the file's name says, unless it is stated",
        arguments: [
            ("a.svg", "<?xml"), ("b.SVG", "<?xml"), ("c.json", "{\"str"), ("d.png", "\u{89}PNG"), ("e", "\u{89}PNG"),
            ("g.svg.png", "\u{89}PNG"),
        ])
    func formats(name: String, start: String) throws {
        let bytes = try rendered([], to: name)
        #expect(bytes.starts(with: start.unicodeScalars.map { UInt8($0.value) }))
        #expect(try rendered(["--format", "json"], to: name).starts(with: "{\"str".utf8))
    }

    @Test("with the pen down in the last of two strokes, the first is finished and the last ends at its last sample")
    func liveStrokes() throws {
        func bend(_ start: Int, _ y: Int) -> [String] {
            (0...30).map { "{\"time\":\(start + $0 * 16),\"x\":\(20 + $0 * 3),\"y\":\(y + $0 * (30 - $0) / 9)}" }
        }
        func lines(_ options: [String]) throws -> [Substring] {
            let bytes = try rendered(strokes: [bend(0, 10), bend(900, 20)], ["--format", "json"] + options)
            // One line for the start, one for each stroke and one for the end.
            return String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        }
        let (lifted, live) = (try lines([]), try lines(["--live"]))
        #expect(lifted.count == 4 && live.count == 4)
        #expect(live[1] == lifted[1])
        let centerline = try #require(live[2].split(separator: "]").first)
        let last = try #require(centerline.split(separator: "{").last)
        #expect(last.hasPrefix("\"t\":1380,\"x\":110,\"y\":20,"))
        // Prediction continues only the last stroke.
        let predicted = try lines(["--live", "--predict", "16"])
        #expect(predicted[1] == lifted[1])
        #expect(predicted[2].hasPrefix(centerline) && predicted[2].count > live[2].count)
    }
}
