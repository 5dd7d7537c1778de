// SPDX-License-Identifier: Apache-2.0
import CZlib
import Document
import TestSupport
import Testing

@testable import PDF

@Suite("Where a file has its objects")
struct FileStructureTests {
    /// A file whose parts are written one after the other.
    private struct File {
        var bytes = Array("%PDF-1.7\n".utf8)
        var offsets: [Int: Int] = [:]

        /// A page with two contents, objects 4 and 5.
        init(_ numbers: ClosedRange<Int> = 1...5) {
            for number in numbers {
                let texts = [
                    "<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Count 1 /Kids [ 3 0 R ] >>",
                    "<< /Type /Page /Parent 2 0 R \(SmallPDF.letter) /Contents [ 4 0 R 5 0 R ] >>",
                    SmallPDF.stream("n"), SmallPDF.stream("n"),
                ]
                add(number, texts[number - 1])
            }
        }

        mutating func add(_ number: Int, _ text: some Sequence<UInt8>) {
            offsets[number] = bytes.count
            bytes += Array("\(number) 0 obj\n".utf8) + Array(text) + Array("\nendobj\n".utf8)
        }

        mutating func add(_ number: Int, _ text: String) { add(number, text.utf8) }

        func entry(_ offset: Int, _ kind: String = "n", generation: Int = 0) -> String {
            func padded(_ number: Int, _ count: Int) -> String {
                String(String("\(number)".reversed()).padded(to: count).reversed())
            }
            return "\(padded(offset, 10)) \(padded(generation, 5)) \(kind) \n"
        }

        /// A table of sections, each with its first number and its entries.
        mutating func table(_ sections: [(Int, [String])], _ trailer: String) -> Int {
            let start = bytes.count
            var text = "xref\n"
            // libqpdf wants an entry for the greatest number.
            for (first, entries) in sections + [(19, ["0000000000 00001 f \n"])] {
                text += "\(first) \(entries.count)\n" + entries.joined()
            }
            bytes += Array((text + "trailer\n<< /Size 20 /Root 1 0 R \(trailer) >>\n").utf8)
            return start
        }

        /// A cross-reference stream of entries of a kind and two numbers.
        mutating func stream(
            _ number: Int, _ entries: [(Int, [Int])], _ more: String = "", isPacked: Bool = false
        ) -> Int {
            let start = bytes.count
            var data: [UInt8] = []
            let entries = entries + [(19, [0, 0, 1])]
            for (_, entry) in entries { data += [entry[0], entry[1] >> 8, entry[1] & 255, entry[2]].map(UInt8.init) }
            var filter = ""
            if isPacked {
                // Each row has the differences to the one above it, the filter "up".
                var rows: [UInt8] = []
                for row in 0..<entries.count {
                    rows.append(2)
                    for place in 4 * row..<4 * row + 4 { rows.append(data[place] &- (row == 0 ? 0 : data[place - 4])) }
                }
                var packed = [UInt8](repeating: 0, count: 1000)
                var length = uLongf(packed.count)
                compress(&packed, &length, rows, uLong(rows.count))
                data = Array(packed[..<Int(length)])
                filter = "/Filter /FlateDecode /DecodeParms << /Predictor 12 /Columns 4 >>"
            }
            let index = entries.map { "\($0.0) 1" }.joined(separator: " ")
            let head = "<< /Type /XRef /Size 20 /Root 1 0 R /W [ 1 2 1 ] /Index [ \(index) ] /Length \(data.count)"
            add(number, Array("\(head) \(filter) \(more) >>\nstream\n".utf8) + data + Array("\nendstream".utf8))
            return start
        }

        func ended(_ offset: Int) -> [UInt8] { bytes + Array("startxref\n\(offset)\n%%EOF\n".utf8) }

        /// The entries of objects that stand for themselves.
        func own(_ numbers: ClosedRange<Int>) -> [String] { numbers.map { entry(offsets[$0] ?? 0) } }
    }

    private static func reason(_ document: [UInt8]) -> String? {
        guard let error = refusal(of: document) else { return nil }
        guard case .damaged(let reason) = error else { return "\(error)" }
        return reason
    }

    private static let free = "0000000000 65535 f \n"

    @Test("A table that has an object twice is refused, unless both entries are the same")
    func twice() {
        for (place, expected) in [(4, "object 5 is twice in a table"), (5, nil)] as [(Int, String?)] {
            var file = File()
            let again = file.entry(file.offsets[place] ?? 0)
            let table = file.table([(0, [Self.free] + file.own(1...5)), (5, [again])], "")
            #expect(Self.reason(file.ended(table)) == expected)
        }
    }

