// SPDX-License-Identifier: Apache-2.0
import CaptureFixtures
import Document
import Evidence
import Geometry
import Glibc
import HostAPI
import Linux
import PNG
import Pad
import Raster
import Record
import Store
import TestSupport
import Testing

@testable import Panel

@Suite("Documents that people read on the pad")
struct DocumentReaderTests {
    private let id = CaptureID("one")!
    private let store: SealedStore

    init() throws {
        signal(SIGPIPE, SIG_IGN)
        store = try SealedStore()
    }

    private func reader(_ helper: ScriptedHelper, _ change: (inout DocumentSettings) -> Void = { _ in })
        -> DocumentReader
    {
        var settings = DocumentSettings(helper: helper.helper)
        change(&settings)
        return DocumentReader(settings, key: DocumentKey(of: store.store))
    }

    private func step(
        _ bytes: [UInt8]?, fields: [RequestedField] = [], values: [String: String]? = nil,
        change: (inout ReadDocument) -> Void = { _ in }
    ) -> DocumentAction {
        var call = CaptureCall(request: CaptureRequest(prompt: ["Read"], signer: "Anna Müller"), documentBytes: bytes)
        var document = ReadDocument(id: "d1", fields: fields, values: values)
        change(&document)
        call.flow = CaptureFlow(document: document)
        return .open(id, call, date: "2026-11-27")
    }

    private static func place(_ kind: Field.Kind = .signature, page: Int = 1) -> RequestedField {
        let rectangle = DocumentRectangle(minX: 10, minY: 10, maxX: 90, maxY: 60)
        return RequestedField(kind: kind, place: .rectangle(page: page, rectangle))
    }

    private func opened(_ answer: DocumentAnswer?) throws -> OpenedDocument {
        guard case .opened(id, let document)? = answer else {
            Issue.record("\(String(describing: answer))")
            throw CancellationError()
        }
        return document
    }

    private func fault(_ answer: DocumentAnswer?) -> String? {
        guard case .refused(id, .documentRefused(let fault, let reason))? = answer, !reason.isEmpty else { return nil }
        return fault
    }

    @Test("A document has its fields and the version of the program that draws it")
    func open() throws {
        guard let helper = try ScriptedHelper() else { return }
        var reader = reader(helper)
        let document = try opened(reader.perform(step(try ScriptedHelper.form())))
        #expect(document.plan.fields.map(\.name) == ["Customer", "consent", "choice", "choice"])
        #expect(document.facts.pages == [.init(width: 1185, height: 735)])
        #expect(document.renderer.hasPrefix("poppler 2"))
        // As Debian's own list of packages has it.
        let isDebian = access("/usr/bin/dpkg-query", X_OK) == 0
        #expect(document.renderer.contains("(freetype ") == isDebian)
        #expect(try document.bytes == ScriptedHelper.form())
        let read = try opened(reader.perform(step(try ScriptedHelper.plain())))
        #expect(read.plan.fields.isEmpty && read.facts.pages.count == 2)
    }

    @Test("Pages and parts are drawn, and a whole page has the digest of its pixels")
    func draw() throws {
        guard let helper = try ScriptedHelper() else { return }
        var reader = reader(helper)
        let bytes = try ScriptedHelper.plain()
        _ = try opened(reader.perform(step(bytes)))
        let size = PixelSize(width: 400, height: 200)
        let whole = HelperRequest.Rendering(page: 1, size: size)
        guard case .drawn(id, whole, let page)? = reader.perform(.draw(id, whole)) else {
            Issue.record("not drawn")
            return
        }
        let picture = try helper.helper.render(whole, of: bytes)
        #expect(page.sha256 == SHA256Digest(of: Array(picture.file[picture.pixelOffset...])).description)
        #expect(page.pixels.surface.size == size && page.pixels.surface.row(0)[0] == Color.white.xrgb8888)
        var part = whole
        part.crop = PixelRect(minX: 10, minY: 20, maxX: 110, maxY: 80)
        guard case .drawn(id, part, let detail)? = reader.perform(.draw(id, part)) else {
            Issue.record("not drawn")
            return
        }
        #expect(detail.sha256 == nil && detail.pixels.surface.size == PixelSize(width: 100, height: 60))
        guard case .failed(id, _, _)? = reader.perform(.draw(id, .init(page: 3, size: size))) else {
            Issue.record("page 3 of 2 was drawn")
            return
        }
        _ = reader.perform(.close(id))
        // The pad ignores it: the capture has ended.
        let late = reader.perform(.draw(id, whole))
        #expect(late == .failed(id, reason: "the document is not open"))
    }

