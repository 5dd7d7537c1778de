// SPDX-License-Identifier: Apache-2.0
import Evidence
import Formats
import Geometry
import HostAPI
import Linux
import Pad
import Raster
import Record
import Store

/// Performs the pad's store actions on the record thread. Calls may wait for the disk.
struct RecordWriter: ~Copyable {
    /// The time between checks for expired records: a day, or an hour while the clock is not trusted.
    private static let retentionInterval = Duration.seconds(86_400)
    private static let clockInterval = Duration.seconds(3600)
    /// The longest time until a deletion by a host is delivered, too.
    private static let deliveryInterval = Duration.seconds(3600)
    /// The time until an unusable store or outbox is checked again.
    private static let storeInterval = Duration.seconds(10)
    /// The time between checks of a store that works.
    private static let probeInterval = Duration.seconds(45)
    /// The time in which files that come and go together are counted once.
    private static let outboxInterval = Duration.seconds(1)

    var settings: RecordSettings
    /// nil if there is no sketch page, or its file cannot be used.
    var sketch: SketchWriter?
    var scatter: ScatterWriter
    /// The journal of the running capture. It holds the store's lock.
    private var journal: JournalWriter?
    /// The running capture's page: first without ink, last as it was accepted.
    private var shown: [(digest: SHA256Digest, takenAt: Timestamp, fonts: [String])] = []
    /// The running capture, if it has a document.
    private var signing: FlowSigning?
    private var clock = ClockWatch()
    private var loggedVerdict = ClockWatch.Verdict.trusted
    /// Whether captures of an earlier process have been recovered.
    private var isRecovered = false
    /// Why captures cannot be recorded.
    private var fault: StoreError?
    /// The faults of the chain of seals, as they were logged.
    private var sealFaults: [String] = []
    /// Why records are not delivered, as it was logged.
    private var deliveryFault: StoreError?
    /// ``CaptureHeader/sequence`` of the next capture; nil before the store was read.
    private var nextSequence: Int64?
    /// When to check the store and the retention again, on ``MonotonicClock``.
    private var storeDue: Timestamp?
    private var retentionDue: Timestamp?
    private var deliveryDue: Timestamp?
    /// When to count what waits for its delivery.
    private var outboxDue: Timestamp?
    /// The waiting records, as the pad knows them.
    private var delivery: PanelStatus.Delivery?
    /// Notices when records were delivered; nil without delivery.
    let outbox: OutboxWatch?

    init(_ settings: RecordSettings) {
        self.settings = settings
        outbox = settings.store.delivery == nil ? nil : try? OutboxWatch(settings.store)
        scatter = ScatterWriter(ScatterFile(store: settings.store.path), log: settings.log)
    }

    /// When to call ``update(at:)`` at the latest, on ``MonotonicClock``; nil for never.
    var deadline: Timestamp? {
        let dues = [
            storeDue, retentionDue, deliveryDue, outboxDue, isWritingCapture ? nil : sketch?.due,
            settings.store.encryption?.readable.nextExpiry,
        ]
        return dues.compactMap { $0 }.min()
    }

    /// Sketch and scatter wait until the capture has ended: the sketch may be large, and a person waits for the record.
    var isWritingCapture: Bool { journal != nil }

    // MARK: the store

    /// Recovers captures of an earlier process. Failures are logged, and recovery is tried again.
    mutating func open() -> StoreAnswer {
        checkStore()
        return .storeChanged(fault: fault?.description)
    }

    /// Performs due work.
    /// - Returns: an answer if recording or keeping the sketch begins to fail or works again, or if records wait for
    ///   their delivery or were delivered.
    mutating func update(at now: Timestamp) -> StoreAnswer? {
        settings.store.encryption?.readable.removeExpired(at: now)
        if !isWritingCapture { scatter.write() }
        if let answer = writeSketch(at: now) { return answer }
        if let due = retentionDue, now >= due { applyRetention() }
        if let due = deliveryDue, now >= due { deliver() }
        if outbox?.takeChange() == true, outboxDue == nil { outboxDue = now + Self.outboxInterval }
        if let due = outboxDue, now >= due, let answer = countOutbox() { return answer }
        guard let due = storeDue, now >= due else { return nil }
        if isWritingCapture, fault == nil {
            // The journal reports a failure of the medium.
            storeDue = now + Self.probeInterval
            return nil
        }
        let before = fault
        checkStore()
        return fault == before ? nil : .storeChanged(fault: fault?.description)
    }

