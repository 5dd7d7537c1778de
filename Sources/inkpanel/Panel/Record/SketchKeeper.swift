// SPDX-License-Identifier: Apache-2.0
import Raster
import Record
import Store

/// How the sketch is kept and saved.
struct SketchKeeper: Sendable {
    /// nil while the page fits on no screen that is connected.
    var page: SketchPage?
    /// The directory of saved pictures.
    var folder: SketchFolder
    /// The background of the pictures.
    var background: Color
}

/// Decides when the sketch is written: soon after an undo, a redo or a clear; after a stroke when the pen has rested, but
/// not much later than the first stroke that is not on the disk; and again when writing has failed. Times are in
/// nanoseconds of the monotonic clock.
struct SketchWriter {
    /// The time without a stroke after which the sketch is written.
    static let rest: Int64 = 2_000_000_000
    /// The time after which it is written although strokes follow each other without rest.
    static let longestDelay: Int64 = 20_000_000_000
    private static let retryInterval: Int64 = 10_000_000_000

    let file: SketchFile
    /// When to call ``write(at:)``; nil if the file has everything.
    private(set) var due: Int64?
    /// Why the last write failed.
    private(set) var fault: String?
    private var firstChange: Int64?

    init(_ file: SketchFile) { self.file = file }

    mutating func apply(_ entry: SketchEntry, at now: Int64) {
        file.apply(entry)
        if fault != nil { return }
        let first = firstChange ?? now
        firstChange = first
        if case .stroke = entry { due = min(now + Self.rest, first + Self.longestDelay) } else { due = now }
    }

    mutating func write(at now: Int64) {
        do throws(StoreError) {
            try file.write()
            (due, firstChange, fault) = (nil, nil, nil)
        } catch {
            (due, fault) = (now + Self.retryInterval, error.description)
        }
    }
}
