// SPDX-License-Identifier: Apache-2.0
import CaptureFixtures
import Geometry
import Glibc
import Ink
import Linux
import Raster
import Record
@testable import Store
@testable import Store
import Testing
import TestSupport

@Suite("What is drawn survives")
struct SketchJournalTests {
    private static let page = SketchPage(
        size: PixelSize(width: 300, height: 200), density: PixelDensity(dotsPerInch: 150))

    private static func open(_ store: CaptureStore) throws { _ = try SketchJournal(in: store, page: page) }

    private func path(_ spool: Spool) -> String { spool.store.path + "/sketch.jsonl" }

    private func strokes(_ spool: Spool, _ page: SketchPage = page) throws -> [SketchStroke] {
        let journal = try SketchJournal(in: spool.store, page: page)
        let setAside = journal.setAside
        #expect(setAside == nil)
        return journal.strokes
    }

    private func bytes(_ spool: Spool) throws -> [UInt8] {
        try #require(try InputFile.read(path(spool), maximumByteCount: 1 << 26))
    }

    private func write(_ bytes: [UInt8], _ spool: Spool) throws {
        unlink(path(spool))
        try FileDescriptor(opening: path(spool), O_WRONLY | O_CREAT, permissions: 0o644).writeAll(bytes)
    }

    /// Does what entries say in the plainest way: a list of pages, each a list of strokes and those undone.
    private struct Plain {
        var sheets: [(done: [SketchStroke], undone: [SketchStroke])] = [([], [])]
        var current = 0

        mutating func apply(_ entry: SketchEntry) {
            switch entry {
            case .stroke(let stroke):
                sheets.removeLast(sheets.count - current - 1)
                sheets[current].done.append(stroke)
                sheets[current].undone = []
            case .undo:
                if let stroke = sheets[current].done.popLast() {
                    sheets[current].undone.append(stroke)
                } else if current > 0 {
                    current -= 1
                }
            case .redo:
                if let stroke = sheets[current].undone.popLast() {
                    sheets[current].done.append(stroke)
                } else if current + 1 < sheets.count {
                    current += 1
                }
            case .clear:
                if sheets[current].done.isEmpty { return }
                sheets.removeLast(sheets.count - current - 1)
                sheets[current].undone = []
                sheets.append(([], []))
                if sheets.count > 2 { sheets.removeFirst() }
                current = sheets.count - 1
            }
        }
    }

    @Test(
        "what stands after any entries is there again, and what can be brought back",
        arguments: 0..<12 as Range<UInt64>)
    func sequences(seed: UInt64) throws {
        let spool = try Spool()
        var source = RandomSketch(seed: seed)
        let limits = SketchLimits(keptByteCount: 1 << 20, smallByteCount: seed % 2 == 0 ? 1500 : 1 << 20)
        var plain = Plain()
        for _ in 0..<6 {
            var journal = try SketchJournal(in: spool.store, page: Self.page, limits: limits)
            let found = journal.strokes
            #expect(found == plain.sheets[plain.current].done, "seed \(seed)")
            for _ in 0..<Int.random(in: 0..<40, using: &source.random) {
                let entry = source.entry()
                try journal.append(entry)
                plain.apply(entry)
                let (stand, isBehind, hasForgotten) = (journal.strokes, journal.isBehind, journal.hasForgotten)
                #expect(stand == plain.sheets[plain.current].done, "seed \(seed)")
                #expect(!isBehind && !hasForgotten)
            }
            // Its entries lead to the same, back and forth.
            var other = Plain()
            for entry in journal.entries { other.apply(entry) }
            var original = plain
            for step in 0..<80 {
                #expect(other.sheets[other.current].done == original.sheets[original.current].done, "seed \(seed)")
                let entry = step < 40 ? SketchEntry.undo : .redo
                other.apply(entry)
                original.apply(entry)
            }
            let kept = SketchEncoder.encode(Self.page, journal.entries).count
            let size = try bytes(spool).count
            #expect(plain.sheets[0].done.isEmpty || size <= max(limits.smallByteCount, 2 * kept) + 2000, "seed \(seed)")
        }
    }

    @Test("a torn last line is left out and overwritten, wherever it is torn")
    func torn() throws {
        let spool = try Spool()
        var source = RandomSketch(seed: 3)
        let (first, second, third) = (source.stroke(), source.stroke(longest: 3), source.stroke())
        let whole = SketchEncoder.encode(Self.page, [.stroke(first)])
        let longer = SketchEncoder.encode(Self.page, [.stroke(first), .stroke(second)])
        for count in whole.count...longer.count {
            try write(Array(longer[..<count]), spool)
            do {
                var journal = try SketchJournal(in: spool.store, page: Self.page)
                let found = journal.strokes
                #expect(found == (count == longer.count ? [first, second] : [first]))
                try journal.append(.stroke(third))
            }
            #expect(try strokes(spool) == (count == longer.count ? [first, second, third] : [first, third]))
            let lines = try bytes(spool).count { $0 == UInt8(ascii: "\n") }
            #expect(lines == (count == longer.count ? 4 : 3))
        }
    }

