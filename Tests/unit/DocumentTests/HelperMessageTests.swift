// SPDX-License-Identifier: Apache-2.0
import Document
import FoundationEssentials
import Geometry
import Testing

@Suite("Messages between the pad and the program that parses documents")
struct HelperMessageTests {
    private static let samples: [HelperRequest] = [
        HelperRequest(.inspect, byteCount: 0),
        HelperRequest(
            .render(.init(page: 3, size: PixelSize(width: 1240, height: 1754))), byteCount: 48_121),
        HelperRequest(
            .render(
                .init(
                    page: 500, size: PixelSize(width: 16_384, height: 16_384),
                    crop: PixelRect(minX: 0, minY: 600, maxX: 1240, maxY: 1000))), byteCount: 48_121),
        HelperRequest(.find(text: "Sign \"here\" \u{e9}"), byteCount: HelperLimits.document),
        HelperRequest(.read(page: 500), byteCount: 1),
        HelperRequest(.compare(page: 1), byteCount: 1),
        HelperRequest(.flatten, byteCount: HelperLimits.document),
        HelperRequest(.picture(page: 500), byteCount: HelperLimits.document),
        HelperRequest(
            .assemble(
                DocumentUpdate(
                    marks: [mark("f")], field: "S01", ink: .init(width: 1, height: 2, content: "f"), time: 1)),
            byteCount: 1),
    ]

    private static func mark(_ content: String) -> DocumentUpdate.Mark {
        let rectangle = DocumentRectangle(minX: 1, minY: 2, maxX: 30, maxY: 40)
        return .init(page: 1, rectangle: rectangle, ink: .init(width: 9, height: 9, content: content), label: "OK")
    }

    @Test("Requests are read as they were written, on one line", arguments: samples)
    func requests(request: HelperRequest) throws {
        let line = try request.line()
        #expect(line.last == UInt8(ascii: "\n") && line.filter { $0 == UInt8(ascii: "\n") }.count == 1)
        #expect(try HelperRequest(line: line.dropLast()) == request)
    }

    @Test(
        "Requests beyond the limits, and other texts, are refused",
        arguments: [
            "", "{}", "[]", #"{"do":"inspect"}"#, #"{"do":"inspect","size":-1}"#, #"{"do":"inspect","size":50331649}"#,
            #"{"do":"inspect","size":1,"more":1}"#, #"{"do":"inspect","do":"inspect","size":1}"#,
            #"{"do":"erase","size":1}"#, #"{"do":"render","size":1}"#,
            #"{"do":"render","size":1,"page":0,"width":1,"height":1}"#,
            #"{"do":"render","size":1,"page":501,"width":1,"height":1}"#,
            #"{"do":"render","size":1,"page":1,"width":0,"height":1}"#,
            #"{"do":"render","size":1,"page":1,"width":16385,"height":1}"#,
            #"{"do":"render","size":1,"page":1,"width":16384,"height":16384}"#,
            #"{"do":"render","size":1,"page":1,"width":9,"height":9,"crop":[0,0,10,1]}"#,
            #"{"do":"render","size":1,"page":1,"width":9,"height":9,"crop":[0,0,0,1]}"#,
            #"{"do":"render","size":1,"page":1,"width":9,"height":9,"crop":[-1,0,1,1]}"#,
            #"{"do":"render","size":1,"page":1,"width":9,"height":9,"crop":[0,0,1]}"#,
            #"{"do":"render","size":1,"page":1,"width":9,"height":9,"crop":[9223372036854775807,0,9,1]}"#,
            #"{"do":"find","size":1,"text":""}"#, #"{"do":"find","size":1}"#, #"{"do":"assemble","size":1}"#,
        ])
    func refused(line: String) {
        #expect(throws: HelperRequestFault.self) { try HelperRequest(line: Array(line.utf8)) }
    }

    @Test("A document with updates may be longer than those of hosts, but no text is looked for in it")
    func longDocuments() throws {
        let update = HelperRequest.Action.assemble(DocumentUpdate(field: "S01", time: 1))
        let count = HelperLimits.document + HelperLimits.update
        #expect(try HelperRequest(line: HelperRequest(update, byteCount: count).line().dropLast()).byteCount == count)
        #expect(try !HelperRequest(.inspect, byteCount: count).line().isEmpty)
        #expect(throws: HelperRequestFault.self) { try HelperRequest(.find(text: "x"), byteCount: count).line() }
        #expect(throws: HelperRequestFault.self) { try HelperRequest(update, byteCount: 48 << 20 + 1).line() }
    }

    @Test("An update has a limited number of marks, and a limited amount of ink in them")
    func marks() throws {
        func line(_ marks: [DocumentUpdate.Mark]) throws -> [UInt8] {
            try HelperRequest(.assemble(DocumentUpdate(marks: marks, field: "S01", time: 1)), byteCount: 1).line()
        }
        let most = [DocumentUpdate.Mark](repeating: Self.mark("f"), count: HelperLimits.marks)
        #expect(try HelperRequest(line: line(most).dropLast()).byteCount == 1)
        #expect(throws: HelperRequestFault.self) { try line(most + [Self.mark("f")]) }
        let half = String(repeating: "f", count: HelperLimits.markContent / 2)
        #expect(try HelperRequest(line: line([Self.mark(half), Self.mark(half)]).dropLast()).byteCount == 1)
        #expect(throws: HelperRequestFault.self) { try line([Self.mark(half), Self.mark(half + "f")]) }
        // The program checks it, too.
        let text = String(decoding: try line([Self.mark(half)]), as: UTF8.self)
        let mark = String(decoding: try JSONEncoder().encode(Self.mark(half + "f")), as: UTF8.self)
        let longer = text.replacing("\"marks\":[", with: "\"marks\":[\(mark),")
        #expect(throws: HelperRequestFault.self) { try HelperRequest(line: Array(longer.utf8).dropLast()) }
    }

