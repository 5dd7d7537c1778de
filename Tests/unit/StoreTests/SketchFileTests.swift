// SPDX-License-Identifier: Apache-2.0
import CaptureFixtures
import Geometry
import Glibc
import Ink
import Linux
import Raster
import Record
import Store
import TestSupport
import Testing

@Suite("The sketch on disk")
struct SketchFileTests {
    private static let page = SketchPage(
        size: PixelSize(width: 300, height: 200), density: PixelDensity(dotsPerInch: 150))

    private let spool: Spool
    private let path: String

    init() throws {
        spool = try Spool()
        path = spool.store.path + "/sketch.jsonl"
    }

    private func open(_ page: SketchPage = page, byteLimit: Int = SketchFile.byteLimit) throws -> SketchFile {
        try SketchFile(in: spool.store, page: page, byteLimit: byteLimit)
    }

    /// The strokes in the file.
    private func strokes(_ page: SketchPage = page) throws -> [SketchStroke] {
        let file = try open(page)
        #expect(file.setAside == nil)
        return file.strokes
    }

    private func bytes() throws -> [UInt8] { try #require(try InputFile.read(path, maximumByteCount: 1 << 26)) }

    private func replace(with bytes: [UInt8]) throws {
        unlink(path)
        try FileDescriptor(opening: path, O_WRONLY | O_CREAT, permissions: 0o644).writeAll(bytes)
    }

    /// A plain model of undo, redo and clear: a list of sheets, each with its strokes and the undone ones.
    private struct Plain {
        var sheets: [(done: [SketchStroke], undone: [SketchStroke])] = [([], [])]
        var current = 0
        var visible: [SketchStroke] { sheets[current].done }

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

    @Test("visible strokes, and those that undo and redo reach, are read back", arguments: Breadth.seeds(4, long: 12))
    func sequences(seed: UInt64) throws {
        var source = RandomSketch(seed: seed)
        var plain = Plain()
        for _ in 0..<6 {
            let file = try open()
            #expect(file.strokes == plain.visible && !file.hasChanges, "seed \(seed)")
            for _ in 0..<Int.random(in: 0..<40, using: &source.random) {
                let entry = source.entry()
                file.apply(entry)
                plain.apply(entry)
                #expect(file.strokes == plain.visible && file.hasChanges, "seed \(seed)")
            }
            try file.write()
            #expect(!file.hasChanges)
            // Its entries lead to the same state, back and forth.
            var other = Plain()
            for entry in file.entries { other.apply(entry) }
            var original = plain
            for step in 0..<80 {
                #expect(other.visible == original.visible, "seed \(seed)")
                let entry = step < 40 ? SketchEntry.undo : .redo
                other.apply(entry)
                original.apply(entry)
            }
        }
    }

    @Test("a file that an earlier version wrote line by line is read without its torn last line")
    func torn() throws {
        var source = RandomSketch(seed: 3)
        let (first, second, third) = (source.stroke(), source.stroke(longest: 3), source.stroke())
        let whole = SketchEncoder.encode(Self.page, [.stroke(first)])
        let longer = SketchEncoder.encode(Self.page, [.stroke(first), .stroke(second)])
        for count in whole.count...longer.count {
            try replace(with: Array(longer[..<count]))
            let expected = count == longer.count ? [first, second] : [first]
            do {
                let file = try open()
                #expect(file.strokes == expected)
                try file.write()
                // Without a change it stays as it is.
                #expect(try bytes().count == count)
                file.apply(.stroke(third))
                try file.write()
            }
            #expect(try bytes() == SketchEncoder.encode(Self.page, (expected + [third]).map { .stroke($0) }))
        }
    }

    @Test("only its owner can read the file, and one process at a time writes it")
    func owner() throws {
        var source = RandomSketch(seed: 1)
        do {
            let file = try open()
            file.apply(.stroke(source.stroke()))
            try file.write()
            #expect(spool.permissions("/sketch.jsonl") == 0o600)
            #expect(thrownError { try open() } as? StoreError == .inUse(path: path))
            chmod(path, 0o644)
        }
        _ = try open()
        #expect(spool.permissions("/sketch.jsonl") == 0o600)
    }

    @Test("files of writers that were killed are removed")
    func parts() throws {
        _ = try open()
        let part = path.replacing("sketch.jsonl", with: ".inkpanel.1f.part")
        try AtomicFile.write([1], to: part)
        _ = try open()
        #expect(try !Directory.contains(part))
    }

    @Test(
        "a file that is not a sketch is renamed, and drawing goes on",
        arguments: [
            "", "hello\n", "{\"format\":\"inkpanel-sketch\",\"version\":9}\n",
            "{\"format\":\"inkpanel-capture\",\"version\":1}\n",
        ])
    func foreign(text: String) throws {
        var source = RandomSketch(seed: 2)
        let stroke = source.stroke()
        for number in 1...2 {
            try replace(with: Array(text.utf8))
            do {
                let file = try open()
                let setAside = try #require(file.setAside)
                #expect(setAside.path == path + (number == 1 ? ".unreadable" : ".unreadable-2"))
                #expect(try InputFile.read(setAside.path, maximumByteCount: 100) == Array(text.utf8))
                #expect(file.entries.isEmpty)
                file.apply(.stroke(stroke))
                try file.write()
            }
            #expect(try strokes() == [stroke])
        }
    }

    @Test("a file with a damaged line, or one that is too large, is set aside")
    func damaged() throws {
        var source = RandomSketch(seed: 2)
        let sketch = SketchEncoder.encode(Self.page, source.entries(20))
        try replace(with: sketch + Array("{}\n".utf8) + SketchEncoder.encode(Self.page, [.undo]))
        guard case .malformed(_, let reason)? = try open().setAside?.reason else { throw Errno.invalidArgument }
        #expect(reason.contains("neither a stroke"))
        try replace(with: sketch + [UInt8](repeating: 0, count: 1 << 20))
        guard case .tooLarge? = try open(byteLimit: 10).setAside?.reason else { throw Errno.invalidArgument }
    }

    @Test("something that is not a regular file is renamed, too", arguments: ["directory", "link", "pipe"])
    func noFile(kind: String) throws {
        switch kind {
        case "directory": mkdir(path, 0o700)
        case "link": symlink("/etc/hostname", path)
        default: mkfifo(path, 0o600)
        }
        let file = try open()
        #expect(file.setAside?.reason == .notASketch("it is not a file"))
        var source = RandomSketch(seed: 2)
        file.apply(.stroke(source.stroke()))
        try file.write()
        rmdir(path + ".unreadable")
        unlink(path + ".unreadable")
    }

    @Test(
        "a write that fails keeps the changes, and the next one writes all of them", arguments: 0..<6 as Range<UInt64>)
    func failing(seed: UInt64) throws {
        var source = RandomSketch(seed: seed)
        var plain = Plain()
        do {
            let file = try open()
            // A directory in its place makes writing fail, for root, too.
            mkdir(path, 0o700)
            for _ in 0..<10 {
                let entry = source.entry()
                file.apply(entry)
                #expect(thrownError { try file.write() } as? StoreError == .failed(.write, path: path, .isDirectory))
                #expect(file.hasChanges)
                plain.apply(entry)
            }
            rmdir(path)
            try file.write()
            #expect(!file.hasChanges)
        }
        #expect(try strokes() == plain.visible)
    }

    @Test("if somebody removes the file, alone or with the store, it is written again", arguments: [false, true])
    func removed(withStore: Bool) throws {
        var source = RandomSketch(seed: 3)
        let drawn = [source.stroke(), source.stroke(), source.stroke()]
        do {
            let file = try open()
            file.apply(.stroke(drawn[0]))
            try file.write()
            Directory.removeTree(withStore ? spool.store.path : path)
            for stroke in drawn[1...] {
                file.apply(.stroke(stroke))
                try file.write()
            }
            // It has the lock of the new store.
            #expect(thrownError { try open() } as? StoreError == .inUse(path: path))
        }
        #expect(try strokes() == drawn)
    }

    @Test("above the limit the oldest strokes are dropped, and the file stays within it")
    func limit() throws {
        var source = RandomSketch(seed: 9)
        var drawn: [SketchStroke] = []
        for _ in 0..<3 {
            let file = try open(byteLimit: 20_000)
            for _ in 0..<120 {
                let stroke = source.stroke()
                drawn.append(stroke)
                file.apply(.stroke(stroke))
                try file.write()
                let visible = file.strokes
                #expect(!visible.isEmpty && visible == Array(drawn.suffix(visible.count)))
                #expect(try bytes().count < 20_200)
            }
            #expect(file.strokes.count > 20 && file.strokes.count < 120)
        }
        // Even a single stroke above the limit.
        let file = try open(byteLimit: 20_000)
        var long = drawn[0]
        long.samples = (0..<4000).map { .init(microseconds: Int64($0), x: 1000, y: 2000) }
        file.apply(.stroke(long))
        #expect(file.strokes.isEmpty)
        file.apply(.stroke(drawn[1]))
        #expect(file.strokes == [drawn[1]])
    }

    @Test("on a page of another size the sketch is fitted in proportion and centred")
    func fitted() throws {
        let stroke = SketchStroke(
            pen: Pen(.ink, width: 0.5), color: .black,
            samples: [
                SketchStroke.Sample(microseconds: 0, x: 0, y: 0),
                SketchStroke.Sample(microseconds: 9, x: 300 * 256, y: 200 * 256),
            ])
        do {
            let file = try open()
            file.apply(.stroke(stroke))
            try file.write()
        }
        let before = try bytes()
        let other = SketchPage(size: PixelSize(width: 900, height: 400), density: PixelDensity(dotsPerInch: 300))
        var expected = stroke
        // Twice as large in pixels of half the size: the width in millimetres is the same.
        expected.samples = [
            SketchStroke.Sample(microseconds: 0, x: 150 * 256, y: 0),
            SketchStroke.Sample(microseconds: 9, x: 750 * 256, y: 400 * 256),
        ]
        do {
            let file = try open(other)
            #expect(file.strokes == [expected])
            try file.write()
            // Reading changes nothing, so the first page finds its own strokes.
            #expect(try bytes() == before)
            file.page = Self.page
            #expect(file.strokes == [stroke])
            file.page = other
            file.apply(.stroke(expected))
            try file.write()
        }
        #expect(try strokes(other) == [expected, expected])
        let wider = SketchPage(size: PixelSize(width: 900, height: 400), density: PixelDensity(dotsPerInch: 150))
        #expect(try strokes(wider).map(\.width) == [1000, 1000])
    }

    @Test("strokes that are not written yet, and undone ones, are fitted to a new page")
    func unwrittenFitted() throws {
        var source = RandomSketch(seed: 4)
        let other = SketchPage(size: PixelSize(width: 200, height: 900), density: PixelDensity(dotsPerInch: 96))
        let (first, second) = (source.stroke(), source.stroke())
        let expected: [SketchEntry] = [.stroke(first.fitted(from: Self.page, to: other)), .stroke(second), .undo]
        do {
            let file = try open()
            file.apply(.stroke(first))
            file.page = other
            file.apply(.stroke(second))
            file.apply(.undo)
            #expect(file.entries == expected)
            try file.write()
        }
        #expect(try open(other).entries == expected)
    }
}
