// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Evidence
import Glibc
import Linux
import Record
import Store

/// `inkpanel verify`: checks records with their seals, without a panel.
struct VerifyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Check records, seals and documents, and the chain of seals.",
        discussion: """
            Needs no panel and no network. Prints one line a fact: ok, WRONG, DAMAGED, or - for what it did not check or \
            leaves to people. Ends with 0 if all that was checked fits, 1 if not, 65 if a file cannot be read. \
            docs/evidence.md says what each fact proves, and how to check it without this program.
            """)

    @Argument(
        help: ArgumentHelp(
            "Records (.jsonl), encrypted records (.age), seals, their signatures (.seal.sig), documents; or the directory of "
                + "a panel's captures.", valueName: "file"))
    var files: [String]

    @Option(
        help: ArgumentHelp(
            "Keys that count, in the form of ssh-keygen; inkpanel identity prints the line of a panel.",
            valueName: "file"))
    var allowedSigners: String?

    @Option(
        parsing: .singleValue,
        help: ArgumentHelp("Identity of age that opens encrypted records; may be repeated.", valueName: "file"))
    var identity: [String] = []

    @Option(
        parsing: .singleValue,
        help: ArgumentHelp(
            "A seal that its holder kept, from an answer of the panel; may be repeated.", valueName: "number:digest"))
    var head: [String] = []

    @Flag(help: "Print only what does not fit, and the result.")
    var quiet = false

    func validate() throws {
        if files.isEmpty { throw ValidationError("name the files to check, or the directory of a panel's captures") }
        for text in head where SealHead(argument: text) == nil {
            throw ValidationError("--head is a number and 64 hexadecimal digits, such as 17:9f86d0…, not \(text)")
        }
    }

    func run() throws {
        try reportingErrors {
            var verification = Verification(
                allowedSigners: try allowedSigners.map { try Self.allowedSigners($0) },
                identities: try identity.flatMap { try Self.identities($0) })
            var evidence = try EvidenceFiles(files)
            evidence.check(&verification, heads: head.compactMap { SealHead(argument: $0) })
            let shown = verification.findings.filter { !quiet || $0.verdict == .wrong || $0.verdict == .damaged }
            var text = shown.map { finding in
                let verdict = finding.verdict.rawValue
                return verdict + String(repeating: " ", count: 9 - verdict.count)
                    + "\(finding.subject): \(finding.text)".printable + "\n"
            }.joined()
            let wrong = verification.findings.count { $0.verdict == .wrong || $0.verdict == .damaged }
            let fits = verification.findings.count { $0.verdict == .fits }
            text +=
                wrong == 0
                ? "All \(fits) facts that were checked fit.\n" : "\(wrong) facts do not fit; \(fits) do.\n"
            try OutputFile.print(text)
            if verification.isDamaged { throw ExitCode(EX_DATAERR) }
            if verification.isWrong { throw ExitCode(1) }
        }
    }

    private static func allowedSigners(_ path: String) throws(CommandError) -> AllowedSigners {
        let bytes = try EvidenceFiles.read(path, AllowedSigners.longestFile)
        do throws(EvidenceError) { return try AllowedSigners(bytes) } catch {
            throw .unusableInput("\(path): \(error)")
        }
    }

    private static func identities(_ path: String) throws(CommandError) -> [AgeIdentity] {
        let bytes = try EvidenceFiles.read(path, AgeIdentity.longestFile)
        do throws(EvidenceError) { return try AgeIdentity.identities(inFile: bytes) } catch {
            throw .unusableInput("\(path): \(error)")
        }
    }
}

extension SealHead {
    /// `17:9f86d0…`
    fileprivate init?(argument: String) {
        let parts = argument.split(separator: ":")
        guard parts.count == 2, let n = Int64(parts[0]), n > 0, SHA256Digest(hex: String(parts[1])) != nil else {
            return nil
        }
        self.init(n: n, digest: String(parts[1]))
    }
}

/// Files to verify, by what they are. Records are read when they are checked, one at a time.
private struct EvidenceFiles {
    private var seals: [(path: String, file: SealFile)] = []
    /// Paths by the ID of the capture.
    private var records: [String: String] = [:]
    private var encrypted: [String: String] = [:]
    /// IDs of captures in directories of panels.
    private var inStores: Set<String> = []
    private var documents: [(path: String, digest: SHA256Digest)] = []
    private var damaged: [Finding] = []
    /// Files of captures that have another file.
    private var second: [Finding] = []

    init(_ paths: [String]) throws(CommandError) {
        var signatures: [(path: String, bytes: [UInt8])] = []
        var loose: [(path: String, line: [UInt8])] = []
        for path in paths {
            if (try? Directory.open(path)) != nil {
                try addStore(path)
                continue
            }
            let start = try Self.start(of: path)
            if start.starts(with: "age-encryption.org/".utf8) {
                add(path, of: Self.id(path, ".jsonl.age"), to: \.encrypted)
            } else if start.starts(with: "-----BEGIN SSH SIGNATURE-----".utf8) {
                signatures.append((path, try Self.read(path, Seal.maximumByteCount)))
            } else if path.hasSuffix(".seal")
                || start.contains(#""format":"inkpanel-seal""#.utf8)
            {
                let bytes = try Self.read(path, 2 * Seal.maximumByteCount)
                // The panel's own files have their signatures inside.
                if bytes.firstIndex(of: UInt8(ascii: "\n")).map({ $0 == bytes.count - 1 }) ?? true {
                    loose.append((path, bytes))
                } else {
                    add(path) { () throws(CaptureFormatError) in try SealFile(bytes) }
                }
            } else if path.hasSuffix(".jsonl")
                || start.contains(#""format":"inkpanel-capture""#.utf8)
            {
                add(path, of: Self.id(path, ".jsonl"), to: \.records)
            } else {
                documents.append((path, try Self.digest(path)))
            }
        }
        for (path, line) in loose {
            let own = signatures.filter { $0.path == path + ".sig" || loose.count == 1 }.map(\.bytes)
            add(path) { () throws(CaptureFormatError) in try SealFile(line: line, signatures: own) }
        }
        seals.sort { $0.file.seal.n < $1.file.seal.n }
        identifyRecords()
        identifyEncrypted()
    }

    /// Adds all captures and seals of a panel's directory.
    private mutating func addStore(_ path: String) throws(CommandError) {
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
        for finding in damaged + second { verification.add(finding.verdict, finding.subject, finding.text) }
        for seal in seals { verification.check(seal.file) }
        var unused = documents
        var checked: Set<String> = []
        let withDocument = seals.filter { $0.file.seal.document != nil }
        for case (_, let file) in seals {
            guard let id = file.seal.id, checked.insert(id).inserted else { continue }
            var document = documents.first { $0.digest.description == file.seal.document }
            // The only document must be the one of the only seal that names any.
            if document == nil, documents.count == 1, withDocument.count == 1, file.seal.document != nil {
                document = documents.first
            }
            if let document { unused.removeAll { $0.path == document.path } }
            check(id, file.seal, document?.digest, &verification)
        }
        for id in Set(records.keys).union(encrypted.keys).subtracting(checked).sorted() {
            check(id, nil, nil, &verification)
        }
        for document in unused { verification.add(.wrong, document.path, "no seal names this document") }
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
