// SPDX-License-Identifier: Apache-2.0
import Glibc
import HostAPI
import Ink
import Linux
public import Record

/// The sketch on disk: `sketch.jsonl` in the store's directory, always replaced as a whole (docs/sketch.md).
///
/// Changes are kept in memory until ``write()``. Calls wait for the medium, so they do not belong on the thread that
/// reads reports. Not thread-safe.
public final class SketchFile {
    /// A file that was in the sketch's place and is not a sketch; it was renamed.
    public struct SetAside: Equatable, Sendable {
        public var path: String
        public var reason: SketchFormatError
    }

    /// The default limit: about 300,000 reports, 40 minutes of a pen at 125 reports/s.
    public static let byteLimit = 8 << 20

    public let setAside: SetAside?
    /// Whether the file on disk lacks something.
    public private(set) var hasChanges = false
    /// The page that ``entries`` and ``strokes`` are on. A sketch of another page is fitted to it in proportion; the
    /// stored sketch stays on its own page until something is drawn.
    public var page: SketchPage

    private let store: CaptureStore
    private let path: String
    /// The store's directory; its lock marks that a process is writing the sketch.
    private var directory: LockedFile
    private var sketch: BoundedSketch

    /// Reads the sketch.
    /// - Parameter byteLimit: the maximum size of the strokes in the file. Above it the oldest are dropped; the screen
    ///   shows them until the program ends.
    /// - Throws: ``StoreError/inUse(path:)`` while another process writes the sketch.
    public init(in store: CaptureStore, page: SketchPage, byteLimit: Int = SketchFile.byteLimit) throws(StoreError) {
        let path = store.path + "/sketch.jsonl"
        directory = try Self.lock(store, path)
        Self.removeParts(of: store)
        let found: Result<SketchDecoder.Contents?, SketchFormatError>
        do throws(Errno) { found = try Self.read(path, byteLimit) } catch { throw StoreError(.read, path, error) }
        switch found {
        case .success(let contents):
            sketch = BoundedSketch(contents?.page ?? page, byteLimit)
            for entry in contents?.entries ?? [] { sketch.apply(entry) }
            setAside = nil
        case .failure(let reason):
            do throws(Errno) { setAside = SetAside(path: try Self.moveAside(path), reason: reason) } catch {
                throw StoreError(.rename, path, error)
            }
            sketch = BoundedSketch(page, byteLimit)
        }
        self.store = store
        self.path = path
        self.page = page
    }

    /// The visible strokes, in the order in which they were drawn.
    public var strokes: [SketchStroke] { sketch.fitted(to: page).history.visible.map(\.stroke) }

    /// The fewest entries from a blank page to the visible strokes and those that undo and redo can bring back.
    public var entries: [SketchEntry] { sketch.fitted(to: page).entries }

    /// Applies a change in memory. Ignores a stroke without samples.
    public func apply(_ entry: SketchEntry) {
        if case .stroke(let stroke) = entry, stroke.samples.isEmpty { return }
        if sketch.page != page { sketch = sketch.fitted(to: page) }
        sketch.apply(entry)
        hasChanges = true
    }

    /// Replaces the file if something has changed; the new one is on the medium when this returns.
    /// - Throws: ``StoreError``; the file on disk is then as before.
    public func write() throws(StoreError) {
        guard hasChanges else { return }
        if (try? directory.file.isRemoved) == true {
            // Somebody has removed the store.
            try store.prepare()
            directory = try Self.lock(store, path)
        }
        let bytes = SketchEncoder.encode(sketch.page, sketch.entries)
        do throws(Errno) { try AtomicFile.replace(bytes, at: path) } catch { throw StoreError(.write, path, error) }
        hasChanges = false
    }

    private static func lock(_ store: CaptureStore, _ path: String) throws(StoreError) -> LockedFile {
        do throws(StoreError) { return try CaptureStore.lock(store.path, .exclusive, waits: false) } catch {
            if case .inUse = error { throw .inUse(path: path) }
            throw error
        }
    }

    /// Removes what writers left that were killed, on file systems without O_TMPFILE. The lock is held.
    private static func removeParts(of store: CaptureStore) {
        for name in (try? Directory.names(of: store.path)) ?? [] where name.hasSuffix(".part") {
            try? Directory.remove(store.path + "/" + name)
        }
    }

