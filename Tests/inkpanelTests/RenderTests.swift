// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Linux
import TestSupport
import Testing

@testable import inkpanel

@Suite("Rendering")
struct RenderTests {
    /// What `render` writes for a line of a hundred px in a quarter of a second.
    private func rendered(_ options: [String], to name: String = "out") throws -> [UInt8] {
        let directory = try TemporaryDirectory()
        let (input, output) = (directory.path + "/in.json", directory.path + "/" + name)
        let points = (0...25).map { "{\"time\":\($0 * 10),\"x\":\(20 + $0 * 4),\"y\":30}" }
        try AtomicFile.write(Array("[{\"points\":[\(points.joined(separator: ","))]}]".utf8), to: input)
        let command = try #require(
            try Inkpanel.parseAsRoot(["render", input, "--output", output, "--size", "150x60"] + options)
                as? RenderCommand)
        try command.run()
        return try #require(try InputFile.read(output, maximumByteCount: 1 << 20))
    }

    @Test("a line is drawn to its last sample with the pen up or down", arguments: ["png", "svg", "json"])
    func live(format: String) throws {
        // At rest on a line of even speed nothing but the tail could differ, and that ends at the same sample.
        let lifted = try rendered(["--format", format, "--pen", "linear"])
        #expect(try rendered(["--format", format, "--pen", "linear", "--live"]) == lifted)
        #expect(try rendered(["--format", format, "--pen", "linear", "--live", "--predict", "16"]) != lifted)
    }

    @Test("prediction goes on from the last sample, as far as it was asked to look")
    func predict() throws {
        let text = String(
            decoding: try rendered(["--format", "json", "--live", "--predict", "16"]), as: UTF8.self)
        // 400 px/s: the last sample, and the last predicted node 16 ms later.
        #expect(text.contains("{\"t\":250,\"x\":120,") && text.contains("{\"t\":266,\"x\":12"))
        #expect(!text.contains("\"t\":268"))
    }

    @Test(
        "the format is as the file's name says, unless it is stated",
        arguments: [
            ("a.svg", "<?xml"), ("b.SVG", "<?xml"), ("c.json", "{\"str"), ("d.png", "\u{89}PNG"), ("e", "\u{89}PNG"),
            ("g.svg.txt", "\u{89}PNG"),
        ])
    func formats(name: String, start: String) throws {
        let bytes = try rendered([], to: name)
        #expect(bytes.starts(with: start.unicodeScalars.map { UInt8($0.value) }))
        #expect(try rendered(["--format", "json"], to: name).starts(with: "{\"str".utf8))
    }
}
