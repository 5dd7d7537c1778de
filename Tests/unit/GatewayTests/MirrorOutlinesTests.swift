// SPDX-License-Identifier: Apache-2.0
import HostAPI
import Testing

@testable import Gateway

@Suite("Outlines for followers that come later")
struct MirrorOutlinesTests {
    @Test("finished strokes are whole, and the wet one is apart, with its last tail")
    func strokes() {
        var outlines = MirrorOutlines()
        #expect(outlines.strokes == [] && outlines.wet == nil)
        outlines.add(.init(final: "a", tail: "t"))
        outlines.add(.init(final: "b", tail: "u"))
        #expect(outlines.strokes == [] && outlines.wet?.final == "ab" && outlines.wet?.tail == "u")
        outlines.add(.init(final: "c", ends: true))
        outlines.add(.init(final: "d", ends: true))
        outlines.add(.init(final: "", tail: "v"))
        #expect(outlines.strokes == ["abc", "d"] && outlines.wet?.final == "" && outlines.wet?.tail == "v")
        outlines.add(.init(cancels: true))
        #expect(outlines.strokes == ["abc", "d"] && outlines.wet == nil)
    }

    @Test("they take at most a mebibyte")
    func limit() {
        var outlines = MirrorOutlines()
        for _ in 0..<3000 { outlines.add(.init(final: "", ends: true)) }
        #expect(outlines.strokes.count == 2000)
        outlines = MirrorOutlines()
        let long = String(repeating: "a", count: 600 << 10)
        outlines.add(.init(final: long, ends: true))
        outlines.add(.init(final: long, ends: true))
        outlines.add(.init(final: "b", ends: true))
        #expect(outlines.strokes.map(\.utf8.count) == [600 << 10, 1])
    }
}