    @Test("What the host fills in is drawn")
    func values() throws {
        guard let helper = try ScriptedHelper() else { return }
        var reader = reader(helper)
        let rendering = HelperRequest.Rendering(page: 1, size: PixelSize(width: 595, height: 842))
        func digest(_ step: DocumentAction) throws -> String? {
            _ = try opened(reader.perform(step))
            guard case .drawn(_, _, let page)? = reader.perform(.draw(id, rendering)) else { return nil }
            return page.sha256
        }
        let (bytes, fields) = (ScriptedHelper.textForm(), [Self.place()])
        let empty = try digest(step(bytes, fields: fields))
        let filled = try digest(step(bytes, fields: fields, values: ["mail": "anna@example.org"]))
        #expect(empty != nil && filled != nil && empty != filled)
        // The place of a signature is not.
        #expect(try digest(step(bytes)) == empty)
    }

    @Test("A document is refused before anybody sees it, with the name of its fault")
    func refused() throws {
        guard let helper = try ScriptedHelper() else { return }
        var usual = reader(helper)
        let (form, plain) = (try ScriptedHelper.form(), try ScriptedHelper.plain())
        func fault(_ step: DocumentAction) -> String? { self.fault(usual.perform(step)) }
        #expect(fault(step(plain) { $0.strict = true }) == "javaScript")
        #expect(fault(step(Array(plain.dropLast(100)))) == "damaged")
        #expect(fault(step(plain, fields: [Self.place(page: 3)])) == "noPage")
        #expect(fault(step(plain, fields: [Self.place(.check)])) == "noSignature")
        #expect(fault(step(form, values: ["consent": "Perhaps"])) == "field")
        // No font has this character.
        let strange = step(plain, fields: [Self.place()]) { $0.caption = true }
        guard case .open(_, var call, let date) = strange else { return }
        call.request.signer = "\u{10FFFD}"
        #expect(fault(.open(id, call, date: date)) == "missingGlyphs")
        let none = usual.perform(step(nil))
        #expect(none == .refused(id, .noSuchDocument("d1")))
        var small = reader(helper) { ($0.mostPages, $0.refused) = (1, [.openAction]) }
        #expect(self.fault(small.perform(step(plain))) == "tooManyPages")
        var careful = reader(helper) { $0.refused = [.openAction] }
        #expect(self.fault(careful.perform(step(plain))) == "openAction")
        var short = reader(helper) { $0.mostBytes = 10 }
        #expect(self.fault(short.perform(step(plain))) == "tooLarge")
        var missing = helper.helper
        missing.program = "/nonexistent"
        var without = DocumentReader(DocumentSettings(helper: missing), key: DocumentKey(of: store.store))
        #expect(self.fault(without.perform(step(plain))) == "missingProgram")
    }

    @Test("All signatures are tried: one that would lock the next refuses the document")
    func locks() throws {
        guard let helper = try ScriptedHelper() else { return }
        var reader = reader(helper)
        let (chief, clerk) = (SignaturePlace.field(name: "chief"), SignaturePlace.field(name: "clerk"))
        let form = ScriptedHelper.lockingForm()
        func answer(_ places: [SignaturePlace], _ turns: [String] = []) -> DocumentAnswer? {
            var fields = places.map { RequestedField(place: $0) }
            for (index, role) in turns.enumerated() { fields[index].person = role }
            guard case .open(_, var call, let date) = step(form, fields: fields) else { return nil }
            call.flow.people = turns.sorted().map { CapturePerson(role: $0) }
            return reader.perform(.open(id, call, date: date))
        }
        #expect(fault(answer([chief, clerk])) == "field")
        #expect(try opened(answer([clerk, chief])).plan.fields.map(\.name) == ["clerk", "chief"])
        // Turns count before the order of the fields.
        #expect(fault(answer([clerk, chief], ["b", "a"])) == "field")
        #expect(try opened(answer([chief, clerk], ["b", "a"])).plan.fields.count == 2)
    }

