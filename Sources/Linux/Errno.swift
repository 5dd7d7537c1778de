// SPDX-License-Identifier: Apache-2.0
import Glibc

/// A kernel error number: the value of `errno` right after a failed call.
public struct Errno: Error, Equatable, Hashable, Sendable {
    public let code: CInt

    public init(code: CInt) { self.code = code }

    /// The calling thread's `errno`. Read it before any other call can change it.
    public static var current: Errno { Errno(code: errno) }

    public static let noSuchFile = Errno(code: ENOENT)
    public static let noSuchDevice = Errno(code: ENODEV)
    public static let permissionDenied = Errno(code: EACCES)
    public static let notPermitted = Errno(code: EPERM)
    public static let busy = Errno(code: EBUSY)
    public static let wouldBlock = Errno(code: EAGAIN)
    public static let interrupted = Errno(code: EINTR)
    public static let invalidArgument = Errno(code: EINVAL)
    public static let notImplemented = Errno(code: ENOSYS)
    public static let notSupported = Errno(code: EOPNOTSUPP)
    public static let alreadyExists = Errno(code: EEXIST)
    public static let noSpace = Errno(code: ENOSPC)
    public static let quotaExceeded = Errno(code: EDQUOT)
    public static let fileTooLarge = Errno(code: EFBIG)
    public static let inputOutput = Errno(code: EIO)
    public static let notADirectory = Errno(code: ENOTDIR)
    public static let nameTooLong = Errno(code: ENAMETOOLONG)
    public static let connectionRefused = Errno(code: ECONNREFUSED)
    public static let connectionAborted = Errno(code: ECONNABORTED)
    public static let isDirectory = Errno(code: EISDIR)
    /// Thrown by ``InputFile`` for a pipe or a device. C's text for the code, "Block device required", would mislead.
    public static let notAFile = Errno(code: ENOTBLK)
    public static let notATerminal = Errno(code: ENOTTY)
    public static let notEmpty = Errno(code: ENOTEMPTY)
    public static let readOnlyFileSystem = Errno(code: EROFS)
}

extension Errno: CustomStringConvertible {
    /// The C library's text, e.g. "Permission denied".
    public var description: String { self == .notAFile ? "Not a regular file" : String(cString: strerror(code)) }
}

/// Makes a system call that returns -1 on failure, and repeats it when a signal interrupts it (EINTR).
@discardableResult
public func retryingOnInterrupt<Result: FixedWidthInteger>(_ call: () -> Result) throws(Errno) -> Result {
    while true {
        let result = call()
        if result != -1 { return result }
        let error = Errno.current
        if error != .interrupted { throw error }
    }
}
