// SPDX-License-Identifier: Apache-2.0
import Evidence
import Glibc
import Linux
import Record
import Store

/// Files to verify, by what they are. Records are read when they are checked, one at a time.
struct EvidenceFiles {
    private var seals: [(path: String, file: SealFile)] = []
    /// Paths by the ID of the capture.
    private var records: [String: String] = [:]
    private var encrypted: [String: String] = [:]
    /// IDs of captures in directories of panels.
    private var inStores: Set<String> = []
    /// Files of no other kind. One that fits no seal is named as what it is, if that is not a document.
    private var documents: [(path: String, digest: SHA256Digest, form: FileForm?)] = []
    private var damaged: [Finding] = []
    /// What is said of files before anything is checked.
    private var notes: [Finding] = []
    /// Files of captures that have another file.
    private var second: [Finding] = []

    init(_ paths: [String]) throws(CommandError) {
        var signatures: [(path: String, bytes: [UInt8])] = []
        var loose: [(path: String, line: [UInt8])] = []
        var whole: [String] = []
        var start: [String: [UInt8]] = [:]
        for path in paths {
            noteLink(path)
            if (try? Directory.open(path)) == nil { start[path] = try Self.start(of: path) } else { try addStore(path) }
        }
        for path in paths + Self.beside(start) {
            if start[path] == nil {
                if paths.contains(path) { continue }
                start[path] = try Self.start(of: path)
                notes.append(Finding(.open, path, "lies beside, and is checked, too"))
            }
            switch FileKind(start[path] ?? [], path) {
            case .encrypted: add(path, of: Self.id(path, ".jsonl.age"), to: \.encrypted)
            case .signature: signatures.append((path, try Self.read(path, Seal.maximumByteCount)))
            case .seal:
                let bytes = try Self.read(path, 2 * Seal.maximumByteCount)
                // The panel's own files have their signatures inside.
                if bytes.firstIndex(of: UInt8(ascii: "\n")).map({ $0 == bytes.count - 1 }) ?? true {
                    loose.append((path, bytes))
                } else {
                    whole.append(path)
                    add(path) { () throws(CaptureFormatError) in try SealFile(bytes) }
                }
            case .record: add(path, of: Self.id(path, ".jsonl"), to: \.records)
            case .document(let form): documents.append((path, try Self.digest(path), form))
            }
        }
        var unused = signatures.map(\.path).filter { !whole.map { $0 + ".sig" }.contains($0) }
        for (path, line) in loose {
            let named = signatures.filter { $0.path == path + ".sig" }
            let own = named.isEmpty && loose.count == 1 ? signatures : named
            unused.removeAll { own.map(\.path).contains($0) }
            add(path) { () throws(CaptureFormatError) in try SealFile(line: line, signatures: own.map(\.bytes)) }
        }
        for path in unused { notes.append(Finding(.wrong, path, "is a signature, but its seal is missing: name it, too")) }
        seals.sort { $0.file.seal.n < $1.file.seal.n }
        identifyRecords()
        identifyEncrypted()
    }

    private mutating func noteLink(_ path: String) {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFLNK, let target = Directory.realPath(path) else {
            return
        }
        notes.append(Finding(.open, path, "is a link; \(target) is checked"))
    }

    /// The files that belong to named ones by their names, and lie beside them. Records are looked for only if none is
    /// named, and so are seals and signatures: others may be those that count.
    /// - Parameter start: the first bytes of the named files.
    private static func beside(_ start: [String: [UInt8]]) -> [String] {
        var kinds = start.map { FileKind($0.value, $0.key) }
        var found: [String] = []
        // The panel's own seals have their signatures inside.
        var hasSignature = start.values.contains { $0.contains("-----BEGIN SSH SIGNATURE-----".utf8) }
        func look(_ endings: [String], unless isThere: (FileKind) -> Bool) {
            if kinds.contains(where: isThere) { return }
            for path in start.keys.sorted() {
                guard let ending = [".jsonl.age", ".jsonl", ".seal.sig", ".seal"].first(where: path.hasSuffix) else {
                    continue
                }
                for other in endings.map({ String(path.dropLast(ending.count)) + $0 })
                where start[other] == nil && !found.contains(other) {
                    guard let bytes = try? Self.start(of: other) else { continue }
                    found.append(other)
                    kinds.append(FileKind(bytes, other))
                    hasSignature = hasSignature || bytes.contains("-----BEGIN SSH SIGNATURE-----".utf8)
                }
            }
        }
        look([".seal"]) { if case .seal = $0 { true } else { false } }
        if !hasSignature { look([".seal.sig"]) { if case .signature = $0 { true } else { false } } }
        look([".jsonl", ".jsonl.age"]) {
            switch $0 {
            case .record, .encrypted: true
            default: false
            }
        }
        return found
    }

    /// Adds all captures and seals of a panel's directory.
    private mutating func addStore(_ path: String) throws(CommandError) {
        guard (try? Directory.open(path + "/captures")) != nil || (try? Directory.open(path + "/seals")) != nil else {
            damaged.append(
                Finding(.damaged, path, "is a folder, but not a panel's (captures and seals): name the files in it"))
            return
        }
        func names(_ folder: String) throws(CommandError) -> [String] {
            do throws(Errno) { return try Directory.names(of: "\(path)/\(folder)").sorted() } catch {
                throw .cannotRead("\(path)/\(folder)", error)
            }
        }
        for name in try names("seals") where name.hasSuffix(".seal") {
            let file = "\(path)/seals/\(name)"
            let bytes = try Self.read(file, 2 * Seal.maximumByteCount)
            add(file) { () throws(CaptureFormatError) in try SealFile(bytes) }
        }
        for name in try names("captures") {
            let file = "\(path)/captures/\(name)"
            let isRecord = name.hasSuffix(".jsonl")
            guard isRecord || name.hasSuffix(".jsonl.age") else { continue }
            let id = Self.id(name, isRecord ? ".jsonl" : ".jsonl.age")
            add(file, of: id, to: isRecord ? \.records : \.encrypted)
            inStores.insert(id)
        }
    }

