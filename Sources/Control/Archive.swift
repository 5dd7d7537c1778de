// SPDX-License-Identifier: Apache-2.0
import Evidence
import Formats
import FoundationEssentials
import Glibc
import HostAPI
import Linux
import PNG
import Pad
import Raster
import Record
import Store
import Synchronization

/// A thread that reads and changes the store for hosts and makes files, so that a slow medium or a large export delays
/// nothing else. Users take turns: the next job is the oldest of the user that was served longest ago.
final class Archive: Sendable {
    enum Job: Sendable {
        case call(ArchiveCall, CaptureReach)
        /// The pad's part of a status; the store's is added.
        case status(PanelStatus, continues: Bool)
        /// Without the figures of the store and the machine, which are added.
        case health(PanelHealth)
        /// Without what documents need, which is added.
        case abilities(PanelAbilities)
        case screenshot(Screenshot)
        /// The page of a mirrored capture; other replies follow.
        case backdrop(Screenshot)

        /// Whether it makes a file, whose reply may be large.
        fileprivate var isExport: Bool {
            switch self {
            case .call(.get(_, .some), _), .call(.getDocument, _), .screenshot, .backdrop: true
            case .call, .status, .health, .abilities: false
            }
        }
    }

    struct Reply: Sendable {
        var call: CallID
        /// A message with its terminator.
        var message: [UInt8]
        var isFinal: Bool
    }

    private struct Entry: Sendable {
        var call: CallID
        var job: Job
        var user: uid_t
    }

    /// Why the thread does not start a job.
    private struct Hold: Sendable {
        /// Users with too many unread replies; they get no exports.
        var users: Set<uid_t> = []
        /// A large reply is on its way to the control thread, which alone knows how much is unread.
        var isHeld = false
        /// Replies that the control thread has not received.
        var unreceived = 0
    }

    private let jobs: Mailbox<Entry>
    private let replies: Mailbox<Reply>
    private let hold = Mutex(Hold())
    private let worker: ArchiveWorker

    init(_ worker: ArchiveWorker) throws(Errno) {
        self.worker = worker
        jobs = try Mailbox(blocking: true)
        replies = try Mailbox(blocking: false)
    }

    // MARK: control thread

    /// Readable when replies wait.
    var descriptor: CInt { replies.descriptor }

    func submit(_ call: CallID, _ job: Job, of user: uid_t) { jobs.put(Entry(call: call, job: job, user: user)) }

    /// Removes the jobs of a call whose host has gone, except a deletion.
    func forget(_ call: CallID) {
        jobs.removeAll { entry in
            if case .call(.delete, _) = entry.job { return false }
            return entry.call == call
        }
    }

    /// Sets the users that get no exports for now. Their other calls go on, so they can still list and delete.
    func hold(_ users: Set<uid_t>) {
        let isOver = hold.withLock { hold in
            let wasHeld = hold.isHeld
            // Replies made since then must be counted first.
            if hold.unreceived == 0 { hold.isHeld = false }
            defer { hold.users = users }
            return wasHeld && !hold.isHeld || !hold.users.isSubset(of: users)
        }
        if isOver { jobs.wake() }
    }

    func receiveReplies() -> [Reply] {
        let received = replies.take().items
        hold.withLock { $0.unreceived -= received.count }
        return received
    }

    /// Makes the thread end after its current job.
    func finish() {
        jobs.removeAll { _ in true }
        jobs.close()
    }

    // MARK: archive thread

    func run() {
        // When the last job of each user was started.
        var turns: [uid_t: UInt64] = [:]
        var turn: UInt64 = 0
        while true {
            jobs.wait()
            while let held = hold.withLock({ $0.isHeld ? nil : $0.users }),
                let entry = jobs.takeFirst({ Self.next(of: $0, held: held, turns) })
            {
                turn += 1
                turns[entry.user] = turn
                let (message, isFinal) = worker.reply(to: entry.job)
                hold.withLock { hold in
                    // Counted before it can be received.
                    hold.unreceived += 1
                    if entry.job.isExport, message.count > worker.largeBytes { hold.isHeld = true }
                }
                replies.put(Reply(call: entry.call, message: message, isFinal: isFinal))
                // The allocator would keep the many small blocks of a record and its drawing.
                if entry.job.isExport { Heap.trim() }
            }
            if jobs.isClosed { return }
        }
    }

    private static func next(of waiting: [Entry], held: Set<uid_t>, _ turns: [uid_t: UInt64]) -> Int? {
        waiting.indices.filter { !(waiting[$0].job.isExport && held.contains(waiting[$0].user)) }
            .min { turns[waiting[$0].user] ?? 0 < turns[waiting[$1].user] ?? 0 }
    }
}

