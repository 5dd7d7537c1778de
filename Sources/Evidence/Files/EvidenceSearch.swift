// SPDX-License-Identifier: Apache-2.0
import HostAPI
import Linux
import Record

/// A file to verify.
struct EvidenceFile {
    let path: String
    private(set) var kind: FileKind
    /// The capture that the header of a record names; nil if it cannot be read.
    private(set) var recordID: String?
    /// Whether the panel's own seal, which has its signature inside, or another file has one.
    let hasSignature: Bool
    /// The seal, as far as it can be read.
    let seal: Seal?
    /// The digest of the document that the seal or the record names.
    let document: String?
    /// The named file that this one was found for; nil if it was named itself.
    let found: String?
    /// The file lies in a folder that was named, with all that belongs to it.
    let isInFolder: Bool
    /// The finding about a list of keys or an identity in a folder; nil for other files.
    let keys: String?

    init(_ path: String, for found: String? = nil, isInFolder: Bool = false) throws(EvidenceFileError) {
        let start: [UInt8]
        do throws(Errno) {
            let file = try InputFile.open(path)
            start = try file.read(min(try file.byteCount, FileForm.startByteCount), from: 0)
        } catch {
            throw .cannotRead(path, error)
        }
        self.path = path
        self.found = found
        self.isInFolder = isInFolder
        let name = path.split(separator: "/").last.map(String.init) ?? ""
        keys = isInFolder ? Companion.keys(in: start, name) : nil
        kind = FileKind(start, path)
        hasSignature = start.contains("-----BEGIN SSH SIGNATURE-----".utf8)
        let end = start.firstIndex(of: UInt8(ascii: "\n"))
        if case .seal = kind, let end { seal = try? Seal(line: Array(start[...end])) } else { seal = nil }
        var header: CaptureHeader?
        if case .record = kind, let end { header = try? CaptureDecoder.header(start[..<end]) }
        recordID = header?.id
        document = seal?.document ?? header?.request.document?.sha256
    }

    var name: EvidenceName { EvidenceName(path) }

    /// Takes a file for what a seal names by its digest, whatever its form and name.
    mutating func recognise(_ digests: SealedDigests) throws(EvidenceFileError) {
        switch kind {
        case .seal, .encrypted: return
        default: break
        }
        let digest = try SHA256Digest(ofFile: path).description
        if digests.records.contains(digest) {
            kind = .record
            recordID = digests.ids[digest]
        } else if digests.encrypted.contains(digest) {
            kind = .encrypted
        }
    }
}

/// The digests that seals name.
struct SealedDigests {
    let records: Set<String>
    let encrypted: Set<String>
    /// The captures of records.
    let ids: [String: String]

    init(_ seals: [Seal]) {
        records = Set(seals.compactMap(\.record))
        encrypted = Set(seals.flatMap { [$0.stored, $0.signedStored].compactMap { $0 } })
        ids = Dictionary(
            seals.compactMap { seal in seal.record.flatMap { record in seal.id.map { (record, $0) } } },
            uniquingKeysWith: { first, _ in first })
    }
}

/// The parts of a file's name: `store/seals/0000000017-ID.seal`.
struct EvidenceName {
    /// The folder with the slash at its end; empty for a name alone.
    let folder: String
    /// The name up to its ending, without the number of a seal: ID.
    let stem: String
    /// The ending, one of ``endings``, also before the ending of another program (`.jsonl.gz`); nil for others.
    let ending: String?

    /// Those of records and seals.
    private static let endings = [".jsonl.age", ".jsonl", ".seal.sig", ".seal"]

    init(_ path: String) {
        let slash = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
        folder = String(path[..<slash])
        let name = path[slash...]
        for ending in Self.endings {
            let parts = name.split(separator: ".", omittingEmptySubsequences: false)
            let words = ending.split(separator: ".")
            // The last ones that are equal, because a name may have dots.
            guard let start = parts.indices.dropFirst().last(where: { parts[$0...].starts(with: words) }) else {
                continue
            }
            var stem = parts[..<start].joined(separator: ".")
            let digits = stem.prefix { "0"..."9" ~= $0 }
            // Not the date that a record's ID begins with.
            if ending.hasPrefix(".seal"), digits.count >= 10, stem.dropFirst(digits.count).first == "-" {
                stem = String(stem.dropFirst(digits.count + 1))
            }
            (self.stem, self.ending) = (stem, ending)
            return
        }
        (stem, ending) = (String(name), nil)
    }
}

/// Finds the files that belong to named ones by their names.
struct EvidenceSearch {
    private(set) var files: [EvidenceFile] = []
    /// Captures whose seals are in directories of panels.
    private let sealed: Set<String>
    /// Whether a named record has no named seal, and a named seal no named record. They are presented as belonging
    /// together, so others that would fit are not sought.
    private var isMismatched = false

