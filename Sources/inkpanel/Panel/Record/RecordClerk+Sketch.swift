// SPDX-License-Identifier: Apache-2.0
import Formats
import Linux
import Pad
import Record
import Store

/// The sketch page's journal and pictures.
extension RecordClerk {
    /// - Returns: what was drawn before; nil where there is no sketch page. What cannot be read or written is said in
    ///   the log, and drawing goes on without it.
    mutating func openSketch() -> StoreAnswer? { keeper.sketch?.page.map { openSketch($0) } }

    /// The page is another one from now on.
    mutating func openSketch(_ page: SketchPage) -> StoreAnswer {
        keeper.sketch?.page = page
        // Its lock is in the way of the next, so it ends here, but for what the disk does not take.
        if let answer = keepUnwritten(on: page) { return answer }
        do throws(StoreError) {
            let opened = try SketchJournal(in: keeper.store, page: page)
            if let aside = opened.setAside {
                keeper.log.warning("sketch: what was found is none and is now \(aside.path): \(aside.reason)")
            }
            let entries = opened.entries
            journal = consume opened
            return .sketch(entries, of: page, fault: nil)
        } catch {
            let fault = "\(error); what is drawn will not survive a restart"
            keeper.log.error("sketch: \(fault)")
            return .sketch([], of: page, fault: fault)
        }
    }

    /// Ends the journal of the page before.
    /// - Returns: what to go on with where something of it is not on the disk: it would not be found there.
    private mutating func keepUnwritten(on page: SketchPage) -> StoreAnswer? {
        guard var opened = journal.take() else { return nil }
        let wasBehind = opened.isBehind
        do throws(StoreError) {
            try opened.flush()
            if wasBehind { tellAllIsKept() }
            return nil
        } catch {
            opened.fit(to: page)
            let entries = opened.entries
            journal = consume opened
            return .sketch(entries, of: page, fault: error.description)
        }
    }

    /// - Returns: what has changed about keeping the sketch, if anything.
    mutating func append(_ entry: SketchEntry) -> StoreAnswer? {
        guard var opened = journal.take() else { return nil }
        let wasBehind = opened.isBehind
        var answer: StoreAnswer?
        do throws(StoreError) {
            try opened.append(entry)
            if wasBehind {
                tellAllIsKept()
                answer = .sketchKept(fault: nil)
            }
        } catch {
            // It is kept, and tried again with the next stroke: said once.
            if !wasBehind {
                keeper.log.error("sketch: \(error)")
                answer = .sketchKept(fault: error.description)
            }
        }
        journal = consume opened
        return answer
    }

    /// Tries once more to write what the disk has not taken, before the program ends.
    mutating func closeSketch() {
        guard var opened = journal.take(), opened.isBehind else { return }
        do throws(StoreError) {
            try opened.flush()
            tellAllIsKept()
        } catch {
            keeper.log.error("sketch: what was drawn last is lost: \(error)")
        }
    }

    private func tellAllIsKept() { keeper.log.notice("sketch: all of it is on the disk again") }

    mutating func saveSketch() -> StoreAnswer {
        guard let sketch = keeper.sketch, let page = sketch.page, let opened = journal.take() else {
            return .sketchSaved(fault: "there is no sketch to save")
        }
        let picture = SketchPicture(of: opened.strokes, on: page, background: sketch.background)
        journal = consume opened
        do {
            let paths = try sketch.folder.save(png: picture.png(), svg: picture.svg(), at: WallClock.microseconds)
            keeper.log.notice("sketch: saved as \(paths.joined(separator: " and "))")
            return .sketchSaved(fault: nil)
        } catch {
            keeper.log.error("sketch: \(error)")
            return .sketchSaved(fault: "\(error)")
        }
    }
}