    @Test("A reference of another generation is refused")
    func generations() {
        var file = File()
        file.add(3, "<< /Type /Page /Parent 2 0 R \(SmallPDF.letter) /Contents [ 4 0 R 5 1 R ] >>")
        let table = file.table([(0, [Self.free] + file.own(1...5))], "")
        #expect(
            Self.reason(file.ended(table)) == "object 5 is referred to with another generation than it has")
        // A number that nothing has, and one that is free, mean nothing to all readers.
        for other in ["15 1 R", "6 1 R"] {
            var file = File()
            file.add(3, "<< /Type /Page /Parent 2 0 R \(SmallPDF.letter) /Contents [ 4 0 R \(other) ] >>")
            let table = file.table([(0, [Self.free] + file.own(1...5) + ["0000000000 00001 f \n"])], "")
            #expect(Self.reason(file.ended(table)) == nil)
        }
    }

    /// PDFium and MuPDF take the one, poppler and libqpdf the other.
    @Test("A hybrid file is read if what it hides is on no page")
    func hybrids() {
        func document(_ entries: [String], _ stream: (File) -> [(Int, [Int])]) -> String? {
            var file = File()
            file.add(6, SmallPDF.stream("f"))
            let offset = file.stream(7, stream(file))
            let table = file.table([(0, [Self.free] + file.own(1...4) + entries)], "/XRefStm \(offset)")
            return Self.reason(file.ended(table))
        }
        let file = File()
        let five = file.entry(file.offsets[5] ?? 0)
        // The stream repeats the table, or adds what no page has, as word processors write it.
        #expect(document([five]) { [(5, [1, $0.offsets[5] ?? 0, 0])] } == nil)
        #expect(document([five]) { [(6, [1, $0.offsets[6] ?? 0, 0])] } == nil)
        #expect(document([five]) { _ in [(5, [0, 0, 0])] } == nil)
        // It hides the second content, or has another one.
        let hidden = "some readers do not find object 5, a part of a page"
        #expect(document([Self.free]) { [(5, [1, $0.offsets[5] ?? 0, 0])] } == hidden)
        #expect(document([]) { [(5, [1, $0.offsets[5] ?? 0, 0])] } == hidden)
        let other = "its two tables have object 5 in different places"
        #expect(document([five]) { [(5, [1, $0.offsets[6] ?? 0, 0])] } == other)
    }

    @Test("An object that is not where the table says, in an object stream, is refused", arguments: [false, true])
    func streams(isPacked: Bool) {
        func document(_ head: String, _ index: Int, count: Int = 2) -> String? {
            var file = File(2...5)
            let catalog = "<< /Type /Catalog /Pages 2 0 R >>"
            let content = head + catalog + " (b)"
            file.add(
                6, SmallPDF.stream(content, "/Type /ObjStm /N \(count) /First \(head.utf8.count)"))
            let own = (2...6).map { ($0, [1, file.offsets[$0] ?? 0, 0]) }
            let offset = file.stream(
                8, [(1, [2, 6, index]), (7, [2, 6, 1 - min(index, 1)])] + own, isPacked: isPacked)
            return Self.reason(file.ended(offset))
        }
        #expect(document("1 0 7 34 ", 0) == nil)
        #expect(document("7 34 1 0 ", 1) == nil)
        let wrong = "is not where the table says, in object stream 6"
        #expect(document("1 0 7 34 ", 1)?.hasSuffix(wrong) == true)
        #expect(document("1 0 7 34 ", 2)?.hasSuffix(wrong) == true)
        // A number or a place twice, and a list that is not one.
        for head in ["1 0 1 34 ", "1 0 7 0 ", "1 0 7 ", "1 0 /X 34 "] {
            #expect(document(head, 0) == "object stream 6 has a wrong list of its objects", "\(head)")
        }
        #expect(document("1 0 7 34 ", 0, count: 1)?.hasSuffix(wrong) == true)
    }

    @Test("Sections that go in a circle, and noise in them, end with an error or are read")
    func noise() throws {
        var file = File()
        let offset = file.stream(6, (1...5).map { [file] in ($0, [1, file.offsets[$0] ?? 0, 0]) }, isPacked: true)
        let start = file.bytes.count
        let table = file.table([(0, [Self.free] + file.own(1...5))], "/Prev \(offset) /ID [ (a\\)) <00> ]")
        let whole = file.bytes
        let sound = try FileStructure(whole, lastCrossReference: table)
        #expect(sound.entries.count == 7 && sound.hidden.isEmpty && sound.entries[0] == .free)
        #expect(sound.entries[5] == .object(offset: file.offsets[5] ?? 0, generation: 0))
        var circle = File()
        let place = circle.bytes.count
        _ = circle.table([(0, [Self.free] + circle.own(1...5))], "/Prev \(place)")
        #expect(throws: PDFError.damaged(reason: "its tables of objects go in a circle")) {
            try FileStructure(circle.bytes, lastCrossReference: place)
        }
        var random = SeededGenerator(seed: 7)
        for end in start..<whole.count { _ = try? FileStructure(Array(whole[..<end]), lastCrossReference: table) }
        for _ in 0..<3000 {
            var bytes = whole
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                bytes[Int.random(in: offset..<whole.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            _ = try? FileStructure(bytes, lastCrossReference: table)
        }
        for wrong in [-1, whole.count, Int.max] {
            #expect(throws: PDFError.self) { try FileStructure(whole, lastCrossReference: wrong) }
        }
    }
}

extension String {
    fileprivate func padded(to count: Int) -> String {
        self + String(repeating: "0", count: max(0, count - self.count))
    }
}
