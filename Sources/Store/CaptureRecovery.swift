// SPDX-License-Identifier: Apache-2.0
import Evidence
import Glibc
public import HostAPI
import Linux
import Record

/// Captures that a killed process or a power cut has left open.
public struct CaptureRecovery: Equatable, Sendable {
    /// Moved to the captures that have ended: interrupted, or accepted if only the last step was missing.
    public var captures: [CaptureID] = []
    /// The errors of journals that stay where they are.
    public var failures: [StoreError] = []
}

extension CaptureStore {
    /// Cuts torn last lines off the journals that a killed process or a power cut has left, and moves them to the
    /// captures that have ended. Removes a journal without a whole header: it was never acknowledged. Finishes
    /// deletions. For the start of the program.
    ///
    /// If there is a chain, a capture that its person accepted but that no seal names counts as interrupted: its host
    /// never heard that it was accepted. A record is never sealed afterwards, because anybody who held the medium could
    /// have put it there. A file that is not what its seal says stays where it is, untouched.
    /// - Throws: ``StoreError/inUse(path:)`` while a capture is being written. Errors of single journals are returned.
    public func recover() throws(StoreError) -> CaptureRecovery {
        let directory = try Self.lock(journals, .exclusive, waits: false)
        var recovery = CaptureRecovery()
        let names = try seals.names()
        let index = SealIndex(names)
        // Encrypted captures first: their journals then need not be encrypted again.
        for id in try ids(in: unplaced, Self.encryptedSuffix) {
            do throws(StoreError) {
                if try recoverEncrypted(id, index) { recovery.captures.append(id) }
            } catch {
                recovery.failures.append(error)
            }
        }
        // Readable journals on the medium are from before records were encrypted.
        for folder in Set([journals, unplaced]) {
            for id in try ids(in: folder, Self.suffix) {
                do throws(StoreError) {
                    if try recover(id, "\(folder)/\(id)\(Self.suffix)", index) { recovery.captures.append(id) }
                } catch {
                    recovery.failures.append(error)
                }
            }
        }
        do throws(StoreError) { try removeStrayDocuments() } catch { recovery.failures.append(error) }
        for id in index.deleted {
            do throws(StoreError) { _ = try removeFiles(of: id) } catch { recovery.failures.append(error) }
        }
        do throws(StoreError) { try removeDeleted(names) } catch { recovery.failures.append(error) }
        // The new names first, so that at any time one of the two is on the medium.
        try synchronizeCaptures()
        // Uses the locked file, which keeps it locked until here.
        try Self.synchronize(directory.file, journals)
        if journals != unplaced { try Self.synchronize(unplaced) }
        return recovery
    }

    /// Moves a capture to its place if a seal names it. Otherwise its host never heard that it was accepted.
    /// - Returns: whether it was moved.
    private func recoverEncrypted(_ id: CaptureID, _ index: SealIndex) throws(StoreError) -> Bool {
        let path = unplacedEncrypted(id)
        let bytes: [UInt8]?
        do throws(Errno) {
            bytes = try InputFile.read(path, maximumByteCount: CaptureLimits.encryptedByteCount)
        } catch {
            throw StoreError(.read, path, error)
        }
        let seal = try seal(of: id, index)
        if let seal {
            guard let bytes, seal.stored == SHA256Digest(of: bytes).description else {
                throw .seals(.differs(path: path))
            }
            try checkDocument(of: id, seal)
            try placeDocument(of: id)
        }
        do throws(Errno) {
            guard seal != nil else {
                try Directory.remove(path)
                return false
            }
            try Directory.rename(path, to: encryptedCapture(id))
            return true
        } catch {
            throw StoreError(.rename, path, error)
        }
    }

    /// The seal of an open capture that was not deleted.
    private func seal(of id: CaptureID, _ index: SealIndex) throws(StoreError) -> Seal? {
        guard let name = index.records[id], !index.deleted.contains(id) else { return nil }
        return try seals.read(name).seal
    }

