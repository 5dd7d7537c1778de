// SPDX-License-Identifier: Apache-2.0
import Glibc
import Linux
import TestSupport
import Testing
@testable import Touch

@Suite("Recordings as files")
struct RecordingFileTests {
    @Test("a file is read as the same bytes are, however its lines fall on the pieces it is read in")
    func file() throws {
        let folder = try TemporaryDirectory()
        let root = folder.path
        let filler = (0..<3000).map { "# \(String(repeating: "x", count: $0 % 97))\n" }.joined()
        let text = bytes(filler + smallRecording + filler)
        try folder.write("a.events", text)
        #expect(try Recording(path: root + "/a.events") == Recording(bytes: text, name: "a"))
    }

    @Test("the description is looked for beside it, dotted parts taken away one by one")
    func names() {
        #expect(
            Recording.descriptionPaths(for: "dir.d/Device Inc. X.some-gesture.events") == [
                "dir.d/Device Inc. X.some-gesture.desc", "dir.d/Device Inc. X.some-gesture.device",
                "dir.d/Device Inc. X.desc", "dir.d/Device Inc. X.device", "dir.d/Device Inc.desc",
                "dir.d/Device Inc.device",
            ])
        #expect(Recording.descriptionPaths(for: "/a.b/plain") == [])
        #expect(Recording.descriptionPaths(for: "/a.b/.hidden") == [])
        #expect(Recording.descriptionPaths(for: "") == [])
    }

    @Test("a description file beside it is used; the first that describes wins")
    func beside() throws {
        let folder = try TemporaryDirectory()
        let root = folder.path
        let lines = smallRecording.split(separator: "\n", omittingEmptySubsequences: false)
        try folder.write("My Panel.tap.events", bytes(lines.filter { $0.hasPrefix("E:") }.joined(separator: "\n")))
        let path = root + "/My Panel.tap.events"
        #expect(
            throws: RecordingError.noDescription(path: path, tried: Recording.descriptionPaths(for: path))
        ) { try Recording(path: path) }
        try folder.write("My Panel.tap.desc", bytes("# nothing here\n"))
        try folder.write("My Panel.device", bytes(lines.filter { !$0.hasPrefix("E:") }.joined(separator: "\n")))
        #expect(try Recording(path: path) == Recording(bytes: bytes(smallRecording), name: "a"))
    }

    @Test("a broken description is blamed by its own name and line")
    func brokenBeside() throws {
        let folder = try TemporaryDirectory()
        let root = folder.path
        try folder.write("a.events", bytes("E: 0.000001 0000 0000 0\n"))
        try folder.write("a.desc", bytes("N: x\nA: 00 zero\n"))
        do {
            _ = try Recording(path: root + "/a.events")
            Issue.record("a broken description was taken")
        } catch {
            guard case .malformed(root + "/a.desc", 2, _) = error else {
                Issue.record("\(error)")
                return
            }
        }
    }

    @Test("an empty file, a missing one, a folder, a device and a pipe are refused, and none holds up the reader")
    func notFiles() throws {
        let folder = try TemporaryDirectory()
        let root = folder.path
        try folder.write("empty.events", [])
        #expect(throws: RecordingError.noEvents(path: root + "/empty.events")) {
            try Recording(path: root + "/empty.events")
        }
        #expect(throws: RecordingError.cannotOpen(path: "/nowhere.events", .noSuchFile)) {
            try Recording(path: "/nowhere.events")
        }
        #expect(throws: RecordingError.notAFile(path: root)) { try Recording(path: root) }
        #expect(throws: RecordingError.notAFile(path: "/dev/zero")) { try Recording(path: "/dev/zero") }
        mkfifo(root + "/pipe", 0o600)
        #expect(throws: RecordingError.notAFile(path: root + "/pipe")) {
            try Recording(path: root + "/pipe")
        }
    }

    @Test("a file of gigabytes is refused in a moment")
    func huge() throws {
        let folder = try TemporaryDirectory()
        let root = folder.path
        try folder.write("huge.events", bytes("# EVEMU 1.3\n"))
        // Sparse: two gigabytes of zeros that take no room.
        try #require(truncate(root + "/huge.events", 2 << 30) == 0)
        #expect(throws: RecordingError.lineTooLong(path: root + "/huge.events", line: 2)) {
            try Recording(path: root + "/huge.events")
        }
    }

    @Test("messages name the file, the line and what was expected")
    func messages() {
        let error = RecordingError.malformed(path: "a.events", line: 7, expected: "\"E: ...\"")
        #expect(error.message == "a.events, line 7: expected \"E: ...\"")
        let missing = RecordingError.noDescription(path: "a.events", tried: ["a.desc", "a.device"])
        #expect(missing.message.contains("a.desc, a.device") && missing.message.contains("evemu-describe"))
    }
}
