// SPDX-License-Identifier: Apache-2.0
public import HostAPI
public import Record

/// A fact about evidence.
public struct Finding: Equatable, Sendable {
    public enum Verdict: String, Sendable {
        /// Checked, and right.
        case fits = "ok"
        /// Checked, and wrong.
        case wrong = "WRONG"
        /// It cannot be read.
        case damaged = "DAMAGED"
        /// Nobody here knows the key that made it.
        case unknown = "UNKNOWN"
        /// Not checked, or to be judged by people.
        case open = "-"
    }

    public var verdict: Verdict
    /// The subject of the finding: a seal, a capture, a file.
    public var subject: String
    public var text: String

    public init(_ verdict: Verdict, _ subject: String, _ text: String) {
        self.verdict = verdict
        self.subject = subject
        self.text = text
    }
}

/// Checks seals one after the other, in the order of their numbers, with the records that they name.
///
/// Pure: the caller reads the files. Each file is checked when it is given and need not stay in memory.
public struct Verification: Sendable {
    /// The keys of panels that are trusted; with nil, a seal only proves which key made it.
    private let allowed: AllowedSigners?
    /// The name that the signers must have; nil for any.
    private let principal: String?
    /// The keys that open encrypted records; may be empty.
    private let identities: [AgeIdentity]
    public private(set) var findings: [Finding] = []
    private var last: SealFile?
    private var first: Int64?
    /// Between these numbers no seal may be missing.
    private var complete: ClosedRange<Int64>? = .min ... .max
    private var deleted: Set<String> = []
    private var sealed: [String: Int64] = [:]
    /// The fingerprint that the last seal names.
    private var key: String?

    /// - Parameter principal: the name that signers must have among the allowed ones; nil for any.
    public init(allowedSigners: AllowedSigners?, principal: String? = nil, identities: [AgeIdentity] = []) {
        allowed = allowedSigners
        self.principal = principal
        self.identities = identities
        for (line, reason) in allowedSigners?.unusable ?? [] {
            add(.open, "allowed signers", "line \(line) allows nobody: \(reason)")
        }
    }

    public mutating func add(_ verdict: Finding.Verdict, _ subject: String, _ text: String) {
        findings.append(Finding(verdict, subject, text))
    }

    // MARK: seals

    /// Begins with the seals of another panel, which do not follow those before.
    /// - Parameter complete: the numbers between which no seal may be missing, as in a panel's directory; nil if seals
    ///   of records that nobody presents may be elsewhere.
    public mutating func beginChain(complete: ClosedRange<Int64>? = nil) {
        (last, first, key) = (nil, nil, nil)
        self.complete = complete
    }

    /// Adds what the seals of this chain do not show.
    public mutating func endChain() {
        guard let last = last?.seal else { return }
        if let first, first > 1 { add(.open, "chain", "not checked: what was before seal \(first)") }
        add(
            .open, "chain",
            "not checked: whether seals after \(last.n) are missing; compare with a head that its holder kept")
    }

    /// Checks a seal: its signature, its key, and that it follows the seal before it.
    /// - Parameter file: in rising order of numbers.
    public mutating func check(_ file: SealFile) {
        let seal = file.seal
        let name = "seal \(seal.n)"
        checkSignature(file, name)
        // The same seal, as the panel's file and as a host's copy.
        if let last, last.line == file.line { return }
        if let before = last {
            let (last, head) = (before.seal, before.head)
            if seal.n == last.n {
                add(
                    .wrong, name,
                    "there are two different seals with this number: a copy of the panel and its original both went "
                        + "on, or one is forged")
            } else if seal.n > last.n + 1 {
                let missing =
                    last.n + 2 == seal.n ? "seal \(seal.n - 1) is" : "seals \(last.n + 1) to \(seal.n - 1) are"
                if let complete, complete.contains(last.n), complete.contains(seal.n) {
                    add(.wrong, name, "\(missing) missing before it")
                } else {
                    add(.open, name, "\(missing) not here, so nothing shows that it follows seal \(last.n)")
                }
            } else if seal.previous == head.digest {
                add(.fits, name, "follows seal \(last.n)")
            } else if seal.lost == true, seal.previous == Seal.noDigest {
                add(
                    .open, name,
                    "begins a new chain, because the key before was lost: nothing ties it to seal \(last.n)")
            } else {
                add(.wrong, name, "does not follow seal \(last.n), of which it names another digest")
            }
            if seal.at < last.at {
                add(.open, name, "its clock is before that of seal \(last.n): the clock was set back in between")
            }
        } else {
            first = seal.n
            if seal.n == 1, seal.previous != Seal.noDigest {
                add(.wrong, name, "is the first, but names one before it")
            }
        }
        checkKey(seal, name)
        checkSubject(seal, name)
        last = file
    }

