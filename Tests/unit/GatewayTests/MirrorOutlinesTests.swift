// SPDX-License-Identifier: Apache-2.0
import HostAPI
import Testing

@testable import Gateway

@Suite("Outlines for followers that come later")
struct MirrorOutlinesTests {
    @Test("strokes are whole, and the wet one has what is final")
    func strokes() {
        var outlines = MirrorOutlines()
        #expect(outlines.all == [])
        outlines.add(.init(final: "a", tail: "t"))
        outlines.add(.init(final: "b", tail: "u"))
        #expect(outlines.all == ["ab"])
        outlines.add(.init(final: "c", ends: true))
        outlines.add(.init(final: "d", ends: true))
        outlines.add(.init(final: "", tail: "v"))
        #expect(outlines.all == ["abc", "d", ""])
        outlines.add(.init(cancels: true))
        #expect(outlines.all == ["abc", "d"])
    }

    @Test("they take at most a mebibyte")
    func limit() {
        var outlines = MirrorOutlines()
        for _ in 0..<3000 { outlines.add(.init(final: "", ends: true)) }
        #expect(outlines.all.count == 2000)
        outlines = MirrorOutlines()
        let long = String(repeating: "a", count: 600 << 10)
        outlines.add(.init(final: long, ends: true))
        outlines.add(.init(final: long, ends: true))
        outlines.add(.init(final: "b", ends: true))
        #expect(outlines.all.map(\.utf8.count) == [600 << 10, 1])
    }
}
