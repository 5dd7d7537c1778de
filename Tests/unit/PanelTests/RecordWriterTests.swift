// SPDX-License-Identifier: Apache-2.0
import CaptureFixtures
import Evidence
import Geometry
import Glibc
import HostAPI
import Ink
import Linux
import Pad
import Raster
import TestSupport
import Testing

@testable import Panel
@testable import Record
@testable import Store

/// A clock that tests set.
private final class TestClock: @unchecked Sendable {
    var reading = WallClock.Reading(microseconds: 1_800_000_000_000_000, sinceBoot: 5_000_000, isSynchronized: true)

    var isSynchronized: Bool {
        get { reading.isSynchronized }
        set { reading.isSynchronized = newValue }
    }

    func pass(_ microseconds: Int64) {
        reading.microseconds += microseconds
        reading.sinceBoot += microseconds
    }

    func set(by microseconds: Int64) { reading.microseconds += microseconds }
}

@Suite("Record writer")
struct RecordWriterTests {
    private let spool: Spool
    private let capture = CaptureRecord.random(seed: 2)

    init() throws {
        spool = try Spool()
    }

    private func settings(
        _ retention: CaptureRetention = CaptureRetention(), clock: TestClock = TestClock()
    ) -> RecordSettings {
        RecordSettings(
            store: spool.store, retention: retention, log: Log(threshold: .error), clock: { clock.reading })
    }

    /// Records an accepted capture and applies retention, as the record thread does.
    private func record(_ name: String, startedAt: Int64, _ writer: inout RecordWriter) throws -> CaptureID {
        var header = capture.header
        (header.id, header.startedAt) = (name, startedAt)
        let id = try #require(CaptureID(name))
        let answers = [
            writer.perform(.check(id)), writer.perform(.begin(header)), writer.perform(.commit(id, end(.accepted))),
        ]
        #expect(answers == [.ready(id), nil, .committed(id)])
        writer.applyRetention(sparing: id)
        return id
    }

    private func end(_ outcome: RecordOutcome) -> CaptureEnd {
        CaptureEnd(outcome: outcome, endedAt: 1, quality: CaptureQuality())
    }

    private func files(_ folder: String) throws -> [String] { try spool.names(folder) }

    @Test("a store that fails between captures is known within a minute, and so is that it works again")
    func probed() throws {
        var writer = RecordWriter(settings())
        let begin = MonotonicClock.now
        let (opened, deadline) = (writer.open(), writer.deadline)
        #expect(opened == .storeChanged(fault: nil))
        #expect(try #require(deadline) < begin + .seconds(60))
        let early = writer.update(at: begin + .seconds(30))
        #expect(early == nil)
        let mark = spool.store.path + "/.restoring"
        try AtomicFile.write([], to: mark, permissions: 0o600)
        let failed = writer.update(at: begin + .seconds(60))
        #expect(failed == .storeChanged(fault: StoreError.restoring(path: spool.store.path).description))
        try Directory.remove(mark)
        let works = writer.update(at: begin + .seconds(120))
        #expect(works == .storeChanged(fault: nil))
    }

