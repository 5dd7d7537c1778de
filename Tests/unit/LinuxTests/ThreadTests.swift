// SPDX-License-Identifier: Apache-2.0
import Synchronization
import Testing

@testable import Linux

@Suite("Threads")
struct ThreadTests {
    /// The slice of the calling thread in nanoseconds (proc_pid_sched(5)); nil where the kernel does not show it.
    private static var slice: Int? {
        guard let bytes = try? InputFile.read("/proc/thread-self/sched", maximumByteCount: 65536) else { return nil }
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        let line = lines.first { $0.hasPrefix("se.slice ") }
        return line?.split(separator: ":").last.flatMap { Int($0.filter(\.isNumber)) }
    }

    /// Whether threads may choose their slices: since Linux 6.12.
    private static var canChoose: Bool {
        let release = Machine.kernel?.split(separator: " ").first ?? ""
        let numbers = release.split(separator: ".").prefix(2).compactMap { Int($0) }
        return slice != nil && numbers.count == 2 && (numbers[0], numbers[1]) >= (6, 12)
    }

    @Test("a thread that asks for short slices has them, and no other thread has", .enabled(if: canChoose))
    func shortSlices() throws {
        let before = try #require(Self.slice)
        let found = Found()
        let thread = try Linux.Thread(name: "short") {
            Linux.Thread.useShortSlices()
            found.slice.withLock { $0 = Self.slice }
        }
        thread.join()
        #expect(found.slice.withLock { $0 } == 100_000)
        // This may be short, too: a session of another test may have run on this thread.
        #expect(Self.slice == before)
    }

    private final class Found: Sendable { let slice = Mutex<Int?>(nil) }
}
