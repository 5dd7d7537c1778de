// SPDX-License-Identifier: Apache-2.0
import Glibc
import Linux
import TestSupport
import Testing

@Suite("Input file")
struct InputFileTests {
    @Test("a file over the limit is not read into memory")
    func limit() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/large"
        try AtomicFile.write([UInt8](repeating: 7, count: 200_000), to: path)
        #expect(try InputFile.read(path, maximumByteCount: 100_000) == nil)
        #expect(try InputFile.read(path, maximumByteCount: 200_000)?.count == 200_000)
        #expect(try InputFile.readStart(of: path, byteCount: 3) == [7, 7, 7])
        try AtomicFile.write([1], to: path)
        #expect(try InputFile.readStart(of: path, byteCount: 3) == [1])
    }

    @Test("what is no file is refused at once: a pipe nobody writes to, a device, a directory, nothing")
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
    func names() throws {
        let directory = try TemporaryDirectory()
        try AtomicFile.write([], to: directory.path + "/b")
        try AtomicFile.write([], to: directory.path + "/a name")
        #expect(try Directory.names(of: directory.path).sorted() == ["a name", "b"])
        #expect(throws: Errno.noSuchFile) { try Directory.names(of: directory.path + "/none") }
    }
}
