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

    @Test("a full device is an error, and no regular file is put in its place")
    func fullDevice() throws {
        #expect(throws: Errno.noSpace) { try AtomicFile.write([1], to: "/dev/full") }
        var status = stat()
        #expect(stat("/dev/full", &status) == 0 && status.st_mode & S_IFMT == S_IFCHR)
    }
}
