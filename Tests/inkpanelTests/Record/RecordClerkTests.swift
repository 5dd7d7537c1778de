// SPDX-License-Identifier: Apache-2.0
import CaptureFixtures
import Geometry
import Glibc
import Ink
import Linux
import Raster
import TestSupport
import Testing

@testable import Record
@testable import inkpanel

@Suite("The writer of records")
struct RecordClerkTests {
    private let spool: Spool
    private let capture = CaptureRecord.random(seed: 2)

    init() throws {
        spool = try Spool()
    }

    private func keeper(_ retention: CaptureRetention = CaptureRetention()) -> RecordKeeper {
        RecordKeeper(
            store: spool.store, retention: retention, log: Log(threshold: .error))
    }

    private func end(_ outcome: CaptureEnd.Outcome) -> CaptureEnd {
        CaptureEnd(outcome: outcome, endedAt: 1, quality: CaptureQuality())
    }

    private func files(_ folder: String) throws -> [String] { try spool.names(folder) }

    @Test("an accepted capture is durable, whole, and alone")
    func keep() throws {
        let keeper = keeper()
        var clerk = RecordClerk(keeper)
        clerk.open()
        let id = try #require(CaptureID(capture.header.id))
        let answers = [
            clerk.work(.start(capture.header)), clerk.work(.append(id, capture.entries[0])),
            clerk.work(.keep(id, end(.accepted))),
        ]
        #expect(answers == [nil, nil, .durable(id)])
        let record = try keeper.store.record(id)
        #expect(record.entries == [capture.entries[0]] && record.end == end(.accepted))
        let open = try files("open")
        #expect(open.isEmpty)
    }

    @Test("a discarded capture leaves nothing, also when it was kept a moment ago", arguments: [false, true])
    func discard(isKept: Bool) throws {
        let keeper = keeper()
        var clerk = RecordClerk(keeper)
        let id = try #require(CaptureID(capture.header.id))
        _ = clerk.work(.start(capture.header))
        _ = clerk.work(.append(id, capture.entries[0]))
        if isKept { _ = clerk.work(.keep(id, end(.accepted))) }
        let answer = clerk.work(.discard(id, end(.cancelled)))
        #expect(answer == .discarded(id, fault: nil))
        let (open, captures) = (try files("open"), try files("captures"))
        #expect(open.isEmpty && captures.isEmpty)
    }

    @Test("one capture after the other; jobs for one that is not being written do nothing")
    func order() throws {
        let keeper = keeper()
        var clerk = RecordClerk(keeper)
        let id = try #require(CaptureID(capture.header.id))
        let early = [clerk.work(.append(id, capture.entries[0])), clerk.work(.keep(id, end(.accepted)))]
        #expect(early == [nil, nil])
        for number in 0..<3 {
            var header = capture.header
            header.id = "capture-\(number)"
            _ = clerk.work(.start(header))
            let name = try #require(CaptureID(header.id))
            let answer = clerk.work(.keep(name, end(.accepted)))
            #expect(answer == .durable(name))
        }
        let late = clerk.work(.append(id, capture.entries[0]))
        let count = try keeper.store.list().captures.count
        #expect(late == nil && count == 3)
    }

    @Test("a store that cannot be written to is told, by the capture's name")
    func failure() throws {
        let keeper = keeper()
        var clerk = RecordClerk(keeper)
        let id = try #require(CaptureID(capture.header.id))
        _ = clerk.work(.start(capture.header))
        _ = clerk.work(.keep(id, end(.accepted)))
        // The same name once more.
        guard case .failed(id, _) = clerk.work(.start(capture.header)) else {
            Issue.record("a capture was overwritten")
            return
        }
        let count = try keeper.store.list().captures.count
        #expect(count == 1)
    }

    @Test("what an earlier process left is taken over, and what is too old goes")
    func opening() throws {
        let keeper = keeper(CaptureRetention(maximumCount: 1))
        do {
            var writer = try JournalWriter(capture.header, in: keeper.store)
            try writer.append(capture.entries[0])
        }
        var newer = capture.header
        newer.id = "newer"
        newer.startedAt += 1
        do { _ = try JournalWriter(newer, in: keeper.store) }
        let clerk = RecordClerk(keeper)
        clerk.open()
        let list = try keeper.store.list()
        #expect(list.captures.map(\.id.description) == ["newer"])
        let open = try files("open")
        #expect(open.isEmpty)
    }

    @Test("what of a sketch is not on the disk when the page changes goes on in its place")
    func sketchOnAnotherPage() throws {
        var keeper = keeper()
        let page = SketchPage(size: PixelSize(width: 300, height: 200), density: .standard)
        let turned = SketchPage(size: PixelSize(width: 200, height: 300), density: .standard)
        keeper.sketch = SketchKeeper(page: page, folder: SketchFolder(at: spool.path + "/drawings"), background: .white)
        var clerk = RecordClerk(keeper)
        _ = clerk.openSketch()
        // A directory where the new file would be: that fails for root, too.
        let part = spool.store.path + "/sketch.jsonl.part"
        mkdir(part, 0o700)
        let stroke = SketchStroke(
            pen: Pen(.ink, width: 0.5), color: .black,
            samples: [SketchStroke.Sample(microseconds: 0, x: 300 * 256, y: 200 * 256)])
        guard case .sketchKept(_?)? = clerk.work(.sketch(.stroke(stroke))) else {
            Issue.record("the disk took it")
            return
        }
        let fitted = [SketchEntry.stroke(stroke.fitted(from: page, to: turned))]
        guard case .sketch(fitted, of: turned, fault: _?)? = clerk.work(.openSketch(turned)) else {
            Issue.record("it is lost")
            return
        }
        rmdir(part)
        guard case .sketchKept(nil)? = clerk.work(.sketch(.undo)) else {
            Issue.record("it is still behind")
            return
        }
        // Written for the page that is there now, and found so.
        guard case .sketch(let entries, of: turned, fault: nil)? = clerk.work(.openSketch(turned)) else {
            Issue.record("it cannot be read")
            return
        }
        #expect(entries == fitted + [.undo])
    }

    @Test("a sketch that cannot be kept is told, and drawing goes on")
    func sketchNotKept() throws {
        var keeper = keeper()
        let page = SketchPage(size: PixelSize(width: 300, height: 200), density: .standard)
        keeper.sketch = SketchKeeper(page: page, folder: SketchFolder(at: spool.path + "/drawings"), background: .white)
        let held = try SketchJournal(in: spool.store, page: page)
        var clerk = RecordClerk(keeper)
        let opened = clerk.openSketch()
        guard case .sketch([], of: page, let fault?)? = opened else {
            Issue.record("\(String(describing: opened))")
            return
        }
        #expect(fault.contains("another process is writing"))
        let answer = clerk.work(.sketch(.clear))
        #expect(answer == nil)
        let entries = held.entries
        #expect(entries.isEmpty)
    }
}
