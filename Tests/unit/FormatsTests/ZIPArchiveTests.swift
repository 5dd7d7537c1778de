// SPDX-License-Identifier: Apache-2.0
import Formats
import TestSupport
import Testing

/// Tests/system/Evidence lets other programs read archives.
@Suite("ZIP archives")
struct ZIPArchiveTests {
    private func archive(_ files: [(String, [UInt8])], microseconds: Int64 = 1_790_000_001_999_999) -> [UInt8] {
        var archive = ZIPArchive(date: ZIPArchive.Date(microseconds: microseconds))
        for (name, file) in files { archive.add(name, file) }
        return archive.finished()
    }

    private func number(_ bytes: [UInt8], at offset: Int, count: Int) -> Int {
        bytes[offset..<offset + count].reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    @Test("The directory has the place, size and checksum of each file, whose bytes are as they were")
    func directory() throws {
        let files: [(String, [UInt8])] = [
            ("a.txt", Array("123456789".utf8)), ("empty", []), ("b/c", [UInt8](repeating: 7, count: 70_000)),
        ]
        let bytes = archive(files)
        let end = bytes.count - 22
        #expect(bytes[end...].starts(with: "PK\u{5}\u{6}".utf8))
        #expect(number(bytes, at: end + 8, count: 2) == 3 && number(bytes, at: end + 10, count: 2) == 3)
        var entry = number(bytes, at: end + 16, count: 4)
        #expect(entry + number(bytes, at: end + 12, count: 4) == end)
        for (name, file) in files {
            #expect(bytes[entry...].starts(with: "PK\u{1}\u{2}".utf8))
            #expect(number(bytes, at: entry + 20, count: 4) == file.count)
            #expect(number(bytes, at: entry + 24, count: 4) == file.count)
            let local = number(bytes, at: entry + 42, count: 4)
            #expect(bytes[local...].starts(with: "PK\u{3}\u{4}".utf8))
            // Both headers say the same.
            #expect(bytes[(local + 4)..<(local + 30)] == bytes[(entry + 6)..<(entry + 32)])
            let start = local + 30 + name.utf8.count
            #expect(bytes[(local + 30)..<start].elementsEqual(name.utf8))
            #expect(bytes[start..<start + file.count].elementsEqual(file))
            entry += 46 + name.utf8.count
        }
        #expect(entry == end)
        // The check value of CRC-32 (ISO 3309).
        #expect(number(bytes, at: 14, count: 4) == 0xcbf4_3926)
    }

    @Test("The same files and date give the same bytes, and the date is UTC")
    func date() {
        #expect(archive([("a", [1])]) == archive([("a", [1])]))
        // 2026-09-21 14:13:21, with seconds in steps of two.
        let bytes = archive([("a", [1])])
        #expect(number(bytes, at: 10, count: 2) == 14 << 11 | 13 << 5 | 10)
        #expect(number(bytes, at: 12, count: 2) == 46 << 9 | 9 << 5 | 21)
        let (first, last) = (1 << 5 | 1, 127 << 9 | 12 << 5 | 31)
        for (time, day) in [(Int64.min, first), (0, first), (.max, last)] {
            #expect(number(archive([], microseconds: time), at: 0, count: 4) == 0x0605_4b50)
            #expect(number(archive([("a", [])], microseconds: time), at: 12, count: 2) == day)
        }
    }
}