    /// - Returns: nil if there is no file, or why it is not a sketch.
    private static func read(
        _ path: String, _ byteLimit: Int
    ) throws(Errno) -> Result<SketchDecoder.Contents?, SketchFormatError> {
        let bytes: [UInt8]
        // Lines of undo and clear, and the header, come on top of the strokes.
        let limit = 2 * byteLimit + (1 << 20)
        do throws(Errno) {
            // Non-blocking, because it could be a pipe.
            let file = try FileDescriptor(opening: path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW)
            var status = stat()
            try retryingOnInterrupt { fstat(file.number, &status) }
            guard status.st_mode & S_IFMT == S_IFREG else { throw Errno.notAFile }
            try Directory.makePrivate(file)
            bytes = try file.read(limit + 1, from: 0)
        } catch {
            switch error {
            case .noSuchFile: return .success(nil)
            case .notAFile, .isDirectory, Errno(code: ELOOP), Errno(code: ENXIO):
                return .failure(.notASketch("it is not a file"))
            default: throw error
            }
        }
        if bytes.count > limit { return .failure(.tooLarge(limit: limit)) }
        do throws(SketchFormatError) {
            return .success(try SketchDecoder.decode(bytes))
        } catch {
            return .failure(error)
        }
    }

    /// - Returns: the new path. The directory's lock keeps others from taking it in between.
    private static func moveAside(_ path: String) throws(Errno) -> String {
        var target = path + ".unreadable"
        var number = 1
        while try Directory.contains(target) {
            number += 1
            target = path + ".unreadable-\(number)"
        }
        try Directory.rename(path, to: target)
        return target
    }
}

/// A sketch with what undo and redo can bring back, up to a number of bytes.
private struct BoundedSketch {
    struct Stroke {
        let stroke: SketchStroke
        /// The size of its line in the file.
        let byteCount: Int
    }

    let page: SketchPage
    private(set) var history = History<Stroke>()
    private let byteLimit: Int

    init(_ page: SketchPage, _ byteLimit: Int) { (self.page, self.byteLimit) = (page, byteLimit) }

    var entries: [SketchEntry] {
        history.steps.map { step in
            switch step {
            case .append(let kept): .stroke(kept.stroke)
            case .undo: .undo
            case .clear: .clear
            }
        }
    }

    mutating func apply(_ entry: SketchEntry) {
        history.apply(entry) { Stroke(stroke: $0, byteCount: SketchEncoder.line(.stroke($0)).count) }
        guard case .stroke = entry else { return }
        while history.entries.reduce(0, { $0 + $1.byteCount }) > byteLimit { history.removeOldest() }
    }

    func fitted(to other: SketchPage) -> BoundedSketch {
        if other == page { return self }
        var fitted = BoundedSketch(other, byteLimit)
        for entry in entries {
            if case .stroke(let stroke) = entry {
                fitted.apply(.stroke(stroke.fitted(from: page, to: other)))
            } else {
                fitted.apply(entry)
            }
        }
        return fitted
    }
}

/// The directory of saved sketches: pictures named by their time. Calls wait for the medium; any thread, one at a time.
public struct SketchFolder: Sendable {
    public let path: String

    /// - Parameter path: created when the first sketch is saved, in a directory that must exist.
    public init(at path: String) { self.path = path }

    /// Writes `sketch-20260314-150926.png` and `.svg`, or with `-2`, `-3` ... at the end if the name is taken.
    /// - Parameter time: microseconds since 1970-01-01 UTC; the name is in UTC.
    /// - Returns: the paths of the files, which are on the medium.
    /// - Throws: ``SketchSaveError``; then neither file is left.
    public func save(png: [UInt8], svg: [UInt8], at time: Int64) throws(SketchSaveError) -> [String] {
        do throws(Errno) {
            if try Directory.make(path, permissions: 0o755) { try Directory.synchronizeParent(of: path) }
        } catch {
            throw SketchSaveError(cause: StoreError(.makeDirectory, path, error))
        }
        let base = path + "/sketch-" + TimestampText.compactSecond(microseconds: time)
        var number = 1
        do throws(Errno) {
            while true {
                let name = number == 1 ? base : "\(base)-\(number)"
                let isTaken = try Directory.contains(name + ".png")
                if !isTaken, try !Directory.contains(name + ".svg") {
                    return try write(png, svg, name)
                }
                number += 1
            }
        } catch {
            throw SketchSaveError(cause: StoreError(.write, base + ".png", error))
        }
    }

    private func write(_ png: [UInt8], _ svg: [UInt8], _ name: String) throws(Errno) -> [String] {
        try AtomicFile.replace(png, at: name + ".png")
        do throws(Errno) { try AtomicFile.replace(svg, at: name + ".svg") } catch {
            try? Directory.remove(name + ".png")
            throw error
        }
        return [name + ".png", name + ".svg"]
    }
}

/// Why a sketch could not be saved.
public struct SketchSaveError: Error, Equatable, CustomStringConvertible {
    public let cause: StoreError

    public var description: String {
        if case .diskFull(let path) = cause {
            return "the disk is full: the sketch cannot be saved as \(path); free some space there"
        }
        return cause.description
    }
}
