// SPDX-License-Identifier: Apache-2.0
import CaptureFixtures
import CFork
import Glibc
import Linux
import Record
import Store
import TestSupport

/// Starts a writer, kills it at a random moment, and checks that everything it acknowledged is there.
struct Kills {
    private let store: CaptureStore
    private let directory: String
    private var random: SeededGenerator
    private var count = 0
    private var strokes = 0, accepted = 0, interrupted = 0, unacknowledged = 0, torn = 0

    init(in directory: String, seed: UInt64) throws {
        store = try CaptureStore(at: directory)
        self.directory = directory
        random = SeededGenerator(seed: seed)
    }

    var summary: String {
        "\(count) kills: \(strokes) acknowledged entries and \(accepted) acknowledged captures were all there; "
            + "\(interrupted) captures were interrupted, of \(torn) the last line was torn; "
            + "\(unacknowledged) were accepted without the time to say so"
    }

    /// Kills after a random number of acknowledgements and a random delay.
    mutating func once() throws {
        let seed = random.next()
        let pipe = try AcknowledgementPipe()
        let child = cfork_fork()
        if child == 0 { WriterProcess(store: store, seed: seed, acknowledgements: pipe.writingEnd).run() }
        try require(child > 0, "fork: \(Errno.current)")
        close(pipe.writingEnd)
        var said: [UInt8] = []
        var pair: [UInt8] = [0, 0]
        for _ in 0..<Int.random(in: 0...12, using: &random) where try pipe.reading.read(into: &pair) == 2 {
            said += pair
        }
        usleep(UInt32.random(in: 0...3000, using: &random))
        kill(child, SIGKILL)
        try retryingOnInterrupt { waitpid(child, nil, 0) }
        while try pipe.reading.read(into: &pair) == 2 { said += pair }
        try check(said, from: 0, seed: seed)
        count += 1
    }

    /// Kills before and after each system call of one capture, one kill after the other.
    mutating func atEveryCall(number: Int) throws {
        let seed = random.next()
        var stops = 0
        while true {
            let pipe = try AcknowledgementPipe()
            let child = cfork_fork()
            if child == 0 {
                if cfork_be_traced() != 0 { _exit(EXIT_FAILURE) }
                WriterProcess(
                    store: store, seed: seed, acknowledgements: pipe.writingEnd, first: number, last: number
                ).run()
            }
            try require(child > 0, "fork: \(Errno.current)")
            close(pipe.writingEnd)
            let killed = cfork_kill_at(child, CInt(stops))
            try require(killed >= 0, "ptrace: \(Errno.current)")
            var said: [UInt8] = []
            var pair: [UInt8] = [0, 0]
            while try pipe.reading.read(into: &pair) == 2 { said += pair }
            try check(said, from: number, seed: seed)
            if killed == 0 {
                let isFinished = said.last == WriterProcess.Acknowledgement.finished.rawValue
                return try require(isFinished, "it ended by itself after \(stops) stops, but not as it should")
            }
            stops += 1
            count += 1
        }
    }

    private mutating func check(_ said: [UInt8], from first: Int, seed: UInt64) throws {
        torn += try tornCount()
        let recovery = try store.recover()
        try require(recovery.failures.isEmpty, "not recovered: \(recovery.failures)")
        try require(try Directory.names(of: directory + "/open").isEmpty, "a journal is left")
        let list = try store.list()
        try require(list.unreadable.isEmpty, "unreadable: \(list.unreadable)")
        var found: [CaptureID: CaptureRecord] = [:]
        for capture in list.captures {
            let record = try store.record(capture.id)
            try require(
                capture.byteCount == (try CaptureEncoder.encode(record).count), "\(capture.id): more than its record")
            found[capture.id] = record
        }

        let pairs = stride(from: 0, to: said.count, by: 2).map { (number: Int(said[$0]), what: said[$0 + 1]) }
        // One more capture may have been begun.
        for number in first...(pairs.last.map { $0.number + 1 } ?? first) {
            let expected = WriterProcess.capture(number, seed: seed)
            let acknowledged = pairs.filter { $0.number == number }.compactMap {
                WriterProcess.Acknowledgement(rawValue: $0.what)
            }
            try require(!acknowledged.contains(.failed), "capture \(number) could not be written")
            let record = CaptureID(expected.header.id).flatMap { found.removeValue(forKey: $0) }
            try check(record, against: expected, acknowledged)
        }
        try require(found.isEmpty, "captures nobody made: \(found.keys)")
        for capture in list.captures { try store.delete(capture.id) }
    }

