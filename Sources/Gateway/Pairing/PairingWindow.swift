// SPDX-License-Identifier: Apache-2.0
import Glibc
import HTTP
package import Linux

/// Pairing is open while an operator's command `inkpanel-gateway pair NAME` runs, for a host of this name. The command
/// holds the lock of a file with the name, so pairing is closed as soon as the command has ended, however it ends.
package struct PairingWindow: Sendable {
    private let path: String

    /// - Parameter state: the gateway's state directory.
    package init(state: String) { path = state + "/pairing" }

    /// The name of the host that may pair now; nil while pairing is closed.
    var name: String? {
        guard let file = try? FileDescriptor(opening: path, O_RDONLY | O_NOFOLLOW),
            let bytes = try? file.read(256, from: 0), !bytes.isEmpty
        else { return nil }
        do throws(Errno) {
            _ = try LockedFile(file, .shared, waits: false)
            return nil
        } catch {
            return error == .wouldBlock ? String(decoding: bytes, as: UTF8.self) : nil
        }
    }

    /// Opens pairing until the result ends.
    /// - Throws: `Errno.wouldBlock` if it is open already.
    package func open(for name: String) throws(Errno) -> LockedFile {
        let file = try FileDescriptor(opening: path, O_RDWR | O_CREAT | O_NOFOLLOW, permissions: 0o600)
        TokenFile.giveToOwnerOfDirectory(path)
        let lock = try LockedFile(file, .exclusive, waits: false)
        try lock.file.truncate(to: 0)
        try lock.file.writeAll(Array(name.utf8))
        return lock
    }
}
