// SPDX-License-Identifier: Apache-2.0
import Linux
import Record

/// Writes the records of one capture after the other. Each call may wait for the medium.
struct RecordClerk: ~Copyable {
    var keeper: RecordKeeper
    /// Of the capture that runs. It holds the store's lock.
    private var writer: JournalWriter?
    /// Of the sketch page; nil where there is none, or where it cannot be kept.
    var journal: SketchJournal?

    init(_ keeper: RecordKeeper) { self.keeper = keeper }

    /// Takes over what an earlier process has left. What fails goes to the log, and is tried again at the next start.
    func open() {
        do throws(StoreError) {
            let recovery = try keeper.store.recover()
            for id in recovery.captures { keeper.log.notice("records: capture \(id) was interrupted and is kept") }
            for failure in recovery.failures { keeper.log.error("records: \(failure)") }
        } catch {
            keeper.log.error("records: \(error)")
        }
        applyRetention()
    }

    /// Removes what is kept no longer.
    func applyRetention() {
        do throws(StoreError) {
            try keeper.store.apply(keeper.retention, now: WallClock.microseconds)
        } catch {
            // Some stay longer than they should.
            keeper.log.warning("records: \(error)")
        }
    }

    /// - Returns: what the main thread is to be told, if anything.
    mutating func work(_ job: RecordJob) -> RecordAnswer? {
        switch job {
        case .start(let header): return start(header)
        case .append(let id, let entry): return append(entry, to: id)
        case .keep(let id, let end): return keep(id, end)
        case .discard(let id, let end):
            return discard(id, end)
        case .sketch(let entry):
            append(entry)
            return nil
        case .openSketch(let page): return openSketch(page)
        case .saveSketch: return saveSketch()
        }
    }

    private mutating func start(_ header: CaptureHeader) -> RecordAnswer? {
        // One that was never ended is found by the next recovery.
        writer = nil
        do throws(StoreError) {
            writer = try JournalWriter(header, in: keeper.store)
            return nil
        } catch {
            return CaptureID(header.id).flatMap { failed($0, error) }
        }
    }

    private mutating func append(_ entry: CaptureEntry, to id: CaptureID) -> RecordAnswer? {
        guard writer?.id == id else { return nil }
        do throws(StoreError) {
            try writer!.append(entry)
            return nil
        } catch {
            return failed(id, error)
        }
    }

    private mutating func keep(_ id: CaptureID, _ end: CaptureEnd) -> RecordAnswer? {
        guard writer?.id == id else { return nil }
        do throws(StoreError) { try writer!.finish(end) } catch { return failed(id, error) }
        writer = nil
        return .durable(id)
    }

    private mutating func discard(_ id: CaptureID, _ end: CaptureEnd) -> RecordAnswer {
        do throws(StoreError) {
            if writer?.id == id {
                try writer!.finish(end)
                writer = nil
            } else {
                try keeper.store.delete(id)
            }
            return .discarded(id, fault: nil)
        } catch {
            writer = nil
            // It was never begun, if it is missing: that was told.
            if error == .missing(id) { return .discarded(id, fault: nil) }
            keeper.log.error("records: capture \(id) is not wiped: \(error)")
            return .discarded(id, fault: "capture \(id) could not be wiped: \(error)")
        }
    }

    private func failed(_ id: CaptureID, _ error: StoreError) -> RecordAnswer {
        keeper.log.error("records: \(error)")
        return .failed(id, reason: error.description)
    }
}
