// SPDX-License-Identifier: Apache-2.0
import Glibc
import Linux
import TestSupport
import Testing

@Suite("Atomic file")
struct AtomicFileTests {
    @Test("writes, replaces, and leaves no temporary file")
    func replaces() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/picture"
        try AtomicFile.write([1, 2, 3], to: path)
        try AtomicFile.write([4], to: path)
        #expect(try InputFile.read(path, maximumByteCount: 100) == [4])
        #expect(try directory.names() == ["picture"])
    }

    @Test("a failed write leaves the earlier file and nothing else")
    func failure() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/missing/picture"
        #expect(throws: Errno.noSuchFile) { try AtomicFile.write([1], to: path) }
        #expect(throws: Errno.isDirectory) { try AtomicFile.write([1], to: directory.path) }
        #expect(try directory.names() == [])
    }

    @Test("a file that is replaced keeps its permissions, and a link its target")
    func permissionsAndLinks() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/private"
        try AtomicFile.write([1], to: path)
        #expect(chmod(path, 0o600) == 0 && symlink("private", directory.path + "/link") == 0)
        try AtomicFile.write([2], to: directory.path + "/link")
        #expect(try InputFile.read(path, maximumByteCount: 9) == [2])
        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_mode & 0o7777 == 0o600)
        #expect(lstat(directory.path + "/link", &status) == 0 && status.st_mode & S_IFMT == S_IFLNK)
        #expect(try directory.names() == ["link", "private"])
    }

    @Test("a name as long as names can be is written")
    func longName() throws {
        let directory = try TemporaryDirectory()
        let name = String(repeating: "n", count: 255)
        try AtomicFile.write([1], to: directory.path + "/" + name)
        #expect(try directory.names() == [name])
    }

    @Test("a full device is an error, and no regular file is put in its place")
    func fullDevice() throws {
        #expect(throws: Errno.noSpace) { try AtomicFile.write([1], to: "/dev/full") }
        var status = stat()
        #expect(stat("/dev/full", &status) == 0 && status.st_mode & S_IFMT == S_IFCHR)
    }
}
