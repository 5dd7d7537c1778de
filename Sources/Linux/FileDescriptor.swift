// SPDX-License-Identifier: Apache-2.0
import CLinux
public import Glibc

/// An open file. The descriptor is closed when the value ends.
public struct FileDescriptor: ~Copyable, Sendable {
    /// The kernel's number, for passing to calls. Valid while this value lives.
    public let number: CInt

    /// Takes ownership of a descriptor that nothing else closes.
    public init(owning number: CInt) { self.number = number }

    /// Opens `path`, always close-on-exec (open(2)).
    public init(opening path: String, _ flags: CInt, permissions: mode_t = 0) throws(Errno) {
        number = try retryingOnInterrupt { open(path, flags | O_CLOEXEC, permissions) }
    }

    deinit { close(number) }

    // MARK: Reading and writing at the current offset

    /// Reads at most `buffer.count` bytes (read(2)).
    /// - Returns: the number of bytes; 0 at the end of the file.
    public func read(into buffer: UnsafeMutableRawBufferPointer) throws(Errno) -> Int {
        try retryingOnInterrupt { Glibc.read(number, buffer.baseAddress, buffer.count) }
    }

    /// Reads into an array, whose size does not change.
    public func read(into bytes: inout [UInt8]) throws(Errno) -> Int {
        // A result, because the array's closure does not carry a typed error in Swift 6.0.
        let result: Result<Int, Errno> = bytes.withUnsafeMutableBytes { buffer in
            do throws(Errno) { return .success(try read(into: buffer)) } catch { return .failure(error) }
        }
        return try result.get()
    }

    /// Writes all bytes, in as many calls as it takes (write(2)).
    public func writeAll(_ bytes: UnsafeRawBufferPointer) throws(Errno) {
        var offset = 0
        while offset < bytes.count {
            offset += try retryingOnInterrupt {
                Glibc.write(number, bytes.baseAddress! + offset, bytes.count - offset)
            }
        }
    }

    public func writeAll(_ bytes: [UInt8]) throws(Errno) {
        let result: Result<Void, Errno> = bytes.withUnsafeBytes { buffer in
            do throws(Errno) { return .success(try writeAll(buffer)) } catch { return .failure(error) }
        }
        try result.get()
    }

    // MARK: Files

    /// Reads at most `count` bytes from `offset` on, fewer at the end of the file (pread(2)).
    public func read(_ count: Int, from offset: Int) throws(Errno) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
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

