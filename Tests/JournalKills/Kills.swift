// SPDX-License-Identifier: Apache-2.0
import CFork
import Glibc
import Linux
import Record
import Store
import TestSupport

/// Starts a writer, kills it at a random moment, and compares what it was told is safe with what is there.
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

    /// After so many acknowledgements and a while, so that the moment is anywhere in a capture and in a call.
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

    /// Before and after each system call of the capture of that number, one kill after the other.
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
        // One more may have been begun.
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

    /// Journals that end within a line.
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