    /// - Parameters:
    ///   - paths: of the named files; each is looked at once.
    ///   - inFolders: of files in named folders, beside which nothing is sought.
    ///   - sealed: captures with a seal that has been found already.
    init(_ paths: [String], inFolders: [String], sealed: Set<String>) throws(EvidenceFileError) {
        self.sealed = sealed
        for path in paths where !files.contains(where: { $0.path == path }) { files.append(try EvidenceFile(path)) }
        isMismatched =
            files.contains { isRecord($0) && !hasSeal($0) && !isDocument($0) }
            && files.contains { if case .seal = $0.kind { !hasRecord($0) && !isDocument($0) } else { false } }
        // Folders may have very many files.
        var known = Set(files.map(\.path))
        for path in inFolders where known.insert(path).inserted {
            files.append(try EvidenceFile(path, isInFolder: true))
        }
        var index = 0
        while index < files.count {
            let file = files[index]
            if file.isInFolder {
                index += 1
                continue
            }
            for path in beside(file) where !files.contains(where: { $0.path == path }) {
                if let other = try? EvidenceFile(path, for: file.found ?? file.path) { files.append(other) }
            }
            index += 1
        }
    }

    /// The files that may belong to this one. Not those of a kind of which another file belongs to it already, by its
    /// contents: that is the one that counts.
    private func beside(_ file: EvidenceFile) -> [String] {
        let name = file.name
        guard let ending = name.ending else { return [] }
        let base = name.folder + name.stem
        // An unreadable file is what its name says.
        switch file.kind {
        case .record, .encrypted: return hasSeal(file) ? [] : seals(name)
        case .seal: return (hasSignature(file) ? [] : [file.path + ".sig"]) + (hasRecord(file) ? [] : records(name))
        case .signature: return hasLooseSeal(file) ? [] : [base + ".seal"]
        case .document(nil): return []
        case .document:
            if ending.hasPrefix(".seal") { return [base + ".seal", base + ".seal.sig"] + records(name) }
            return seals(name)
        }
    }

    private func isRecord(_ file: EvidenceFile) -> Bool {
        switch file.kind {
        case .record, .encrypted: true
        default: false
        }
    }

    private func seals(_ name: EvidenceName) -> [String] {
        if isMismatched { return [] }
        let own = name.folder + name.stem + ".seal"
        if (try? Directory.contains(own)) == true { return [own] }
        // The panel's names, beside the record or as in the panel's directory.
        for folder in [name.folder, name.folder + "../seals/"] {
            let names = (try? Directory.names(of: folder.isEmpty ? "." : folder)) ?? []
            let found = names.filter { $0.hasSuffix("-\(name.stem).seal") && EvidenceName($0).stem == name.stem }
            if !found.isEmpty { return found.sorted().map { folder + $0 } }
        }
        return []
    }

    private func records(_ name: EvidenceName) -> [String] {
        if isMismatched { return [] }
        let endings = [".jsonl", ".jsonl.age"]
        let own = endings.map { name.folder + name.stem + $0 }
        if own.contains(where: { (try? Directory.contains($0)) == true }) { return own }
        return endings.map { name.folder + "../captures/" + name.stem + $0 }
    }

    private func hasSeal(_ file: EvidenceFile) -> Bool {
        let id = file.recordID ?? file.name.stem
        if sealed.contains(id) || files.contains(where: { $0.seal?.id == id }) { return true }
        guard case .encrypted = file.kind, files.contains(where: { $0.seal?.stored != nil }),
            let digest = try? SHA256Digest(ofFile: file.path).description
        else { return false }
        return files.contains { $0.seal?.stored == digest }
    }

    private func hasSignature(_ seal: EvidenceFile) -> Bool {
        if seal.hasSignature { return true }
        let signatures = files.filter { if case .signature = $0.kind { true } else { false } }
        if signatures.contains(where: { $0.path == seal.path + ".sig" }) { return true }
        return looseSeals.count == 1 && signatures.contains { !isDocument($0) }
    }

    private func hasLooseSeal(_ signature: EvidenceFile) -> Bool {
        looseSeals.contains { $0.path + ".sig" == signature.path }
            || looseSeals.count == 1 && !files.contains { $0.path == looseSeals[0].path + ".sig" }
            || isDocument(signature)
    }

    /// Whether a seal or a record names it as what was signed.
    private func isDocument(_ file: EvidenceFile) -> Bool {
        guard files.contains(where: { $0.document != nil }), let digest = try? SHA256Digest(ofFile: file.path) else {
            return false
        }
        return files.contains { $0.document == digest.description }
    }

    private func hasRecord(_ seal: EvidenceFile) -> Bool {
        // One of a deletion or a key has none.
        guard let read = seal.seal else { return false }
        guard let id = read.id else { return true }
        return files.contains { file in
            if file.recordID == id { return true }
            guard case .encrypted = file.kind else { return false }
            return file.name.stem == id || (try? SHA256Digest(ofFile: file.path).description) == read.stored
        }
    }

    private var looseSeals: [EvidenceFile] {
        files.filter { if case .seal = $0.kind { !$0.hasSignature } else { false } }
    }
}