    private mutating func checkSignature(_ file: SealFile, _ name: String) {
        let seal = file.seal
        let wanted = seal.replaces == nil || seal.lost == true ? [seal.key] : [seal.key, seal.replaces!]
        var signatures: [SSHSignature] = []
        for bytes in file.signatures {
            do throws(EvidenceError) { signatures.append(try SSHSignature(armoured: bytes)) } catch {
                add(.damaged, name, error.description)
            }
        }
        // All of them: another program may look at the one that a fitting one hides.
        let fitting = signatures.filter { signature in
            let fits = signature.namespace == Seal.namespace && signature.isValid(for: file.line)
            if !fits { add(.wrong, name, "the signature of the key \(signature.publicKey.fingerprint) does not fit") }
            return fits
        }
        for fingerprint in wanted {
            if let signature = fitting.first(where: { $0.publicKey.fingerprint == fingerprint }) {
                add(.fits, name, "signed by the key \(fingerprint)" + who(signature.publicKey, seal, name))
            } else if !signatures.contains(where: { $0.publicKey.fingerprint == fingerprint }) {
                add(.wrong, name, "has no signature of the key \(fingerprint), which it names")
            }
        }
    }

    /// Whom the key belongs to, for a message.
    private mutating func who(_ key: PublicKey, _ seal: Seal, _ name: String) -> String {
        guard let allowed else { return "" }
        let signers = allowed.signers(of: key, namespace: Seal.namespace, principal: principal)
        guard !signers.isEmpty else {
            let named = principal.map { " named \($0)" } ?? ""
            add(.unknown, name, "the key \(key.fingerprint) is not among the allowed signers\(named)")
            return ""
        }
        guard let signer = signers.first(where: { $0.isValid(at: seal.at / 1_000_000) }) else {
            add(.wrong, name, "the key \(key.fingerprint) was not allowed at the time of the seal")
            return ""
        }
        return " of \(signer.principals.joined(separator: ","))"
    }

    /// A key may only change by a seal that says so.
    private mutating func checkKey(_ seal: Seal, _ name: String) {
        if let key, seal.key != key {
            if seal.replaces == nil {
                add(
                    .wrong, name,
                    "was made with another key than the seals before it, and none says that it replaces theirs")
            } else if seal.replaces != key {
                add(.wrong, name, "replaces the key \(seal.replaces!), which is not that of the seals before it")
            }
        }
        if seal.replaces != nil {
            add(.open, name, seal.lost == true ? "the panel lost its key and has a new one" : "the panel got a new key")
        }
        key = seal.key
    }

    private mutating func checkSubject(_ seal: Seal, _ name: String) {
        let clock =
            seal.clock.synchronized
            ? "the clock was synchronized, within \(seal.clock.maximumError / 1000) ms"
            : "no time service controlled the clock"
        let at = TimestampText.second(microseconds: seal.at)
        if let id = seal.id {
            if let other = sealed[id] { add(.wrong, name, "seals capture \(id), as seal \(other) does") }
            sealed[id] = seal.n
            add(.open, name, "made at \(at) for capture \(id); \(clock)")
        } else if let id = seal.deleted {
            deleted.insert(id)
            add(.open, name, "capture \(id) was deleted at \(at) (\(seal.reason?.rawValue ?? "")); \(clock)")
        }
    }

    // MARK: records

    /// The files of a capture, as far as there are any.
    public struct Files: Sendable {
        /// JSON lines.
        public var record: [UInt8]?
        /// The record for its recipients.
        public var encrypted: [UInt8]?
        /// The digest of the document.
        public var document: SHA256Digest?
        /// The signed document.
        public var signed: [UInt8]?
        /// The signed document for its recipients.
        public var encryptedSigned: [UInt8]?
        /// The record is there, but not as it was sealed, and not checked.
        public var isInOtherForm = false
        /// The seal is there, but cannot be read.
        public var hasDamagedSeal = false
        /// The seal is a further one of the chain, named beside a record with its own seal.
        public var isFurtherSeal = false

