// SPDX-License-Identifier: Apache-2.0
public import Linux

/// Tells when files come into the outbox of a store or leave it.
///
/// One thread only.
public final class OutboxWatch {
    private let outbox: Outbox
    private let folders: FolderWatch

    /// - Throws: when the user has no inotify instance left (`fs.inotify.max_user_instances`).
    public init(_ store: CaptureStore) throws(Errno) {
        outbox = store.outbox
        folders = try FolderWatch()
    }

    /// Readable when ``takeChange()`` is true. Valid while this value lives.
    public var descriptor: CInt { folders.descriptor }

    /// Watches the directories, which may have been made or replaced meanwhile.
    public func watch() { for folder in [outbox.captures, outbox.seals] { folders.watch(folder) } }

    /// Whether something has changed since the last call. Never waits.
    public func takeChange() -> Bool { folders.takeChange() }
}