    @Test("nobody else may read it, and it is written by one process at a time")
    func owner() throws {
        let spool = try Spool()
        var source = RandomSketch(seed: 1)
        var journal = try SketchJournal(in: spool.store, page: Self.page)
        try journal.append(.stroke(source.stroke()))
        #expect(spool.permissions("/sketch.jsonl") == 0o600)
        chmod(path(spool), 0o644)
        let store = spool.store
        let error = thrownError { try Self.open(store) } as? StoreError
        #expect(error == .inUse(path: path(spool)))
        try journal.append(.undo)
        _ = consume journal
        _ = try strokes(spool)
        #expect(spool.permissions("/sketch.jsonl") == 0o600)
    }

    @Test("what is no sketch is told and stays under another name, and drawing goes on", arguments: [
        "", "hello\n", "{\"format\":\"inkpanel-sketch\",\"version\":9}\n",
        "{\"format\":\"inkpanel-capture\",\"version\":1}\n",
    ])
    func foreign(text: String) throws {
        let spool = try Spool()
        var source = RandomSketch(seed: 2)
        let stroke = source.stroke()
        for number in 1...2 {
            try write(Array(text.utf8), spool)
            var journal = try SketchJournal(in: spool.store, page: Self.page)
            let (aside, entries) = (journal.setAside, journal.entries)
            let setAside = try #require(aside)
            #expect(setAside.path == path(spool) + (number == 1 ? ".unreadable" : ".unreadable-2"))
            #expect(try InputFile.read(setAside.path, maximumByteCount: 100) == Array(text.utf8))
            #expect(entries.isEmpty)
            try journal.append(.stroke(stroke))
            _ = consume journal
            #expect(try strokes(spool) == [stroke])
        }
    }

    @Test("a damaged line in the middle sets all of it aside, as does a file beyond any bound")
    func damaged() throws {
        let spool = try Spool()
        var source = RandomSketch(seed: 2)
        let sketch = SketchEncoder.encode(Self.page, source.entries(20))
        try write(sketch + Array("{}\n".utf8) + SketchEncoder.encode(Self.page, [.undo]), spool)
        let journal = try SketchJournal(in: spool.store, page: Self.page)
        guard case .malformed(_, let reason)? = journal.setAside?.reason else { throw Errno.invalidArgument }
        #expect(reason.contains("neither a stroke"))
        _ = consume journal
        try write(sketch, spool)
        let limits = SketchLimits(keptByteCount: 10, smallByteCount: 10)
        let small = try SketchJournal(in: spool.store, page: Self.page, limits: limits)
        guard case .tooLarge? = small.setAside?.reason else { throw Errno.invalidArgument }
    }

    @Test("what is no file in its place is moved away, too", arguments: ["directory", "link", "pipe"])
    func noFile(kind: String) throws {
        let spool = try Spool()
        switch kind {
        case "directory": mkdir(path(spool), 0o700)
        case "link": symlink("/etc/hostname", path(spool))
        default: mkfifo(path(spool), 0o600)
        }
        var journal = try SketchJournal(in: spool.store, page: Self.page)
        let setAside = journal.setAside
        #expect(setAside?.reason == .notASketch("it is no file"))
        var source = RandomSketch(seed: 2)
        try journal.append(.stroke(source.stroke()))
        rmdir(path(spool) + ".unreadable")
        unlink(path(spool) + ".unreadable")
    }

    @Test("a write that fails is told, and made good by the next one that does not", arguments: 0..<6 as Range<UInt64>)
    func behind(seed: UInt64) throws {
        let spool = try Spool()
        var source = RandomSketch(seed: seed)
        var journal = try SketchJournal(in: spool.store, page: Self.page)
        // A directory where the new file would be: that fails for root, too.
        let part = path(spool) + ".part"
        mkdir(part, 0o700)
        var plain = Plain()
        for _ in 0..<10 {
            let entry = source.entry()
            var error: StoreError?
            do throws(StoreError) { try journal.append(entry) } catch let thrown { error = thrown }
            #expect(error == .failed(.write, path: part, .isDirectory))
            let isBehind = journal.isBehind
            #expect(isBehind)
            plain.apply(entry)
        }
        rmdir(part)
        try journal.flush()
        let isBehind = journal.isBehind
        #expect(!isBehind)
        _ = consume journal
        #expect(try strokes(spool) == plain.sheets[plain.current].done)
    }