    private mutating func add(_ path: String, _ read: () throws(CaptureFormatError) -> SealFile) {
        do throws(CaptureFormatError) {
            seals.append((path, try read()))
        } catch {
            damaged.append(Finding(.damaged, path, error.description))
        }
    }

    /// Adds the file of a capture. Another one of the same capture is not checked, which is wrong unless it has the
    /// same bytes.
    private mutating func add(_ path: String, of id: String, to files: WritableKeyPath<Self, [String: String]>) {
        guard let first = self[keyPath: files][id] else {
            self[keyPath: files][id] = path
            return
        }
        if let one = try? Self.digest(first), let other = try? Self.digest(path), one == other { return }
        second.append(
            Finding(.wrong, path, "is not checked, because \(first) is of the same capture; verify one after the other")
        )
    }

    /// A record under another name belongs to the seal of the capture that its first line names.
    private mutating func identifyRecords() {
        let ids = Set(seals.compactMap(\.file.seal.id))
        for (name, path) in records where !ids.contains(name) {
            guard let start = try? Self.start(of: path), let end = start.firstIndex(of: UInt8(ascii: "\n")),
                let id = (try? CaptureDecoder.header(start[..<end]))?.id, ids.contains(id)
            else { continue }
            records[name] = nil
            add(path, of: id, to: \.records)
        }
    }

    /// An encrypted file under another name belongs to the seal that names its digest.
    private mutating func identifyEncrypted() {
        let ids = Set(seals.compactMap(\.file.seal.id))
        for (id, path) in encrypted where !ids.contains(id) {
            guard let digest = try? Self.digest(path).description,
                let seal = seals.first(where: { $0.file.seal.stored == digest }), let known = seal.file.seal.id
            else { continue }
            encrypted[id] = nil
            add(path, of: known, to: \.encrypted)
        }
    }

    mutating func check(_ verification: inout Verification, heads: [SealHead]) {
        for finding in notes + damaged + second { verification.add(finding.verdict, finding.subject, finding.text) }
        for seal in seals { verification.check(seal.file) }
        var unused = documents
        var checked: Set<String> = []
        let withDocument = seals.filter { $0.file.seal.document != nil }
        for case (_, let file) in seals {
            guard let id = file.seal.id, checked.insert(id).inserted else { continue }
            var document = documents.first { $0.digest.description == file.seal.document }
            // The only document must be the one of the only seal that names any.
            let possible = documents.filter { $0.form == nil }
            if document == nil, possible.count == 1, withDocument.count == 1, file.seal.document != nil {
                document = possible.first
            }
            if let document { unused.removeAll { $0.path == document.path } }
            check(id, file.seal, document?.digest, &verification)
        }
        for id in Set(records.keys).union(encrypted.keys).subtracting(checked).sorted() {
            check(id, nil, nil, &verification)
        }
        for document in unused {
            if let form = document.form {
                verification.add(.damaged, document.path, form.advice)
            } else {
                verification.add(.wrong, document.path, "no seal names this document")
            }
        }
        let kept = Dictionary(
            seals.map { ($0.file.seal.n, $0.file.head.digest) }, uniquingKeysWith: { first, _ in first })
        for head in heads { verification.check(head: head, among: kept) }
        verification.finish()
    }

    private func check(
        _ id: String, _ seal: Seal?, _ document: SHA256Digest?, _ verification: inout Verification
    ) {
        var files = Verification.Files(document: document)
        let limit = CaptureLimits.recordByteCount
        do throws(CommandError) {
            files.record = try records[id].map { path throws(CommandError) in try Self.read(path, limit) }
            files.encrypted = try encrypted[id].map { path throws(CommandError) in
                try Self.read(path, CaptureLimits.encryptedByteCount)
            }
        } catch {
            return verification.add(.damaged, "capture \(id)", error.message)
        }
        verification.check(files, of: id, seal: seal, isInStore: inStores.contains(id))
    }

    // MARK: files

    static func read(_ path: String, _ limit: Int) throws(CommandError) -> [UInt8] {
        let bytes: [UInt8]?
        do throws(Errno) { bytes = try InputFile.read(path, maximumByteCount: limit) } catch {
            throw .cannotRead(path, error)
        }
        guard let bytes else { throw .unusableInput("\(path): the file has more than \(limit) bytes") }
        return bytes
    }

    private static func start(of path: String) throws(CommandError) -> [UInt8] {
        do throws(Errno) {
            let file = try InputFile.open(path)
            return try file.read(min(try file.byteCount, 64 << 10), from: 0)
        } catch {
            throw .cannotRead(path, error)
        }
    }

    private static func digest(_ path: String) throws(CommandError) -> SHA256Digest {
        guard let digest = SHA256Digest(hex: try DocumentFile.digest(of: path)) else {
            throw .unusableInput("\(path): no digest")
        }
        return digest
    }

    /// The name of the file without its folder and ending: records are kept under the ID of their capture.
    private static func id(_ path: String, _ suffix: String) -> String {
        let name = path.split(separator: "/").last.map(String.init) ?? path
        return name.hasSuffix(suffix) ? String(name.dropLast(suffix.count)) : name
    }
}
