// SPDX-License-Identifier: Apache-2.0
import Formats
import Geometry
import Linux
import Pad
import Record
import Store

/// Decides when the sketch is written: at once after an undo, a redo or a clear, and after strokes when the pen rests,
/// with a maximum delay. Failed writes are repeated. Times are on ``MonotonicClock``.
struct SketchWriter {
    /// The time without strokes after which the sketch is written.
    static let rest = Duration.seconds(2)
    /// The maximum delay from the first unwritten stroke, even if strokes follow without rest.
    static let longestDelay = Duration.seconds(20)
    private static let retryInterval = Duration.seconds(10)

    let file: SketchFile
    /// When to call ``write(at:)``; nil if the file is up to date.
    private(set) var due: Timestamp?
    /// Why the last write failed.
    private(set) var fault: String?
    private var firstChange: Timestamp?
    /// An undo, a redo or a clear waits for the next write; a stroke does not delay it.
    private var isUrgent = false

    init(_ file: SketchFile) { self.file = file }

    mutating func apply(_ entry: SketchEntry, at now: Timestamp) {
        file.apply(entry)
        if fault != nil { return }
        let first = firstChange ?? now
        firstChange = first
        if case .stroke = entry {
            if !isUrgent { due = min(now + Self.rest, first + Self.longestDelay) }
        } else {
            (due, isUrgent) = (now, true)
        }
    }

    mutating func write(at now: Timestamp) {
        do throws(StoreError) {
            try file.write()
            (due, firstChange, fault, isUrgent) = (nil, nil, nil, false)
        } catch {
            (due, fault) = (now + Self.retryInterval, error.description)
        }
    }
}

/// Keeps the sketch on disk and saves pictures of it.
extension RecordWriter {
    /// - Returns: the stored sketch; nil if there is no sketch page.
    mutating func openSketch() -> StoreAnswer? { settings.sketch?.page.map { openSketch($0) } }

    /// Changes the sketch's page. If the sketch cannot be read or written, the answer has the reason. Drawing goes on
    /// in any case.
    mutating func openSketch(_ page: SketchPage) -> StoreAnswer {
        settings.sketch?.page = page
        do throws(StoreError) {
            if sketch == nil {
                let file = try SketchFile(in: settings.store, page: page)
                if let aside = file.setAside {
                    settings.log.warning(
                        "sketch: the stored file cannot be read and was renamed to \(aside.path): \(aside.reason)")
                }
                sketch = SketchWriter(file)
            }
        } catch {
            let fault = "\(error); the drawing will not survive a restart"
            settings.log.error("sketch: \(fault)")
            return .sketch([], of: page, fault: fault)
        }
        sketch!.file.page = page
        return .sketch(sketch!.file.entries, of: page, fault: sketch!.fault)
    }

    /// Writes the sketch if it is due.
    /// - Returns: an answer if writing begins to fail or works again.
    mutating func writeSketch(at now: Timestamp) -> StoreAnswer? {
        guard !isWritingCapture, let due = sketch?.due, now >= due else { return nil }
        let before = sketch!.fault
        sketch!.write(at: now)
        let fault = sketch!.fault
        if (fault == nil) == (before == nil) { return nil }
        if let fault {
            settings.log.error("sketch: \(fault)")
        } else {
            settings.log.notice("sketch: the drawing is stored again")
        }
        return .sketchKept(fault: fault)
    }

    /// Writes the sketch before the program ends.
    mutating func closeSketch() {
        guard sketch?.due != nil else { return }
        sketch!.write(at: MonotonicClock.now)
        if let fault = sketch!.fault { settings.log.error("sketch: the last changes are lost: \(fault)") }
    }

    func saveSketch() -> StoreAnswer {
        guard let folder = settings.sketch?.folder, let background = settings.sketch?.background, let sketch else {
            return .sketchSaved(fault: "there is no sketch to save")
        }
        let picture = SketchPicture(of: sketch.file.strokes, on: sketch.file.page, background: background)
        do {
            let paths = try folder.save(png: picture.png(), svg: picture.svg(), at: WallClock.microseconds)
            settings.log.notice("sketch: saved as \(paths.joined(separator: " and "))")
            return .sketchSaved(fault: nil)
        } catch {
            settings.log.error("sketch: \(error)")
            return .sketchSaved(fault: "\(error)")
        }
    }
}