    /// - Returns: false if nothing is left of it: it had no whole line, or its encrypted file is in its place.
    private func recover(_ id: CaptureID, _ path: String, _ index: SealIndex) throws(StoreError) -> Bool {
        let seal = try seal(of: id, index)
        if let seal {
            try check(path, against: seal)
            try checkDocument(of: id, seal)
        }
        if try cutTornLine(of: path) == 0 {
            do throws(Errno) { try Directory.remove(path) } catch { throw StoreError(.remove, path, error) }
            return false
        }
        do throws(Errno) {
            if try Directory.contains(encryptedCapture(id)) {
                try Directory.remove(path)
                return false
            }
            // The lock keeps other writers from creating it in between.
            if try Directory.contains(capture(id)) { throw .alreadyExists }
        } catch {
            throw error == .alreadyExists ? .exists(id) : StoreError(.rename, path, error)
        }
        if chain != nil, seal == nil { try cutEnd(of: path) }
        // A document of a capture that is interrupted was never given to anybody.
        if try hasEnd(path) { try placeDocument(of: id) } else { try removeDocuments(of: id) }
        if let encryption, path.hasPrefix(encryption.journals + "/") {
            try encrypt(path, of: id, encryption)
            return true
        }
        do throws(Errno) { try Directory.rename(path, to: capture(id)) } catch {
            throw StoreError(.rename, path, error)
        }
        return true
    }

    private func check(_ path: String, against seal: Seal) throws(StoreError) {
        let bytes: [UInt8]?
        do throws(Errno) {
            bytes = try InputFile.read(path, maximumByteCount: CaptureLimits.recordByteCount)
        } catch {
            throw StoreError(.read, path, error)
        }
        guard let bytes, seal.record == SHA256Digest(of: bytes).description else { throw .seals(.differs(path: path)) }
    }

    /// The offset of the end of a capture; nil for one without an end.
    private func end(of path: String) throws(StoreError) -> Int? {
        let bytes: [UInt8]?
        do throws(Errno) {
            bytes = try InputFile.read(path, maximumByteCount: CaptureLimits.recordByteCount)
        } catch {
            throw StoreError(.read, path, error)
        }
        let lines = bytes.map { JSONLines.whole($0) } ?? []
        guard let first = lines.first, let last = lines.last, let header = try? CaptureDecoder.header(first),
            CaptureDecoder.end(last, of: header) != nil
        else { return nil }
        return last.startIndex
    }

    private func hasEnd(_ path: String) throws(StoreError) -> Bool { try end(of: path) != nil }

    /// Removes the end of a capture that no seal names.
    private func cutEnd(of path: String) throws(StoreError) {
        guard let end = try end(of: path) else { return }
        do throws(Errno) {
            let file = try FileDescriptor(opening: path, O_WRONLY | O_NOFOLLOW)
            try file.truncate(to: end)
            try file.synchronize()
        } catch {
            throw StoreError(.cut, path, error)
        }
    }

    /// Stores an interrupted capture for its recipients and removes its journal.
    private func encrypt(_ path: String, of id: CaptureID, _ encryption: Encryption) throws(StoreError) {
        var bytes: [UInt8]
        do throws(Errno) {
            bytes = try InputFile.read(path, maximumByteCount: CaptureLimits.recordByteCount) ?? []
        } catch {
            throw StoreError(.read, path, error)
        }
        defer { LockedMemory.wipe(&bytes) }
        let file: [UInt8]
        do throws(EvidenceError) { file = try Age.encrypt(bytes, to: encryption.recipients) } catch {
            throw .encryption(error)
        }
        do throws(Errno) {
            try AtomicFile.replace(file, at: encryptedCapture(id))
            try Directory.remove(path)
        } catch {
            throw StoreError(.write, encryptedCapture(id), error)
        }
    }

    /// - Returns: the number of bytes left.
    private func cutTornLine(of path: String) throws(StoreError) -> Int {
        // A longer file was not written by us; it is listed as unreadable and not cut.
        let limit = CaptureLimits.recordByteCount + 1
        let (whole, count): (Int, Int)
        do throws(Errno) {
            let file = try InputFile.open(path)
            let bytes = try file.read(min(limit, try file.byteCount), from: 0)
            count = bytes.count
            whole = count == limit ? count : JSONLines.wholeByteCount(bytes)
        } catch {
            throw StoreError(.read, path, error)
        }
        if whole == 0 { return 0 }
        do throws(Errno) {
            let file = try FileDescriptor(opening: path, O_WRONLY | O_NOFOLLOW)
            // Also if all lines are whole, because a journal reserves space beyond its end.
            if count < limit { try file.truncate(to: whole) }
            try file.synchronize()
        } catch {
            throw StoreError(.cut, path, error)
        }
        return whole
    }
}
