// SPDX-License-Identifier: Apache-2.0
import CFork
import CaptureFixtures
import Evidence
import Glibc
import HostAPI
import Linux
import Record
import Store
import TestSupport

/// Starts a writer, kills it at a random moment, and checks that everything it acknowledged is there. With a key, each
/// accepted record has its seal, and each seal its record; with delivery, both were delivered, once or with the same
/// bytes.
struct Kills {
    /// How the store keeps records.
    enum Protection: String {
        case plain, sealed, encrypted, delivered
    }

    private let protection: Protection
    private let key: SigningKey
    private let identity: AgeIdentity
    private let directory: String
    private var random: SeededGenerator
    private var count = 0
    private var strokes = 0, accepted = 0, interrupted = 0, unacknowledged = 0, torn = 0

    init(in directory: String, seed: UInt64, _ protection: Protection) throws {
        self.protection = protection
        self.directory = directory
        key = try SigningKey.generate()
        identity = try AgeIdentity.generate()
        random = SeededGenerator(seed: seed)
        try store().prepare()
    }

    /// A store with a chain of its own, which is open while the store lives.
    private func store() throws -> CaptureStore {
        if protection == .plain { return CaptureStore(path: directory) }
        let witness = SealChain.Witness(program: "test", boot: nil) {
            (WallClock.microseconds, Seal.Clock(synchronized: true, maximumError: 1))
        }
        let key = key
        return CaptureStore(
            path: directory, chain: SealChain(of: directory, isRequired: true, witness: witness) { _ in key },
            encryption: protection == .encrypted
                ? CaptureStore.Encryption(
                    recipients: [identity.recipient], journals: directory + "/memory", readableFor: .zero)
                : nil,
            delivery: protection == .delivered ? Delivery(isRequired: true) : nil)
    }

    var summary: String {
        "\(count) kills: \(strokes) acknowledged entries and \(accepted) acknowledged captures were all there; "
            + "\(interrupted) captures were interrupted, of \(torn) the last line was torn; "
            + "\(unacknowledged) were accepted without the time to say so"
    }

    /// Kills after a random number of acknowledgements and a random delay.
    mutating func once() throws {
        let seed = random.next()
        let pipe = try AcknowledgementPipe()
        let child = cfork_fork()
        if child == 0 { WriterProcess(store: try store(), seed: seed, acknowledgements: pipe.writingEnd).run() }
        try require(child > 0, "fork: \(Errno.current)")
        close(pipe.writingEnd)
        var said: [UInt8] = []
        var pair: [UInt8] = [0, 0]
        for _ in 0..<Int.random(in: 0...12, using: &random) where try pipe.reading.read(into: &pair) == 2 {
            said += pair
        }
        usleep(UInt32.random(in: 0...3000, using: &random))
        kill(child, SIGKILL)
        try retryingOnInterrupt { waitpid(child, nil, 0) }
        while try pipe.reading.read(into: &pair) == 2 { said += pair }
        try check(said, from: 0, seed: seed)
        count += 1
    }

    /// Kills before and after each system call of one capture, one kill after the other.
    mutating func atEveryCall(number: Int) throws {
        let seed = random.next()
        var stops = 0
        while true {
            let pipe = try AcknowledgementPipe()
            let child = cfork_fork()
            if child == 0 {
                if cfork_be_traced() != 0 { _exit(EXIT_FAILURE) }
                WriterProcess(
                    store: try store(), seed: seed, acknowledgements: pipe.writingEnd, first: number, last: number
                ).run()
            }
            try require(child > 0, "fork: \(Errno.current)")
            close(pipe.writingEnd)
            let killed = cfork_kill_at(child, CInt(stops))
            try require(killed >= 0, "ptrace: \(Errno.current)")
            var said: [UInt8] = []
            var pair: [UInt8] = [0, 0]
            while try pipe.reading.read(into: &pair) == 2 { said += pair }
            try check(said, from: number, seed: seed)
            if killed == 0 {
                let isFinished = said.last == WriterProcess.Acknowledgement.finished.rawValue
                return try require(isFinished, "it ended by itself after \(stops) stops, but not as it should")
            }
            stops += 1
            count += 1
        }
    }

