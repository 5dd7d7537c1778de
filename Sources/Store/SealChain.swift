// SPDX-License-Identifier: Apache-2.0
public import Evidence
import Glibc
public import HostAPI
import Linux
public import Record
import Synchronization

/// Appends seals to the directory `seals/` of a store. Each is a file: the line of the seal, then its signature. So a
/// power cut leaves both or neither.
///
/// Any thread. One process at a time: the directory is locked while the chain is open.
public final class SealChain: Sendable {
    /// The moment and the program, as a seal states them.
    public struct Witness: Sendable {
        /// Name and version.
        public var program: String
        /// The kernel's id of this boot.
        public var boot: String?
        /// The wall clock, microseconds since 1970-01-01 UTC, and its state.
        public var clock: @Sendable () -> (microseconds: Int64, state: Seal.Clock)

        public init(
            program: String, boot: String?, clock: @escaping @Sendable () -> (microseconds: Int64, state: Seal.Clock)
        ) {
            self.program = program
            self.boot = boot
            self.clock = clock
        }
    }

    /// Reads the key; makes one if the chain has no seal yet and no key exists.
    /// - Parameter isFirst: whether the chain has no seal yet.
    public typealias KeyReader = @Sendable (_ isFirst: Bool) throws(SealFault) -> SigningKey

    /// Checks what belongs to the key of a chain that is being opened, and that the last seal agrees with.
    /// - Returns: a fault that does not prevent sealing; nil for no fault.
    public typealias KeyCheck = @Sendable (_ key: SigningKey) throws(SealFault) -> String?

    private struct State: Sendable {
        /// nil while the chain is closed.
        var key: SigningKey?
        /// nil while the chain is closed.
        var lock: DirectoryLock?
        /// nil for an empty chain.
        var head: SealHead?
        /// The head before the last ``append(_:)``, for ``withdraw(_:)``.
        var before: SealHead?
        /// The faults of the chain as it was found.
        var faults: [String] = []
    }

    /// Holds a lock of the directory.
    private final class DirectoryLock: Sendable {
        let file: LockedFile
        init(_ file: consuming LockedFile) { self.file = file }
    }

    let folder: SealFolder
    private let readKey: KeyReader
    private let checkKey: KeyCheck
    /// Whether captures are refused while they cannot be sealed.
    public let isRequired: Bool
    private let witness: Witness
    private let state = Mutex(State())

    public convenience init(
        of store: String, isRequired: Bool, witness: Witness, key: @escaping KeyReader,
        checkingKey check: @escaping KeyCheck = { _ throws(SealFault) in nil }
    ) {
        self.init(in: SealFolder(store: store), isRequired: isRequired, witness: witness, key, check)
    }

    init(
        in folder: SealFolder, isRequired: Bool, witness: Witness, _ key: @escaping KeyReader,
        _ check: @escaping KeyCheck
    ) {
        self.folder = folder
        self.isRequired = isRequired
        self.witness = witness
        readKey = key
        checkKey = check
    }

    /// The key that verifies the seals; nil while the chain is closed.
    public var publicKey: PublicKey? { state.withLock { $0.key?.publicKey } }
    /// The key that makes the seals; nil while the chain is closed.
    package var signingKey: SigningKey? { state.withLock { $0.key } }
    /// The last seal; nil for an empty chain, and while it is closed.
    public var head: SealHead? { state.withLock { $0.head } }
    public var isOpen: Bool { state.withLock { $0.lock != nil } }

    /// Whether there is no seal yet. Works also while the chain is closed.
    public func isEmpty() throws(StoreError) -> Bool { try folder.names().isEmpty }

    /// Why records are not sealed; then missing and damaged seals that were found when the chain was opened. They are
    /// reported and never repaired; the chain goes on behind them.
    public var faults: [String] { state.withLock { $0.faults } }

    /// Opens the chain, creates its directory, and finds its head. Does nothing if it is open and its directory is
    /// still there.
    /// - Throws: ``StoreError/seals(_:)`` if the last seal was made with another key and nothing says that this one
    ///   replaces it; ``StoreError/inUse(path:)``.
    public func open() throws(StoreError) {
        let result: Result<Void, StoreError> = state.withLock { state in
            do throws(StoreError) {
                if let lock = state.lock, (try? lock.file.file.isRemoved) == false { return .success(()) }
                state = State()
                let lock = try lockFolder()
                let names = try folder.names()
                let key = try signingKey(isFirst: names.isEmpty)
                if let last = names.last {
                    state.head = try head(last, &state.faults)
                    if let file = try? folder.read(last), file.seal.key != key.publicKey.fingerprint {
                        throw .seals(.otherKey(seal: last.number, key: file.seal.key))
                    }
                }
                state.faults += SealIndex(names).gaps.map { gap in
                    gap.count == 1
                        ? "seal \(gap.lowerBound) is missing"
                        : "seals \(gap.lowerBound) to \(gap.upperBound) are missing"
                }
                if let fault = try check(key) { state.faults.append(fault) }
                (state.key, state.lock) = (key, lock)
                return .success(())
            } catch {
                state = State()
                state.faults = [error.description]
                return .failure(error)
            }
        }
        try result.get()
    }

    private func lockFolder() throws(StoreError) -> DirectoryLock {
        try folder.make()
        let lock = DirectoryLock(try CaptureStore.lock(folder.path, .exclusive, waits: false))
        folder.removeParts()
        return lock
    }