    private mutating func checkStore() {
        let (before, log) = (fault, settings.log)
        do throws(StoreError) {
            try settings.store.checkReady()
            fault = nil
            if before != nil { log.notice("records: captures can be recorded again") }
            let faults = settings.store.chain?.faults ?? []
            if faults != sealFaults { for fault in faults { log.error("seals: \(fault)") } }
            sealFaults = faults
        } catch {
            fault = error
            if error != before { log.error("records: \(error); no signatures will be requested until this is fixed") }
        }
        // A medium that became read-only or full is known before a person has signed on it.
        storeDue = MonotonicClock.now + (fault == nil ? Self.probeInterval : Self.storeInterval)
        switch fault {
        case nil, .diskFull: if !isRecovered { recover() }
        default:
            // Another medium may appear later.
            isRecovered = false
            nextSequence = nil
        }
    }

    private mutating func recover() {
        let log = settings.log
        do throws(StoreError) {
            let recovery = try settings.store.recover()
            for id in recovery.captures {
                log.notice("records: \(settings.store.recovered(id))", .capture(id.description))
            }
            for failure in recovery.failures { log.error("records: \(failure)") }
            isRecovered = true
        } catch {
            // Recovery is tried again with the next capture.
            log.error("records: \(error)")
        }
        deliver()
        applyRetention()
        // Read it now, while no capture waits. The next capture reports a failure.
        let found = try? settings.store.inspect()
        nextSequence = found?.sequence
        for fault in found?.damage ?? [] { log.error("records: \(fault)") }
    }

    // MARK: retention

    /// Removes expired records and those beyond the maximum count, and logs each.
    /// - Parameter accepted: always kept, because its host has just received the outcome.
    mutating func applyRetention(sparing accepted: CaptureID? = nil) {
        let (retention, log) = (settings.retention, settings.log)
        let reading = settings.clock()
        let verdict = clock.judge(reading)
        if retention.maximumAge != nil {
            let interval = verdict == .trusted ? Self.retentionInterval : Self.clockInterval
            retentionDue = MonotonicClock.now + interval
            if verdict != loggedVerdict { log.notice("records: \(verdict)") }
            loggedVerdict = verdict
        }
        guard isRecovered else { return }
        do throws(StoreError) {
            let now = verdict == .trusted ? reading.microseconds : nil
            try settings.store.apply(retention, now: now, sparing: accepted) { expiry in
                log.notice(
                    "records: capture \(expiry.id) was removed: \(retention.explanation(of: expiry.reason))",
                    .capture(expiry.id.description))
            }
        } catch {
            // Some records stay longer than they should.
            log.warning("records: \(error)")
        }
    }

    // MARK: delivery

    /// Puts sealed records into the outbox. Captures go on if that fails.
    mutating func deliver() {
        guard settings.store.delivery != nil, isRecovered else { return }
        var fault: StoreError?
        do throws(StoreError) { try settings.store.deliver() } catch { fault = error }
        deliveryDue = MonotonicClock.now + (fault == nil ? Self.deliveryInterval : Self.storeInterval)
        outbox?.watch()
        if outboxDue == nil, outbox != nil { outboxDue = MonotonicClock.now + Self.outboxInterval }
        if fault == deliveryFault { return }
        deliveryFault = fault
        if let fault {
            settings.log.error("delivery: \(fault); records stay here until this is fixed")
        } else {
            settings.log.notice("delivery: records are put into the outbox again")
        }
    }

    /// The waiting records, if the pad does not know them yet.
    private mutating func countOutbox() -> StoreAnswer? {
        outboxDue = nil
        // Without an outbox that can be read, the fault says so.
        let (count, oldest) = (try? settings.store.waiting()) ?? (delivery?.waiting ?? 0, delivery?.oldest)
        let fault = settings.store.delivery?.fault?.description
        let next = PanelStatus.Delivery(waiting: count, oldest: oldest, fault: fault)
        if next == delivery { return nil }
        delivery = next
        return .deliveryChanged(next)
    }

    // MARK: captures