    private mutating func check(_ said: [UInt8], from first: Int, seed: UInt64) throws {
        torn += try tornCount()
        let store = try store()
        // The sender was quicker than the kill, or was not.
        var sent: [String: SHA256Digest] = [:]
        if Bool.random(using: &random) { try send(&sent) }
        try store.checkReady()
        let recovery = try store.recover()
        try require(recovery.failures.isEmpty, "not recovered: \(recovery.failures)")
        try store.deliver()
        try send(&sent)
        try require(try store.waiting() == (0, nil), "not all was sent")
        for folder in protection == .encrypted ? ["open", "memory"] : ["open"] {
            try require(try Directory.names(of: "\(directory)/\(folder)").isEmpty, "a journal is left in \(folder)")
        }
        try checkDocuments(of: store)
        if protection != .plain { try checkSeals(of: store) }
        if protection == .delivered { try checkDelivered(sent, of: store) }
        let list = try store.list()
        // Only its recipient can say of an encrypted capture without a seal that it was interrupted.
        let unsealed = list.unreadable.compactMap { if case .unsealed(let id) = $0 { id } else { nil } }
        try require(unsealed.count == list.unreadable.count, "unreadable: \(list.unreadable)")
        try require(protection == .encrypted || unsealed.isEmpty, "without a seal: \(unsealed)")
        var found: [CaptureID: CaptureRecord] = [:]
        let ids = list.captures.map(\.id) + unsealed
        for id in ids {
            let bytes: [UInt8]
            if let encrypted = try store.encryptedFile(of: id) {
                bytes = try Age.decrypt(encrypted, with: [identity])
            } else {
                bytes = try store.read(id).file
            }
            let record = try CaptureDecoder.decode(bytes)
            try require(bytes == (try CaptureEncoder.encode(record)), "\(id): more than its record")
            try require(record.end == nil || !unsealed.contains(id), "\(id): accepted without a seal")
            found[id] = record
        }

        let pairs = stride(from: 0, to: said.count, by: 2).map { (number: Int(said[$0]), what: said[$0 + 1]) }
        // One more capture may have been begun.
        for number in first...(pairs.last.map { $0.number + 1 } ?? first) {
            let expected = WriterProcess.capture(number, seed: seed)
            let acknowledged = pairs.filter { $0.number == number }.compactMap {
                WriterProcess.Acknowledgement(rawValue: $0.what)
            }
            try require(!acknowledged.contains(.failed), "capture \(number) could not be written")
            let record = CaptureID(expected.header.id).flatMap { found.removeValue(forKey: $0) }
            try check(record, against: expected, acknowledged)
        }
        try require(found.isEmpty, "captures nobody made: \(found.keys)")
        for id in ids { try store.delete(id) }
        // The next writer may have the same ID, which the chain says was deleted, and a long chain takes long to check.
        for folder in ["seals", "outbox", "linked"] { Directory.removeTree("\(directory)/\(folder)") }
    }

    /// Does what rclone does: keeps what waits, unless it has it, and removes it.
    private func send(_ sent: inout [String: SHA256Digest]) throws {
        for folder in ["captures", "seals"] {
            let path = "\(directory)/outbox/\(folder)"
            for name in (try? Directory.names(of: path)) ?? [] {
                let bytes = try InputFile.read("\(path)/\(name)", maximumByteCount: 1 << 24) ?? []
                let digest = SHA256Digest(of: bytes)
                try require(sent[name] ?? digest == digest, "\(name): sent with other bytes")
                sent[name] = digest
                try Directory.remove("\(path)/\(name)")
            }
        }
    }

    /// Each sealed record and each seal was sent as it is, nothing else was, and nothing would be sent again.
    private func checkDelivered(_ sent: [String: SHA256Digest], of store: CaptureStore) throws {
        var left = sent
        for name in try Directory.names(of: directory + "/seals") {
            let bytes = try InputFile.read("\(directory)/seals/\(name)", maximumByteCount: 1 << 16) ?? []
            try require(left.removeValue(forKey: name) == SHA256Digest(of: bytes), "\(name): not sent")
        }
        for capture in try store.list().captures where capture.seal != nil {
            let digest = left.removeValue(forKey: "\(capture.id).jsonl")
            try require(digest == SHA256Digest(of: try store.read(capture.id).file), "\(capture.id): not sent")
            guard let document = try store.signedDocument(of: capture.id) else { continue }
            let sentDocument = left.removeValue(forKey: "\(capture.id).pdf")
            try require(sentDocument == SHA256Digest(of: document), "\(capture.id): its document was not sent")
        }
        try require(left.isEmpty, "sent without a seal: \(left.keys)")
        try store.deliver()
        try require(try store.waiting().count == 0, "sent twice")
    }