        public init(record: [UInt8]? = nil, encrypted: [UInt8]? = nil, document: SHA256Digest? = nil) {
            self.record = record
            self.encrypted = encrypted
            self.document = document
        }
    }

    /// Checks what a seal says of a capture.
    /// - Parameters:
    ///   - seal: the seal of this capture; nil if it has none.
    ///   - isInStore: a panel's directory was named, not this capture. It may have captures that were interrupted,
    ///     which nobody accepted and nobody presents as evidence.
    public mutating func check(_ files: Files, of id: String, seal: Seal?, isInStore: Bool = false) {
        let name = "capture \(id)"
        if seal == nil, files.hasDamagedSeal {
            add(.wrong, name, "its seal is damaged: nothing shows that the panel made it")
        } else if seal == nil {
            switch contents(of: files) {
            case .interrupted where isInStore:
                return add(.open, name, "was interrupted: nobody accepted it, and it has no seal")
            case .unreadable:
                let why = identities.isEmpty ? "name an identity that opens it" : "no identity here opens it"
                return add(.wrong, name, "has no seal, and cannot be read here: \(why)")
            default: add(.wrong, name, "has no seal: nothing shows that the panel made it")
            }
        }
        if deleted.contains(id), files.record != nil || files.encrypted != nil {
            add(.open, name, "a seal says that it was deleted, but its record is here")
        }
        var record = files.record
        if let encrypted = files.encrypted {
            let sealed = ("the encrypted file", seal.map { $0.stored ?? "" })
            if let opened = open(encrypted, sealed, name, isRequired: seal == nil, hasPlain: record != nil) {
                if let record, record != opened {
                    add(.wrong, name, "the record is not the one in the encrypted file")
                }
                record = opened
            }
        }
        var header: CaptureHeader?
        if let record {
            if let sealed = seal?.record { compare(SHA256Digest(of: record), sealed, name, "the record") }
            header = check(record, name, id, seal)
        } else if files.encrypted == nil, !files.isInOtherForm, let seal {
            if deleted.contains(id) {
                add(.open, name, "its record was deleted; its seal stays")
            } else if files.isFurtherSeal {
                add(.open, name, "not checked: the record of seal \(seal.n), a further one of the chain")
            } else {
                add(.wrong, name, "the record of seal \(seal.n) is missing")
            }
        }
        let beginsWithDocument = checkSigned(
            files, of: id, seal, record.map { SHA256Digest(of: $0) }, header, isInStore: isInStore)
        guard let document = seal?.document else {
            if files.document != nil { add(.wrong, name, "the seal names no document") }
            return
        }
        if let digest = files.document {
            compare(digest, document, name, "the document")
        } else if !beginsWithDocument {
            add(.open, name, "not checked: the document with the SHA-256 \(document)")
        }
    }

    /// Compares an encrypted file with its seal, and opens it.
    /// - Parameters:
    ///   - sealed: what the file is, and the digest that the seal has, which is empty if it has none; nil without a
    ///     seal.
    ///   - isRequired: the contents are all there is to check.
    ///   - hasPlain: the contents are here, too.
    private mutating func open(
        _ file: [UInt8], _ sealed: (what: String, digest: String?), _ name: String, isRequired: Bool, hasPlain: Bool
    ) -> [UInt8]? {
        let what = sealed.what
        if let digest = sealed.digest {
            if digest.isEmpty {
                add(.wrong, name, "\(what) is not the one that was sealed")
            } else {
                compare(SHA256Digest(of: file), digest, name, what)
            }
        }
        do throws(EvidenceError) { return try Age.decrypt(file, with: identities) } catch {
            // Without an identity, only the header is read. A sealed file is compared in any case.
            if !identities.isEmpty || isRequired && error != .otherRecipient {
                add(.damaged, name, "\(what) cannot be opened: \(error)")
            } else if !hasPlain {
                add(.open, name, "not checked: the contents, because no identity opens \(what)")
            }
            return nil
        }
    }