    private func signingKey(isFirst: Bool) throws(StoreError) -> SigningKey {
        do throws(SealFault) { return try readKey(isFirst) } catch { throw .seals(error) }
    }

    private func check(_ key: SigningKey) throws(StoreError) -> String? {
        do throws(SealFault) { return try checkKey(key) } catch { throw .seals(error) }
    }

    /// Adds a seal that says that this chain's key replaces the one of the seals before. It is signed by both keys, so
    /// that nobody can do this without the old key; without it, the chain begins anew. The chain is not open then.
    /// - Parameter old: nil if it is lost.
    /// - Returns: nil if there is no seal yet, or the key is already this one.
    public func replaceKey(_ old: SigningKey?) throws(StoreError) -> SealHead? {
        let lock = try lockFolder()
        defer { withExtendedLifetime(lock) {} }
        guard let last = try folder.names().last else { return nil }
        let key = try signingKey(isFirst: false)
        var faults: [String] = []
        let head = try head(last, &faults)
        let before = try? folder.read(last).seal.key
        let fingerprint = key.publicKey.fingerprint
        if before == fingerprint { return nil }
        if let old, let before, old.publicKey.fingerprint != before {
            throw .seals(.otherKey(seal: last.number, key: before))
        }
        let (now, clock) = witness.clock()
        var seal = Seal(
            n: head.n + 1, previous: old == nil ? Seal.noDigest : head.digest, key: fingerprint, at: now, clock: clock,
            boot: witness.boot, program: witness.program)
        seal.replaces = before ?? "unknown"
        if old == nil { seal.lost = true }
        let file = try sign(seal, [key] + (old.map { [$0] } ?? []))
        try folder.write(file)
        return file.head
    }

    private func sign(_ seal: Seal, _ keys: [SigningKey]) throws(StoreError) -> SealFile {
        let line: [UInt8]
        do throws(CaptureFormatError) { line = try seal.line() } catch { throw .refused(error) }
        do throws(EvidenceError) { return try SealFile(seal, line: line, signedBy: keys) } catch {
            throw .seals(.evidence(error))
        }
    }

    /// A damaged seal still has a digest.
    private func head(_ last: SealName, _ faults: inout [String]) throws(StoreError) -> SealHead {
        do throws(StoreError) {
            return try folder.read(last).head
        } catch {
            guard case .seals(.damaged) = error else { throw error }
            faults.append(error.description)
            return SealHead(n: last.number, digest: try folder.digest(last).description)
        }
    }

    /// Appends a seal; it is on the medium when this returns.
    /// - Parameter fill: sets what the seal is about.
    /// - Returns: the new head.
    func append(_ fill: (inout Seal) -> Void) throws(StoreError) -> SealHead {
        let result: Result<SealHead, StoreError> = state.withLock { state in
            do throws(StoreError) {
                guard state.lock != nil, let key = state.key else { throw .seals(.closed) }
                let (now, clock) = witness.clock()
                var seal = Seal(
                    n: (state.head?.n ?? 0) + 1, previous: state.head?.digest ?? Seal.noDigest,
                    key: key.publicKey.fingerprint, at: now, clock: clock, boot: witness.boot, program: witness.program)
                fill(&seal)
                let file = try sign(seal, [key])
                do throws(StoreError) { try folder.write(file) } catch {
                    // A seal that could not be removed again takes this number: the next opening finds it.
                    if (try? Directory.contains(folder.path(of: SealName(seal)))) != false {
                        state = State()
                        state.faults = [error.description]
                    }
                    throw error
                }
                (state.before, state.head) = (state.head, file.head)
                return .success(file.head)
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    /// Removes the last seal, which nobody has heard of yet, because what it seals could not be stored.
    /// - Returns: false if that was not possible, or other seals came since. The seal then stays.
    func withdraw(_ head: SealHead) -> Bool {
        state.withLock { state in
            guard state.head == head, let name = try? folder.names().last, name.number == head.n,
                (try? folder.remove(name)) != nil
            else { return false }
            (state.head, state.before) = (state.before, nil)
            // Nobody finds the seal any more, but a power cut may bring it back until the next seal is written.
            do throws(StoreError) { try folder.synchronize() } catch {
                state.faults.append("a withdrawn seal may come back after a power cut: \(error)")
            }
            return true
        }
    }
}

/// Why nothing can be sealed.
public enum SealFault: Error, Equatable, Sendable, CustomStringConvertible {
    /// The chain is not open.
    case closed
    case otherKey(seal: Int64, key: String)
    case key(String)
    case evidence(EvidenceError)
    case damaged(path: String, CaptureFormatError)
    /// An open capture is not what its seal says.
    case differs(path: String)
    /// The document of an open capture, which its seal names, is not there.
    case missing(String)

    public var description: String {
        switch self {
        case .closed: "the chain of seals is not open, so nothing can be sealed"
        case .otherKey(let seal, let key):
            "seal \(seal) was made with the key \(key), which is not this panel's: restore that key, or "
                + "replace it (/usr/lib/inkpanel/identity --replace)"
        case .key(let reason): reason
        case .evidence(let error): error.description
        case .damaged(let path, let error):
            "seal \(path) is damaged: \(error). Restore the file from a backup, or from where records are delivered"
        case .missing(let path): "\(path) is missing, which a seal names; its record stays where it is"
        case .differs(let path): "\(path) is not what its seal says; it stays there as evidence"
        }
    }
}
