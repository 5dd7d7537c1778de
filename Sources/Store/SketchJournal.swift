// SPDX-License-Identifier: Apache-2.0
import Linux
public import Record

/// What is drawn on the sketch page, on the disk while it is drawn, and from there again when the program starts
/// (docs/sketch.md). What a call has returned from survives the end of the process, and a power cut where the medium
/// keeps what it acknowledges. Each call may wait for the medium: not for the thread that reads reports.
///
/// It knows all that stands or can be brought back, so nothing is lost to it when the medium takes nothing for a
/// while: the next call that gets through writes what is lacking.
public struct SketchJournal: ~Copyable, Sendable {
    /// A file that was in the journal's place and was no journal; it is still there, under another name.
    public struct SetAside: Equatable, Sendable {
        public var path: String
        public var reason: SketchFormatError
    }

    static let name = "sketch.jsonl"

    public private(set) var page: SketchPage
    /// What was found and cannot be read; to be told.
    public let setAside: SetAside?
    /// Whether strokes were forgotten because there were more than are kept (``SketchLimits``); to be told.
    public var hasForgotten: Bool { kept.hasForgotten }
    /// Whether something of the sketch is not on the medium, because the last call failed.
    public private(set) var isBehind = false

    private let limits: SketchLimits
    private let store: CaptureStore
    private let path: String
    /// Its lock says that a sketch is being written in it.
    private var directory: LockedFile
    private var kept: KeptSketch
    /// Nil when the next thing to be written is the whole journal. Written out, because `?` would make it nil before
    /// the initialiser can throw, over which Swift 6.0 crashes, as with ``pending``.
    private var file: Optional<SketchJournalFile>
    /// Of whole lines in `file` that are known to be on the medium.
    private var byteCount = 0
    /// Whether the file may have more than those, because a write or a synchronization failed.
    private var isTorn = false
    /// Whole lines that `file` lacks.
    private var pending: [[UInt8]]
    /// A journal of fewer bytes is not to be rewritten, because that failed a moment ago.
    private var patientByteCount = 0

    /// Reads the sketch that there is. One of another page is made to fit this one, in proportion; it is written so
    /// when something is drawn on it.
    /// - Throws: ``StoreError/inUse(path:)`` while another process writes it; or when it cannot be read at all.
    public init(
        in store: CaptureStore, page: SketchPage, limits: SketchLimits = SketchLimits()
    ) throws(StoreError) {
        let path = store.path + "/" + Self.name
        // Not by `CaptureStore.lock`: what is in use is the file, and Swift 6.0 does not get through this initializer
        // with it when it optimises.
        let opened = try CaptureStore.open(store.path)
        let directory: LockedFile
        do throws(Errno) { directory = try LockedFile(opened, .exclusive, waits: false) } catch {
            throw error == .wouldBlock ? .inUse(path: path) : StoreError(.lock, store.path, error)
        }
        let found = try SketchJournalFile.find(at: path, limits: limits)
        self.page = page
        self.limits = limits
        self.store = store
        self.path = path
        self.directory = directory
        pending = []
        // Filled before they are properties: Swift 6.0 takes all of a move-only value for constant here.
        var kept = KeptSketch(limits)
        var file: SketchJournalFile?
        switch found {
        case .none: setAside = nil
        case .setAside(let path, let reason): setAside = SetAside(path: path, reason: reason)
        case .journal(let opened, let contents, let isTorn):
            setAside = nil
            kept = KeptSketch(limits, contents.entries, fittedFrom: contents.page, to: page)
            if contents.page == page { (file, byteCount, self.isTorn) = (opened, contents.wholeByteCount, isTorn) }
        }
        self.kept = kept
        self.file = file
    }

    /// The strokes that stand, in the order they were drawn.
    public var strokes: [SketchStroke] { kept.sheets.strokes.map(\.stroke) }

