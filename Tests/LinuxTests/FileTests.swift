// SPDX-License-Identifier: Apache-2.0
import Glibc
import Linux
import TestSupport
import Testing

@Suite("Files and directories")
struct FileTests {
    @Test("the directory that a path is in is found, however it is written")
    func parents() throws {
        let directory = try TemporaryDirectory()
        try Directory.make(directory.path + "/inner", permissions: 0o700)
        for path in ["a", "./a", "/", "/a", "//", "\(directory.path)/inner", "\(directory.path)/inner//", "/a//"] {
            try Directory.synchronizeParent(of: path)
        }
        #expect(throws: Errno.noSuchFile) { try Directory.synchronizeParent(of: directory.path + "/none/a") }
        #expect(throws: Errno.notADirectory) { try Directory.synchronizeParent(of: "/dev/null/a") }
    }

    @Test("room is taken for a file without changing its size, and given back")
    func reserve() throws {
        let directory = try TemporaryDirectory()
        let file = try FileDescriptor(
            opening: directory.path + "/file", O_WRONLY | O_CREAT, permissions: 0o600)
        func blocks() -> Int {
            var status = stat()
            return fstat(file.number, &status) == 0 ? Int(status.st_blocks) : -1
        }
        try file.writeAll([1])
        do throws(Errno) { try file.reserve(1 << 20) } catch {
            // Nothing to see on such a file system.
            return #expect(error == .notSupported)
        }
        let (size, taken, isRemoved) = (try file.byteCount, blocks(), try file.isRemoved)
        #expect(size == 1 && taken >= 2048 && !isRemoved)
        try file.truncate(to: 1)
        try Directory.remove(directory.path + "/file")
        let (left, isGone) = (blocks(), try file.isRemoved)
        #expect(left < 64 && isGone)
    }

    private func file(_ directory: TemporaryDirectory, _ bytes: [UInt8]) throws -> FileDescriptor {
        let file = try FileDescriptor(
            opening: directory.path + "/file", O_RDWR | O_CREAT | O_APPEND, permissions: 0o600)
        try file.writeAll(bytes)
        return file
    }

    @Test("a part of a file is read, less at its end, and it can be cut")
    func partsAndCuts() throws {
        let directory = try TemporaryDirectory()
        let file = try file(directory, [1, 2, 3, 4, 5])
        #expect(try file.read(2, from: 1) == [2, 3])
        #expect(try file.read(9, from: 3) == [4, 5])
        #expect(try file.read(9, from: 7) == [])
        #expect(try file.read(0, from: 0) == [])
        try file.truncate(to: 2)
        try file.writeAll([6])
        #expect(try file.byteCount == 3)
        #expect(try file.read(9, from: 0) == [1, 2, 6])
        try file.synchronizeData()
    }

    private func locked(_ path: String, _ lock: LockedFile.Lock) throws -> LockedFile {
        try LockedFile(Directory.open(path), lock, waits: false)
    }

    /// Nil when it can be locked.
    private func refusal(_ path: String, _ lock: LockedFile.Lock) -> Errno? {
        thrownError { _ = try locked(path, lock) } as? Errno
    }

    @Test("who shares a lock does not exclude others who do; an exclusive one does")
    func locks() throws {
        let directory = try TemporaryDirectory()
        do {
            let first = try locked(directory.path, .shared)
            #expect(refusal(directory.path, .shared) == nil)
            #expect(refusal(directory.path, .exclusive) == .wouldBlock)
            try Directory.synchronize(first.file)
        }
        let second = try locked(directory.path, .exclusive)
        #expect(refusal(directory.path, .shared) == .wouldBlock)
        try Directory.synchronize(second.file)
    }

    @Test("a lock ends with its owner, whoever has been given the open file, as a child between fork and exec")
    func lockOfCopies() throws {
        let directory = try TemporaryDirectory()
        let copy: CInt
        do {
            let owner = try locked(directory.path, .exclusive)
            copy = dup(owner.file.number)
        }
        try #require(copy >= 0)
        defer { close(copy) }
        #expect(refusal(directory.path, .exclusive) == nil)
    }

    @Test("directories are made once, private at will, and nothing else is taken for one")
    func directories() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/inner"
        defer { rmdir(path) }
        #expect(try Directory.make(path, permissions: 0o755))
        #expect(try !Directory.make(path, permissions: 0o700))
        let opened = try Directory.open(path)
        try Directory.makePrivate(opened)
        try Directory.synchronize(opened)
        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_mode & 0o7777 == 0o700)
        _ = try file(directory, [])
        #expect(throws: Errno(code: ENOTDIR)) { try Directory.make(directory.path + "/file", permissions: 0o700) }
        #expect(throws: Errno.noSuchFile) { try Directory.make(directory.path + "/none/x", permissions: 0o700) }
    }

    @Test("files change their name, go, and are seen to be there")
    func names() throws {
        let directory = try TemporaryDirectory()
        _ = try file(directory, [1])
        try Directory.rename(directory.path + "/file", to: directory.path + "/other")
        #expect(try Directory.contains(directory.path + "/other"))
        #expect(try !Directory.contains(directory.path + "/file"))
        try Directory.remove(directory.path + "/other")
        #expect(throws: Errno.noSuchFile) { try Directory.remove(directory.path + "/other") }
        #expect(try directory.names() == [])
    }
}
