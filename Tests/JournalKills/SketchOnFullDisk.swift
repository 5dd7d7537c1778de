// SPDX-License-Identifier: Apache-2.0
import CaptureFixtures
import Geometry
import Glibc
import Linux
import Record
import Store
import TestSupport

/// Sketches on a small file system until it is full, goes on drawing, and makes room again.
struct SketchOnFullDisk {
    private static let page = SketchPage(
        size: PixelSize(width: 300, height: 200), density: PixelDensity(dotsPerInch: 150))
    /// More than any file system that this is for, so that a wrong one is not filled.
    private static let maximumByteCount = 4 << 20

    private let directory: String
    private let store: CaptureStore

    init(in directory: String) throws {
        self.directory = directory
        store = try CaptureStore(at: directory)
    }

    func run() throws -> String {
        var source = RandomSketch(seed: 1)
        // Something else takes half of the space.
        let ballast = directory + "/ballast"
        try FileDescriptor(opening: ballast, O_WRONLY | O_CREAT, permissions: 0o600)
            .writeAll([UInt8](repeating: 1, count: 512 << 10))
        var refused = 0
        var byteCount = 0
        var journal = try SketchJournal(in: store, page: Self.page)
        var written = journal.entries
        while refused < 200 {
            let stroke = SketchEntry.stroke(source.stroke(longest: 60))
            byteCount += 1000
            try require(byteCount < Self.maximumByteCount * 4, "this file system is not small")
            do throws(StoreError) {
                try journal.append(stroke)
                written = journal.entries
            } catch {
                guard case .diskFull = error else { throw error }
                refused += 1
                // What was acknowledged is whole, and not half a line more.
                let bytes = try InputFile.read(
                    directory + "/sketch.jsonl", maximumByteCount: Self.maximumByteCount)
                let contents = try SketchDecoder.decode(bytes ?? [])
                try require(contents.entries == written, "not what was acknowledged")
                try require(contents.wholeByteCount == bytes?.count, "half a line is left")
            }
        }
        unlink(ballast)
        try journal.flush()
        let all = journal.entries
        try require(all.count == written.count + refused, "not all that was drawn")
        _ = consume journal
        let again = try SketchJournal(in: store, page: Self.page).entries
        try require(again == all, "not all that was drawn is there")
        return "disk full: \(refused) strokes were refused and \(all.count) are there"
    }
}