    mutating func perform(_ action: StoreAction) -> StoreAnswer? {
        switch action {
        case .check(let id):
            checkStore()
            guard let fault else { return .ready(id) }
            return .refused(id, reason: fault.description, isFull: fault.isFull)
        case .begin(let header): return begin(header)
        case .keepDocument(let id, let document):
            if journal?.id == id { keep(document) }
            return nil
        case .append(let id, let entry): return append(entry, to: id)
        case .commit(let id, let end): return commit(id, end)
        case .discard(let id): return discard(id)
        case .keepScatter(let devices):
            scatter.keep(devices)
            return nil
        case .readKey(let call): return .key(call, fingerprint: settings.store.chain?.publicKey?.fingerprint)
        case .sketch(let entry):
            sketch?.apply(entry, at: MonotonicClock.now)
            return nil
        case .openSketch(let page): return openSketch(page)
        case .saveSketch: return saveSketch()
        }
    }

    private mutating func keep(_ document: OpenedDocument) {
        guard var next = signing else { return }
        next.document = document
        signing = next
    }

    private mutating func begin(_ header: CaptureHeader) -> StoreAnswer? {
        // A journal that was never ended is recovered at the next start.
        journal = nil
        (shown, signing) = ([], nil)
        do throws(StoreError) {
            let sequence: Int64
            if let nextSequence { sequence = nextSequence } else { sequence = try settings.store.nextSequence() }
            var header = header
            header.sequence = sequence
            let clock = settings.clock()
            header.clockSynchronized = clock.isSynchronized
            header.clockMaximumError = clock.isSynchronized ? clock.maximumError : nil
            header.machine?.key = settings.store.chain?.publicKey?.fingerprint
            journal = try JournalWriter(header, in: settings.store)
            if header.flow?.document != nil {
                signing = FlowSigning(header, settings.documents, key: DocumentKey(of: settings.store))
            }
            nextSequence = CaptureHeader.sequence(after: sequence)
            return nil
        } catch {
            return CaptureID(header.id).flatMap { failed($0, error) }
        }
    }

    private mutating func append(_ entry: CaptureEntry, to id: CaptureID) -> StoreAnswer? {
        guard journal?.id == id else { return nil }
        do throws(StoreError) {
            try journal!.append(entry)
            signing?.entries.append(entry)
            return .appended(id)
        } catch {
            return failed(id, error)
        }
    }

    private mutating func commit(_ id: CaptureID, _ end: CaptureEnd) -> StoreAnswer? {
        guard journal?.id == id else { return nil }
        var end = end
        if let start = journal?.header.startedAtDeviceTime {
            end.shown = shownPage(since: Timestamp(microseconds: start))
        }
        let seal: SealHead?
        // The journal must not be used while it is being finished.
        let signing = signing
        var hasDocument = false
        do throws(StoreError) {
            seal = try journal!.finish(end) { (digest) throws(StoreError) -> [UInt8]? in
                let document = try signing?.sign(end, digest)
                hasDocument = document != nil
                return document
            }
        } catch {
            return failed(id, error)
        }
        if seal == nil, settings.store.chain != nil {
            settings.log.warning("records: capture \(id) is not sealed", .capture(id.description))
        }
        journal = nil
        (shown, self.signing) = ([], nil)
        return .committed(id, seal: seal, hasDocument: hasDocument)
    }

    /// Keeps the digest of the page of the running capture, not its picture, which takes as much memory as a screen.
    /// A capture with several pages has a line for each.
    /// - Returns: an answer if the line cannot be written.
    mutating func receive(_ image: PageImage, of id: CaptureID) -> StoreAnswer? {
        guard let header = journal?.header, journal?.id == id else { return nil }
        let digest = PPM.digest(of: image.picture.pixels.surface)
        // A record with a flow names its first page. Any other names the page to sign on, without its texts in large
        // letters.
        if shown.count == 2 { shown.remove(at: header.flow == nil ? 0 : 1) }
        shown.append((digest, image.takenAt, image.fonts))
        guard header.flow != nil else { return nil }
        let glass = GlassImage(sha256: digest.description, fonts: image.fonts.isEmpty ? nil : image.fonts)
        let time = (image.takenAt - Timestamp(microseconds: header.startedAtDeviceTime)).microseconds
        guard case .failed(let id, let reason)? = append(.flow(.glass(glass), microseconds: time), to: id) else {
            return nil
        }
        return .failed(id, reason: reason)
    }

