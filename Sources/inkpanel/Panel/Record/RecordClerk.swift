// SPDX-License-Identifier: Apache-2.0
import Linux
import Pad
import Record
import Store

/// Writes the records of one capture after the other. Each call may wait for the medium.
struct RecordClerk: ~Copyable {
    /// Nanoseconds. Where records grow too old, a panel that nobody uses looks for them once a day, or once an hour as
    /// long as the clock is not trusted.
    private static let retentionInterval: Int64 = 86_400_000_000_000
    private static let clockInterval: Int64 = 3_600_000_000_000
    /// Nanoseconds after which a store that takes nothing is tried again.
    private static let storeInterval: Int64 = 10_000_000_000

    var keeper: RecordKeeper
    /// Of the capture that runs. It holds the store's lock.
    private var writer: JournalWriter?
    /// Of the sketch page; nil where there is none, or where it cannot be kept.
    var sketch: SketchWriter?
    private var clock = ClockWatch()
    /// What was said of the clock.
    private var toldVerdict = ClockWatch.Verdict.trusted
    /// What an earlier process has left in the store was taken over.
    private var isTakenOver = false
    /// Why nothing can be recorded.
    private var fault: StoreError?
    /// ``CaptureHeader/sequence`` of the next capture; nil before the store was looked through.
    private var nextSequence: Int64?
    /// When to look again, in nanoseconds of ``MonotonicClock``.
    private var storeDue: Int64?
    private var retentionDue: Int64?

    init(_ keeper: RecordKeeper) { self.keeper = keeper }

    /// When to call ``pass(at:)`` at the latest, in nanoseconds of ``MonotonicClock``; nil is never.
    var deadline: Int64? { [storeDue, retentionDue, sketch?.due].compactMap { $0 }.min() }

    // MARK: the store

    /// Takes over what an earlier process has left. What fails goes to the log, and is tried again.
    mutating func open() -> StoreAnswer {
        lookAtStore()
        return .storeChanged(fault: fault?.description)
    }

    /// Does what is due.
    /// - Returns: whether anything can be recorded, if that has changed.
    mutating func pass(at nanoseconds: Int64) -> StoreAnswer? {
        if let answer = writeSketch(at: nanoseconds) { return answer }
        if let due = retentionDue, nanoseconds >= due { applyRetention() }
        guard let due = storeDue, nanoseconds >= due else { return nil }
        let before = fault
        lookAtStore()
        return fault == before ? nil : .storeChanged(fault: fault?.description)
    }

    private mutating func lookAtStore() {
        let before = fault
        do throws(StoreError) {
            try keeper.store.checkReady()
            fault = nil
            if before != nil { keeper.log.notice("records: captures can be recorded again") }
        } catch {
            fault = error
            if error != before { keeper.log.error("records: \(error); no signatures will be requested until this is fixed") }
        }
        storeDue = fault == nil ? nil : MonotonicClock.nanoseconds + Self.storeInterval
        switch fault {
        case nil, .diskFull: if !isTakenOver { takeOver() }
        default:
            // What is there later may be another medium.
            isTakenOver = false
            nextSequence = nil
        }
    }

    private mutating func takeOver() {
        do throws(StoreError) {
            let recovery = try keeper.store.recover()
            for id in recovery.captures {
                keeper.log.notice("records: capture \(id) was interrupted and is kept", .capture(id.description))
            }
            for failure in recovery.failures { keeper.log.error("records: \(failure)") }
            isTakenOver = true
        } catch {
            // Tried again with the next capture.
            keeper.log.error("records: \(error)")
        }
        applyRetention()
        // Now, when nobody waits; what fails is tried again, and told, with the next capture.
        nextSequence = try? keeper.store.nextSequence()
    }

    // MARK: retention