    @Test("a journal that somebody removes, alone or with the store, is written anew", arguments: [false, true])
    func removed(withStore: Bool) throws {
        let spool = try Spool()
        var source = RandomSketch(seed: 3)
        let drawn = [source.stroke(), source.stroke(), source.stroke()]
        var journal = try SketchJournal(in: spool.store, page: Self.page)
        try journal.append(.stroke(drawn[0]))
        Directory.removeTree(withStore ? spool.store.path : path(spool))
        try journal.append(.stroke(drawn[1]))
        try journal.append(.stroke(drawn[2]))
        // Its lock is that of the store that is there now.
        let another = thrownError { _ = try SketchJournal(in: spool.store, page: Self.page) } as? StoreError
        #expect(another == .inUse(path: path(spool)))
        _ = consume journal
        #expect(try strokes(spool) == drawn)
    }

    @Test("what is not written yet fits the page that comes, what was taken back too, and is written for that one")
    func fitting() throws {
        let spool = try Spool()
        var source = RandomSketch(seed: 4)
        let other = SketchPage(size: PixelSize(width: 200, height: 900), density: PixelDensity(dotsPerInch: 96))
        var journal = try SketchJournal(in: spool.store, page: Self.page)
        let part = path(spool) + ".part"
        mkdir(part, 0o700)
        let (first, second) = (source.stroke(), source.stroke())
        var refused = 0
        do { try journal.append(.stroke(first)) } catch { refused += 1 }
        journal.fit(to: other)
        do { try journal.append(.stroke(second)) } catch { refused += 1 }
        do { try journal.append(.undo) } catch { refused += 1 }
        #expect(refused == 3)
        let expected: [SketchEntry] = [
            .stroke(first.fitted(from: Self.page, to: other)), .stroke(second), .undo,
        ]
        let entries = journal.entries
        #expect(entries == expected)
        rmdir(part)
        try journal.flush()
        let page = journal.page
        _ = consume journal
        let again = try SketchJournal(in: spool.store, page: other)
        let read = again.entries
        #expect(page == other && read == expected)
    }

    @Test("of too much the oldest is forgotten, and the file stays within its bounds")
    func forgetting() throws {
        let spool = try Spool()
        var source = RandomSketch(seed: 9)
        let limits = SketchLimits(keptByteCount: 20_000, smallByteCount: 5000)
        var drawn: [SketchStroke] = []
        for _ in 0..<3 {
            var journal = try SketchJournal(in: spool.store, page: Self.page, limits: limits)
            for _ in 0..<120 {
                let stroke = source.stroke()
                drawn.append(stroke)
                try journal.append(.stroke(stroke))
                let stand = journal.strokes
                #expect(!stand.isEmpty && stand == Array(drawn.suffix(stand.count)))
                #expect(try bytes(spool).count < 50_000)
            }
            let (hasForgotten, count) = (journal.hasForgotten, journal.strokes.count)
            #expect(hasForgotten && count > 20)
        }
        // All of one stroke, too.
        var journal = try SketchJournal(in: spool.store, page: Self.page, limits: limits)
        var long = drawn[0]
        long.samples = (0..<4000).map { .init(microseconds: Int64($0), x: 1000, y: 2000) }
        try journal.append(.stroke(long))
        let none = journal.strokes
        try journal.append(.stroke(drawn[1]))
        let one = journal.strokes
        #expect(none.isEmpty && one == [drawn[1]])
    }

    @Test("on a page of another size it is as large in proportion, in the middle, and stays so")
    func fitted() throws {
        let spool = try Spool()
        let stroke = SketchStroke(
            pen: Pen(.ink, width: 0.5), color: .black,
            samples: [
                SketchStroke.Sample(microseconds: 0, x: 0, y: 0),
                SketchStroke.Sample(microseconds: 9, x: 300 * 256, y: 200 * 256),
            ])
        do {
            var journal = try SketchJournal(in: spool.store, page: Self.page)
            try journal.append(.stroke(stroke))
        }
        let before = try bytes(spool)
        let other = SketchPage(size: PixelSize(width: 900, height: 400), density: PixelDensity(dotsPerInch: 300))
        var expected = stroke
        // Twice as large in pixels of half the size: as wide as before.
        expected.samples = [
            SketchStroke.Sample(microseconds: 0, x: 150 * 256, y: 0),
            SketchStroke.Sample(microseconds: 9, x: 750 * 256, y: 400 * 256),
        ]
        #expect(try strokes(spool, other) == [expected])
        // Only looked at.
        #expect(try bytes(spool) == before)
        do {
            var journal = try SketchJournal(in: spool.store, page: other)
            try journal.append(.stroke(expected))
        }
        #expect(try strokes(spool, other) == [expected, expected])
        let wider = SketchPage(size: PixelSize(width: 900, height: 400), density: PixelDensity(dotsPerInch: 150))
        #expect(try strokes(spool, wider).map(\.width) == [1000, 1000])
    }
}