    /// Writes all bytes from `offset` on, in as many calls as it takes (pwrite(2)).
    public func writeAll(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(Errno) {
        var done = 0
        while done < bytes.count {
            let count = try retryingOnInterrupt {
                pwrite(number, bytes.baseAddress! + done, bytes.count - done, off_t(offset + done))
            }
            // A device that accepts no byte and reports no error would loop for ever.
            if count == 0 { throw .inputOutput }
            done += count
        }
    }

    public func writeAll(_ bytes: [UInt8], at offset: Int) throws(Errno) {
        let result: Result<Void, Errno> = bytes.withUnsafeBytes { buffer in
            do throws(Errno) { return .success(try writeAll(buffer, at: offset)) } catch { return .failure(error) }
        }
        try result.get()
    }

    /// Size of the file in bytes.
    public var byteCount: Int {
        get throws(Errno) { Int(try status().st_size) }
    }

    /// When the contents were last changed, microseconds since 1970-01-01 UTC.
    public var modifiedAt: Int64 {
        get throws(Errno) { try status().microsecondsOfChange }
    }

    /// Whether the file or directory has lost its last name: it was removed while open.
    public var isRemoved: Bool {
        get throws(Errno) { try status().st_nlink == 0 }
    }

    /// Makes a user and a group the owners, where root may do that (fchown(2)): not without CAP_CHOWN, nor on NFS.
    func give(to owner: (user: uid_t, group: gid_t)) throws(Errno) {
        do throws(Errno) { try retryingOnInterrupt { fchown(number, owner.user, owner.group) } } catch {
            if error != .notPermitted { throw error }
        }
    }

    public var group: gid_t {
        get throws(Errno) { try status().st_gid }
    }

    /// Gives the file or directory this group and these permissions, unless it has them (fchown(2), fchmod(2)). The
    /// owner must be a member of the group.
    /// - Returns: whether it had others.
    @discardableResult
    public func lend(to group: gid_t, permissions: mode_t) throws(Errno) -> Bool {
        let status = try status()
        if status.st_gid == group, status.st_mode & 0o777 == permissions { return false }
        // The group first: another one must not read it.
        if status.st_gid != group { try retryingOnInterrupt { fchown(number, uid_t.max, group) } }
        try retryingOnInterrupt { fchmod(number, permissions) }
        return true
    }

    /// The result of fstat(2).
    func status() throws(Errno) -> stat {
        var status = stat()
        try retryingOnInterrupt { fstat(number, &status) }
        return status
    }

    /// Allocates space for the first `byteCount` bytes of the file, so that writing them cannot fail with a full disk
    /// (fallocate(2)). The size does not change; ``truncate(to:)`` frees unused space.
    /// - Throws: ``Errno/notSupported`` if the file system cannot do that.
    public func reserve(_ byteCount: Int) throws(Errno) {
        try retryingOnInterrupt { clinux_reserve(number, Int64(byteCount)) }
    }

    /// Cuts the file off after `byteCount` bytes (ftruncate(2)).
    public func truncate(to byteCount: Int) throws(Errno) {
        try retryingOnInterrupt { ftruncate(number, off_t(byteCount)) }
    }

    /// Forces contents and attributes to the medium (fsync(2)).
    public func synchronize() throws(Errno) { try retryingOnInterrupt { fsync(number) } }

    /// Forces contents to the medium, without attributes that reading them does not need (fdatasync(2)).
    public func synchronizeData() throws(Errno) { try retryingOnInterrupt { fdatasync(number) } }
}

extension stat {
    /// When the contents were last changed, since 1970-01-01 UTC.
    var microsecondsOfChange: Int64 { Int64(st_mtim.tv_sec) * 1_000_000 + Int64(st_mtim.tv_nsec) / 1000 }
}

/// A file or directory that stays locked until this value or the process ends (flock(2)). The lock is advisory: it
/// binds only programs that ask for one.
public struct LockedFile: ~Copyable, Sendable {
    public enum Lock: Sendable {
        /// Excludes exclusive locks only.
        case shared
        case exclusive
    }

    public let file: FileDescriptor

    /// - Throws: ``Errno/wouldBlock`` if another holds the lock and `waits` is false.
    public init(_ file: consuming FileDescriptor, _ lock: Lock, waits: Bool) throws(Errno) {
        let operation = (lock == .shared ? LOCK_SH : LOCK_EX) | (waits ? 0 : LOCK_NB)
        let number = file.number
        try retryingOnInterrupt { flock(number, operation) }
        self.file = file
    }

    // Closing is not enough: the lock belongs to the open file, which a child shares between fork and exec.
    deinit { _ = flock(file.number, LOCK_UN) }
}

/// Reads regular files named on a command line. Never blocks on a pipe, and never reads more than the caller allows.
public enum InputFile {
    /// Opens `path` for reading.
    /// - Throws: ``Errno/isDirectory`` for a directory, ``Errno/notAFile`` for anything else that is not a regular
    ///   file.
    public static func open(_ path: String) throws(Errno) -> FileDescriptor {
        // Non-blocking: opening a FIFO would wait for its writer.
        let file = try FileDescriptor(opening: path, O_RDONLY | O_NONBLOCK)
        switch try file.status().st_mode & S_IFMT {
        case S_IFREG: return file
        case S_IFDIR: throw Errno.isDirectory
        default: throw Errno.notAFile
        }
    }

    /// The whole file, or nil if it has more than `maximumByteCount` bytes.
    public static func read(_ path: String, maximumByteCount: Int) throws(Errno) -> [UInt8]? {
        try read(try open(path), maximumByteCount: maximumByteCount)
    }

    static func read(_ file: borrowing FileDescriptor, maximumByteCount: Int) throws(Errno) -> [UInt8]? {
        var bytes: [UInt8] = []
        // Reserved at once: growing would take up to three times the memory.
        bytes.reserveCapacity(min(try file.byteCount, maximumByteCount) + 1)
        var chunk = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = try file.read(into: &chunk)
            if count == 0 { return bytes }
            bytes.append(contentsOf: chunk[..<count])
            if bytes.count > maximumByteCount { return nil }
        }
    }
}
