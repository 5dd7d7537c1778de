// SPDX-License-Identifier: Apache-2.0
import Glibc
import Linux
public import Record

/// What was found of captures that their process did not end.
public struct CaptureRecovery: Equatable, Sendable {
    /// Now among the captures that have ended: interrupted, or accepted when only the last step was missing.
    public var captures: [CaptureID] = []
    /// Journals that stay where they are, with the reason.
    public var failures: [StoreError] = []
}

extension CaptureStore {
    /// Takes the journals that a killed process or a power cut has left for captures that have ended, without a torn
    /// last line. A journal without a whole header is removed: nothing can have been acknowledged. To be called when
    /// the program starts.
    /// - Throws: ``StoreError/inUse(path:)`` while a capture is being written; errors of single journals are returned.
    public func recover() throws(StoreError) -> CaptureRecovery {
        let directory = try Self.lock(journals, .exclusive, waits: false)
        var recovery = CaptureRecovery()
        for id in try ids(in: journals).sorted(by: { $0.description < $1.description }) {
            do throws(StoreError) {
                if try recover(id) { recovery.captures.append(id) }
            } catch {
                recovery.failures.append(error)
            }
        }
        // The new names first: at no time is there neither.
        try synchronizeCaptures()
        // By the locked file, which so is locked until here.
        try Self.synchronize(directory.file, journals)
        return recovery
    }

    /// - Returns: whether there was anything in it.
    private func recover(_ id: CaptureID) throws(StoreError) -> Bool {
        let path = journal(id)
        let whole = try cutTornLine(of: path)
        if whole == 0 {
            do throws(Errno) { try Directory.remove(path) } catch { throw StoreError(.remove, path, error) }
            return false
        }
        do throws(Errno) {
            // Nobody writes one while we hold the lock, so it cannot come to be there in between.
            if try Directory.contains(capture(id)) { throw .alreadyExists }
            try Directory.rename(path, to: capture(id))
        } catch {
            throw error == .alreadyExists ? .exists(id) : StoreError(.rename, path, error)
        }
        return true
    }

    /// - Returns: how many bytes are left.
    private func cutTornLine(of path: String) throws(StoreError) -> Int {
        // One byte more: a longer file was not written by us, and is listed as unreadable rather than cut.
        let limit = CaptureLimits.recordByteCount + 1
        let (whole, count): (Int, Int)
        do throws(Errno) {
            let file = try InputFile.open(path)
            let bytes = try file.read(min(limit, try file.byteCount), from: 0)
            count = bytes.count
            whole = count == limit ? count : CaptureLines.wholeByteCount(bytes)
        } catch {
            throw StoreError(.read, path, error)
        }
        if whole == 0 { return 0 }
        do throws(Errno) {
            let file = try FileDescriptor(opening: path, O_WRONLY | O_NOFOLLOW)
            // Also of a file that is whole, because of the room that a journal takes beyond its end.
            if count < limit { try file.truncate(to: whole) }
            try file.synchronize()
        } catch {
            throw StoreError(.cut, path, error)
        }
        return whole
    }
}
