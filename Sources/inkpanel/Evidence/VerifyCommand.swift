// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Evidence
import Glibc
import HostAPI
import Linux
import Record

/// `inkpanel verify`: checks records with their seals, without a panel.
struct VerifyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Check records, seals and documents, and the chain of seals.",
        discussion: """
            Needs no panel and no network. Prints one line a fact: ok, WRONG, DAMAGED, UNKNOWN, or - for what it did \
            not check or leaves to people. The last line is FITS (exit status 0), WRONG (1), UNKNOWN (2: all fits, but \
            nobody here knows a key that sealed it), UNCHECKED (1: there was nothing to check) or DAMAGED (65: a file \
            cannot be read). In a folder each file counts (docs/seals.md). \
            Of a capture, one file will do if the others lie beside it: \
            ID.jsonl or ID.jsonl.age, ID.seal, ID.seal.sig. docs/evidence.md says what each fact proves, and \
            how to check it without this program.
            """)

    @Argument(
        help: ArgumentHelp(
            "Records (.jsonl), encrypted records (.age), seals, their signatures (.seal.sig), documents, also signed; "
                + "or a folder with them, such as a copy of a panel's directory.", valueName: "file"))
    var files: [String]

    @Option(
        help: ArgumentHelp(
            "Keys that count, in the form of ssh-keygen; inkpanel identity prints the line of a panel.",
            valueName: "file"))
    var allowedSigners: String?

    @Option(
        help: ArgumentHelp(
            "The panel, as the allowed signers name it; without it, a seal of any of them fits.", valueName: "name"))
    var principal: String?

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
        if files.isEmpty { throw ValidationError("name the files to check, or a folder with them") }
        if principal != nil, allowedSigners == nil { throw ValidationError("--principal needs --allowed-signers") }
        for text in head where SealHead(argument: text) == nil {
            throw ValidationError("--head is a number and 64 hexadecimal digits, such as 17:9f86d0…, not \(text)")
        }
    }

    func run() throws {
        try reportingErrors {
            let ownSigners = allowedSigners.flatMap { isInside($0) ? nil : $0 }
            var verification = Verification(
                allowedSigners: try ownSigners.map { try Self.allowedSigners($0) }, principal: principal,
                identities: try identity.flatMap { try Self.identities($0) })
            if let allowedSigners, ownSigners == nil {
                verification.add(
                    .open, allowedSigners,
                    "is not used: it lies in the folder that is checked, whose maker could have made it, too"
                )
            }
            var evidence = try EvidenceFiles(files)
            evidence.check(&verification, heads: head.compactMap { SealHead(argument: $0) })
            let shown = verification.findings.filter { !quiet || [.wrong, .damaged, .unknown].contains($0.verdict) }
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
            if verification.result == .unknown { text += "Nobody here knows whose key it is: anybody can make one.\n" }
            try OutputFile.print(text + verification.result.rawValue + "\n")
            switch verification.result {
            case .fits: return
            case .wrong, .unchecked: throw ExitCode(1)
            case .unknown: throw ExitCode(2)
            case .damaged: throw ExitCode(EX_DATAERR)
            }
        }
    }

    /// Whether a list of keys came with what is checked.
    private func isInside(_ list: String) -> Bool {
        guard let place = Directory.realPath(list) else { return false }
        return files.contains { path in
            (try? Directory.open(path)) != nil && Directory.realPath(path).map { place.hasPrefix($0 + "/") } == true
        }
    }

    private static func allowedSigners(_ path: String) throws -> AllowedSigners {
        let bytes = try EvidenceFiles.read(path, AllowedSigners.longestFile)
        do throws(EvidenceError) { return try AllowedSigners(bytes) } catch {
            throw CommandError.unusableInput("\(path): \(error)")
        }
    }

    private static func identities(_ path: String) throws -> [AgeIdentity] {
        if let exposure = PrivateFile.exposure(of: path) { Log().warning("\(path) \(exposure)") }
        let bytes = try EvidenceFiles.read(path, AgeIdentity.longestFile)
        do throws(EvidenceError) { return try AgeIdentity.identities(inFile: bytes) } catch {
            throw CommandError.unusableInput("\(path): \(error)")
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
