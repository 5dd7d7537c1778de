// SPDX-License-Identifier: Apache-2.0
import CaptureFixtures
import CFork
import Geometry
import Glibc
import Linux
import Record
import Store
import TestSupport

/// Starts a process that draws, kills it at a random moment or at each of its system calls, and compares what it was
/// told is safe with the sketch that is there.
struct SketchKills {
    private static let page = SketchPage(
        size: PixelSize(width: 300, height: 200), density: PixelDensity(dotsPerInch: 150))
    /// So small that the journal is rewritten, and strokes are forgotten, all the time.
    private static let limits = SketchLimits(keptByteCount: 6000, smallByteCount: 2000)

    private let directory: String
    private let store: CaptureStore
    /// Of the same entries, by nobody who is killed.
    private let reference: CaptureStore
    private var random: SeededGenerator
    private var count = 0, entryCount = 0, unacknowledgedCount = 0

    init(in directory: String, seed: UInt64) throws {
        self.directory = directory
        store = try CaptureStore(at: directory)
        reference = try CaptureStore(at: directory + "/open/reference")
        random = SeededGenerator(seed: seed)
    }

    var summary: String {
        "\(count) kills: \(entryCount) acknowledged strokes and changes were all there, "
            + "and \(unacknowledgedCount) without the time to say so"
    }

    mutating func once() throws {
        let seed = random.next()
        let pipe = try AcknowledgementPipe()
        let child = cfork_fork()
        if child == 0 { draw(seed, upTo: .max, acknowledgements: pipe.writingEnd) }
        try require(child > 0, "fork: \(Errno.current)")
        close(pipe.writingEnd)
        var said = 0
        for _ in 0..<Int.random(in: 0...60, using: &random) { said += try pipe.read() }
        usleep(UInt32.random(in: 0...2000, using: &random))
        kill(child, SIGKILL)
        try retryingOnInterrupt { waitpid(child, nil, 0) }
        while case let more = try pipe.read(), more > 0 { said += more }
        try check(said, seed: seed)
        count += 1
    }

    /// Before and after each system call of so many entries, one kill after the other.
    mutating func atEveryCall(entries: Int) throws {
        let seed = random.next()
        var stops = 0
        while true {
            let pipe = try AcknowledgementPipe()
            let child = cfork_fork()
            if child == 0 {
                if cfork_be_traced() != 0 { _exit(EXIT_FAILURE) }
                draw(seed, upTo: entries, acknowledgements: pipe.writingEnd)
            }
            try require(child > 0, "fork: \(Errno.current)")
            close(pipe.writingEnd)
            let killed = cfork_kill_at(child, CInt(stops))
            try require(killed >= 0, "ptrace: \(Errno.current)")
            var said = 0
            while case let more = try pipe.read(), more > 0 { said += more }
            try check(said, seed: seed)
            if killed == 0 { return try require(said == entries, "it ended by itself with \(said) entries") }
            stops += 1
            count += 1
        }
    }

    /// The process that is killed.
    private func draw(_ seed: UInt64, upTo end: Int, acknowledgements: CInt) -> Never {
        var source = RandomSketch(seed: seed)
        var number = 0
        do {
            var journal = try SketchJournal(in: store, page: Self.page, limits: Self.limits)
            while number < end {
                try journal.append(source.entry())
                number += 1
                if write(acknowledgements, [1], 1) != 1 { _exit(EXIT_FAILURE) }
            }
        } catch {
            Log().error("\(error)")
            _exit(EXIT_FAILURE)
        }
        _exit(EXIT_SUCCESS)
    }

    private mutating func check(_ said: Int, seed: UInt64) throws {
        let found = try Self.read(store)
        var source = RandomSketch(seed: seed)
        var isFound = false
        // One more may have been written.
        for number in 0...said + 1 {
            let expected = try Self.read(reference)
            if number >= said, found == expected, !isFound {
                isFound = true
                unacknowledgedCount += number - said
            }
            if number <= said {
                var journal = try SketchJournal(in: reference, page: Self.page, limits: Self.limits)
                try journal.append(source.entry())
            }
        }
        try require(isFound, "after \(said) entries something else is there")
        entryCount += said
        for folder in [store.path, reference.path] {
            for name in ["sketch.jsonl", "sketch.jsonl.part"] { unlink(folder + "/" + name) }
        }
    }

    private static func read(_ store: CaptureStore) throws -> [SketchEntry] {
        let journal = try SketchJournal(in: store, page: page, limits: limits)
        if let setAside = journal.setAside { throw Failure("set aside: \(setAside.reason)") }
        return journal.entries
    }
}

extension AcknowledgementPipe {
    /// How many bytes came, at most one; 0 when there is nobody left who could send any.
    fileprivate borrowing func read() throws(Errno) -> Int {
        var byte: [UInt8] = [0]
        return try reading.read(into: &byte)
    }
}