    @Test("Answers are read as they were written, and cut or long ones are refused")
    func answers() throws {
        let body: [UInt8] = [1, 2, 3]
        let answer = HelperAnswer.body(byteCount: 3).line + body
        #expect(try HelperAnswer.read(answer, longest: 3) == .success(body))
        for bad in [Array(answer.dropLast()), answer + [0], body, [], Array("{\"ok\":true}\n".utf8)] {
            #expect(throws: HelperResultFault.self) { try HelperAnswer.read(bad, longest: 3) }
        }
        #expect(throws: HelperResultFault.self) { try HelperAnswer.read(answer, longest: 2) }
        let fault = DocumentFault(.damaged, "a\nb" + String(repeating: "c", count: 1000))
        #expect(fault.reason.count == 500 && fault.reason.hasPrefix("a bc"))
        let refusal = HelperAnswer.refusal(fault).line
        #expect(try HelperAnswer.read(refusal, longest: 0) == .failure(fault))
        #expect(throws: HelperResultFault.self) { try HelperAnswer.read(refusal + [0], longest: 9) }
        let other = Array(#"{"error":"other","reason":"x"}"#.utf8) + [10]
        #expect(throws: HelperResultFault.self) { try HelperAnswer.read(other, longest: 9) }
    }

    @Test("A picture has exactly the size that was asked for")
    func pictures() throws {
        let size = PixelSize(width: 2, height: 1)
        let file = Array("P6\n2 1\n255\n".utf8) + [1, 2, 3, 4, 5, 6]
        let picture = try PagePicture(file: file, size: size)
        #expect(Array(file[picture.pixelOffset...]) == [1, 2, 3, 4, 5, 6])
        #expect(PagePicture.byteCount(of: size) == file.count)
        for bad in [
            Array(file.dropLast()), file + [0], Array("P6\n1 2\n255\n".utf8) + [1, 2, 3, 4, 5, 6],
            Array("P6 2 1 255\n".utf8) + [1, 2, 3, 4, 5, 6], Array("P5\n2 1\n255\n".utf8) + [1, 2, 3, 4, 5, 6], [],
        ] {
            #expect(throws: HelperResultFault.self) { try PagePicture(file: bad, size: size) }
        }
    }

    @Test("Facts are read as they were written; others are refused")
    func facts() throws {
        let rectangle = DocumentRectangle(minX: 1, minY: 2, maxX: 3, maxY: 4)
        let field = Field(name: "a", kind: .check, page: 1, rectangle: rectangle, choice: "On")
        let facts = DocumentFacts(
            pages: [.init(width: 595.28, height: 841.89)], fields: [field], warnings: [.layers], missingFonts: ["A"])
        #expect(try DocumentFacts(json: #require(facts.json())) == facts)
        var changes: [DocumentFacts] = []
        func change(_ change: (inout DocumentFacts) -> Void) {
            var other = facts
            change(&other)
            changes.append(other)
        }
        change { $0.pages = [] }
        change { $0.pages = .init(repeating: .init(width: 1, height: 1), count: 501) }
        change { $0.pages[0].width = 0 }
        change { $0.pages[0].height = 20_000 }
        change { $0.fields[0].page = 2 }
        change { $0.fields[0].page = 0 }
        change { $0.fields[0].page = .min }
        change { $0.fields[0].page = .max }
        change { $0.pages[0].width = 1e-300 }
        change { $0.pages[0].height = 0.99 }
        change { $0.pages[0].height = .nan }
        change { $0.fields[0].rectangle = .init(minX: 0, minY: 0, maxX: 1e-300, maxY: 9) }
        change { $0.fields[0].rectangle.maxX = 1 }
        change { $0.fields[0].rectangle.minX = -1e9 }
        change { $0.fields[0].name = "" }
        change { $0.fields[0].name = String(repeating: "a", count: 1025) }
        change { $0.fields[0].choice = nil }
        change { $0.fields[0].choice = String(repeating: "a", count: 1025) }
        change { $0.fields[0].kind = .initials }
        change { $0.fields = .init(repeating: field, count: 1001) }
        change { $0.names = .init(repeating: "a", count: 10_001) }
        change { $0.names = [String(repeating: "a", count: 1025)] }
        change { $0.warnings = [.layers, .layers] }
        change { $0.missingFonts = .init(repeating: "a", count: 101) }
        for other in changes { #expect(other.json() == nil) }
        for text in ["", "{}", #"{"pages":[{"width":1e400,"height":1}],"fields":[],"warnings":[],"missingFonts":[]}"#] {
            #expect(throws: HelperResultFault.self) { try DocumentFacts(json: Array(text.utf8)) }
        }
        let hits = [DocumentHit(page: 2, rectangle: rectangle)]
        #expect(try DocumentHits(json: DocumentHits(hits).json) == DocumentHits(hits))
        #expect(try DocumentHits(json: DocumentHits(near: ["Sign here"]).json).near == ["Sign here"])
        for list in ["[[0,1,2,3,4]]", "[[1.5,1,2,3,4]]", "[[1,1,2,1,4]]", "[[1,2,3,4]]", "[1]", "{}"] {
            let text = #"{"hits":\#(list),"near":[]}"#
            #expect(throws: HelperResultFault.self) { try DocumentHits(json: Array(text.utf8)) }
        }
        let many = DocumentHits(near: .init(repeating: "a", count: 9)).json
        #expect(throws: HelperResultFault.self) { try DocumentHits(json: many) }
    }
}
