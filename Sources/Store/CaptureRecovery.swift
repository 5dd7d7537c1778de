// SPDX-License-Identifier: Apache-2.0
import Glibc
import Linux
public import Record

/// Captures that a killed process or a power cut has left open.
public struct CaptureRecovery: Equatable, Sendable {
    /// Moved to the captures that have ended: interrupted, or accepted if only the last step was missing.
    public var captures: [CaptureID] = []
    /// The errors of journals that stay where they are.
    public var failures: [StoreError] = []
}

extension CaptureStore {
    /// Cuts torn last lines off the journals that a killed process or a power cut has left, and moves them to the
    /// captures that have ended. Removes a journal without a whole header: it was never acknowledged. For the start of
    /// the program.
    /// - Throws: ``StoreError/inUse(path:)`` while a capture is being written. Errors of single journals are returned.
    public func recover() throws(StoreError) -> CaptureRecovery {
        let directory = try Self.lock(journals, .exclusive, waits: false)
        var recovery = CaptureRecovery()
        for id in try ids(in: journals) {
            do throws(StoreError) {
                if try recover(id) { recovery.captures.append(id) }
            } catch {
                recovery.failures.append(error)
            }
        }
        // The new names first, so that at any time one of the two is on the medium.
        try synchronizeCaptures()
        // Uses the locked file, which keeps it locked until here.
        try Self.synchronize(directory.file, journals)
        return recovery
    }

    /// - Returns: false if it had no whole line and was removed.
    private func recover(_ id: CaptureID) throws(StoreError) -> Bool {
        let path = journal(id)
        let whole = try cutTornLine(of: path)
        if whole == 0 {
            do throws(Errno) { try Directory.remove(path) } catch { throw StoreError(.remove, path, error) }
            return false
        }
        do throws(Errno) {
            // The lock keeps other writers from creating it in between.
            if try Directory.contains(capture(id)) { throw .alreadyExists }
            try Directory.rename(path, to: capture(id))
        } catch {
            throw error == .alreadyExists ? .exists(id) : StoreError(.rename, path, error)
        }
        return true
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
