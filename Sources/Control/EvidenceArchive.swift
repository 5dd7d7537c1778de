// SPDX-License-Identifier: Apache-2.0
import Evidence
import Formats
import Glibc
import HostAPI
import Linux
import Record
import Store

/// An archive of what a third party needs to check a capture (docs/evidence.md), made of the files of the store. Names
/// are those by which `inkpanel verify` finds files. The same store gives the same bytes.
struct EvidenceArchive {
    /// The page that checks the archive in any browser: its name in the archive, and its usual place.
    static let verifierName = "verify.html"
    static var usualVerifier: String? {
        guard let own = Directory.realPath("/proc/self/exe"), let end = own.lastIndex(of: "/") else { return nil }
        return own[..<end] + "/../share/inkpanel/" + verifierName
    }
    /// Bytes. The page has a twentieth.
    private static let longestVerifier = 8 << 20
    /// Each takes time to draw. A document with more fields is rare.
    private static let mostPictures = 20

    private let id: CaptureID
    private var archive: ZIPArchive
    private var contents: [(name: String, what: String)] = []
    private var lacks: [String] = []
    /// Further lines of the text.
    private var notes: [String] = []

    init(of id: CaptureID, date: ZIPArchive.Date, capacity: Int) {
        self.id = id
        archive = ZIPArchive(date: date, capacity: capacity)
    }

    /// The bytes of the files that were added, without the directory at the end.
    var byteCount: Int { archive.byteCount }

    mutating func add(_ name: String, _ what: String, _ file: [UInt8]) {
        archive.add(name, file)
        contents.append((name, what))
    }

    /// - Parameter reason: a sentence without its full stop: what is missing, and why or where it is.
    mutating func lack(_ reason: String) { lacks.append(reason) }

    /// Adds the seal, its signature, and the key that made it. The key is taken from the signature, so that it is the
    /// right one after a change of the panel's key. It proves nothing in here; readers compare its fingerprint.
    mutating func add(_ seal: SealFile?, panel: String) {
        guard let seal else { return lack("a seal: the panel had no key, or the signature was not accepted") }
        add("\(id).seal", "the seal, a line of JSON", seal.line)
        add("\(id).seal.sig", "its signature, for ssh-keygen -Y verify", seal.signatures.flatMap { $0 })
        do throws(EvidenceError) {
            guard let first = seal.signatures.first else { throw .signature(reason: "there is none") }
            let key = try SSHSignature(armoured: first).publicKey
            let line = AllowedSigners.line(principal: panel, key: key, namespace: Seal.namespace, validAfter: nil)
            add("allowed_signers", "the key of the seal, as the panel says; compare it", Array((line + "\n").utf8))
        } catch {
            lack("allowed_signers: \(error)")
        }
    }

    /// Adds the time stamp of this seal or a later one, with the seals that tie them together.
    mutating func add(_ stamped: StampedSeals?) {
        guard let stamped else {
            return lack("a time stamp of the seal, or of a later one: the panel has none yet")
        }
        add("\(stamped.number).tsr", "a time stamp (RFC 3161) of seal \(stamped.number)", stamped.stamp)
        for (name, file) in stamped.seals { add(name, "a later seal, up to the stamped one", file.bytes) }
    }

    /// Adds a picture of each ink, as `Get` makes it of png.
    mutating func addPictures(of record: CaptureRecord, _ export: RecordExport, _ choice: ExportChoice) {
        var fields: [String?] = record.fields.filter { $0.same == nil && $0.instead?.isWithoutInk != true }
            .map(\.name)
        if record.header.flow == nil { fields = [nil] }
        if fields.isEmpty { return lack("a picture: nobody wrote anything") }
        for (index, field) in fields.prefix(Self.mostPictures).enumerated() {
            let name = index == 0 ? "signature.png" : "signature-\(index + 1).png"
            let instead = record.fields.first { $0.name == field }?.insteadWords.map { ": " + $0 } ?? ""
            var choice = choice
            (choice.format, choice.field) = (.png, field)
            do throws(ExportError) {
                let what = (fields.count == 1 ? "its ink" : "its ink, number \(index + 1) in the record") + instead
                add(name, what, try export.bytes(of: record, as: choice))
            } catch {
                lack("\(name): \(error)")
            }
        }
        if fields.count > Self.mostPictures {
            let count = fields.count - Self.mostPictures
            lack("pictures of \(count) more fields: get them as png, or see \(Self.verifierName)")
        }
    }

    /// Adds the page that checks the archive. Without it the archive is still evidence, so a host gets it all the same.
    /// - Returns: why the page is missing.
    mutating func addVerifier(at path: String?) -> String? {
        var reason = "its place is unknown"
        if let path {
            do throws(Errno) {
                if let page = try InputFile.read(path, maximumByteCount: Self.longestVerifier) {
                    add(Self.verifierName, "open it in a browser", page)
                    return nil
                }
                reason = "\(path) is too large"
            } catch {
                reason = "\(path): \(error)"
            }
        }
        reason += "; install the package inkpanel again, or build with `make build`"
        lack("\(Self.verifierName): the panel cannot read it")
        return reason
    }