    @Test("A panel without key or certificate refuses documents that are signed, and shows others")
    func key() throws {
        guard let helper = try ScriptedHelper() else { return }
        let (form, plain) = (try ScriptedHelper.form(), try ScriptedHelper.plain())
        let settings = DocumentSettings(helper: helper.helper)
        let unsealed = try Spool()
        var reader = DocumentReader(settings, key: DocumentKey(of: unsealed.store))
        #expect(fault(reader.perform(step(form))) == "noKey")
        _ = try opened(reader.perform(step(plain)))
        var own = self.reader(helper)
        try store.writeCertificate(of: SigningKey.generate())
        #expect(fault(own.perform(step(form))) == "noKey")
        try Directory.remove(DocumentKey.certificatePath(in: store.path))
        #expect(fault(own.perform(step(form))) == "noKey")
        _ = try opened(own.perform(step(plain)))
    }

    @Test("A helper that is killed once is asked again, and then the document cannot be drawn")
    func killed() throws {
        guard let helper = try ScriptedHelper() else { return }
        var reader = reader(helper)
        let form = try ScriptedHelper.form()
        try helper.die(after: 0, times: 1)
        let before = try opened(reader.perform(step(form)))
        for calls in 1...2 {
            try helper.die(after: calls, times: 1)
            #expect(try opened(reader.perform(step(form))).plan.fields == before.plan.fields)
        }
        let rendering = HelperRequest.Rendering(page: 1, size: PixelSize(width: 400, height: 248))
        try helper.die(after: 0, times: 1)
        guard case .drawn? = reader.perform(.draw(id, rendering)) else {
            Issue.record("not drawn")
            return
        }
        try helper.die(after: 0, times: 2)
        let calls = helper.calls
        guard case .failed(id, let reason, _)? = reader.perform(.draw(id, rendering)) else {
            Issue.record("drawn")
            return
        }
        #expect(!reason.isEmpty && helper.calls == calls + 2)
        try helper.die(after: 0, times: 2)
        #expect(fault(reader.perform(step(form))) == "failed")
    }

    @Test("The thread answers, drops what nobody waits for, and ends")
    func thread() throws {
        guard let helper = try ScriptedHelper() else { return }
        let link = try DocumentLink()
        try DocumentThread.start(DocumentSettings(helper: helper.helper), key: DocumentKey(of: store.store), link: link)
        defer { link.finish() }
        let poll = try EventPoll()
        try poll.add(link.descriptor, token: 0)
        func next() throws -> [DocumentAnswer] {
            _ = try poll.wait(until: MonotonicClock.now + .seconds(60))
            return link.receiveAnswers()
        }
        let pages = [1, 2].map { HelperRequest.Rendering(page: $0, size: PixelSize(width: 100, height: 100)) }
        link.send([step(try ScriptedHelper.plain())])
        for _ in 0..<50 { link.send(pages.map { .draw(id, $0) }) }
        var answers: [DocumentAnswer] = []
        while answers.count < 3 {
            let more = try next()
            if more.isEmpty { break }
            answers += more
        }
        _ = try opened(answers.first)
        let drawn = answers.dropFirst().compactMap { answer -> Int? in
            if case .drawn(_, let rendering, _) = answer { rendering.page } else { nil }
        }
        #expect(drawn == [1, 2])
    }

