// SPDX-License-Identifier: Apache-2.0
public import HostAPI
import Record

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
    let identities: [AgeIdentity]
    public private(set) var findings: [Finding] = []
    private var last: SealFile?
    private var first: Int64?
    /// Between these numbers no seal may be missing.
    private var complete: ClosedRange<Int64>? = .min ... .max
    /// Captures whose deletion a seal states.
    private(set) var deleted: Set<String> = []
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

    // MARK: the whole

    /// Adds when a seal existed at the latest, as an authority of time stamps states it.
    /// - Parameter n: the number of the seal whose line was stamped.
    public mutating func check(_ stamp: TimeStampResponse, of n: Int64, _ name: String) {
        guard stamp.isIntact else { return add(.wrong, name, "the signature of this time stamp does not fit") }
        let at = TimestampText.second(microseconds: stamp.at * 1_000_000)
        add(
            .open, name,
            "a time stamp of \(stamp.authority): seal \(n) existed at \(at); whose stamp it is was not checked "
                + "(openssl ts -verify)")
    }

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