    /// Tells who can open the encrypted files. They do not name their recipients.
    /// - Parameter now: those of the panel's configuration, which may have been others then.
    mutating func tell(recipients count: Int, now: [AgeRecipient]) {
        notes.append(
            "\(count) \(count == 1 ? "key opens" : "keys open") the encrypted files, which name none. The panel now "
                + (now.isEmpty ? "encrypts nothing." : "encrypts for:"))
        notes += now.map { "    \($0)" }
        notes.append("")
    }

    /// The archive with a text that says what it has and what not.
    consuming func finished() -> [UInt8] {
        var lines = ["Evidence of the capture \(id)", ""]
        if contents.contains(where: { $0.name == Self.verifierName }) {
            lines += [
                "Open \(Self.verifierName) in a browser and drop this archive into it. It needs no network.",
                "Whoever can change an archive can exchange \(Self.verifierName), too: use a copy that you trust,",
                "and compare the fingerprint of the key with one that you got in another way.", "",
            ]
        }
        lines += [
            "In law this is an electronic signature, but not a qualified one:",
            "the key is the organisation's, not the signer's.", "",
        ]
        lines += notes
        let width = contents.map(\.name.count).max() ?? 0
        lines += contents.map { name, what in
            "    " + name + String(repeating: " ", count: width - name.count) + "  " + what
        }
        if !lacks.isEmpty { lines += ["", "Not in here:", ""] + lacks.map { "    " + $0 } }
        archive.add("README.txt", Array(lines.map { $0 + "\n" }.joined().utf8))
        return archive.finished()
    }
}

extension ArchiveWorker {
    /// - Throws: ``PanelError/notExportable(reason:)`` for a record that was not accepted, unless `choice` includes it,
    ///   or that has more than ``exportByteCount`` bytes.
    func evidence(of id: CaptureID, _ choice: ExportChoice) throws(PanelError) -> [UInt8] {
        let summary = try reading { () throws(StoreError) in try store.summary(id) }
        let seal = try reading { () throws(StoreError) in try store.seal(of: id) }
        guard summary.byteCount <= exportByteCount else {
            throw .notExportable(
                reason: "the record has \(summary.byteCount) bytes, and an archive at most \(exportByteCount); get "
                    + "record, seal and sealSignature one by one")
        }
        var archive = EvidenceArchive(
            of: id, date: ZIPArchive.Date(microseconds: summary.startedAt), capacity: summary.byteCount + (1 << 20))
        if let record = try reading({ () throws(StoreError) in try store.encryptedFile(of: id) }) {
            archive.add("\(id).jsonl.age", "the record, encrypted with age", record)
            archive.tell(recipients: Age.recipientCount(of: record), now: store.encryption?.recipients ?? [])
            archive.lack("the readable record and pictures of its ink, as it is encrypted")
            let document = try reading { () throws(StoreError) in try store.encryptedDocument(of: id) }
            add(document, "\(id).pdf.age", "the signed document, encrypted with age", as: .encryptedPDF, to: &archive)
        } else {
            try addReadable(id, choice, to: &archive)
        }
        archive.add(seal, panel: panel)
        if let seal { archive.add(store.timeStamp(covering: seal.seal.n)) }
        if let reason = archive.addVerifier(at: verifier) {
            log.warning("records: an archive of evidence lacks \(EvidenceArchive.verifierName): \(reason)")
        }
        return archive.finished()
    }

    private func addReadable(
        _ id: CaptureID, _ choice: ExportChoice, to archive: inout EvidenceArchive
    ) throws(PanelError) {
        let (record, file) = try read(id)
        if !record.isAccepted, !choice.includesInterrupted {
            throw .notExportable(reason: ExportError.notAccepted(outcome: record.outcome.rawValue).description)
        }
        archive.add("\(id).jsonl", "the record, lines of JSON", file)
        let document = try reading { () throws(StoreError) in try store.signedDocument(of: id) }
        add(document, "\(id).pdf", "the signed document", as: .pdf, to: &archive)
        archive.addPictures(of: record, export, choice)
    }

    /// Adds a document if there is one, and the whole does not become too large.
    private func add(
        _ document: [UInt8]?, _ name: String, _ what: String, as format: ExportFormat,
        to archive: inout EvidenceArchive
    ) {
        guard let document else { return }
        if archive.byteCount + document.count <= exportByteCount { return archive.add(name, what, document) }
        archive.lack("\(name), \(what): with its \(document.count) bytes too large; get it as \(format.rawValue)")
    }

    private func reading<Value>(_ read: () throws(StoreError) -> Value) throws(PanelError) -> Value {
        do throws(StoreError) { return try read() } catch { throw PanelError(error) }
    }
}
