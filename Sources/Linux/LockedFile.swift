// SPDX-License-Identifier: Apache-2.0
import Glibc

/// A file, or directory, that is locked until this value or the process ends, however that happens. Locks bind only
/// those who ask for them.
public struct LockedFile: ~Copyable, Sendable {
    /// Who may hold a lock of a file besides the one who asks for it.
    public enum Lock: Sendable {
        /// Others that share it, too.
        case shared
        case exclusive
    }

    public let file: FileDescriptor

    /// The corresponding C function is `flock`.
    /// - Throws: ``Errno/wouldBlock`` when another holds it and `waits` is false.
    public init(_ file: consuming FileDescriptor, _ lock: Lock, waits: Bool) throws(Errno) {
        let operation = (lock == .shared ? LOCK_SH : LOCK_EX) | (waits ? 0 : LOCK_NB)
        let number = file.number
        try retryingOnInterrupt { flock(number, operation) }
        self.file = file
    }

    // Closing is not enough: the lock is the open file's, and a child has that, too, between fork and exec.
    deinit { _ = flock(file.number, LOCK_UN) }
}