    /// Checks the signed document.
    /// - Parameters:
    ///   - record: the digest of the record.
    ///   - header: nil if it cannot be read.
    /// - Returns: whether the document that the seal names is its beginning.
    private mutating func checkSigned(
        _ files: Files, of id: String, _ seal: Seal?, _ record: SHA256Digest?, _ header: CaptureHeader?,
        isInStore: Bool
    ) -> Bool {
        let name = "capture \(id)"
        guard let signed = seal?.signed else {
            if seal != nil, files.signed != nil || files.encryptedSigned != nil {
                add(.wrong, name, "the seal names no signed document")
            }
            return false
        }
        var document = files.signed
        if let encrypted = files.encryptedSigned {
            let sealed = ("the encrypted signed document", seal.map { $0.signedStored ?? "" })
            if let opened = open(encrypted, sealed, name, isRequired: false, hasPlain: document != nil) {
                if let document, document != opened {
                    add(.wrong, name, "the signed document is not the one in the encrypted file")
                }
                document = opened
            }
        }
        guard let document else {
            if files.encryptedSigned == nil {
                let isMissing = isInStore && !deleted.contains(id)
                add(
                    isMissing ? .wrong : .open, name,
                    isMissing
                        ? "the signed document is missing"
                        : "not checked: the signed document with the SHA-256 \(signed)")
            }
            return false
        }
        compare(SHA256Digest(of: document), signed, name, "the signed document")
        return checkContents(of: document, name, record, header)
    }

    /// Whether a signed document begins with the document that people read, and names their record after it.
    private mutating func checkContents(
        of document: [UInt8], _ name: String, _ record: SHA256Digest?, _ header: CaptureHeader?
    ) -> Bool {
        guard let header, let byteCount = header.flow?.document?.bytes else { return false }
        let begins =
            byteCount <= document.count
            && SHA256Digest(of: Array(document[..<byteCount])).description == header.request.document?.sha256
        add(
            begins ? .fits : .wrong, name,
            begins
                ? "the signed document begins with the one that people read"
                : "the signed document does not begin with the one that people read")
        guard begins, let record else { return begins }
        // The signatures have it in hexadecimal digits. This program does not parse documents.
        let isNamed = document[byteCount...].contains(record.description.utf8)
        if isNamed { add(.fits, name, "the signed document names the record") }
        if !isNamed, header.flow?.document?.fields.contains(where: { $0.kind == .signature && $0.required }) == true {
            add(.wrong, name, "the signed document does not name the record")
        }
        return begins
    }

    private enum Contents {
        /// Nobody accepted the capture.
        case interrupted
        case other
        /// Nobody here can open the encrypted file, and nothing can be said of it.
        case unreadable
    }

    private func contents(of files: Files) -> Contents {
        var record = files.record
        if record == nil, let encrypted = files.encrypted {
            do throws(EvidenceError) { record = try Age.decrypt(encrypted, with: identities) } catch {
                // A damaged file is reported as such in any case.
                if case .otherRecipient = error { return .unreadable }
                return .other
            }
        }
        return record.map { (try? CaptureDecoder.decode($0))?.outcome == .interrupted } == true ? .interrupted : .other
    }

    private mutating func compare(_ digest: SHA256Digest, _ sealed: String, _ name: String, _ what: String) {
        if digest.description == sealed {
            add(.fits, name, "\(what) is the one that was sealed")
        } else {
            add(.wrong, name, "\(what) has changed since it was sealed, or is another one")
        }
    }

    /// No ink is earlier, in microseconds after the start: reports may wait for a moment while the page is made.
    private static let earliestInk: Int64 = -1_000_000

    /// Checks that a record agrees with itself and with its seal.
    /// - Returns: nil if it cannot be read.
    private mutating func check(_ bytes: [UInt8], _ name: String, _ id: String, _ seal: Seal?) -> CaptureHeader? {
        let record: CaptureRecord
        do throws(CaptureFormatError) { record = try CaptureDecoder.decode(bytes) } catch {
            add(.damaged, name, "the record cannot be read: \(error)")
            return nil
        }
        let header = record.header
        // A file without a seal may have any name but that of another capture.
        if header.id != id, seal != nil || id.utf8.count == CaptureID.generatedLength {
            add(.wrong, name, "the record is of capture \(header.id)")
        }
        if record.isAccepted {
            let strokes = record.visibleStrokes.count
            let fields = record.fields.map(\.name).joined(separator: ", ")
            add(
                .fits, name,
                header.flow != nil
                    ? "accepted, with \(fields.isEmpty ? "no ink" : "ink in \(fields)")"
                    : "accepted, with \(strokes) \(strokes == 1 ? "stroke" : "strokes")")
            checkFlow(record, name)
        } else {
            add(.wrong, name, "the record ends as \(record.outcome.rawValue): nobody accepted it")
        }
        if let early = record.earliestInk, early < Self.earliestInk {
            add(.wrong, name, "its ink is dated \(early.magnitude / 1_000_000) s before the page was shown")
        }
        if let seal {
            let facts: [(String, Bool)] = [
                ("the document's digest", header.request.document?.sha256 == seal.document),
                ("the page", record.end?.shown.map { [$0.page, $0.signed] } == seal.shown),
                ("the start", header.startedAt == seal.startedAt && header.sequence == seal.sequence),
                ("the role that asked for it", header.askedBy == seal.askedBy),
            ]
            for (what, isEqual) in facts where !isEqual {
                add(.wrong, name, "the record names \(what) otherwise than its seal")
            }
        }
        if record.end?.shown != nil { add(.open, name, "not checked: the pictures of the page that the record names") }
        return header
    }