    /// Removes what is kept no longer, and says so.
    /// - Parameter accepted: is kept in any case, because its host was told just now that it is.
    mutating func applyRetention(sparing accepted: CaptureID? = nil) {
        let (retention, log) = (keeper.retention, keeper.log)
        let reading = keeper.clock()
        let verdict = clock.judge(reading)
        if retention.maximumAge != nil {
            let interval = verdict == .trusted ? Self.retentionInterval : Self.clockInterval
            retentionDue = MonotonicClock.nanoseconds + interval
            if verdict != toldVerdict { log.notice("records: \(verdict)") }
            toldVerdict = verdict
        }
        guard isTakenOver else { return }
        do throws(StoreError) {
            let now = verdict == .trusted ? reading.microseconds : nil
            try keeper.store.apply(retention, now: now, sparing: accepted) { expiry in
                log.notice(
                    "records: capture \(expiry.id) was removed: \(retention.explanation(of: expiry.reason))",
                    .capture(expiry.id.description))
            }
        } catch {
            // Some stay longer than they should.
            log.warning("records: \(error)")
        }
    }

    // MARK: captures

    /// - Returns: what the main thread is to be told, if anything.
    mutating func work(_ job: StoreAction) -> StoreAnswer? {
        switch job {
        case .check(let id):
            lookAtStore()
            return fault.map { .refused(id, reason: $0.description, isFull: $0.isFull) } ?? .ready(id)
        case .begin(let header): return begin(header)
        case .append(let id, let entry): return append(entry, to: id)
        case .commit(let id, let end): return commit(id, end)
        case .discard(let id, let end):
            return discard(id, end)
        case .sketch(let entry):
            append(entry)
            return nil
        case .openSketch(let page): return openSketch(page)
        case .saveSketch: return saveSketch()
        }
    }

    private mutating func begin(_ header: CaptureHeader) -> StoreAnswer? {
        // One that was never ended is found by the next recovery.
        writer = nil
        do throws(StoreError) {
            let sequence: Int64
            if let nextSequence { sequence = nextSequence } else { sequence = try keeper.store.nextSequence() }
            var header = header
            header.sequence = sequence
            header.clockSynchronized = keeper.clock().isSynchronized
            writer = try JournalWriter(header, in: keeper.store)
            nextSequence = CaptureHeader.sequence(after: sequence)
            return nil
        } catch {
            return CaptureID(header.id).flatMap { failed($0, error) }
        }
    }

    private mutating func append(_ entry: CaptureEntry, to id: CaptureID) -> StoreAnswer? {
        guard writer?.id == id else { return nil }
        do throws(StoreError) {
            try writer!.append(entry)
            return nil
        } catch {
            return failed(id, error)
        }
    }

    private mutating func commit(_ id: CaptureID, _ end: CaptureEnd) -> StoreAnswer? {
        guard writer?.id == id else { return nil }
        do throws(StoreError) { try writer!.finish(end) } catch { return failed(id, error) }
        writer = nil
        return .committed(id)
    }

    private mutating func discard(_ id: CaptureID, _ end: CaptureEnd) -> StoreAnswer {
        do throws(StoreError) {
            if writer?.id == id {
                try writer!.finish(end)
                writer = nil
            } else {
                // Kept a moment ago, or never begun.
                try keeper.store.wipe(id)
            }
            return .discarded(id, fault: nil)
        } catch {
            writer = nil
            keeper.log.error("records: capture \(id) is not wiped: \(error)", .capture(id.description))
            return .discarded(id, fault: "capture \(id) could not be wiped: \(error)")
        }
    }

    private mutating func failed(_ id: CaptureID, _ error: StoreError) -> StoreAnswer {
        keeper.log.error("records: \(error)", .capture(id.description))
        // Whether others would fail as well is to be told, too.
        storeDue = MonotonicClock.nanoseconds
        return .failed(id, reason: error.description)
    }
}

extension CaptureRetention {
    /// For the log.
    func explanation(of reason: Expiry.Reason) -> String {
        switch reason {
        case .age: "it is older than \((maximumAge ?? 0) / 86_400_000_000) days (maximum-age-days)"
        case .count: "no more than \(maximumCount ?? 0) are kept (maximum-count)"
        }
    }
}

extension StoreError {
    fileprivate var isFull: Bool {
        if case .diskFull = self { return true }
        return false
    }
}
