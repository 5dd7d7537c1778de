// SPDX-License-Identifier: Apache-2.0
import CLibdrm
import Glibc
public import Linux

/// An open `/dev/dri/card*`. Owns the descriptor.
///
/// The first process to open a card is its master without asking (drm_auth.c, `drm_master_open`): a card that turns
/// out to be of no use is closed at once, or it blocks whoever could use it.
public final class Card {
    public let path: String
    private var descriptor: FileDescriptor?
    /// -1 when closed: every call then fails with EBADF instead of reaching a file that got the number since.
    private(set) var number: CInt

    public init(path: String) throws(Errno) {
        self.path = path
        // Non-blocking, so that reading events without one gives EAGAIN instead of stopping the panel.
        let opened = try FileDescriptor(opening: path, O_RDWR | O_NONBLOCK)
        number = opened.number
        descriptor = consume opened
    }

    public func close() {
        number = -1
        descriptor = nil
    }

    /// Runs a libdrm call that answers 0, or a negative number: most return -errno, some -1 and leave it in `errno`.
    /// libdrm repeats EINTR and EAGAIN itself.
    func check(_ call: (CInt) -> CInt) throws(Errno) {
        let result = call(number)
        if result == 0 { return }
        throw result == -1 ? Errno.current : Errno(code: result < 0 ? -result : result)
    }

    /// Runs a libdrm call that answers a pointer to be freed, or nil with `errno`.
    func fetch<Answer>(_ call: (CInt) -> UnsafeMutablePointer<Answer>?) throws(Errno) -> UnsafeMutablePointer<Answer> {
        errno = 0
        if let answer = call(number) { return answer }
        // libdrm's own allocations fail without errno.
        throw errno == 0 ? Errno(code: ENOMEM) : Errno.current
    }
}
