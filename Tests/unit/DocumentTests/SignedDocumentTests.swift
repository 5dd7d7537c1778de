// SPDX-License-Identifier: Apache-2.0
import TestSupport
import Testing

@testable import Document

@Suite("Signed documents")
struct SignedDocumentTests {
    private static let original = Array("%PDF-1.7\nthe document\n%%EOF\n".utf8)

    /// An update as the helper makes it.
    private static func update(after count: Int = original.count, tail: String = "\nendobj\n%%EOF\n") -> [UInt8] {
        let head = Array("9 0 obj\n<< /Type /Sig ".utf8)
        let start =
            count + head.count + SignedDocument.rangeStart.count + SignedDocument.rangeByteCount
            + SignedDocument.holeStart.count
        let hole = start..<start + SignedDocument.digitCount + 2
        let size = hole.upperBound + 3 + tail.utf8.count
        return head + SignedDocument.rangeText(hole: hole, size: size) + [UInt8(ascii: " ")] + SignedDocument.emptyHole
            + Array(" >>".utf8) + Array(tail.utf8)
    }

    @Test func allButTheHoleIsSigned() throws {
        let update = Self.update()
        let document = try SignedDocument(original: Self.original, update: update)
        #expect(document.bytes == Self.original + update)
        #expect(document.originalCount == Self.original.count)
        #expect(document.bytes[document.hole].first == UInt8(ascii: "<"))
        #expect(document.bytes[document.hole].last == UInt8(ascii: ">"))
        #expect(document.hole.count == 16386)
        #expect(
            document.signedRanges == [0..<document.hole.lowerBound, document.hole.upperBound..<document.bytes.count])
    }

    @Test func theRangeHasTheFormOfTheStandard() {
        let text = String(decoding: SignedDocument.rangeText(hole: 840..<17226, size: 19000), as: UTF8.self)
        #expect(text.hasPrefix("/ByteRange [0 840 17226 1774 ]"))
        #expect(text.utf8.count == 12 + 48)
    }

    @Test func aSignatureFillsTheHoleOnly() throws {
        var document = try SignedDocument(original: Self.original, update: Self.update())
        let before = document
        try document.fill(with: [0x30, 0x82, 0x0F, 0xFF])
        #expect(document.bytes[document.hole].starts(with: Array("<30820fff0000".utf8)))
        for range in document.signedRanges { #expect(document.bytes[range] == before.bytes[range]) }
        try document.fill(with: [0x30])
        #expect(document.bytes[document.hole].starts(with: Array("<30000000".utf8)))
        try document.fill(with: [UInt8](repeating: 0xAB, count: 8192))
        #expect(document.bytes[document.hole].dropFirst().dropLast().allSatisfy { [0x61, 0x62].contains($0) })
        for count in [0, 8193] {
            let error = thrownError { try document.fill(with: [UInt8](repeating: 0, count: count)) }
            #expect(error as? SignedDocumentError == .longSignature(byteCount: count))
        }
    }

    @Test func updatesWithoutOneHoleAreRefused() {
        let update = Self.update()
        let hole = String(decoding: SignedDocument.emptyHole, as: UTF8.self)
        let wrong = [
            [], Array("%%EOF\n".utf8), update + SignedDocument.emptyHole, Self.update(tail: hole),
            Array(update.dropLast(16000)),
        ]
        for update in wrong { #expect(Self.error(update) == .holes) }
        #expect(
            Self.error([UInt8](repeating: 10, count: SignedDocument.longestUpdate + 1))
                == .longUpdate(byteCount: SignedDocument.longestUpdate + 1))
    }

    @Test func updatesWithAnotherRangeAreRefused() {
        let update = Self.update()
        let wrong = [
            // Made for another document; cut; lengthened.
            Self.update(after: 7), Self.update(after: Self.original.count + 1), Array(update.dropLast()), update + [10],
        ]
        for update in wrong { #expect(Self.error(update) == .byteRange) }
    }

    /// A page that is written anew has its notes, and a form the alternate names of its fields.
    @Test func otherEntriesOfTheseNamesAreNoFault() {
        for tail in [" /Contents <30> ", "/ByteRange [0 1 2 3 ]"] {
            #expect(Self.error(Self.update(tail: tail)) == nil)
        }
    }

    /// Whatever the helper sends: it is refused, or the document is unchanged and all but the hole is signed.
    @Test func randomChangesDoNoHarm() throws {
        var generator = SeededGenerator(seed: 20_261_127)
        let update = Self.update()
        let ends = [0, 40, 100, update.count - 60, update.count - 1]
        var accepted = 0
        for _ in 0..<2000 {
            var changed = update
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                // Mostly near what is read.
                let near = ends.randomElement(using: &generator) ?? 0
                let place = min(max(near + Int.random(in: -40...40, using: &generator), 0), changed.count - 1)
                switch Int.random(in: 0..<4, using: &generator) {
                case 0: changed[place] = UInt8.random(in: 0...255, using: &generator)
                case 1: changed.remove(at: place)
                case 2: changed.insert(UInt8(ascii: "0"), at: place)
                default: changed.swapAt(place, Int.random(in: changed.indices, using: &generator))
                }
            }
            guard var document = try? SignedDocument(original: Self.original, update: changed) else { continue }
            accepted += 1
            #expect(document.bytes == Self.original + changed)
            let hole = document.hole
            #expect(hole.lowerBound >= Self.original.count && hole.upperBound <= document.bytes.count)
            let range = SignedDocument.rangeText(hole: hole, size: document.bytes.count)
            #expect(document.bytes.firstRange(of: range) != nil)
            try document.fill(with: [UInt8](repeating: 0xFF, count: 900))
            #expect(document.bytes.prefix(hole.lowerBound) == (Self.original + changed).prefix(hole.lowerBound))
            #expect(
                document.bytes.suffix(from: hole.upperBound) == (Self.original + changed).suffix(from: hole.upperBound))
        }
        #expect(accepted > 100 && accepted < 1900, "\(accepted) of 2000")
    }

    private static func error(_ update: [UInt8]) -> SignedDocumentError? {
        thrownError { try SignedDocument(original: original, update: update) } as? SignedDocumentError
    }
}
