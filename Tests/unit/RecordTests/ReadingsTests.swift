// SPDX-License-Identifier: Apache-2.0
import HostAPI
import JSON
import Linux
import Record
import Testing

/// Tests/data/Records/readings.json, which Tests/system/Evidence tries on the other readers.
@Suite("Records with one reading")
struct ReadingsTests {
    private struct Edit: Decodable {
        var old: String
        var new: [UInt8]

        init(from decoder: any Decoder) throws {
            struct Bytes: Decodable { var hex: String }
            var list = try decoder.unkeyedContainer()
            old = try list.decode(String.self)
            if let bytes = try? list.decode(Bytes.self) {
                let digits = Array(bytes.hex.utf8)
                new = stride(from: 0, to: digits.count, by: 2).map {
                    UInt8(String(decoding: digits[$0..<$0 + 2], as: UTF8.self), radix: 16)!
                }
            } else {
                new = Array(try list.decode(String.self).utf8)
            }
        }
    }

    private struct Case: Decodable {
        var name: String
        var edits: [Edit]
        var reading: String?
        var isRead: Bool?

        func applied(to text: String) throws -> [UInt8] {
            try edits.reduce(Array(text.utf8)) { bytes, edit in
                let place = try #require(bytes.firstRange(of: Array(edit.old.utf8)), "\(name)")
                return bytes[..<place.lowerBound] + edit.new + bytes[place.upperBound...]
            }
        }
    }

    private struct File: Decodable {
        var record, seal, flow: String
        var records, seals, flows: [Case]
    }

    private func file() throws -> File {
        let tests = #filePath.split(separator: "/").dropLast(3).reduce("") { $0 + "/" + $1 }
        let bytes = try InputFile.read(tests + "/data/Records/readings.json", maximumByteCount: 1 << 20)
        return try JSONValue(try #require(bytes)).decode()
    }

    @Test("records are read in one way or refused")
    func records() throws {
        let file = try file()
        #expect(file.records.count > 100)
        for each in file.records {
            let outcome = try? CaptureDecoder.decode(each.applied(to: file.record)).outcome.rawValue
            #expect(outcome == each.reading, "\(each.name)")
        }
    }

    @Test("records of several pages are read in one way or refused")
    func flows() throws {
        let file = try file()
        #expect(file.flows.count > 80)
        for each in file.flows {
            let outcome = try? CaptureDecoder.decode(each.applied(to: file.flow)).outcome.rawValue
            #expect(outcome == each.reading, "\(each.name)")
        }
        let bytes = Array(file.flow.utf8)
        #expect(try CaptureEncoder.encode(CaptureDecoder.decode(bytes)) == bytes)
    }

    @Test("seals are read in one form or refused")
    func seals() throws {
        let file = try file()
        for each in file.seals {
            let seal = try? Seal(line: each.applied(to: file.seal))
            #expect((seal != nil) == each.isRead, "\(each.name)")
        }
    }
}
