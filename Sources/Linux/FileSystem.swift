// SPDX-License-Identifier: Apache-2.0
import CLinux
import Glibc

/// A mounted file system.
public enum FileSystem {
    /// Makes a file system that is read-only writable for a moment. Needs root.
    /// - Parameter mountPoint: a folder where a file system is mounted; if it is writable, any folder.
    /// - Throws: ``Errno`` of mount(2), or of `change`.
    public static func makingWritable(_ mountPoint: String, _ change: () throws(Errno) -> Void) throws(Errno) {
        var status = statvfs()
        try retryingOnInterrupt { statvfs(mountPoint, &status) }
        let wasReadOnly = status.f_flag & UInt(ST_RDONLY) != 0
        if wasReadOnly { try retryingOnInterrupt { clinux_remount(mountPoint, 0) } }
        // If this fails, the file system stays writable: the changes are on the medium.
        defer { if wasReadOnly { _ = clinux_remount(mountPoint, 1) } }
        try change()
    }
}