/// Carries out the jobs of an ``Archive``. Each may wait for the medium.
struct ArchiveWorker: Sendable {
    let store: CaptureStore
    let export: RecordExport
    /// The panel's name, for `allowed_signers` in archives of evidence.
    var panel = "panel"
    /// The path of the page that is added to archives of evidence; nil if it is unknown.
    var verifier = EvidenceArchive.usualVerifier
    var log = Log()
    /// Looks whether documents can be read and signed; nil without a panel, in tests.
    var documents: (@Sendable () -> PanelAbilities.Documents)?
    /// The maximum size of a record to export, in bytes. Records of this program, with at most
    /// ``CaptureLimits/strokeSampleCount`` samples, are smaller. Drawing one of this size takes 60 MiB beside its
    /// pixels, a text with each sample 200 MiB, which a panel with 512 MiB can spare.
    var exportByteCount = 24 << 20
    /// After a reply above this size, in bytes, the next export waits until the control thread has received it.
    var largeBytes = 1 << 20
    /// Bytes of a signed document in one reply: a quarter of a megabyte of Base64.
    var partBytes = 192 << 10

    func reply(to job: Archive.Job) -> (message: [UInt8], isFinal: Bool) {
        do throws(PanelError) {
            switch job {
            case .call(.list, let reach):
                return (
                    ReplyEncoder.message(RecordList(try list(reach), head: reach == .all ? store.chain?.head : nil)),
                    true
                )
            case .call(.get(let id, let choice), let reach):
                try check(id, isWithin: reach)
                return (try get(id, choice), true)
            case .call(.getDocument(let id, let offset), let reach):
                try check(id, isWithin: reach)
                return (ReplyEncoder.message(try documentPart(of: id, from: offset)), true)
            case .call(.delete(let id), let reach):
                try check(id, isWithin: reach)
                try delete(id)
                return (ReplyEncoder.message(NoReply()), true)
            case .status(let status, let continues):
                var status = status
                completeStore(&status.store)
                // Signatures can be taken: other faults come first.
                status.store.fault = status.store.fault ?? store.damage.summary
                return (ReplyEncoder.message(StatusReply(status: status), continues: continues), !continues)
            case .health(let health): return (ReplyEncoder.message(HealthReply(health: completed(health))), true)
            case .abilities(let abilities):
                var abilities = abilities
                abilities.documents = documents?()
                return (ReplyEncoder.message(AbilitiesReply(abilities: abilities)), true)
            case .screenshot(let screenshot): return (try message(screenshot), true)
            case .backdrop(let backdrop): return (try message(backdrop: backdrop), false)
            }
        } catch {
            return (ReplyEncoder.message(error), true)
        }
    }

    private func message(_ screenshot: Screenshot) throws(PanelError) -> [UInt8] {
        do throws(PNGError) {
            return ReplyEncoder.message(try PNGEncoder.encode(screenshot.pixels.surface), format: .png)
        } catch {
            throw .unavailable(reason: error.description)
        }
    }

    private func message(backdrop: Screenshot) throws(PanelError) -> [UInt8] {
        do throws(PNGError) {
            let file = Data(try PNGEncoder.encode(backdrop.pixels.surface))
            return ReplyEncoder.message(MirrorReply(backdrop: file.base64EncodedString()), continues: true)
        } catch {
            throw .unavailable(reason: error.description)
        }
    }

    /// Unreadable files do not say who asked for them, so only hosts that reach all records get these.
    private func list(_ reach: CaptureReach) throws(PanelError) -> CaptureList {
        var list: CaptureList
        do throws(StoreError) { list = try store.list() } catch { throw PanelError(error) }
        if reach == .all { return list }
        list.captures.removeAll { !reach.includes($0.asker) }
        list.unreadable = []
        return list
    }

    /// - Throws: ``PanelError/noSuchCapture(_:)`` for a record out of reach, and for one that is unreadable.
    private func check(_ id: CaptureID, isWithin reach: CaptureReach) throws(PanelError) {
        if reach == .all { return }
        do throws(StoreError) {
            if reach.includes(try store.summary(id).asker) { return }
        } catch {
            switch error {
            case .missing, .unreadable, .damaged, .renamed, .unsealed: break
            default: throw PanelError(error)
            }
        }
        throw .noSuchCapture(id.description)
    }

    private func delete(_ id: CaptureID) throws(PanelError) {
        do throws(StoreError) { try store.delete(id) } catch { throw PanelError(error) }
        log.notice("records: capture \(id) was removed: deleted by a host", .capture(id.description))
    }

    /// - Parameter choice: nil for metadata.
    private func get(_ id: CaptureID, _ choice: ExportChoice?) throws(PanelError) -> [UInt8] {
        // Separate functions free the file's bytes before its record is drawn.
        guard let choice else { return ReplyEncoder.message(try metadata(id)) }
        if choice.format == .evidence {
            return ReplyEncoder.message(try evidence(of: id, choice), format: .evidence)
        }
        if choice.format == .pdf { try checkDocument(id) }
        if choice.format.isStored {
            return ReplyEncoder.message(try storedFile(id, choice.format), format: choice.format)
        }
        let record = try exportable(id)
        do throws(ExportError) {
            return ReplyEncoder.message(try export.bytes(of: record, as: choice), format: choice.format)
        } catch {
            throw .notExportable(reason: error.description)
        }
    }

