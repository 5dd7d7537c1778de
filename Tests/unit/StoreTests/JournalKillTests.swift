// SPDX-License-Identifier: Apache-2.0
import TestSupport
import Testing

/// Runs `journal-kills` (Tests/programs/JournalKills), which is built with the tests.
@Suite("Killed writers and full disks", .serialized)
struct JournalKillTests {
    @Test(
        "a writer that is killed at random moments loses nothing that it acknowledged, and no record its seal",
        arguments: [
            ("plain", Breadth.count(100, long: 500)), ("sealed", Breadth.count(50, long: 200)),
            ("encrypted", Breadth.count(50, long: 200)), ("delivered", Breadth.count(50, long: 200)),
        ])
    func killedInMemory(protection: String, count: Int) throws {
        // Writing to memory does not wait, so that kills hit all steps.
        try run(["kill", "SPOOL", "\(count)", "20260314", protection], below: "/dev/shm", says: "\(count) kills")
    }

    @Test("a writer that is killed while it waits for the disk loses nothing", arguments: ["plain", "sealed"])
    func killedOnDisk(protection: String) throws {
        let count = Breadth.count(10, long: 50)
        try run(["kill", "SPOOL", "\(count)", "1", protection], below: "/tmp", says: "\(count) kills")
    }

    @Test(
        "a writer that is killed before or after any system call loses nothing, and no record its seal or its delivery",
        arguments: ["plain", "sealed", "encrypted", "delivered"])
    func killedAtEveryCall(protection: String) throws {
        try run(["step", "SPOOL", protection], below: "/dev/shm", says: " kills:")
    }

    @Test("a sketch that is being written is whole after kills at random moments and at each system call")
    func killedSketch() throws {
        let count = Breadth.count(50, long: 200)
        try run(["sketch-kill", "SPOOL", "\(count)", "20260314"], below: "/dev/shm", says: "\(count) kills")
        try run(["sketch-step", "SPOOL"], below: "/dev/shm", says: " kills:")
    }

    @Test("a partly written line is cut off, wherever the space ends")
    func sizeLimit() throws { try run(["limit", "SPOOL"], below: "/tmp", says: "160 lines were refused half-way") }

    @Test(
        "accepted captures are whole after a file system of 1 MiB fills up",
        .enabled(if: try Self.isMountingAllowed(), "mounting is not allowed here"))
    func fullDisk() throws {
        // The mount is visible to this process and its children only.
        let script = "mount -t tmpfs -o size=1m,mode=700 none \"$1\" && exec \"$0\" fill \"$1\""
        try run(
            ["SPOOL"], below: "/tmp", says: "disk full:",
            through: ["/usr/bin/unshare", "--mount", "--map-root-user", "/bin/sh", "-c", script])
        let sketch = "mount -t tmpfs -o size=1m,mode=700 none \"$1\" && exec \"$0\" sketch-fill \"$1\""
        try run(
            ["SPOOL"], below: "/tmp", says: "20 writes of the sketch were refused",
            through: ["/usr/bin/unshare", "--mount", "--map-root-user", "/bin/sh", "-c", sketch])
    }

    @Test(
        "a read-only store begins no capture and needs no wiping",
        .enabled(if: try Self.isMountingAllowed(), "mounting is not allowed here"))
    func readOnly() throws {
        let script = """
            mount -t tmpfs -o mode=700 none "$1" && mkdir -m 700 "$1/open" "$1/captures" \
            && mount -o remount,ro none "$1" && exec "$0" read-only "$1"
            """
        try run(
            ["SPOOL"], below: "/tmp", says: "read-only: nothing is begun",
            through: ["/usr/bin/unshare", "--mount", "--map-root-user", "/bin/sh", "-c", script])
    }

    /// Containers and some distributions forbid namespaces to users.
    private static func isMountingAllowed() throws -> Bool {
        let script = "mount -t tmpfs -o size=1m none /tmp"
        return try ChildProgram.run(["/usr/bin/unshare", "--mount", "--map-root-user", "/bin/sh", "-c", script]).status
            == 0
    }

    /// - Parameters:
    ///   - arguments: SPOOL is replaced by a new directory.
    ///   - says: a part of the output on success.
    ///   - launcher: a command that runs the program with its arguments.
    private func run(
        _ arguments: [String], below parent: String, says expected: String, through launcher: [String] = []
    ) throws {
        let spool = try TemporaryDirectory(below: parent)
        let executable = try ChildProgram.path(of: "journal-kills")
        let result = try ChildProgram.run(launcher + [executable] + arguments.map { $0 == "SPOOL" ? spool.path : $0 })
        #expect(result.status == 0, "\(result.output)")
        #expect(result.output.contains(expected), "\(result.output)")
    }
}
