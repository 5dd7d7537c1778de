// SPDX-License-Identifier: Apache-2.0
import Glibc
import Linux
import TestSupport
import Testing

@Suite("Files and directories")
struct FileTests {
    @Test("the parent directory is found, in whatever form a path is written")
    func parents() throws {
        let directory = try TemporaryDirectory()
        try Directory.make(directory.path + "/inner", permissions: 0o700)
        for path in ["a", "./a", "/", "/a", "//", "\(directory.path)/inner", "\(directory.path)/inner//", "/a//"] {
            try Directory.synchronizeParent(of: path)
        }
        #expect(throws: Errno.noSuchFile) { try Directory.synchronizeParent(of: directory.path + "/none/a") }
        #expect(throws: Errno.notADirectory) { try Directory.synchronizeParent(of: "/dev/null/a") }
    }

    @Test("space is reserved without changing a file's size, and freed")
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
            // This file system cannot do it.
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

    @Test("part of a file is read, less at its end, and a file can be truncated")
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

    /// nil if it can be locked.
    private func refusal(_ path: String, _ lock: LockedFile.Lock) -> Errno? {
        thrownError { _ = try locked(path, lock) } as? Errno
    }

    @Test("shared locks allow each other; an exclusive lock excludes all")
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

    @Test("a lock ends with its owner, although a copy of the descriptor is still open")
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

    @Test("directories are created once, can be made private, and a file is not mistaken for one")
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

    @Test("files are renamed, removed and found")
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

    @Test("a file over the limit is not read into memory")
    func limit() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/large"
        try AtomicFile.write([UInt8](repeating: 7, count: 200_000), to: path)
        #expect(try InputFile.read(path, maximumByteCount: 100_000) == nil)
        #expect(try InputFile.read(path, maximumByteCount: 200_000)?.count == 200_000)
        #expect(try InputFile.open(path).read(3, from: 0) == [7, 7, 7])
        try AtomicFile.write([1], to: path)
        #expect(try InputFile.open(path).read(3, from: 0) == [1])
    }

    @Test("a pipe without a writer, a device, a directory and a missing file are refused at once")
    func refused() throws {
        let directory = try TemporaryDirectory()
        let pipe = directory.path + "/pipe"
        #expect(mkfifo(pipe, 0o600) == 0)
        for (path, error) in [
            (pipe, .notAFile), ("/dev/zero", .notAFile), (directory.path, .isDirectory), (pipe + "2", .noSuchFile),
        ] as [(String, Errno)] {
            #expect(throws: error) { try InputFile.open(path).number }
        }
        #expect("\(Errno.notAFile)" == "Not a regular file")
    }

    @Test("a directory lists its names")
    func listing() throws {
        let directory = try TemporaryDirectory()
        try AtomicFile.write([], to: directory.path + "/b")
        try AtomicFile.write([], to: directory.path + "/a name")
        #expect(try Directory.names(of: directory.path).sorted() == ["a name", "b"])
        #expect(throws: Errno.noSuchFile) { try Directory.names(of: directory.path + "/none") }
    }
}
