// SPDX-License-Identifier: Apache-2.0
import Glibc
package import HostAPI
import Linux
import Record

/// Files to verify, by what they are. Records are read when they are checked, one at a time.
package struct EvidenceFiles {
    private var seals: [(path: String, file: SealFile)] = []
    /// The directories of panels whose seals were added: each has one chain.
    private var storeOfSeal: [String: String] = [:]
    /// Paths by the ID of the capture.
    private var records: [String: String] = [:]
    private var encrypted: [String: String] = [:]
    /// Signed documents in the directories of panels, and encrypted ones.
    private var signedDocuments: [String: String] = [:]
    private var encryptedDocuments: [String: String] = [:]
    /// Captures with a file that is not checked as it is.
    private var inOtherForms: Set<String> = []
    /// IDs of captures in folders of panels, which may have been interrupted.
    private var inStores: Set<String> = []
    /// IDs of captures with a record elsewhere, which somebody presents as evidence.
    private var presented: Set<String> = []
    /// Whether a panel's directory is among what was named: then each record must be there.
    private var hasStore = false
    /// Files that a seal may name as its document. A file that fits no seal is named as what it is, if that is not a
    /// document.
    private var documents: [(path: String, digest: SHA256Digest, form: FileForm?)] = []
    private var damaged: [Finding] = []
    /// The stems of names (``EvidenceName``) of damaged seals.
    private var damagedSeals: Set<String> = []
    /// Findings about files before anything is checked.
    private var notes: [Finding] = []
    /// Files of captures that have another file.
    private var second: [Finding] = []
    /// Time stamps of seals, with the numbers of these.
    private var stamps: [(path: String, stamp: TimeStampResponse, seal: Int64)] = []

    /// Blocks while it reads.
    /// - Parameter paths: of files, and of folders in which each file counts.
    package init(_ paths: [String]) throws(EvidenceFileError) {
        var named: [String] = []
        var inFolders: [String] = []
        for path in paths {
            noteLink(path)
            if (try? Directory.open(path)) == nil { named.append(path) } else { inFolders += try addFolder(path) }
        }
        let sealed = Set(seals.compactMap(\.file.seal.id))
        var files = try EvidenceSearch(named, inFolders: inFolders, sealed: sealed).files
        let digests = SealedDigests(seals.map(\.file.seal) + files.compactMap(\.seal))
        if !digests.records.isEmpty { for index in files.indices { try files[index].recognise(digests) } }
        let signed = try takeDocuments(&files)
        for file in files where file.found != nil {
            notes.append(Finding(.open, file.path, "lies beside, and is checked, too"))
        }
        addSeals(files)
        seals.sort { $0.file.seal.n < $1.file.seal.n }
        for file in files {
            switch file.kind {
            case .record:
                add(file.path, of: id(of: file), to: \.records)
                // A panel may have interrupted captures before its first seal.
                if file.isInFolder, file.name.folder.hasSuffix("/captures/"), file.name.ending == ".jsonl" {
                    inStores.insert(id(of: file))
                } else {
                    presented.insert(id(of: file))
                }
            case .encrypted:
                if let id = try idOfSigned(file) {
                    add(file.path, of: id, to: \.encryptedDocuments)
                } else {
                    add(file.path, of: id(of: file), to: \.encrypted)
                }
            case .seal, .signature: break
            case .document(let form):
                if signed.contains(file.path) { continue }
                if let keys = file.keys {
                    notes.append(Finding(.open, file.path, keys))
                    continue
                }
                if addTimeStamp(file.path) { continue }
                guard let form, file.name.ending != nil else {
                    documents.append((file.path, try SHA256Digest(ofFile: file.path), form))
                    continue
                }
                // Evidence, as its name says, in a form that a document may have as well.
                damaged.append(Finding(.damaged, file.path, form.advice))
                inOtherForms.insert(id(of: file))
            }
        }
    }

    /// Takes those files for documents that a seal names as such, whatever they are: a record can be signed again. They
    /// stay evidence of their own captures if other files make them that.
    /// - Returns: the paths of documents that are nothing else.
    private mutating func takeDocuments(_ files: inout [EvidenceFile]) throws(EvidenceFileError) -> Set<String> {
        let inStores = Set(seals.flatMap { Self.documents($0.file.seal) })
        guard !inStores.isEmpty || files.contains(where: { $0.seal?.document != nil }) else { return [] }
        // The files for which seals were found, by the digests that these name.
        var sealed: [String: [String?]] = [:]
        for other in files {
            for digest in other.seal.map(Self.documents) ?? [] { sealed[digest, default: []].append(other.found) }
        }
        var signed: [String: SHA256Digest] = [:]
        for file in files where file.found == nil {
            let digest = try SHA256Digest(ofFile: file.path)
            let isNamed = sealed[digest.description]?.contains { $0 != file.path } == true
            if isNamed || inStores.contains(digest.description) { signed[file.path] = digest }
        }
        if signed.isEmpty { return [] }
        for (path, digest) in signed { documents.append((path, digest, nil)) }
        let named = files.filter { $0.found == nil }
        let only = Set(named.filter { signed[$0.path] != nil && !isEvidence($0, among: named) }.map(\.path))
        // Files beside a document belong to another capture, perhaps of another panel.
        files.removeAll { only.contains($0.found ?? $0.path) }
        return Set(signed.keys)
    }

    /// The digests of what a seal names as read or signed.
    private static func documents(_ seal: Seal) -> [String] { [seal.document, seal.signed].compactMap { $0 } }

    /// Whether a document of a seal is given as evidence of its own capture, too.
    private func isEvidence(_ file: EvidenceFile, among files: [EvidenceFile]) -> Bool {
        let sealed = files.compactMap(\.seal) + seals.map(\.file.seal)
        switch file.kind {
        case .record: return file.recordID != nil && sealed.contains { $0.id == file.recordID }
        case .encrypted:
            let digest = try? SHA256Digest(ofFile: file.path).description
            return sealed.contains { $0.stored == digest }
        case .seal:
            return files.contains { other in
                if case .encrypted = other.kind {
                    return (try? SHA256Digest(ofFile: other.path).description) == file.seal?.stored
                }
                return other.recordID != nil && other.recordID == file.seal?.id
            }
        case .signature:
            // A document may have the name of a signature.
            return file.hasSignature && files.contains { $0.path + ".sig" == file.path && isEvidence($0, among: files) }
        case .document: return false
        }
    }

    private mutating func noteLink(_ path: String) {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFLNK, let target = Directory.realPath(path)
        else {
            return
        }
        notes.append(Finding(.open, path, "is a link; \(target) is checked"))
    }

    // MARK: seals

    private mutating func addSeals(_ files: [EvidenceFile]) {
        var signatures: [(path: String, parts: [[UInt8]])] = []
        var loose: [(path: String, line: [UInt8], parts: [[UInt8]])] = []
        var whole: Set<String> = []
        for file in files {
            switch file.kind {
            case .signature:
                guard let bytes = contents(file.path, SSHSignature.longestArmour) else { continue }
                do throws(CaptureFormatError) {
                    signatures.append((file.path, try SealFile.signatures(in: bytes)))
                } catch {
                    damaged.append(Finding(.damaged, file.path, error.description))
                    signatures.append((file.path, []))
                }
            case .seal:
                guard let bytes = contents(file.path, 2 * Seal.maximumByteCount) else {
                    damagedSeals.insert(file.name.stem)
                    continue
                }
                // The panel's own files have their signatures inside.
                if bytes.firstIndex(of: UInt8(ascii: "\n")).map({ $0 == bytes.count - 1 }) ?? true {
                    loose.append((file.path, bytes, []))
                } else {
                    whole.insert(file.path)
                    add(file.path) { () throws(CaptureFormatError) in try SealFile(bytes) }
                }
            case .document(_?) where file.name.ending == ".seal": damagedSeals.insert(file.name.stem)
            default: break
            }
        }
        var unused = Set(signatures.map(\.path)).subtracting(whole.map { $0 + ".sig" })
        let meant = Set(loose.map { $0.path + ".sig" })
        for (index, (path, line, _)) in loose.enumerated() {
            var own = signatures.filter { $0.path == path + ".sig" }
            if own.isEmpty {
                // The only one, or the one that fits.
                let free = signatures.filter { loose.count == 1 || !meant.contains($0.path) }
                own = loose.count == 1 ? free : free.filter { Self.isValid($0.parts, for: line) }
            }
            unused.subtract(own.map(\.path))
            loose[index].parts = own.flatMap(\.parts)
        }
        for (path, line, parts) in loose {
            // A copy of a seal may lack the signature.
            let other = loose.first { $0.line == line && !$0.parts.isEmpty }?.parts
            let signed = parts.isEmpty ? other ?? seals.first { $0.file.line == line }?.file.signatures ?? [] : parts
            add(path) { () throws(CaptureFormatError) in try SealFile(line: line, signatures: signed) }
        }
        let known = Set(seals.flatMap(\.file.signatures))
        for (path, parts) in signatures where !parts.isEmpty && known.isSuperset(of: parts) { unused.remove(path) }
        for path in unused.sorted() {
            let isDamaged = damagedSeals.contains(EvidenceName(path).stem) || seals.isEmpty && !damagedSeals.isEmpty
            let what = isDamaged ? "its seal is damaged" : "its seal is missing: name it, too"
            notes.append(Finding(.wrong, path, "is a signature, but \(what)"))
        }
    }

    private static func isValid(_ signatures: [[UInt8]], for line: [UInt8]) -> Bool {
        signatures.contains { (try? SSHSignature(armoured: $0))?.isValid(for: line) == true }
    }

    private mutating func add(_ path: String, _ read: () throws(CaptureFormatError) -> SealFile) {
        do throws(CaptureFormatError) {
            seals.append((path, try read()))
        } catch {
            damaged.append(Finding(.damaged, path, error.description))
            damagedSeals.insert(EvidenceName(path).stem)
        }
    }

    /// - Returns: nil for a file that is too long or cannot be read, which becomes a finding.
    private mutating func contents(_ path: String, _ limit: Int) -> [UInt8]? {
        do throws(EvidenceFileError) { return try Self.read(path, limit) } catch {
            damaged.append(Finding(.damaged, path, error.description))
            return nil
        }
    }

    /// Adds a file if it is a time stamp of one of the seals. Any other one is a file like others.
    private mutating func addTimeStamp(_ path: String) -> Bool {
        guard !seals.isEmpty, let bytes = try? Self.read(path, TimeStampResponse.maximumByteCount),
            let stamp = TimeStampResponse(bytes),
            let stamped = seals.first(where: { SHA256Digest(of: $0.file.line) == stamp.imprint })
        else { return false }
        stamps.append((path, stamp, stamped.file.seal.n))
        return true
    }

    /// Adds all files of a folder whose places in panels' directories say what they are.
    /// - Returns: the paths of the others.
    private mutating func addFolder(_ path: String) throws(EvidenceFileError) -> [String] {
        let folder = try EvidenceFolder(path)
        notes += folder.findings
        hasStore = hasStore || !folder.seals.isEmpty
        for (file, store) in folder.seals {
            guard let bytes = contents(file, 2 * Seal.maximumByteCount) else {
                damagedSeals.insert(EvidenceName(file).stem)
                continue
            }
            storeOfSeal[file] = store
            add(file) { () throws(CaptureFormatError) in try SealFile(bytes) }
        }
        for file in folder.captures {
            switch file.kind {
            case .record: add(file.path, of: file.id, to: \.records)
            case .encrypted: add(file.path, of: file.id, to: \.encrypted)
            case .signed: add(file.path, of: file.id, to: \.signedDocuments)
            case .encryptedSigned: add(file.path, of: file.id, to: \.encryptedDocuments)
            }
            if [.record, .encrypted].contains(file.kind) { inStores.insert(file.id) }
        }
        return folder.files
    }

    // MARK: captures

    /// The capture whose signed document an encrypted file is; nil if it is a record.
    private func idOfSigned(_ file: EvidenceFile) throws(EvidenceFileError) -> String? {
        let ending = ".pdf.age"
        let signed = seals.map(\.file.seal).filter { $0.signedStored != nil }
        if !signed.isEmpty {
            let digest = try SHA256Digest(ofFile: file.path).description
            if let seal = signed.first(where: { $0.signedStored == digest }) { return seal.id }
        }
        guard file.path.hasSuffix(ending), let name = file.path.split(separator: "/").last else { return nil }
        return String(name.dropLast(ending.count))
    }

    /// The capture that a file belongs to: the sealed one that its name, its contents or, last, a seal of the same name
    /// says.
    private func id(of file: EvidenceFile) -> String {
        let stem = file.name.stem
        let ids = Set(seals.compactMap(\.file.seal.id))
        if ids.contains(stem) { return stem }
        if let id = file.recordID, ids.contains(id) { return id }
        if case .encrypted = file.kind, let digest = try? SHA256Digest(ofFile: file.path).description,
            let id = seals.first(where: { $0.file.seal.stored == digest })?.file.seal.id
        {
            return id
        }
        let namesake = seals.first { $0.file.seal.id != nil && EvidenceName($0.path).stem == stem }
        if let id = namesake?.file.seal.id { return id }
        return stem
    }

    /// Adds the file of a capture. Another one of the same capture is not checked, which is wrong unless it has the
    /// same bytes.
    private mutating func add(_ path: String, of id: String, to files: WritableKeyPath<Self, [String: String]>) {
        guard let first = self[keyPath: files][id] else {
            self[keyPath: files][id] = path
            return
        }
        let digests = (try? SHA256Digest(ofFile: first), try? SHA256Digest(ofFile: path))
        if digests.0 != nil, digests.0 == digests.1 { return }
        second.append(
            Finding(.wrong, path, "is not checked, because \(first) is of the same capture; verify one after the other")
        )
    }

    /// Checks everything, and says what is not checked. Blocks while it reads, one capture at a time.
    /// - Parameter heads: seals that their holders kept.
    package mutating func check(_ verification: inout Verification, heads: [SealHead]) {
        for finding in notes + damaged + second { verification.add(finding.verdict, finding.subject, finding.text) }
        for chain in chains() {
            verification.beginChain(complete: chain.complete)
            for seal in chain.seals { verification.check(seal) }
            verification.endChain()
        }
        for (path, stamp, seal) in stamps { verification.check(stamp, of: seal, path) }
        var unused = documents
        var checked: Set<String> = []
        let withDocument = Set(seals.compactMap { $0.file.seal.document == nil ? nil : $0.file.seal.n })
        // Evidence in another form is not a document that has changed, nor is what an archive has for people.
        let possible = documents.filter { $0.form?.isCertain != true && !Companion.is($0.path) }
        for case (_, let file) in seals {
            guard let id = file.seal.id, checked.insert(id).inserted else { continue }
            var document = documents.first { $0.digest.description == file.seal.document }
            var signed = documents.first { $0.digest.description == file.seal.signed }
            // A copy with another name is the same document. The only other one must be one of those of the only seal
            // that names any.
            let others = possible.filter { $0.digest != document?.digest && $0.digest != signed?.digest }
            if Set(others.map(\.digest)).count == 1, withDocument.count == 1, file.seal.document != nil {
                if file.seal.signed != nil, signed == nil, signedDocuments[id] == nil {
                    signed = others.first
                } else if document == nil {
                    document = others.first
                }
            }
            for (file, sealed) in [(document, file.seal.document), (signed, file.seal.signed)] {
                guard let file else { continue }
                unused.removeAll { $0.digest == file.digest }
                if file.digest.description != sealed { hint(file.path, file.form, &verification) }
            }
            check(id, file.seal, document?.digest, signed: signed?.path, &verification)
        }
        for id in Set(records.keys).union(encrypted.keys).subtracting(checked).sorted() {
            check(id, nil, nil, signed: nil, &verification)
        }
        // A folder and a name make no evidence of a document.
        for id in Set(signedDocuments.keys).union(encryptedDocuments.keys).subtracting(checked).sorted() {
            for path in [signedDocuments[id], encryptedDocuments[id]].compactMap({ $0 }) {
                verification.add(.wrong, path, "is not checked: no seal of its record is here")
            }
        }
        let isNothing =
            seals.isEmpty && records.isEmpty && encrypted.isEmpty && signedDocuments.isEmpty
            && encryptedDocuments.isEmpty && damaged.isEmpty && notes.allSatisfy { $0.verdict == .open }
        for document in unused {
            if isNothing, document.form == nil {
                verification.add(
                    .open, document.path,
                    "is no record, seal or signature, so there is nothing here to check (verify.html checks the "
                        + "signatures in a PDF file)")
            } else if let form = document.form, form.isCertain || seals.isEmpty {
                verification.add(.damaged, document.path, form.advice)
            } else if Companion.is(document.path) {
                verification.add(.open, document.path, "is not checked: an archive of evidence has it for people")
            } else {
                verification.add(.wrong, document.path, "no seal names this document")
                hint(document.path, document.form, &verification)
            }
        }
        for head in heads {
            // Two panels have seals of the same number.
            let same = seals.map(\.file.head).filter { $0.n == head.n }
            let kept = same.first { $0 == head } ?? same.first
            verification.check(head: head, among: kept.map { [$0.n: $0.digest] } ?? [:])
        }
        verification.finish()
    }

    /// Seals of panels apart from each other: a chain is of one key and those that replaced it, or in one directory.
    private func chains() -> [Chain] {
        var chains: [Chain] = []
        for (path, file) in seals {
            var joined = Chain(names: [file.seal.key], seals: [file], complete: nil)
            if let old = file.seal.replaces { joined.names.insert(old) }
            if let store = storeOfSeal[path] {
                joined.names.insert("in " + store)
                joined.complete = file.seal.n...file.seal.n
            }
            let (names, others) = (joined.names, chains)
            for chain in others where !chain.names.isDisjoint(with: names) { joined.join(chain) }
            chains = others.filter { $0.names.isDisjoint(with: names) } + [joined]
        }
        return chains.map { chain in
            var sorted = chain
            sorted.seals.sort { $0.seal.n < $1.seal.n }
            return sorted
        }
    }

    private struct Chain {
        /// Keys, and directories of panels.
        var names: Set<String>
        var seals: [SealFile]
        /// The numbers of the first and the last seal in a panel's directory.
        var complete: ClosedRange<Int64>?

        mutating func join(_ other: Chain) {
            names.formUnion(other.names)
            seals = other.seals + seals
            guard let range = other.complete else { return }
            complete =
                complete.map {
                    min($0.lowerBound, range.lowerBound)...max($0.upperBound, range.upperBound)
                } ?? range
        }
    }

    private func hint(_ path: String, _ form: FileForm?, _ verification: inout Verification) {
        if let form { verification.add(.open, path, form.advice) }
    }

    private func check(
        _ id: String, _ seal: Seal?, _ document: SHA256Digest?, signed: String?, _ verification: inout Verification
    ) {
        var files = Verification.Files(document: document)
        files.isInOtherForm = inOtherForms.contains(id)
        files.isFurtherSeal = !hasStore && seals.contains { isPresented($0.file.seal.id) }
        files.hasDamagedSeal =
            damagedSeals.contains(id)
            || [records[id], encrypted[id]].contains {
                $0.map { damagedSeals.contains(EvidenceName($0).stem) } ?? false
            }
        let limit = CaptureLimits.recordByteCount
        do throws(EvidenceFileError) {
            files.record = try records[id].map { path throws(EvidenceFileError) in try Self.read(path, limit) }
            files.encrypted = try encrypted[id].map { path throws(EvidenceFileError) in
                try Self.read(path, CaptureLimits.encryptedByteCount)
            }
            // A copy elsewhere does not stand for the one that the panel has.
            files.signed = try (signedDocuments[id] ?? signed).map { path throws(EvidenceFileError) in
                try Self.read(path, CaptureLimits.documentByteCount)
            }
            files.encryptedSigned = try encryptedDocuments[id].map { path throws(EvidenceFileError) in
                try Self.read(path, CaptureLimits.encryptedDocumentByteCount)
            }
        } catch {
            return verification.add(.damaged, "capture \(id)", error.description)
        }
        let isInterruptible = inStores.contains(id) && !presented.contains(id)
        verification.check(files, of: id, seal: seal, isInStore: seal == nil ? isInterruptible : hasStore)
    }

    /// Whether there is a record of a capture, in whatever form.
    private func isPresented(_ id: String?) -> Bool {
        id.map { records[$0] != nil || encrypted[$0] != nil || inOtherForms.contains($0) } ?? false
    }

    // MARK: files

    /// - Parameter limit: in bytes.
    package static func read(_ path: String, _ limit: Int) throws(EvidenceFileError) -> [UInt8] {
        let bytes: [UInt8]?
        do throws(Errno) { bytes = try InputFile.read(path, maximumByteCount: limit) } catch {
            throw .cannotRead(path, error)
        }
        guard let bytes else { throw .tooLong(path, limit: limit) }
        return bytes
    }
}