    /// Each accepted record with a document has the one that was signed for it, and no other has one.
    private func checkDocuments(of store: CaptureStore) throws {
        var count = 0
        for capture in try store.list().captures where capture.outcome == .accepted {
            let document: [UInt8]?
            let record: [UInt8]
            if let encrypted = try store.encryptedFile(of: capture.id) {
                record = try Age.decrypt(encrypted, with: [identity])
                document = try store.encryptedDocument(of: capture.id).map { try Age.decrypt($0, with: [identity]) }
            } else {
                record = try store.read(capture.id).file
                document = try store.signedDocument(of: capture.id)
            }
            let isWanted = try CaptureDecoder.decode(record).header.flow?.document != nil
            let expected = isWanted ? WriterProcess.document(of: SHA256Digest(of: record)) : nil
            try require(document == expected, "\(capture.id): accepted without its document, or with another one")
            if isWanted { count += 1 }
        }
        for folder in ["captures", "open"] {
            let names = try Directory.names(of: "\(directory)/\(folder)").filter { $0.contains(".pdf") }
            try require(names.count == (folder == "open" ? 0 : count), "documents are left in \(folder): \(names)")
        }
    }

    /// Each accepted record has a seal of its own, which names its digests, and each seal has its record, unless
    /// another seal says that it was deleted. No seal is missing, and each names the one before it.
    private func checkSeals(of store: CaptureStore) throws {
        var (previous, next) = (Seal.noDigest, Int64(1))
        var sealed: [String: Seal] = [:]
        for name in try Directory.names(of: directory + "/seals").sorted() {
            let bytes = try InputFile.read("\(directory)/seals/\(name)", maximumByteCount: 1 << 16) ?? []
            let file = try SealFile(bytes)
            try require(
                file.seal.n == next && file.seal.previous == previous, "\(name) does not follow seal \(next - 1)")
            let signature = try SSHSignature(armoured: file.signatures.first ?? [])
            try require(
                signature.isValid(for: file.line) && signature.publicKey == key.publicKey, "\(name): another signature")
            (previous, next) = (file.head.digest, next + 1)
            if let id = file.seal.id { sealed[id] = file.seal }
            if let id = file.seal.deleted { sealed[id] = nil }
        }
        for capture in try store.list().captures where capture.outcome == .accepted {
            let seal = sealed.removeValue(forKey: capture.id.description)
            let encrypted = try store.encryptedFile(of: capture.id)
            let plain = try encrypted.map { try Age.decrypt($0, with: [identity]) } ?? store.read(capture.id).file
            try require(
                seal?.record == SHA256Digest(of: plain).description
                    && seal?.stored == encrypted.map { SHA256Digest(of: $0).description },
                "\(capture.id): accepted without its seal")
            let document = try encrypted == nil ? store.signedDocument(of: capture.id) : nil
            let stored = try store.encryptedDocument(of: capture.id)
            try require(
                seal?.signedStored == stored.map { SHA256Digest(of: $0).description }
                    && (document == nil || seal?.signed == SHA256Digest(of: document ?? []).description)
                    && (seal?.signed != nil) == (document != nil || stored != nil),
                "\(capture.id): its seal names another document")
        }
        try require(sealed.isEmpty, "seals without their records: \(sealed.keys)")
    }

    private mutating func check(
        _ record: CaptureRecord?, against expected: CaptureRecord, _ acknowledged: [WriterProcess.Acknowledgement]
    ) throws {
        let id = expected.header.id
        let entryCount = acknowledged.count { $0 == .appended }
        let isKept = expected.end?.outcome == .accepted
        strokes += entryCount
        if acknowledged.contains(.finished) {
            if isKept { accepted += 1 }
            return try require(record == (isKept ? expected : nil), "\(id): not what was acknowledged at its end")
        }
        guard let record else {
            let isBeingWiped = !isKept && entryCount == expected.entries.count
            return try require(acknowledged.isEmpty || isBeingWiped, "\(id): lost with \(entryCount) entries")
        }
        try require(record.header == expected.header, "\(id): another header")
        try require(
            record.entries == Array(expected.entries.prefix(record.entries.count))
                && (entryCount...entryCount + 1).contains(record.entries.count),
            "\(id): \(record.entries.count) entries, of which \(entryCount) were acknowledged, or others")
        if record.end == nil {
            interrupted += 1
        } else {
            unacknowledged += 1
            try require(isKept && record == expected && entryCount == expected.entries.count, "\(id): another end")
        }
    }

