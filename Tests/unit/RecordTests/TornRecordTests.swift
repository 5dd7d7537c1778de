// SPDX-License-Identifier: Apache-2.0
import CaptureFixtures
import HostAPI
import Record
import TestSupport
import Testing

@Suite("Torn and hostile records")
struct TornRecordTests {
    private func whole(_ seed: UInt64) throws -> (CaptureRecord, [UInt8]) {
        var source = RandomCapture(seed: seed)
        // Few entries, because every byte is tested.
        let record = source.record(maximumEntryCount: 4)
        return (record, try CaptureEncoder.encode(record))
    }

    /// Checks that `lineCount` lines of `record` are read from bytes with a torn line after them.
    private func check(_ bytes: [UInt8], lineCount: Int, of record: CaptureRecord, _ what: String) {
        do {
            let found = try CaptureDecoder.decode(bytes)
            #expect(found.header == record.header, "\(what)")
            let entryCount = min(lineCount - 1, record.entries.count)
            #expect(found.entries == Array(record.entries.prefix(entryCount)), "\(what)")
            #expect(found.end == (lineCount > record.entries.count + 1 ? record.end : nil), "\(what)")
        } catch {
            guard lineCount == 0, case .notARecord = error else {
                Issue.record("\(what): \(error)")
                return
            }
        }
    }

    @Test("whole lines before a cut at any byte are read", arguments: 0..<6)
    func everyCut(seed: Int) throws {
        let (record, bytes) = try whole(UInt64(seed))
        var lineCount = 0
        for cut in 0...bytes.count {
            if cut > 0, bytes[cut - 1] == UInt8(ascii: "\n") { lineCount += 1 }
            check(Array(bytes[..<cut]), lineCount: lineCount, of: record, "seed \(seed), cut at \(cut)")
        }
    }

    @Test("a last line with zero bytes is ignored", arguments: 0..<12)
    func unwrittenBlocks(seed: Int) throws {
        let (record, bytes) = try whole(UInt64(seed))
        var ends = [0]
        for (index, byte) in bytes.enumerated() where byte == UInt8(ascii: "\n") { ends.append(index + 1) }
        var random = SeededGenerator(seed: UInt64(seed))
        for (lineCount, start) in ends.dropLast().enumerated() {
            let end = ends[lineCount + 1]
            let first = Int.random(in: start..<end - 1, using: &random)
            let last = Int.random(in: first..<end - 1, using: &random)
            var torn = Array(bytes[..<end])
            for index in first...last { torn[index] = 0 }
            check(torn, lineCount: lineCount, of: record, "seed \(seed), zeros \(first)...\(last)")
        }
    }

    @Test("changed, removed and repeated bytes give an error or a record", arguments: 0..<20)
    func hostile(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let (_, bytes) = try whole(UInt64(seed))
        var refusedCount = 0
        for _ in 0..<100 {
            var changed = bytes
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let place = Int.random(in: 0..<changed.count, using: &random)
                let count = Int.random(in: 0...min(20, changed.count - place), using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: changed[place] = UInt8.random(in: 0...255, using: &random)
                case 1: changed.removeSubrange(place..<place + count)
                case 2: changed.insert(contentsOf: changed[place..<place + count], at: place)
                default: changed[place] = Array("0123456789-.eE\"{}[],:\n\\\0".utf8).randomElement(using: &random)!
                }
                if changed.isEmpty { changed = [0] }
            }
            do {
                // A record that is read can be written.
                _ = try CaptureEncoder.encode(try CaptureDecoder.decode(changed))
            } catch {
                // The compiler checks the type.
                refusedCount += 1
            }
        }
        #expect(refusedCount > 0)
    }

    @Test("noise, other encodings and deep nesting are refused")
    func noise() throws {
        var random = SeededGenerator(seed: 5)
        var inputs: [[UInt8]] = (0..<200).map { _ in
            (0..<Int.random(in: 0...300, using: &random)).map { _ in .random(in: 0...255, using: &random) }
        }
        let (_, bytes) = try whole(1)
        inputs.append([0xEF, 0xBB, 0xBF] + bytes)
        inputs.append([0xFF, 0xFE] + bytes.flatMap { [$0, 0] })
        inputs.append(bytes.flatMap { [$0, 0] })
        inputs.append(Array(String(repeating: "{\"a\":", count: 10_000).utf8) + [10])
        inputs.append(Array(#"{"format":"#.utf8) + Array(repeating: UInt8(ascii: "["), count: 60_000) + [10])
        for input in inputs {
            #expect(thrownError { try CaptureDecoder.decode(input) } is CaptureFormatError)
        }
        let endless = [UInt8](repeating: UInt8(ascii: "a"), count: CaptureLimits.recordByteCount + 1)
        #expect(throws: CaptureFormatError.tooLarge(limit: CaptureLimits.recordByteCount)) {
            try CaptureDecoder.decode(endless)
        }
    }
}
