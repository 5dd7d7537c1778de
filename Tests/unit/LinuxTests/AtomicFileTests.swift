// SPDX-License-Identifier: Apache-2.0
import Glibc
import TestSupport
import Testing

@testable import Linux

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

    @Test("a new file is private unless other permissions are given", arguments: [false, true])
    func permissions(withoutName: Bool) throws {
        let directory = try TemporaryDirectory()
        for permissions in [0o600, 0o640] as [mode_t] {
            let path = "\(directory.path)/\(permissions)"
            try AtomicFile.write([7], to: path, permissions: permissions, withoutName: withoutName)
            var status = stat()
            #expect(stat(path, &status) == 0 && status.st_mode & 0o7777 == permissions)
            #expect(try InputFile.read(path, maximumByteCount: 9) == [7])
        }
        let path = directory.path + "/usual"
        try AtomicFile.write([7], to: path)
        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_mode & 0o7777 == 0o600)
        #expect(try directory.names() == ["384", "416", "usual"])
    }

    @Test("a file left by a killed process of the same id does not block later writes", arguments: [false, true])
    func leftOver(withoutName: Bool) throws {
        let directory = try TemporaryDirectory()
        let left = ".inkpanel.\(getpid()).part"
        try AtomicFile.write([0], to: directory.path + "/" + left)
        for byte in [1, 2] as [UInt8] {
            let path = directory.path + "/picture"
            try AtomicFile.write([byte], to: path, permissions: 0o600, withoutName: withoutName)
            #expect(try InputFile.read(path, maximumByteCount: 9) == [byte])
        }
        #expect(try directory.names() == [left, "picture"])
    }

    @Test("a file of the program's own replaces a link, and what it leads to stays", arguments: [false, true])
    func replacesLinks(withoutName: Bool) throws {
        let directory = try TemporaryDirectory()
        let (target, path) = (directory.path + "/target", directory.path + "/own")
        try AtomicFile.write([1], to: target, permissions: 0o644)
        for linked in [target, directory.path + "/nothing", "/dev/null"] {
            try #require(symlink(linked, path) == 0)
            try AtomicFile.replace([2], at: path, permissions: 0o600, withoutName: withoutName)
            var status = stat()
            #expect(lstat(path, &status) == 0 && status.st_mode == S_IFREG | 0o600)
            #expect(try InputFile.read(path, maximumByteCount: 9) == [2])
            try Directory.remove(path)
        }
        #expect(try InputFile.read(target, maximumByteCount: 9) == [1])
        // A pipe would wait for a reader.
        try #require(mkfifo(path, 0o600) == 0)
        try AtomicFile.replace([3], at: path, permissions: 0o640, withoutName: withoutName)
        try AtomicFile.replace([4], at: path, permissions: 0o600, withoutName: withoutName)
        #expect(try InputFile.read(path, maximumByteCount: 9) == [4])
        #expect(throws: Errno.isDirectory) { try AtomicFile.replace([5], at: directory.path) }
        #expect(try directory.names() == ["own", "target"])
    }

    @Test(
        "root's file in another user's directory is that user's", .enabled(if: geteuid() == 0),
        arguments: [false, true])
    func owner(withoutName: Bool) throws {
        let directory = try TemporaryDirectory()
        try #require(chown(directory.path, 12345, 54321) == 0)
        for byte in [1, 2] as [UInt8] {
            let path = directory.path + "/own"
            try AtomicFile.replace([byte], at: path, permissions: 0o600, withoutName: withoutName)
            var status = stat()
            #expect(lstat(path, &status) == 0 && (status.st_uid, status.st_gid) == (12345, 54321))
            #expect(status.st_mode & 0o7777 == 0o600)
        }
    }

    @Test("a write that fails half-way leaves the existing file and no other", arguments: [false, true])
    func failureHalfWay(withoutName: Bool) throws {
        let directory = try TemporaryDirectory()
        try AtomicFile.write([1], to: directory.path + "/picture")
        // A file cannot replace a directory that is not empty.
        let inner = directory.path + "/full"
        try Directory.make(inner, permissions: 0o700)
        try AtomicFile.write([1], to: inner + "/file")
        #expect(throws: Errno.self) {
            try AtomicFile.write([2], to: inner, permissions: 0o600, withoutName: withoutName)
        }
        #expect(throws: Errno.nameTooLong) {
            let name = String(repeating: "n", count: 256)
            try AtomicFile.write([2], to: directory.path + "/" + name, permissions: 0o600, withoutName: withoutName)
        }
        #expect(try directory.names() == ["full", "picture"])
        #expect(try InputFile.read(directory.path + "/picture", maximumByteCount: 9) == [1])
    }

    @Test("a failed write leaves no file behind")
    func failure() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/missing/picture"
        #expect(throws: Errno.noSuchFile) { try AtomicFile.write([1], to: path) }
        #expect(throws: Errno.isDirectory) { try AtomicFile.write([1], to: directory.path) }
        #expect(try directory.names() == [])
    }

    @Test("a replaced file keeps its permissions, and a link its target")
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

    @Test("a name of the greatest length is written")
    func longName() throws {
        let directory = try TemporaryDirectory()
        let name = String(repeating: "n", count: 255)
        try AtomicFile.write([1], to: directory.path + "/" + name)
        #expect(try directory.names() == [name])
    }

    @Test("a full device is an error, and is not replaced by a regular file")
    func fullDevice() throws {
        #expect(throws: Errno.noSpace) { try AtomicFile.write([1], to: "/dev/full") }
        var status = stat()
        #expect(stat("/dev/full", &status) == 0 && status.st_mode & S_IFMT == S_IFCHR)
    }

    @Test("a file whose name cannot be synchronized is an error, and is removed")
    func unsynchronized() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/seal"
        #expect(throws: Errno.inputOutput) {
            try AtomicFile.writeSynchronized([1], to: path) { folder throws(Errno) in
                #expect((try? Directory.names(of: folder)) == ["seal"])
                throw .inputOutput
            }
        }
        #expect(try directory.names() == [])
        try AtomicFile.writeSynchronized([1], to: path)
        #expect(try InputFile.read(path, maximumByteCount: 9) == [1])
    }
}