    /// Checks that an accepted record of several pages has what it asked for.
    private mutating func checkFlow(_ record: CaptureRecord, _ name: String) {
        guard let flow = record.header.flow else { return }
        for demand in record.unmetDemands { add(.wrong, name, demand) }
        guard flow.document != nil else { return }
        let stated = record.end?.reading?.map { SeenDocument(pages: $0.pages, toEnd: $0.toEnd) }
        let isSeen = stated == record.seen
        add(
            isSeen ? .fits : .wrong, name,
            isSeen
                ? "what it says was read follows from the views" : "what it says was read is not what the views show")
        for (index, seen) in (record.seen ?? []).enumerated() where !seen.toEnd {
            let who = flow.people.flatMap { $0.indices.contains(index) ? $0[index].role : nil } ?? "the person"
            add(.open, name, "\(who) did not see all of the document")
        }
        if let check = record.end?.check { tell(check, name) }
        add(.open, name, "not checked: the pictures of the document's pages (docs/examples/verify.py draws them again)")
    }

    /// Adds what the panel found when it compared the pages with what other programs show.
    private mutating func tell(_ check: DocumentCheck, _ name: String) {
        add(
            .open, name,
            check.second.map { "a second program, \($0), drew all pages, too" }
                ?? "no second program compared the pages")
        for (page, places) in Dictionary(grouping: check.differences ?? [], by: \.page).sorted(by: { $0.key < $1.key })
        {
            let what = places.count == 1 ? "a place" : "\(places.count) places"
            add(.open, name, "it draws \(what) on page \(page) differently from the screen, which the host allowed")
        }
        for message in check.notDrawn ?? [] {
            add(.open, name, "not all of page \(message.page) was drawn: \(message.text)")
        }
        if check.redrawn == true { add(.open, name, "the signed file was drawn again, and looked as shown") }
    }

    // MARK: the whole

    /// Checks that the chain reaches a head that somebody else has kept.
    /// - Parameter head: of a seal that was checked or should have been.
    public mutating func check(head: SealHead, among heads: [Int64: String]) {
        let name = "seal \(head.n)"
        switch heads[head.n] {
        case head.digest?: add(.fits, name, "is the one that its holder kept: no seal up to here was changed")
        case .some: add(.wrong, name, "is not the one that its holder kept")
        case nil: add(.wrong, name, "is missing, but its holder kept its digest")
        }
    }

    /// Adds what was not checked at all.
    public mutating func finish() {
        guard last != nil else { return }
        if allowed == nil { add(.unknown, "keys", "nobody here knows whose they are: name the allowed signers") }
        add(
            .open, "time",
            "not checked: that anything existed at its time; only the panel's clock says so, or a time stamp")
    }

    /// Whether all fits that was checked.
    public enum Result: String, Sendable {
        case fits = "FITS"
        case wrong = "WRONG"
        /// Something cannot be read.
        case damaged = "DAMAGED"
        /// All fits, but nobody here knows a key that made a seal: anybody can make one.
        case unknown = "UNKNOWN"
        /// There was nothing to check.
        case unchecked = "UNCHECKED"
    }

    public var result: Result {
        if isDamaged { return .damaged }
        if isWrong { return .wrong }
        if findings.contains(where: { $0.verdict == .unknown }) { return .unknown }
        return findings.contains { $0.verdict == .fits } ? .fits : .unchecked
    }

    public var isDamaged: Bool { findings.contains { $0.verdict == .damaged } }
    public var isWrong: Bool { findings.contains { $0.verdict == .wrong } }
}
