// SPDX-License-Identifier: Apache-2.0
import Formats
import Linux
import Pad
import Record
import Store

/// Keeps the sketch on disk and saves pictures of it.
extension RecordClerk {
    /// - Returns: what was drawn before; nil if there is no sketch page.
    mutating func openSketch() -> StoreAnswer? { keeper.sketch?.page.map { openSketch($0) } }

    /// Changes the sketch's page. If the sketch cannot be read or written, the answer has the reason, and drawing goes on
    /// without it.
    mutating func openSketch(_ page: SketchPage) -> StoreAnswer {
        keeper.sketch?.page = page
        do throws(StoreError) {
            if sketch == nil {
                let file = try SketchFile(in: keeper.store, page: page)
                if let aside = file.setAside {
                    keeper.log.warning("sketch: what was found is none and is now \(aside.path): \(aside.reason)")
                }
                sketch = SketchWriter(file)
            }
        } catch {
            let fault = "\(error); what is drawn will not survive a restart"
            keeper.log.error("sketch: \(fault)")
            return .sketch([], of: page, fault: fault)
        }
        sketch!.file.page = page
        return .sketch(sketch!.file.entries, of: page, fault: sketch!.fault)
    }

    mutating func append(_ entry: SketchEntry) { sketch?.apply(entry, at: MonotonicClock.nanoseconds) }

    /// Writes the sketch if that is due.
    /// - Returns: an answer if writing begins to fail or works again.
    mutating func writeSketch(at nanoseconds: Int64) -> StoreAnswer? {
        guard let due = sketch?.due, nanoseconds >= due else { return nil }
        let before = sketch!.fault
        sketch!.write(at: nanoseconds)
        let fault = sketch!.fault
        if (fault == nil) == (before == nil) { return nil }
        if let fault {
            keeper.log.error("sketch: \(fault)")
        } else {
            keeper.log.notice("sketch: all of it is on the disk again")
        }
        return .sketchKept(fault: fault)
    }

    /// Writes the sketch before the program ends.
    mutating func closeSketch() {
        guard sketch?.due != nil else { return }
        sketch!.write(at: MonotonicClock.nanoseconds)
        if let fault = sketch!.fault { keeper.log.error("sketch: what was drawn last is lost: \(fault)") }
    }

    func saveSketch() -> StoreAnswer {
        guard let folder = keeper.sketch?.folder, let background = keeper.sketch?.background, let sketch else {
            return .sketchSaved(fault: "there is no sketch to save")
        }
        let picture = SketchPicture(of: sketch.file.strokes, on: sketch.file.page, background: background)
        do {
            let paths = try folder.save(png: picture.png(), svg: picture.svg(), at: WallClock.microseconds)
            keeper.log.notice("sketch: saved as \(paths.joined(separator: " and "))")
            return .sketchSaved(fault: nil)
        } catch {
            keeper.log.error("sketch: \(error)")
            return .sketchSaved(fault: "\(error)")
        }
    }
}
