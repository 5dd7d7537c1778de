// SPDX-License-Identifier: Apache-2.0
import Evidence
import Glibc
import HostAPI
import Linux
import Record

/// The name of a seal's file: `0000000017-ID.seal` for a record, `0000000018-ID.deleted.seal` for its deletion,
/// `0000000019.key.seal` for a change of the key.
struct SealName: Equatable, Sendable {
    enum Subject: Equatable, Sendable {
        case record(CaptureID)
        case deletion(CaptureID)
        case key
    }

    let number: Int64
    let subject: Subject

    init(_ seal: Seal) {
        number = seal.n
        if let id = seal.id.flatMap({ CaptureID($0) }) {
            subject = .record(id)
        } else if let id = seal.deleted.flatMap({ CaptureID($0) }) {
            subject = .deletion(id)
        } else {
            subject = .key
        }
    }

    /// - Returns: nil for the name of another file.
    init?(_ text: String) {
        guard text.hasSuffix(Self.suffix) else { return nil }
        let name = text.dropLast(Self.suffix.count)
        let digits = name.prefix { "0"..."9" ~= $0 }
        guard digits.count >= Self.digits, let number = Int64(digits), 1...CaptureHeader.largestSequence ~= number
        else { return nil }
        let rest = name.dropFirst(digits.count)
        self.number = number
        if rest == Self.key {
            subject = .key
        } else if rest.hasSuffix(Self.deleted),
            let id = CaptureID(String(rest.dropFirst().dropLast(Self.deleted.count)))
        {
            subject = .deletion(id)
        } else if rest.hasPrefix("-"), let id = CaptureID(String(rest.dropFirst())) {
            subject = .record(id)
        } else {
            return nil
        }
        if self.text != text { return nil }
    }

    private static let suffix = ".seal"
    private static let deleted = ".deleted"
    private static let key = ".key"
    /// Names sort by number, up to a seal a second for three centuries.
    private static let digits = 10

    var text: String {
        let number = "\(number)"
        let padded = String(repeating: "0", count: max(0, Self.digits - number.count)) + number
        return switch subject {
        case .record(let id): "\(padded)-\(id)\(Self.suffix)"
        case .deletion(let id): "\(padded)-\(id)\(Self.deleted)\(Self.suffix)"
        case .key: "\(padded)\(Self.key)\(Self.suffix)"
        }
    }
}

/// The directory `seals/` of a store.
struct SealFolder: Sendable {
    /// Forces the names in a folder to the medium.
    typealias Synchronize = @Sendable (_ folder: String) throws(Errno) -> Void

    let path: String
    private let forceNames: Synchronize

    init(store: String, synchronize: @escaping Synchronize = Directory.synchronize(at:)) {
        path = store + "/seals"
        forceNames = synchronize
    }

    func path(of name: SealName) -> String { "\(path)/\(name.text)" }

    func make() throws(StoreError) {
        guard try CaptureStore.makeDirectory(path) else { return }
        do throws(Errno) { try Directory.synchronizeParent(of: path) } catch {
            throw StoreError(.makeDirectory, path, error)
        }
    }

    /// Ordered by number. Empty without the directory.
    func names() throws(StoreError) -> [SealName] {
        do throws(Errno) {
            return try Directory.names(of: path).compactMap { SealName($0) }.sorted { $0.number < $1.number }
        } catch {
            if error == .noSuchFile { return [] }
            throw StoreError(.list, path, error)
        }
    }

    /// Removes what a killed process left, on file systems without O_TMPFILE.
    func removeParts() {
        for name in (try? Directory.names(of: path)) ?? [] where name.hasSuffix(".part") {
            try? Directory.remove("\(path)/\(name)")
        }
    }

    func read(_ name: SealName) throws(StoreError) -> SealFile {
        let bytes = try contents(name)
        do throws(CaptureFormatError) {
            let file = try SealFile(bytes)
            if SealName(file.seal) != name { throw .notASeal("the seal belongs to a file of another name") }
            return file
        } catch {
            throw .seals(.damaged(path: path(of: name), error))
        }
    }

    /// The digest of a seal's line, whatever is in it.
    func digest(_ name: SealName) throws(StoreError) -> SHA256Digest {
        let bytes = try contents(name)
        return SHA256Digest(
            of: Array(bytes[..<(bytes.firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? bytes.count)]))
    }

    /// The start of a file that is too long.
    private func contents(_ name: SealName) throws(StoreError) -> [UInt8] {
        let path = path(of: name)
        do throws(Errno) {
            let file = try InputFile.open(path)
            return try file.read(min(try file.byteCount, 2 * Seal.maximumByteCount + 1), from: 0)
        } catch {
            throw StoreError(.read, path, error)
        }
    }

    /// The file and its name are on the medium when this returns.
    /// - Throws: ``StoreError``. The name exists nevertheless if a broken medium lets nothing be removed.
    func write(_ file: SealFile) throws(StoreError) {
        let path = path(of: SealName(file.seal))
        do throws(Errno) {
            try AtomicFile.writeSynchronized(file.bytes, to: path, synchronize: forceNames)
        } catch {
            throw StoreError(.write, path, error)
        }
    }

    /// Removes a seal's name; ``synchronize()`` makes that last.
    func remove(_ name: SealName) throws(StoreError) {
        let path = path(of: name)
        do throws(Errno) { try Directory.remove(path) } catch { throw StoreError(.remove, path, error) }
    }

    func synchronize() throws(StoreError) {
        do throws(Errno) { try forceNames(path) } catch { throw StoreError(.synchronize, path, error) }
    }
}

/// The chain's statements about the captures of a store.
struct SealIndex: Sendable {
    private(set) var records: [CaptureID: SealName] = [:]
    private(set) var deleted: Set<CaptureID> = []
    /// Numbers that no seal has, although a later one exists: somebody has removed seals.
    private(set) var gaps: [ClosedRange<Int64>] = []

    init(_ names: [SealName]) {
        var next: Int64 = 1
        for name in names {
            if name.number > next { gaps.append(next...(name.number - 1)) }
            next = name.number + 1
            switch name.subject {
            case .record(let id): records[id] = name
            case .deletion(let id): deleted.insert(id)
            case .key: break
            }
        }
    }
}
