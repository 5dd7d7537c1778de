// SPDX-License-Identifier: Apache-2.0
import Pad
import Linux
import Testing

@testable import Configuration

@Suite("The sample of a configuration")
struct SampleTests {
    private static let path = String(#filePath).replacingTail(
        "Tests/ConfigurationTests/SampleTests.swift", with: "config/inkpanel.toml")

    private func sample() throws -> String {
        String(decoding: try #require(try InputFile.read(Self.path, maximumByteCount: 1 << 20)), as: UTF8.self)
    }

    /// Keys are commented without a space, explanations with one.
    private func uncommented(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            line.hasPrefix("#") && line.dropFirst().first?.isLetter == true ? line.dropFirst() : line
        }.joined(separator: "\n")
    }

    @Test("says nothing as it is, and the defaults without its #")
    func defaults() throws {
        let sample = try sample()
        #expect(try Configuration(document: Array(sample.utf8), path: Self.path) == Configuration())
        let all = uncommented(sample)
        #expect(try Configuration(document: Array(all.utf8), path: Self.path) == Configuration())
    }

    @Test("has every key, in its table, once and in order, with an explanation above it")
    func keys() throws {
        let lines = uncommented(try sample()).split(separator: "\n", omittingEmptySubsequences: false)
        var table = ""
        var found: [String] = []
        for line in lines where !line.hasPrefix("#") && !line.isEmpty {
            if line.hasPrefix("[") {
                table = String(line.dropFirst().dropLast())
            } else {
                found.append(table + "." + line.prefix { $0 != " " })
            }
        }
        #expect(found == ConfigurationKey.all.map { $0.path.joined(separator: ".") })
        // A key follows another one or an explanation.
        for (before, line) in zip(lines, lines.dropFirst()) where line.contains(" = ") && !line.hasPrefix("#") {
            #expect(before.hasPrefix("# ") || before.contains(" = "), "\(line)")
        }
    }

    @Test("names every value that a key takes as a word")
    func words() throws {
        let sample = try sample()
        for key in ConfigurationKey.all {
            for word in key.words { #expect(sample.contains(word), "\(key.path) = \(word)") }
        }
    }

    @Test("names the counts of colours and widths that the sketch page has at most")
    func sketchCounts() throws {
        let (colors, widths) = (SketchTools.colorCountRange, SketchTools.widthCountRange)
        let sample = try sample()
        #expect(
            sample.contains(
                "\(colors.lowerBound) to \(colors.upperBound) of \"rrggbb\" and \(widths.lowerBound) to "
                    + "\(widths.upperBound) lengths"))
    }
}

extension String {
    fileprivate func replacingTail(_ tail: String, with other: String) -> String {
        precondition(hasSuffix(tail), "the test knows where it is")
        return dropLast(tail.count) + other
    }
}