    private mutating func check(
        _ record: CaptureRecord?, against expected: CaptureRecord, _ acknowledged: [WriterProcess.Acknowledgement]
    ) throws {
        let id = expected.header.id
        let entryCount = acknowledged.count { $0 == .appended }
        let isKept = expected.end?.outcome == .accepted
        strokes += entryCount
        if acknowledged.contains(.finished) {
            if isKept { accepted += 1 }
            return try require(record == (isKept ? expected : nil), "\(id): not what was acknowledged at its end")
        }
        guard let record else {
            let isBeingWiped = !isKept && entryCount == expected.entries.count
            return try require(acknowledged.isEmpty || isBeingWiped, "\(id): lost with \(entryCount) entries")
        }
        try require(record.header == expected.header, "\(id): another header")
        try require(
            record.entries == Array(expected.entries.prefix(record.entries.count))
                && (entryCount...entryCount + 1).contains(record.entries.count),
            "\(id): \(record.entries.count) entries, of which \(entryCount) were acknowledged, or others")
        if record.end == nil {
            interrupted += 1
        } else {
            unacknowledged += 1
            try require(isKept && record == expected && entryCount == expected.entries.count, "\(id): another end")
        }
    }

    /// The number of journals that end within a line.
    private func tornCount() throws -> Int {
        var count = 0
        for name in try Directory.names(of: directory + "/open") {
            let file = try InputFile.open(directory + "/open/" + name)
            let size = try file.byteCount
            if size > 0, try file.read(1, from: size - 1) != [UInt8(ascii: "\n")] { count += 1 }
        }
        return count
    }
}

/// The process that is killed: writes one capture after the other and acknowledges over a pipe what is safe.
struct WriterProcess {
    let store: CaptureStore
    let seed: UInt64
    let acknowledgements: CInt
    /// The first and the last capture to write; nil goes on until killed.
    var first = 0
    var last: Int?

    /// The capture of a number, which the checking process generates again.
    static func capture(_ number: Int, seed: UInt64) -> CaptureRecord {
        var source = RandomCapture(seed: seed &+ UInt64(number) &* 0x9E37_79B9)
        var record = source.record(maximumEntryCount: 6)
        record.end = source.end(number % 4 == 3 ? .cancelled : .accepted)
        if number % 3 == 1 {
            // More than ten pages, so that a signal can interrupt the write half-way.
            let samples = (0..<2000).map { index in
                CaptureStroke.Sample(microseconds: Int64(index) * 5000, x: Int32(index), y: 123_456_789)
            }
            record.entries.append(.stroke(CaptureStroke(pen: "ink", samples: samples)))
        }
        return record
    }

    func run() -> Never {
        var number = first
        while number <= last ?? .max {
            do {
                let record = Self.capture(number, seed: seed)
                var writer = try JournalWriter(record.header, in: store)
                say(number, .opened)
                for entry in record.entries {
                    try writer.append(entry)
                    say(number, .appended)
                }
                if record.outcome == .accepted { try writer.finish(record.end!) } else { try writer.wipe() }
                say(number, .finished)
                number += 1
            } catch {
                Log().error("\(error)")
                say(number, .failed)
                _exit(EXIT_FAILURE)
            }
        }
        _exit(EXIT_SUCCESS)
    }

    enum Acknowledgement: UInt8 {
        case opened, appended, finished, failed
    }

    /// Two bytes in one call, which is atomic.
    private func say(_ number: Int, _ what: Acknowledgement) {
        let bytes = [UInt8(truncatingIfNeeded: number), what.rawValue]
        if write(acknowledgements, bytes, 2) != 2 { _exit(EXIT_FAILURE) }
    }
}

/// A pipe from a writer to the process that kills it. The parent closes the writing end after the fork, so that reading
/// ends.
struct AcknowledgementPipe: ~Copyable {
    let reading: FileDescriptor
    let writingEnd: CInt

    init() throws(Errno) {
        var ends: [CInt] = [0, 0]
        try retryingOnInterrupt { pipe(&ends) }
        reading = FileDescriptor(owning: ends[0])
        writingEnd = ends[1]
    }
}

/// A failed check.
struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// - Throws: ``Failure`` when `condition` does not hold.
func require(_ condition: Bool, _ description: @autoclosure () -> String) throws {
    if !condition { throw Failure(description()) }
}