    /// The fewest entries that lead from a blank page to what stands and what can be undone and done again: to be drawn
    /// when the program starts.
    public var entries: [SketchEntry] {
        kept.sheets.steps.map { step in
            switch step {
            case .add(let kept): .stroke(kept.stroke)
            case .undo: .undo
            case .clear: .clear
            }
        }
    }

    /// Adds what was done; it is on the medium when this returns. A stroke without samples is none.
    /// - Throws: ``StoreError``; then the entry is kept all the same, and written by the next call that succeeds.
    public mutating func append(_ entry: SketchEntry) throws(StoreError) {
        if case .stroke(let stroke) = entry, stroke.samples.isEmpty { return }
        kept.apply(entry)
        isBehind = true
        if file != nil {
            pending.append(SketchEncoder.line(entry))
            // The whole sketch is less to write, and to keep in mind.
            if pending.reduce(0, { $0 + $1.count }) > max(limits.smallByteCount, kept.byteCount) { forgetFile() }
        }
        try flush()
    }

    /// Writes what earlier calls could not; nothing when there is nothing.
    public mutating func flush() throws(StoreError) {
        guard isBehind else { return }
        // Somebody has removed the file: what is added to it would be found by nobody.
        if let file, file.isRemoved { forgetFile() }
        guard let file else { return try rewrite() }
        while let line = pending.first {
            // It could not be rewritten for a long time.
            if byteCount + line.count > limits.journalByteCount { return try rewrite() }
            do throws(Errno) { try append(line, to: file) } catch { throw StoreError(.write, path, error) }
            pending.removeFirst()
        }
        isBehind = false
        guard byteCount > max(limits.smallByteCount, 2 * kept.byteCount, patientByteCount) else { return }
        // What was to be written is. If there is no room for a second file now, there may be later.
        do throws(StoreError) { try rewrite() } catch { patientByteCount = byteCount + limits.smallByteCount }
    }

    /// The page is another one from now on, to which all strokes are made to fit, in proportion. It is written so when
    /// a call gets through.
    ///
    /// A journal that is not behind is better opened again for the other page: it loses nothing when the first page
    /// comes back.
    public mutating func fit(to page: SketchPage) {
        let hadForgotten = kept.hasForgotten
        kept = KeptSketch(limits, entries, fittedFrom: self.page, to: page)
        kept.hasForgotten = kept.hasForgotten || hadForgotten
        self.page = page
        isBehind = true
        forgetFile()
    }

    private mutating func append(_ line: [UInt8], to file: SketchJournalFile) throws(Errno) {
        if isTorn { try file.cut(to: byteCount) }
        isTorn = true
        do throws(Errno) { try file.append(line) } catch {
            // When this fails too, the next attempt begins with it, and readers leave a torn line out.
            if (try? file.cut(to: byteCount)) != nil { isTorn = false }
            throw error
        }
        isTorn = false
        byteCount += line.count
    }

    // MARK: the whole journal anew

    /// Makes the store again where somebody has removed it.
    private mutating func reopenDirectory() throws(StoreError) {
        guard (try? directory.file.isRemoved) == true else { return }
        try store.prepare()
        directory = try CaptureStore.lock(store.path, .exclusive, waits: false)
    }

    private mutating func forgetFile() {
        file = nil
        pending = []
    }

    /// Writes what there is beside the journal, and puts it in its place in one step.
    private mutating func rewrite() throws(StoreError) {
        let bytes = SketchEncoder.encode(page, entries)
        let part = path + ".part"
        try reopenDirectory()
        let written: SketchJournalFile
        do throws(Errno) {
            written = try SketchJournalFile(writing: bytes, to: part)
            try Directory.rename(part, to: path)
        } catch {
            try? Directory.remove(part)
            throw StoreError(.write, part, error)
        }
        // The file from before has no name any more.
        forgetFile()
        isBehind = true
        try CaptureStore.synchronize(directory.file, path)
        (file, byteCount, isTorn) = (written, bytes.count, false)
        isBehind = false
        patientByteCount = 0
    }
}