    /// The number of journals that end within a line.
    private func tornCount() throws -> Int {
        var count = 0
        let folder = directory + (protection == .encrypted ? "/memory/" : "/open/")
        for name in try Directory.names(of: folder) {
            let file = try InputFile.open(folder + name)
            let size = try file.byteCount
            if size > 0, try file.read(1, from: size - 1) != [UInt8(ascii: "\n")] { count += 1 }
        }
        return count
    }
}

/// The process that is killed: writes one capture after the other and acknowledges over a pipe what is safe.
struct WriterProcess {
    let store: CaptureStore
    let seed: UInt64
    let acknowledgements: CInt
    /// The first and the last capture to write; nil goes on until killed.
    var first = 0
    var last: Int?

    /// The capture of a number, which the checking process generates again.
    static func capture(_ number: Int, seed: UInt64) -> CaptureRecord {
        var source = RandomCapture(seed: seed &+ UInt64(number) &* 0x9E37_79B9)
        if number % 4 == 2 {
            var record = source.flowRecord(hasDocument: true)
            record.entries = Array(record.entries.prefix(6))
            return record
        }
        var record = source.record(maximumEntryCount: 6)
        record.end = source.end(number % 4 == 3 ? .cancelled : .accepted)
        if number % 3 == 1 {
            // More than ten pages, so that a signal can interrupt the write half-way.
            let samples = (0..<2000).map { index in
                CaptureStroke.Sample(microseconds: Int64(index) * 5000, x: Int32(index), y: 123_456_789)
            }
            record.entries.append(.stroke(CaptureStroke(pen: "ink", samples: samples)))
        }
        return record
    }

    /// The signed document of a record with this digest.
    static func document(of record: SHA256Digest) -> [UInt8] {
        Array("%PDF-1.7\n".utf8) + Array(repeatElement("signed for \(record)\n".utf8, count: 500).joined())
    }

    func run() -> Never {
        var number = first
        do { try store.checkReady() } catch {
            Log().error("\(error)")
            _exit(EXIT_FAILURE)
        }
        while number <= last ?? .max {
            do {
                let record = Self.capture(number, seed: seed)
                var writer = try JournalWriter(record.header, in: store)
                say(number, .opened)
                for entry in record.entries {
                    try writer.append(entry)
                    say(number, .appended)
                }
                if record.outcome == .accepted {
                    try writer.finish(record.end!) { (digest) throws(StoreError) in Self.document(of: digest) }
                } else {
                    try writer.wipe()
                }
                try store.deliver()
                say(number, .finished)
                number += 1
            } catch {
                Log().error("\(error)")
                say(number, .failed)
                _exit(EXIT_FAILURE)
            }
        }
        _exit(EXIT_SUCCESS)
    }

    enum Acknowledgement: UInt8 {
        case opened, appended, finished, failed
    }

    /// Two bytes in one call, which is atomic.
    private func say(_ number: Int, _ what: Acknowledgement) {
        let bytes = [UInt8(truncatingIfNeeded: number), what.rawValue]
        if write(acknowledgements, bytes, 2) != 2 { _exit(EXIT_FAILURE) }
    }
}

/// A pipe from a writer to the process that kills it. The parent closes the writing end after the fork, so that reading
/// ends.
struct AcknowledgementPipe: ~Copyable {
    let reading: FileDescriptor
    let writingEnd: CInt

    init() throws(Errno) {
        var ends: [CInt] = [0, 0]
        try retryingOnInterrupt { pipe(&ends) }
        reading = FileDescriptor(owning: ends[0])
        writingEnd = ends[1]
    }
}

/// A failed check.
struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// - Throws: ``Failure`` when `condition` does not hold.
func require(_ condition: Bool, _ description: @autoclosure () -> String) throws {
    if !condition { throw Failure(description()) }
}
