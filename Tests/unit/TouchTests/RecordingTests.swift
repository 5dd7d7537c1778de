// SPDX-License-Identifier: Apache-2.0
import Geometry
import Glibc
import Linux
import TestSupport
import Testing

@testable import Touch

@Suite("Recordings as files")
struct RecordingFileTests {
    @Test("a file parses like the same bytes, wherever its pieces divide lines")
    func file() throws {
        let folder = try TemporaryDirectory()
        let root = folder.path
        let filler = (0..<3000).map { "# \(String(repeating: "x", count: $0 % 97))\n" }.joined()
        let text = bytes(filler + smallRecording + filler)
        try folder.write("a.events", text)
        #expect(try Recording(path: root + "/a.events") == Recording(bytes: text, name: "a"))
    }

    @Test("possible descriptions beside a recording have its name without the parts after dots, one by one")
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

    @Test("an error in the description has that file's name and line")
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

    @Test("an empty file, a missing one, a directory, a device and a pipe are refused without blocking")
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

    @Test("a file of gigabytes is refused quickly")
    func huge() throws {
        let folder = try TemporaryDirectory()
        let root = folder.path
        try folder.write("huge.events", bytes("# EVEMU 1.3\n"))
        // A sparse file: two gigabytes of zeros without blocks.
        try #require(truncate(root + "/huge.events", 2 << 30) == 0)
        #expect(throws: RecordingError.lineTooLong(path: root + "/huge.events", line: 2)) {
            try Recording(path: root + "/huge.events")
        }
    }

    @Test("messages name the file, the line and the expected syntax")
    func messages() {
        let error = RecordingError.malformed(path: "a.events", line: 7, expected: "\"E: ...\"")
        #expect(error.message == "a.events, line 7: expected \"E: ...\"")
        let missing = RecordingError.noDescription(path: "a.events", tried: ["a.desc", "a.device"])
        #expect(missing.message.contains("a.desc, a.device") && missing.message.contains("evemu-describe"))
    }
}

@Suite("Playing a recording")
struct RecordingPlayerTests {
    private func recording(_ times: [Timestamp]) -> Recording {
        let events = times.flatMap { time in
            [Event.mtX(Int32(truncatingIfNeeded: time.microseconds)), Event.report].map { event in
                var event = event
                event.time = time
                return event
            }
        }
        return Recording(device: .multitouch(), events: events)
    }

    private func dueTimes(_ player: RecordingPlayer) -> [Timestamp] {
        var player = player
        var times: [Timestamp] = []
        while let due = player.due {
            times.append(due)
            #expect(player.next() != nil)
        }
        #expect(player.next() == nil)
        return times
    }

    @Test("each report is due at its recorded distance from the start, with shifted times")
    func recorded() {
        var player = RecordingPlayer(recording([5000, 8000, 20000]), from: 1_000_000)
        #expect(dueTimes(player) == [1_000_000, 1_003_000, 1_015_000])
        _ = player.next()
        let second = player.next()
        #expect(second?.map(\.time) == [1_003_000, 1_003_000])
        #expect(second?.last?.isSynReport == true)
    }

    @Test("another pace changes the due times, not the recorded intervals")
    func paces() {
        let recording = recording([0, 3000, 15000])
        #expect(dueTimes(RecordingPlayer(recording, from: .zero, pace: .factor(3))) == [0, 1000, 5000])
        #expect(dueTimes(RecordingPlayer(recording, from: 7, pace: .immediate)) == [7, 7, 7])
        var fast = RecordingPlayer(recording, from: .zero, pace: .immediate)
        _ = fast.next()
        #expect(fast.next()?.last?.time == 3000)
        for factor in [0, -1, Double.nan, .infinity] {
            #expect(dueTimes(RecordingPlayer(recording, from: .zero, pace: .factor(factor))) == [0, 0, 0])
        }
        #expect(
            dueTimes(RecordingPlayer(recording, from: .zero, pace: .factor(1e-300), longestPause: .microseconds(50)))
                == [0, 50, 100])
    }

    @Test("if time runs backwards, due times do not")
    func backwards() {
        #expect(dueTimes(RecordingPlayer(recording([5000, 4000, 6000]), from: 0)) == [0, 0, 2000])
    }

    @Test("a clock set during the recording does not pause the player for years")
    func pause() {
        let player = RecordingPlayer(recording([0, 1_330_495_931_000_000]), from: 0)
        #expect(dueTimes(player) == [0, 10_000_000])
        #expect(dueTimes(RecordingPlayer(recording([.distantPast, .distantFuture, 0]), from: 0)).count == 3)
    }

    @Test("events after the last SYN_REPORT are returned, an empty recording has none")
    func ends() {
        var recording = recording([0])
        recording.events.append(Event.mtX(1))
        var player = RecordingPlayer(recording, from: .zero)
        #expect(player.next()?.count == 2)
        #expect(player.next()?.count == 1)
        #expect(player.next() == nil)
        var empty = RecordingPlayer(Recording(device: .multitouch(), events: []), from: 0)
        #expect(empty.due == nil && empty.next() == nil)
    }
}
