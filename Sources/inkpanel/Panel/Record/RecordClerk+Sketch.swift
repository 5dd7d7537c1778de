// SPDX-License-Identifier: Apache-2.0
import Linux
import Record

/// The sketch page's journal and pictures.
extension RecordClerk {
    /// - Returns: what was drawn before; nil where there is no sketch page. What cannot be read or written is said in
    ///   the log, and drawing goes on without it.
    mutating func openSketch() -> RecordAnswer? { keeper.sketch?.page.map { openSketch($0) } }

    /// The page is another one from now on.
    mutating func openSketch(_ page: SketchPage) -> RecordAnswer {
        keeper.sketch?.page = page
        // Its lock is in the way of the next.
        journal = nil
        do throws(StoreError) {
            let opened = try SketchJournal(in: keeper.store, page: page)
            if let aside = opened.setAside {
                keeper.log.warning("sketch: what was found is none and is now \(aside.path): \(aside.reason)")
            }
            let entries = opened.entries
            journal = consume opened
            return .sketch(entries, of: page)
        } catch {
            keeper.log.error("sketch: \(error); what is drawn will not survive a restart")
            return .sketch([], of: page)
        }
    }

    mutating func append(_ entry: SketchEntry) {
        guard var opened = journal.take() else { return }
        let wasBehind = opened.isBehind
        do throws(StoreError) {
            try opened.append(entry)
            if wasBehind { keeper.log.notice("sketch: all of it is on the disk again") }
        } catch {
            // It is kept, and tried again with the next stroke: said once.
            if !wasBehind { keeper.log.error("sketch: \(error)") }
        }
        journal = consume opened
    }

    mutating func saveSketch() -> RecordAnswer {
        guard let sketch = keeper.sketch, let page = sketch.page, let opened = journal.take() else {
            return .sketchSaved(fault: "there is no sketch to save")
        }
        let picture = SketchPicture(of: opened.strokes, on: page, background: sketch.background)
        journal = consume opened
        do throws(SketchSaveError) {
            let paths = try sketch.folder.save(picture, at: WallClock.microseconds)
            keeper.log.notice("sketch: saved as \(paths.joined(separator: " and "))")
            return .sketchSaved(fault: nil)
        } catch {
            keeper.log.error("sketch: \(error)")
            return .sketchSaved(fault: error.description)
        }
    }
}
