// SPDX-License-Identifier: Apache-2.0
import TestSupport
import Testing

/// Runs `journal-kills` (Tests/JournalKills), which was built beside the tests.
@Suite("Killed writers and full disks", .serialized)
struct JournalKillTests {
    @Test("a writer that is killed at any moment loses nothing it was told is safe: 500 kills in memory")
    func killedInMemory() throws {
        // A writer that never waits for a disk is killed in all its steps, not in one.
        try run(["kill", "SPOOL", "500", "20260314"], below: "/dev/shm", says: "500 kills")
    }

    @Test("and so on a disk, where it is killed while it waits")
    func killedOnDisk() throws { try run(["kill", "SPOOL", "50", "1"], below: "/tmp", says: "50 kills") }

    @Test("and so before and after each of its system calls")
    func killedAtEveryCall() throws { try run(["step", "SPOOL"], below: "/dev/shm", says: " kills:") }

    @Test("a sketch that is being written is whole after 200 kills, and after one at each system call")
    func killedSketch() throws {
        try run(["sketch-kill", "SPOOL", "200", "20260314"], below: "/dev/shm", says: "200 kills")
        try run(["sketch-step", "SPOOL"], below: "/dev/shm", says: " kills:")
    }

    @Test("a line that does not fit is taken back, wherever the room ends")
    func sizeLimit() throws { try run(["limit", "SPOOL"], below: "/tmp", says: "160 lines were refused half-way") }

    @Test(
        "a file system of 1 MiB fills up, and what was accepted is whole",
        .enabled(if: try Self.isMountingAllowed(), "mounting is not allowed here"))
    func fullDisk() throws {
        // Seen by this process and those that it starts; gone with them.
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
        "a store on a file system that is only read begins nothing, and has nothing to wipe",
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
        return try ChildProgram.run(["/usr/bin/unshare", "--mount", "--map-root-user", "/bin/sh", "-c", script]).status == 0
    }

    /// - Parameters:
    ///   - arguments: in which SPOOL stands for a new directory.
    ///   - says: what is in its output when all is well.
    ///   - launcher: a command that gets the program and its arguments.
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
