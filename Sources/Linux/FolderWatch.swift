// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Tells when files come into folders or leave them, by inotify(7): nobody has to look again and again.
///
/// One thread only.
public final class FolderWatch {
    private static let events = UInt32(IN_CREATE) | UInt32(IN_DELETE) | UInt32(IN_MOVED_FROM) | UInt32(IN_MOVED_TO)

    private let file: FileDescriptor

    /// - Throws: when the user has no inotify instance left (`fs.inotify.max_user_instances`).
    public init() throws(Errno) {
        let number = try retryingOnInterrupt { inotify_init1(CInt(IN_NONBLOCK) | CInt(IN_CLOEXEC)) }
        file = FileDescriptor(owning: number)
    }

    /// Readable when ``takeChange()`` is true. Valid while this value lives.
    public var descriptor: CInt { file.number }

    /// Watches a folder. Watching one again changes nothing.
    public func watch(_ folder: String) {
        _ = inotify_add_watch(file.number, folder, Self.events | UInt32(IN_ONLYDIR) | UInt32(IN_DONT_FOLLOW))
    }

    /// Whether something has changed since the last call. Never waits.
    public func takeChange() -> Bool {
        var (buffer, hasChanged) = ([UInt8](repeating: 0, count: 4096), false)
        while let count = try? file.read(into: &buffer), count > 0 { hasChanged = true }
        return hasChanged
    }
}