    @Test(
        "the record names the page without ink and as it was accepted, by the digests of their PPM files",
        arguments: [false, true])
    func shown(followsTexts: Bool) throws {
        var writer = RecordWriter(settings())
        _ = writer.open()
        let id = try #require(CaptureID(capture.header.id))
        func image(_ color: Color, at time: Int64) -> PageImage {
            let pixels = PixelBuffer(size: PixelSize(width: 2, height: 1))
            pixels.surface.fill(PixelRect(minX: 0, minY: 0, maxX: 1, maxY: 1), with: color)
            return PageImage(
                picture: Screenshot(pixels), fonts: ["Inter Regular 3.019"],
                takenAt: Timestamp(microseconds: capture.header.startedAtDeviceTime + time))
        }
        _ = writer.perform(.begin(capture.header))
        // Texts in large letters come before the page to sign on.
        if followsTexts { _ = writer.receive(image(.black, at: 2), of: id) }
        _ = writer.receive(image(.white, at: 5), of: id)
        // Of another capture.
        _ = writer.receive(image(.black, at: 6), of: try #require(CaptureID("other")))
        _ = writer.receive(image(Color(hex: "0b1f5c")!, at: 900), of: id)
        _ = writer.perform(.commit(id, end(.accepted)))
        let shown = try #require(try spool.store.record(id).end?.shown)
        func digest(_ red: UInt8, _ green: UInt8, _ blue: UInt8) -> String {
            SHA256Digest(of: Array("P6\n2 1\n255\n".utf8) + [red, green, blue, 0, 0, 0]).description
        }
        #expect(shown.page == digest(255, 255, 255) && shown.signed == digest(0x0B, 0x1F, 0x5C))
        #expect(shown.from == 5 && shown.until == 900 && shown.fonts == ["Inter Regular 3.019"])
    }

    @Test("a record has no page if an image of it is missing")
    func notShown() throws {
        var writer = RecordWriter(settings())
        _ = writer.open()
        let id = try #require(CaptureID(capture.header.id))
        _ = writer.perform(.begin(capture.header))
        _ = writer.perform(.commit(id, end(.accepted)))
        #expect(try spool.store.record(id).end?.shown == nil)
    }

    @Test("an accepted capture is durable and complete, and leaves no other file")
    func keep() throws {
        let settings = settings()
        var writer = RecordWriter(settings)
        let opened = writer.open()
        #expect(opened == .storeChanged(fault: nil))
        let id = try #require(CaptureID(capture.header.id))
        let answers = [
            writer.perform(.begin(capture.header)), writer.perform(.append(id, capture.entries[0])),
            writer.perform(.commit(id, end(.accepted))),
        ]
        #expect(answers == [nil, .appended(id), .committed(id)])
        let record = try settings.store.record(id)
        #expect(record.entries == [capture.entries[0]] && record.end == end(.accepted))
        let open = try files("open")
        #expect(open.isEmpty)
    }

    @Test("a discarded capture leaves no file, even if it was just committed", arguments: [false, true])
    func discard(isKept: Bool) throws {
        let settings = settings()
        var writer = RecordWriter(settings)
        let id = try #require(CaptureID(capture.header.id))
        _ = writer.perform(.begin(capture.header))
        _ = writer.perform(.append(id, capture.entries[0]))
        if isKept { _ = writer.perform(.commit(id, end(.accepted))) }
        let answer = writer.perform(.discard(id))
        #expect(answer == .discarded(id, fault: nil))
        let (open, captures) = (try files("open"), try files("captures"))
        #expect(open.isEmpty && captures.isEmpty)
    }

    @Test("captures follow each other; actions for a capture that is not being written are ignored")
    func order() throws {
        let settings = settings()
        var writer = RecordWriter(settings)
        let id = try #require(CaptureID(capture.header.id))
        let early = [writer.perform(.append(id, capture.entries[0])), writer.perform(.commit(id, end(.accepted)))]
        #expect(early == [nil, nil])
        for number in 0..<3 {
            var header = capture.header
            header.id = "capture-\(number)"
            _ = writer.perform(.begin(header))
            let name = try #require(CaptureID(header.id))
            let answer = writer.perform(.commit(name, end(.accepted)))
            #expect(answer == .committed(name))
        }
        let late = writer.perform(.append(id, capture.entries[0]))
        let count = try settings.store.list().captures.count
        #expect(late == nil && count == 3)
    }

    @Test("a store that cannot be written to is reported with the capture's ID")
    func failure() throws {
        let settings = settings()
        var writer = RecordWriter(settings)
        let id = try #require(CaptureID(capture.header.id))
        _ = writer.perform(.begin(capture.header))
        _ = writer.perform(.commit(id, end(.accepted)))
        // A capture with the same ID.
        guard case .failed(id, _) = writer.perform(.begin(capture.header)) else {
            Issue.record("a capture was overwritten")
            return
        }
        let count = try settings.store.list().captures.count
        #expect(count == 1)
    }

    @Test("captures of an earlier process are recovered, and expired ones are removed")
    func opening() throws {
        let settings = settings(CaptureRetention(maximumCount: 1))
        do {
            var writer = try JournalWriter(capture.header, in: settings.store)
            try writer.append(capture.entries[0])
        }
        var newer = capture.header
        newer.id = "newer"
        newer.startedAt += 1
        do { _ = try JournalWriter(newer, in: settings.store) }
        var writer = RecordWriter(settings)
        _ = writer.open()
        let list = try settings.store.list()
        #expect(list.captures.map(\.id.description) == ["newer"])
        let open = try files("open")
        #expect(open.isEmpty)
    }

    @Test("a capture just accepted stays and is the newest, even if the clock was set back during it")
    func clockSetBack() throws {
        let clock = TestClock()
        let settings = settings(CaptureRetention(maximumCount: 3), clock: clock)
        var writer = RecordWriter(settings)
        _ = writer.open()
        let hours = 3_600_000_000 as Int64
        let now = clock.reading.microseconds
        for (index, start) in [now - 2 * hours, now - 2 * hours + 1, now - 2 * hours + 2].enumerated() {
            _ = try record("old-\(index)", startedAt: start, &writer)
        }
        clock.set(by: -60_000_000)
        let new = try record("new", startedAt: now, &writer)
        var list = try settings.store.list().captures
        #expect(list.map(\.id.description) == ["new", "old-2", "old-1"])
        #expect(try settings.store.record(new).header.startedAt > clock.reading.microseconds)
        // The clock is set back by a year; this also holds for a program that starts later.
        clock.set(by: -365 * 24 * hours)
        var later = RecordWriter(settings)
        _ = later.open()
        _ = try record("newest", startedAt: now - 365 * 24 * hours, &later)
        list = try settings.store.list().captures
        #expect(list.map(\.id.description) == ["newest", "new", "old-2"])
        #expect(list.map(\.sequence) == [5, 4, 3])
    }

    @Test("no capture is removed by age while the clock is not synchronized, or within an hour after it was set")
    func untrustedClock() throws {
        let clock = TestClock()
        let day = 86_400_000_000 as Int64
        let settings = settings(CaptureRetention(maximumAge: .seconds(30 * 86_400)), clock: clock)
        let start = clock.reading.microseconds
        var writer = RecordWriter(settings)
        _ = writer.open()
        _ = try record("old", startedAt: start, &writer)
        func ids() throws -> [String] { try spool.store.list().captures.map(\.id.description) }
        // The machine starts with its clock ahead.
        clock.set(by: 40 * day)
        clock.isSynchronized = false
        var again = RecordWriter(settings)
        _ = again.open()
        _ = try record("untimed", startedAt: start + 40 * day, &again)
        #expect(try ids() == ["untimed", "old"])
        let untimed = try settings.store.record(try #require(CaptureID("untimed"))).header
        #expect(untimed.clockSynchronized == false)
        // The clock is corrected while the program runs: trusted an hour later.
        clock.set(by: -40 * day)
        clock.isSynchronized = true
        again.applyRetention()
        clock.set(by: 40 * day)
        again.applyRetention()
        clock.pass(3_500_000_000)
        again.applyRetention()
        #expect(try ids() == ["untimed", "old"])
        clock.pass(200_000_000)
        again.applyRetention()
        #expect(try ids() == ["untimed"])
        // A record with an untrusted date expires only when a later one has expired.
        clock.pass(300 * day)
        again.applyRetention()
        #expect(try ids() == ["untimed"])
        _ = try record("timed", startedAt: clock.reading.microseconds, &again)
        clock.pass(31 * day)
        again.applyRetention()
        #expect(try ids() == [])
    }

    @Test("each removal is logged with its ID and reason")
    func removals() {
        let retention = CaptureRetention(maximumAge: .seconds(30 * 86_400), maximumCount: 7)
        #expect(retention.explanation(of: .age) == "it is older than 30 days (maximum-age-days)")
        #expect(retention.explanation(of: .count) == "at most 7 are kept (maximum-count)")
    }

    @Test("an outbox that cannot be used holds no capture up, and is tried again")
    func outbox() throws {
        let (path, key) = (spool.path + "/sealed", try SigningKey.generate())
        let witness = SealChain.Witness(program: "test", boot: nil) {
            (1, Seal.Clock(synchronized: false, maximumError: 0))
        }
        let delivery = Delivery(isRequired: false)
        var settings = settings()
        let chain = SealChain(of: path, isRequired: true, witness: witness) { _ in key }
        settings.store = CaptureStore(path: path, chain: chain, delivery: delivery)
        try settings.store.prepare()
        try AtomicFile.write([1], to: path + "/outbox")
        var writer = RecordWriter(settings)
        _ = writer.open()
        var header = capture.header
        header.id = "first"
        let id = try #require(CaptureID("first"))
        let begun = [writer.perform(.check(id)), writer.perform(.begin(header))]
        #expect(begun == [.ready(id), nil])
        guard case .committed(id, seal: _?, hasDocument: false)? = writer.perform(.commit(id, end(.accepted))) else {
            Issue.record("not sealed")
            return
        }
        writer.deliver()
        #expect(delivery.fault != nil)
        func next(_ writer: inout RecordWriter) throws -> PanelStatus.Delivery? {
            let deadline = writer.deadline
            let answer = writer.update(at: try #require(deadline))
            return if case .deliveryChanged(let told)? = answer { told } else { nil }
        }
        let faulty = try next(&writer)
        #expect(faulty == .init(waiting: 0, oldest: nil, fault: delivery.fault?.description))
        try Directory.remove(path + "/outbox")
        let told = try next(&writer)
        #expect(try delivery.fault == nil && settings.store.waiting().count == 2)
        #expect(told?.waiting == 2 && told?.oldest != nil && told?.fault == nil)
        // Another program delivers: nothing but its removing a file wakes the thread up.
        let idle = writer.deadline
        for folder in ["captures", "seals"] {
            let outbox = "\(path)/outbox/\(folder)"
            for name in try Directory.names(of: outbox) { try Directory.remove("\(outbox)/\(name)") }
        }
        let now = try #require(idle) - .seconds(1800)
        let early = writer.update(at: now)
        let counted = writer.update(at: now + .seconds(1))
        #expect(early == nil && counted == .deliveryChanged(.init(waiting: 0, oldest: nil, fault: nil)))
        let later = writer.update(at: now + .seconds(3))
        let rests = writer.deadline
        #expect(later == nil && rests == idle)
    }

    @Test("a store that cannot be created refuses captures until it can be created")
    func storeLater() throws {
        var settings = settings()
        settings.store = CaptureStore(path: spool.path + "/later/spool")
        var writer = RecordWriter(settings)
        let id = try #require(CaptureID("first"))
        let fault = StoreError.failed(.makeDirectory, path: settings.store.path, .noSuchFile)
        let answers = [writer.open(), writer.perform(.check(id))]
        #expect(
            answers == [
                .storeChanged(fault: fault.description), .refused(id, reason: fault.description, isFull: false),
            ])
        let first = writer.deadline
        let due = try #require(first)
        let early = writer.update(at: due - .microseconds(1))
        let still = writer.update(at: due)
        #expect(early == nil && still == nil)
        try Directory.make(spool.path + "/later", permissions: 0o700)
        let second = writer.deadline
        let change = writer.update(at: try #require(second))
        let later = writer.deadline
        #expect(change == .storeChanged(fault: nil) && later != nil)
        _ = try record("second", startedAt: 1, &writer)
        // The store is removed while the program runs.
        Directory.removeTree(spool.path + "/later/spool")
        _ = try record("third", startedAt: 2, &writer)
        #expect(try settings.store.list().captures.map(\.id.description) == ["third"])
    }

    @Test("a capture that never began is wiped without a fault, even if the store is broken")
    func neverBegun() throws {
        let settings = settings()
        var writer = RecordWriter(settings)
        _ = writer.open()
        // Files in place of the directories make this fail for root, too.
        for folder in ["open", "captures"] {
            #expect(rmdir("\(settings.store.path)/\(folder)") == 0)
            try AtomicFile.write([], to: "\(settings.store.path)/\(folder)")
        }
        let id = try #require(CaptureID(capture.header.id))
        guard case .refused(id, _, isFull: false)? = writer.perform(.check(id)),
            case .failed(id, _)? = writer.perform(.begin(capture.header))
        else {
            Issue.record("it began")
            return
        }
        let wiped = writer.perform(.discard(id))
        #expect(wiped == .discarded(id, fault: nil))
    }

    @Test("a sketch that could not be written is kept and fitted when the page changes")
    func sketchOnAnotherPage() throws {
        var settings = settings()
        let page = SketchPage(size: PixelSize(width: 300, height: 200), density: .standard)
        let turned = SketchPage(size: PixelSize(width: 200, height: 300), density: .standard)
        settings.sketch = RecordSettings.Sketch(
            page: page, folder: SketchFolder(at: spool.path + "/drawings"), background: .white)
        var writer = RecordWriter(settings)
        _ = writer.openSketch()
        // A directory in place of the file makes writing fail for root, too.
        let path = spool.store.path + "/sketch.jsonl"
        mkdir(path, 0o700)
        let stroke = SketchStroke(
            pen: Pen(.ink, width: 0.5), color: .black,
            samples: [SketchStroke.Sample(microseconds: 0, x: 300 * 256, y: 200 * 256)])
        let answer = writer.perform(.sketch(.stroke(stroke)))
        #expect(answer == nil)
        guard case .sketchKept(_?)? = writer.update(at: writer.deadline ?? 0) else {
            Issue.record("the disk took it")
            return
        }
        let fitted = [SketchEntry.stroke(stroke.fitted(from: page, to: turned))]
        guard case .sketch(fitted, of: turned, fault: _?)? = writer.perform(.openSketch(turned)) else {
            Issue.record("it is lost")
            return
        }
        rmdir(path)
        let undone = writer.perform(.sketch(.undo))
        #expect(undone == nil)
        guard case .sketchKept(nil)? = writer.update(at: writer.deadline ?? 0) else {
            Issue.record("it is still behind")
            return
        }
        let bytes = try InputFile.read(path, maximumByteCount: 10_000)
        #expect(bytes == SketchEncoder.encode(turned, fitted + [.undo]))
    }

    @Test("a sketch is written when the pen rests, at once after undo and clear, and again after a failure")
    func sketchTimes() throws {
        let page = SketchPage(size: PixelSize(width: 300, height: 200), density: .standard)
        var writer = SketchWriter(try SketchFile(in: spool.store, page: page))
        let path = spool.store.path + "/sketch.jsonl"
        let stroke = SketchStroke(pen: Pen(), color: .black, samples: [.init(microseconds: 0, x: 1, y: 2)])
        #expect(writer.due == nil)
        writer.apply(.stroke(stroke), at: 100)
        #expect(writer.due == 100 + SketchWriter.rest)
        writer.apply(.stroke(stroke), at: 200)
        #expect(writer.due == 200 + SketchWriter.rest)
        // Strokes follow without rest.
        writer.apply(.stroke(stroke), at: .zero + SketchWriter.longestDelay)
        #expect(writer.due == 100 + SketchWriter.longestDelay)
        writer.apply(.undo, at: .zero + SketchWriter.longestDelay)
        #expect(writer.due == Timestamp.zero + SketchWriter.longestDelay)
        writer.write(at: 1000)
        #expect(writer.due == nil && writer.fault == nil)
        unlink(path)
        mkdir(path, 0o700)
        writer.apply(.clear, at: 2000)
        writer.write(at: 2000)
        let retry = try #require(writer.due)
        #expect(retry > 2000 && writer.fault != nil)
        // Further strokes do not advance the next attempt.
        writer.apply(.stroke(stroke), at: 3000)
        #expect(writer.due == retry)
        rmdir(path)
        writer.write(at: retry)
        #expect(writer.due == nil && writer.fault == nil)
        let bytes = try #require(try InputFile.read(path, maximumByteCount: 10_000))
        #expect(try SketchDecoder.decode(bytes).entries == writer.file.entries)
    }

    @Test("the sketch is not written while a capture is")
    func sketchDuringCapture() throws {
        var settings = settings()
        let page = SketchPage(size: PixelSize(width: 300, height: 200), density: .standard)
        settings.sketch = .init(page: page, folder: SketchFolder(at: spool.path + "/drawings"), background: .white)
        var writer = RecordWriter(settings)
        _ = writer.open()
        _ = writer.openSketch()
        let stroke = SketchStroke(pen: Pen(), color: .black, samples: [.init(microseconds: 0, x: 1, y: 2)])
        _ = writer.perform(.sketch(.stroke(stroke)))
        let deadline = writer.deadline
        let due = try #require(deadline)
        let began = writer.perform(.begin(capture.header))
        let paused = writer.deadline
        // Only the store is looked at.
        #expect(try began == nil && #require(paused) > due)
        let path = spool.store.path + "/sketch.jsonl"
        _ = writer.update(at: due)
        #expect(try !Directory.contains(path))
        let id = try #require(CaptureID(capture.header.id))
        let wiped = writer.perform(.discard(id))
        let resumed = writer.deadline
        #expect(wiped == .discarded(id, fault: nil) && resumed == due)
        _ = writer.update(at: due)
        #expect(try Directory.contains(path))
    }

    @Test("scatter is written after the capture; what failed is written with the next change or at the end")
    func scatter() throws {
        let file = ScatterFile(store: spool.store.path)
        let devices = capture.header.devices.map { DeviceScatter($0, scatter: 0.08) }
        let others = devices.map { DeviceScatter($0.device, scatter: 0.05) }
        try AtomicFile.write([7], to: file.path)
        var writer = RecordWriter(settings())
        let (opened, remembered) = (writer.open(), writer.scatter.open())
        #expect(opened == .storeChanged(fault: nil) && remembered == nil)
        func keep(_ devices: [DeviceScatter], _ writer: inout RecordWriter) {
            let answers = [writer.perform(.keepScatter(devices)), writer.update(at: 0)]
            #expect(answers == [nil, nil])
        }
        _ = writer.perform(.begin(capture.header))
        keep(devices, &writer)
        #expect(file.read().devices.isEmpty)
        _ = writer.perform(.commit(try #require(CaptureID(capture.header.id)), end(.accepted)))
        _ = writer.update(at: 0)
        let kept = writer.scatter.open()
        #expect(kept == .scatter(devices))
        // A directory in place of the file makes writing fail for root, too.
        unlink(file.path)
        mkdir(file.path, 0o700)
        keep(others, &writer)
        _ = try record("next", startedAt: 1, &writer)
        rmdir(file.path)
        _ = writer.update(at: 0)
        #expect(file.read() == ([], nil))
        writer.scatter.close()
        #expect(file.read() == (others, nil))
        keep(devices, &writer)
        #expect(file.read() == (devices, nil))
    }

    @Test("a sketch that cannot be kept is reported, and drawing goes on")
    func sketchNotKept() throws {
        var settings = settings()
        let page = SketchPage(size: PixelSize(width: 300, height: 200), density: .standard)
        settings.sketch = RecordSettings.Sketch(
            page: page, folder: SketchFolder(at: spool.path + "/drawings"), background: .white)
        let held = try SketchFile(in: spool.store, page: page)
        var writer = RecordWriter(settings)
        let opened = writer.openSketch()
        guard case .sketch([], of: page, let fault?)? = opened else {
            Issue.record("\(String(describing: opened))")
            return
        }
        #expect(fault.contains("another process is writing"))
        let answer = writer.perform(.sketch(.clear))
        #expect(answer == nil)
        let entries = held.entries
        #expect(entries.isEmpty)
    }

    @Test("the log says of each recovered capture what became of it")
    func recovered() throws {
        var interrupted = CaptureRecord.random(seed: 3)
        interrupted.header.id = "other"
        interrupted.end = nil
        for record in [capture, interrupted] {
            try AtomicFile.write(try CaptureEncoder.encode(record), to: spool.file("open", record.header.id))
        }
        let ids = try spool.store.recover().captures
        let texts = Set(ids.map { spool.store.recovered($0) })
        #expect(
            texts == [
                "capture \(capture.header.id) was accepted before the program ended, and is kept",
                "capture \(interrupted.header.id) was interrupted and is kept",
            ])
        for id in ids { try spool.store.delete(id) }
        let id = try #require(CaptureID(capture.header.id))
        #expect(spool.store.recovered(id) == "capture \(id) was being deleted and is gone")
    }
}
