// SPDX-License-Identifier: Apache-2.0
import Glibc
import TestSupport
import Testing

@testable import Linux

@Suite("A file of lines")
struct LineFileTests {
    private func read(_ path: String) throws -> (file: LineFile, lines: [String]) {
        try #require(try LineFile.read(path, maximumByteCount: 1000))
    }

    @Test("lines are added, read and replaced; a missing file is empty")
    func lines() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/lines"
        var (file, none) = try read(path)
        #expect(none.isEmpty && !file.wasTorn)
        try file.append("one", synchronizes: true)
        try file.append("two", synchronizes: false)
        #expect(try read(path).lines == ["one", "two"])
        try file.replace(with: ["three"])
        try file.append("four", synchronizes: true)
        #expect(try read(path).lines == ["three", "four"])
    }

    @Test("a line that is torn at any place takes neither the line before nor the next one with it")
    func torn() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/lines"
        let whole = Array("first line\nsecond line\n".utf8)
        for count in 0...whole.count {
            try AtomicFile.write(Array(whole[..<count]), to: path)
            var (file, lines) = try read(path)
            #expect(lines.count == whole[..<count].count { $0 == 10 })
            #expect(file.wasTorn == ![0, 11, 23].contains(count))
            try file.append("next", synchronizes: true)
            #expect(try read(path).lines == lines + ["next"])
        }
        // Torn while the program runs.
        var file = LineFile(path: path)
        try file.replace(with: ["first"])
        try FileDescriptor(opening: path, O_WRONLY | O_APPEND).writeAll(Array("seco".utf8))
        try file.append("next", synchronizes: true)
        #expect(try read(path).lines == ["first", "next"])
        // A block that never reached the medium reads as zeros.
        try AtomicFile.write(Array("first\n\0\0\0\0\nlast\n".utf8), to: path)
        #expect(try read(path).lines == ["first", "last"])
        #expect(try read(path).file.wasTorn)
    }

    @Test("the true reason is told")
    func failures() throws {
        let directory = try TemporaryDirectory()
        var file = LineFile(path: directory.path + "/none/lines")
        #expect(throws: Errno.noSuchFile) { try file.append("one", synchronizes: true) }
        try AtomicFile.write([UInt8](repeating: 65, count: 2000), to: directory.path + "/lines")
        #expect(try LineFile.read(directory.path + "/lines", maximumByteCount: 1000) == nil)
        try #require(chmod(directory.path + "/lines", 0o644) == 0)
        #expect(throws: PrivateFileError.self) { try read(directory.path + "/lines") }
        // Every write to it fails with a full disk.
        file = LineFile(path: "/dev/full")
        #expect(throws: Errno.self) { try file.append("one", synchronizes: true) }
    }
}