    /// A reply with a larger document would take too much memory.
    private func checkDocument(_ id: CaptureID) throws(PanelError) {
        let count: Int
        do throws(StoreError) { count = try store.signedDocumentByteCount(of: id) ?? 0 } catch {
            throw PanelError(error)
        }
        if count > exportByteCount {
            throw .notExportable(
                reason: "the signed document has \(count) bytes, and one answer at most \(exportByteCount); call "
                    + "GetDocument")
        }
    }

    private func storedFile(_ id: CaptureID, _ format: ExportFormat) throws(PanelError) -> [UInt8] {
        let file: [UInt8]?
        do throws(StoreError) {
            file =
                switch format {
                case .encrypted: try store.encryptedFile(of: id)
                case .seal: try store.seal(of: id)?.line
                case .sealSignature: try store.seal(of: id)?.signatures.flatMap { $0 }
                case .pdf: try store.signedDocument(of: id)
                case .encryptedPDF: try store.encryptedDocument(of: id)
                default: try store.read(id).file
                }
        } catch {
            throw PanelError(error)
        }
        if let file { return file }
        // Tells a capture without a seal from none at all.
        do throws(StoreError) { _ = try store.summary(id) } catch { throw PanelError(error) }
        let reason =
            switch format {
            case .encrypted: "capture \(id) is not encrypted; get it as \"record\""
            case .pdf: "capture \(id) has no signed document"
            case .encryptedPDF: "capture \(id) has no signed document, or it is not encrypted; get it as \"pdf\""
            default: "capture \(id) has no seal"
            }
        throw .notExportable(reason: reason)
    }

    private func documentPart(of id: CaptureID, from offset: Int) throws(PanelError) -> DocumentPart {
        let part: (bytes: [UInt8], byteCount: Int)?
        do throws(StoreError) { part = try store.signedDocument(of: id, from: offset, count: partBytes) } catch {
            throw PanelError(error)
        }
        if let part {
            if offset > part.byteCount { throw .outOfRange("offset", 0...part.byteCount, "bytes") }
            return DocumentPart(part.bytes, more: offset + part.bytes.count < part.byteCount)
        }
        // Tells a capture without a document from none at all.
        do throws(StoreError) { _ = try store.summary(id) } catch { throw PanelError(error) }
        throw .notExportable(reason: "capture \(id) has no signed document")
    }

    private func metadata(_ id: CaptureID) throws(PanelError) -> GetReply {
        let (record, file) = try read(id)
        // Without a damaged seal, as in the list.
        let seal: SealHead?
        do throws(StoreError) { seal = try store.summary(id).seal } catch { throw PanelError(error) }
        var metadata = RecordMetadata(record, byteCount: file.count, seal: seal)
        metadata.signedByteCount = (try? store.signedDocumentByteCount(of: id)) ?? nil
        return GetReply(metadata)
    }

    private func exportable(_ id: CaptureID) throws(PanelError) -> CaptureRecord {
        let count: Int
        do throws(StoreError) { count = try store.byteCount(of: id) } catch { throw PanelError(error) }
        guard count <= exportByteCount else {
            throw .notExportable(
                reason: "the record has \(count) bytes, and the panel exports at most \(exportByteCount); "
                    + "get it as \"record\" and use inkpanel export on another machine")
        }
        return try read(id).record
    }

    func read(_ id: CaptureID) throws(PanelError) -> (record: CaptureRecord, file: [UInt8]) {
        do throws(StoreError) { return try store.read(id) } catch { throw PanelError(error) }
    }

    /// A fault of writing is reported instead of one of reading.
    private func completeStore(_ status: inout PanelStatus.Store) {
        status.path = store.path
        if let chain = store.chain {
            status.seals = PanelStatus.Seals(
                key: chain.publicKey?.fingerprint, head: chain.head, faults: chain.faults)
        }
        status.recipients = store.encryption?.recipients.map(\.description)
        do throws(StoreError) {
            status.captures = try store.count()
            status.freeBytes = try store.freeByteCount()
            if let delivery = store.delivery {
                let (count, oldest) = try store.waiting()
                status.delivery = PanelStatus.Delivery(
                    waiting: count, oldest: oldest, fault: delivery.fault?.description)
            }
        } catch {
            status.fault = status.fault ?? error.description
        }
    }

    /// Adds the figures of the store and of the machine.
    private func completed(_ health: PanelHealth) -> PanelHealth {
        var (health, facts) = (health, PanelStatus.Store(fault: nil))
        completeStore(&facts)
        health.addStore(facts, now: WallClock.microseconds)
        if store.damage.summary != nil { health.store.fault = true }
        // A log that cannot be read is reported when a device is tested.
        health.touch.testedAt = try? DigitizerTestLog(store: store.path).latest?.at
        let clock = WallClock.read()
        health.clock = PanelHealth.Clock(synchronized: clock.isSynchronized, maximumError: clock.maximumError)
        health.temperature = Machine.temperature
        return health
    }
}