    @Test("A capture that ends while its document is opened, or a page drawn, ends the program at once")
    func closed() throws {
        guard let helper = try ScriptedHelper() else { return }
        let link = try DocumentLink()
        try DocumentThread.start(DocumentSettings(helper: helper.helper), key: DocumentKey(of: store.store), link: link)
        defer { link.finish() }
        let poll = try EventPoll()
        try poll.add(link.descriptor, token: 0)
        var answers: [DocumentAnswer] = []
        func next() throws -> DocumentAnswer? {
            let end = MonotonicClock.now + .seconds(60)
            while answers.isEmpty, MonotonicClock.now < end {
                _ = try poll.wait(until: end)
                answers += link.receiveAnswers()
            }
            return answers.isEmpty ? nil : answers.removeFirst()
        }
        let plain = try ScriptedHelper.plain()
        link.send([step(plain)])
        _ = try opened(try next())
        try helper.takeLong()
        let page = HelperRequest.Rendering(page: 1, size: PixelSize(width: 100, height: 100))
        for slow in [DocumentAction.draw(id, page), step(plain)] {
            let calls = helper.calls
            link.send([slow])
            while helper.calls == calls || !helper.runs { usleep(1000) }
            link.send([.close(id)])
            let answer = try next()
            #expect(!helper.runs)
            switch answer {
            case .failed, .refused: break
            default: Issue.record("\(String(describing: answer))")
            }
            // Another capture is not ended with it.
            if case .draw = slow { link.send([.open(id, CaptureCall(request: CaptureRequest(prompt: [])), date: "")]) }
            if case .draw = slow {
                let other = try next()
                guard case .refused? = other else {
                    Issue.record("\(String(describing: other))")
                    continue
                }
            }
        }
    }

    @Test("Pictures become the pages of a document, whose digest the record has beside theirs")
    func pictures() throws {
        guard let helper = try ScriptedHelper() else { return }
        let surface = PixelBuffer(size: PixelSize(width: 60, height: 90))
        surface.surface.fill(surface.surface.bounds, with: .white)
        let picture = try PNGEncoder.encode(surface.surface)
        var reader = reader(helper)
        let document = try opened(reader.perform(step(picture + picture, fields: [Self.place(page: 2)])))
        #expect(document.facts.pages.count == 2 && document.bytes.starts(with: "%PDF-".utf8))
        let made = try #require(document.madeOf)
        let digest = SHA256Digest(of: picture + picture).description
        #expect(made.pictures == RecordedOriginal(bytes: 2 * picture.count, sha256: digest))
        #expect(made.sha256 == "\(SHA256Digest(of: document.bytes))")
        #expect(fault(reader.perform(step(Array(picture.dropLast(20))))) == "picture")
    }

    @Test("A document is drawn anew if the host wants that, and the record has the digest of the one that it sent")
    func flattened() throws {
        guard let helper = try ScriptedHelper() else { return }
        let plain = try ScriptedHelper.plain()
        // poppler looks for the objects itself.
        let damaged = [UInt8](repeating: UInt8(ascii: "\n"), count: 9) + plain
        var reader = reader(helper)
        #expect(fault(reader.perform(step(damaged))) == "damaged")
        let answer = reader.perform(step(damaged, fields: [Self.place(page: 2)]) { $0.flatten = true })
        let document = try opened(answer)
        #expect(
            document.facts.pages.count == 2 && document.facts.warnings.isEmpty && document.facts.missingFonts.isEmpty)
        let made = try #require(document.madeOf)
        let original = RecordedOriginal(bytes: damaged.count, sha256: "\(SHA256Digest(of: damaged))")
        #expect(made.pictures == nil && made.flattened == original)
        #expect(made.sha256 == "\(SHA256Digest(of: document.bytes))" && document.bytes != damaged)
        // It has no form any more.
        let form = reader.perform(step(ScriptedHelper.textForm()) { $0.flatten = true })
        #expect(try opened(form).facts.fields.isEmpty)
        #expect(fault(reader.perform(step(Array(plain.dropLast(100))) { $0.flatten = true })) == "damaged")
    }

    @Test("Pictures that are drawn anew are in the record, and the document of them, too")
    func flattenedPictures() throws {
        guard let helper = try ScriptedHelper() else { return }
        let surface = PixelBuffer(size: PixelSize(width: 60, height: 90))
        surface.surface.fill(surface.surface.bounds, with: .white)
        let picture = try PNGEncoder.encode(surface.surface)
        var reader = reader(helper)
        let document = try opened(reader.perform(step(picture, fields: [Self.place()]) { $0.flatten = true }))
        let made = try #require(document.madeOf)
        let converted = try helper.helper.convert(picture)
        #expect(made.pictures == RecordedOriginal(bytes: picture.count, sha256: "\(SHA256Digest(of: picture))"))
        #expect(made.flattened == RecordedOriginal(bytes: converted.count, sha256: "\(SHA256Digest(of: converted))"))
        #expect(try document.bytes == helper.helper.flatten(converted))
    }
}
