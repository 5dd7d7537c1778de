// SPDX-License-Identifier: Apache-2.0
import Document
import HostAPI
public import Record

extension Verification {
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
        if !isNamed, header.flow?.document?.fields.contains(where: { $0.kind == .signature && $0.isRequired }) == true {
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
            let fields = record.fields.filter { $0.instead == nil }.map(\.name).joined(separator: ", ")
            add(
                .fits, name,
                header.flow != nil
                    ? "accepted, with \(fields.isEmpty ? "no ink" : "ink in \(fields)")"
                    : "accepted, with \(strokes) \(strokes == 1 ? "stroke" : "strokes")")
            for field in record.fields { if let words = field.insteadWords { add(.fits, name, words) } }
            let heard = record.entries.count { if case .spoken = $0 { true } else { false } }
            if heard > 0 {
                add(.fits, name, "\(heard) \(heard == 1 ? "text was" : "texts were") read aloud to the end")
            }
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
}