    /// nil if an image is missing: its display was lost.
    private func shownPage(since start: Timestamp) -> ShownPage? {
        guard let first = shown.first, let last = shown.last, shown.count > 1 else { return nil }
        return ShownPage(
            page: first.digest.description, signed: last.digest.description,
            from: (first.takenAt - start).microseconds, until: (last.takenAt - start).microseconds, fonts: first.fonts)
    }

    private mutating func discard(_ id: CaptureID) -> StoreAnswer {
        do throws(StoreError) {
            if journal?.id == id {
                try journal!.wipe()
                journal = nil
                signing = nil
            } else {
                // It was just committed, or never begun.
                try settings.store.wipe(id)
            }
            return .discarded(id, fault: nil)
        } catch {
            journal = nil
            settings.log.error("records: capture \(id) could not be wiped: \(error)", .capture(id.description))
            return .discarded(id, fault: "capture \(id) could not be wiped: \(error)")
        }
    }

    private mutating func failed(_ id: CaptureID, _ error: StoreError) -> StoreAnswer {
        settings.log.error("records: \(error)", .capture(id.description))
        // Check at once whether other captures would fail too.
        storeDue = MonotonicClock.now
        return .failed(id, reason: error.description)
    }
}

/// Judges whether the wall clock is good enough to remove records by age: a time service controls it, and it has not
/// jumped recently.
struct ClockWatch {
    enum Verdict: Equatable {
        case trusted
        /// No time service controls the clock, or it was set by other means since.
        case unsynchronized
        /// The clock jumped by this time; negative is back.
        case jumped(by: Duration)
    }

    /// The fastest slewing of adjtimex(2), 500 ppm, is 43 s a day; ages are days.
    private static let jump = Duration.seconds(600)
    /// The time without a jump until the clock is trusted again.
    private static let steadyTime = Duration.seconds(3600)

    private var last: WallClock.Reading?
    private var lastJump: (at: Int64, by: Duration)?

    /// - Parameter reading: not older than the previous one.
    mutating func judge(_ reading: WallClock.Reading) -> Verdict {
        if let last {
            func time(_ from: Int64, _ to: Int64) -> Duration { .microseconds(to) - .microseconds(from) }
            let step = time(last.microseconds, reading.microseconds) - time(last.sinceBoot, reading.sinceBoot)
            if step.magnitude > Self.jump { lastJump = (reading.sinceBoot, step) }
        }
        last = reading
        if !reading.isSynchronized { return .unsynchronized }
        guard let lastJump, Duration.microseconds(reading.sinceBoot &- lastJump.at) < Self.steadyTime else {
            return .trusted
        }
        return .jumped(by: lastJump.by)
    }
}

extension ClockWatch.Verdict: CustomStringConvertible {
    /// The verdict for the log.
    var description: String {
        switch self {
        case .trusted: "the clock is synchronized and steady: captures are removed by age again"
        case .unsynchronized:
            "captures are not removed by age, because the clock is not synchronized (timedatectl); maximum-count "
                + "does not need the clock"
        case .jumped(let step):
            "captures are not removed by age for an hour, because the clock was set "
                + (step < .zero ? "back" : "forward") + " by \(step.magnitude.components.seconds) s"
        }
    }
}

extension CaptureRetention {
    /// The reason for the log.
    func explanation(of reason: Expiry.Reason) -> String {
        switch reason {
        case .age: "it is older than \(Int((maximumAge ?? .zero) / .seconds(86_400))) days (maximum-age-days)"
        case .count: "at most \(maximumCount ?? 0) are kept (maximum-count)"
        }
    }
}

extension CaptureStore {
    /// The fate of a capture that ``recover()`` moved, for the log.
    func recovered(_ id: CaptureID) -> String {
        do throws(StoreError) {
            return try summary(id).outcome == .accepted
                ? "capture \(id) was accepted before the program ended, and is kept"
                : "capture \(id) was interrupted and is kept"
        } catch {
            // Only recover() itself has encrypted one without a seal.
            if error == .unsealed(id) { return "capture \(id) was interrupted and is kept" }
            return error == .missing(id) ? "capture \(id) was being deleted and is gone" : "\(error); it is kept"
        }
    }
}

extension StoreError {
    fileprivate var isFull: Bool {
        if case .diskFull = self { return true }
        return false
    }
}
