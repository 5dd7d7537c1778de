// SPDX-License-Identifier: Apache-2.0
import CaptureFixtures
import Glibc
import Linux
import Record
import Store
import TestSupport

/// The process that is killed: writes one capture after the other and says over a pipe what it was told is safe.
struct WriterProcess {
    let store: CaptureStore
    let seed: UInt64
    let acknowledgements: CInt
    /// The first and the last capture to write; without a last it goes on until it is killed.
    var first = 0
    var last: Int?

    /// The capture of a number, which who reads it can make again.
    static func capture(_ number: Int, seed: UInt64) -> CaptureRecord {
        var source = RandomCapture(seed: seed &+ UInt64(number) &* 0x9E37_79B9)
        var record = source.record(maximumEntryCount: 6)
        record.end = source.end(number % 4 == 3 ? .cancelled : .accepted)
        if number % 3 == 1 {
            // Ten pages and more: a write that long can be ended by a signal half-way.
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
                try writer.finish(record.end!)
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

    /// Two bytes in one call: never half of them.
    private func say(_ number: Int, _ what: Acknowledgement) {
        let bytes = [UInt8(truncatingIfNeeded: number), what.rawValue]
        if write(acknowledgements, bytes, 2) != 2 { _exit(EXIT_FAILURE) }
    }
}
