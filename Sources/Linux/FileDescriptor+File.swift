// SPDX-License-Identifier: Apache-2.0
import CLinux
import Glibc

extension FileDescriptor {
    /// Size of the file in bytes. The corresponding C function is `fstat`.
    public var byteCount: Int {
        get throws(Errno) {
            var status = stat()
            try retryingOnInterrupt { fstat(number, &status) }
            return Int(status.st_size)
        }
    }

    /// Whether a file or a directory has no name any more: somebody has removed it.
    public var isRemoved: Bool {
        get throws(Errno) {
            var status = stat()
            try retryingOnInterrupt { fstat(number, &status) }
            return status.st_nlink == 0
        }
    }

    /// Takes room on the medium for the first `byteCount` bytes of the file, so that writing them cannot fail for want
    /// of it. The size stays; ``truncate(to:)`` gives back what is not used. The corresponding C function is
    /// `fallocate`.
    /// - Throws: ``Errno/notSupported`` where the file system cannot do that.
    public func reserve(_ byteCount: Int) throws(Errno) {
        try retryingOnInterrupt { clinux_reserve(number, Int64(byteCount)) }
    }

    /// At most `count` bytes from `offset` on; fewer at the end of the file. The corresponding C function is `pread`.
    public func read(_ count: Int, from offset: Int) throws(Errno) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        // A result, because the array's closure does not carry a typed error on Swift 6.0.
        let result: Result<Int, Errno> = bytes.withUnsafeMutableBytes { buffer in
            var done = 0
            do throws(Errno) {
                while done < count {
                    let got = try retryingOnInterrupt {
                        pread(number, buffer.baseAddress! + done, count - done, off_t(offset + done))
                    }
                    if got == 0 { break }
                    done += got
                }
                return .success(done)
            } catch {
                return .failure(error)
            }
        }
        bytes.removeLast(count - (try result.get()))
        return bytes
    }

    /// Writes all bytes from `offset` on, however many calls that takes. The corresponding C function is `pwrite`.
    public func writeAll(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(Errno) {
        var done = 0
        while done < bytes.count {
            let count = try retryingOnInterrupt {
                pwrite(number, bytes.baseAddress! + done, bytes.count - done, off_t(offset + done))
            }
            // A device that takes nothing and says nothing would be asked for ever.
            if count == 0 { throw .inputOutput }
            done += count
        }
    }

    /// Cuts the file off after `byteCount` bytes. The corresponding C function is `ftruncate`.
    public func truncate(to byteCount: Int) throws(Errno) {
        try retryingOnInterrupt { ftruncate(number, off_t(byteCount)) }
    }
}
