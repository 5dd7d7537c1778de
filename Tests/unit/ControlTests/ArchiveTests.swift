// SPDX-License-Identifier: Apache-2.0
import CaptureFixtures
import ControlFixtures
import Evidence
import Formats
import FoundationEssentials
import Geometry
import Glibc
import HostAPI
import Linux
import Pad
import Record
import Store
import TestSupport
import Testing

@testable import Control

/// Calls that the store serves, through the client.
@Suite("The archive")
struct ArchiveTests {
    /// A reply for JSONEncoder.
    private struct PlainReply: Codable {
        struct File: Codable {
            var mediaType: String
            var text: String?
        }

        var parameters: File
    }

    @Test("the message of a file has the same bytes as JSONEncoder's", arguments: Breadth.seeds(8, long: 40))
    func message(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let count = seed == 0 ? 0 : seed == 1 ? 300_000 : Int.random(in: 1...4000, using: &random)
        let texts = (0..<count).map { _ in
            seed % 2 == 0
                ? UInt32.random(in: 0...0x7F, using: &random) : UInt32.random(in: 0...0x1_FFFF, using: &random)
        }
        let text = String(String.UnicodeScalarView(texts.compactMap(Unicode.Scalar.init)))
        let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        func plain(_ file: PlainReply.File) throws -> [UInt8] {
            Array(try encoder.encode(PlainReply(parameters: file))) + [0]
        }
        #expect(
            try ReplyEncoder.message(Array(text.utf8), format: .svg)
                == plain(.init(mediaType: "image/svg+xml", text: text)))
        // The media type comes before the file, also where it is not first in the alphabet.
        let picture =
            #"{"parameters":{"mediaType":"image/png","base64":""# + Data(bytes).base64EncodedString() + #""}}"#
        #expect(ReplyEncoder.message(bytes, format: .png) == Array(picture.utf8) + [0])
        #expect(
            try ReplyEncoder.message(bytes, format: .record)
                == plain(.init(mediaType: "application/jsonl", text: String(decoding: bytes, as: UTF8.self))))
    }

    @Test("a record can be fetched in every format, and deleted")
    func formats() throws {
        let panel = try TestPanel()
        var client = try PanelClient(path: panel.path)
        let rows = [CaptureRequest.Row(label: "Betrag", value: "12,00 €")]
        let request = CaptureRequest(prompt: ["Bitte"], rows: rows, reason: "accept")
        let call = CaptureCall(request: request, follows: true)
        var strokes: [HostStroke] = []
        let outcome = try client.capture(call) { if let stroke = $0.stroke { strokes.append(stroke) } }
        #expect(outcome.outcome == .accepted)
        let (record, file) = try panel.store.read(outcome.id)
        #expect(strokes.count == 2 && strokes == record.visibleStrokes.map { HostStroke($0, of: record.header) })
        for format in ExportFormat.allCases where format == .record || !format.isStored {
            let choice = ExportChoice(format: format)
            #expect(
                try client.file(of: outcome.id, as: choice)
                    == (format == .record ? file : RecordExport().bytes(of: record, as: choice)), "\(format)")
        }
        #expect(try client.file(of: outcome.id, as: ExportChoice(format: .record)) == file)
        #expect(try client.metadata(of: outcome.id) == RecordMetadata(record, byteCount: file.count))
        let list = try client.list()
        #expect(list.captures.map(\.id) == [outcome.id] && list.unreadable.isEmpty)
        #expect(list.captures.map(\.rows) == [rows])
        let status = try client.status()
        #expect(status.store.captures == 1 && status.store.freeBytes > 0 && status.page == .idle)
        try client.delete(outcome.id)
        let error = thrown { try client.delete(outcome.id) }
        #expect(error == .refused(.noSuchCapture(outcome.id.description)))
        #expect(try client.list().captures.isEmpty)
    }

    @Test("a record that was not accepted is exported only with includesInterrupted, and never as ISO 19794-7")
    func interrupted() throws {
        let panel = try TestPanel()
        var client = try PanelClient(path: panel.path)
        let outcome = try client.capture(CaptureCall(request: CaptureRequest(reason: "accept"), follows: true)) { _ in }
        var (record, _) = try panel.store.read(outcome.id)
        record.end = nil
        let file = try CaptureEncoder.encode(record)
        try AtomicFile.write(file, to: panel.directory.path + "/store/captures/\(outcome.id).jsonl")
        #expect(try client.metadata(of: outcome.id).summary.outcome.result == .interrupted)
        for format in ExportFormat.allCases where format == .record || !format.isStored {
            var choice = ExportChoice(format: format)
            let error = thrown { try client.file(of: outcome.id, as: choice) }
            if format == .record {
                #expect(error == nil)
            } else if case .refused(.notExportable(let reason))? = error {
                #expect(reason.contains("--interrupted") && reason.contains("(interrupted)"), "\(format)")
            } else {
                Issue.record("\(format): \(String(describing: error))")
            }
            choice.includesInterrupted = true
            if format == .iso19794 {
                let error = thrown { try client.file(of: outcome.id, as: choice) }
                #expect(error.map { "\($0)" }?.contains("the format cannot say so") == true)
            } else {
                #expect(
                    try client.file(of: outcome.id, as: choice)
                        == (format == .record ? file : RecordExport().bytes(of: record, as: choice)), "\(format)")
            }
        }
    }

    @Test(
        "hosts get seals, encrypted records and the places of all of them in the chain; others of a store without them")
    func sealed() throws {
        let directory = try TemporaryDirectory(below: "/dev/shm")
        let (key, identity) = (try SigningKey.generate(), try AgeIdentity.generate())
        let chain = SealChain(
            of: directory.path + "/store", isRequired: true,
            witness: SealChain.Witness(program: "test", boot: nil) {
                (5, Seal.Clock(synchronized: true, maximumError: 1))
            },
            key: { _ in key })
        let encryption = CaptureStore.Encryption(
            recipients: [identity.recipient], journals: directory.path + "/memory", readableFor: .zero)
        let store = CaptureStore(path: directory.path + "/store", chain: chain, encryption: encryption)
        try store.checkReady()
        var source = RandomCapture(seed: 1)
        let record = source.record(.accepted)
        var writer = try JournalWriter(record.header, in: store)
        let head = try #require(try writer.finish(record.end!))
        let worker = ArchiveWorker(store: store, export: RecordExport(), verifier: nil)
        func answer(_ call: ArchiveCall, _ reach: CaptureReach = .all) -> String {
            String(decoding: worker.reply(to: .call(call, reach)).message, as: UTF8.self)
        }
        func get(_ format: ExportFormat) -> String { answer(.get(writer.id, ExportChoice(format: format))) }
        let file = try #require(try store.seal(of: writer.id))
        #expect(get(.seal).contains(file.seal.record!) && get(.seal).contains("application/json"))
        #expect(get(.sealSignature).contains("BEGIN SSH SIGNATURE"))
        #expect(
            get(.encrypted).contains(Data(try #require(try store.encryptedFile(of: writer.id))).base64EncodedString()))
        for format in ExportFormat.allCases where format == .record || !format.isStored {
            #expect(get(format).contains(#""error":"org.inkpanel.Panel.Encrypted""#), "\(format)")
        }
        // The archive has the encrypted file, and says what is not in it.
        let files = try entries(worker.evidence(of: writer.id, ExportChoice(format: .evidence)))
        #expect(
            files.map(\.name) == [
                "\(writer.id).jsonl.age", "\(writer.id).seal", "\(writer.id).seal.sig", "allowed_signers", "README.txt",
            ])
        #expect(try files[0].bytes == store.encryptedFile(of: writer.id))
        #expect(files[1].bytes == file.line && files[2].bytes == file.signatures[0])
        let signers = try AllowedSigners(files[3].bytes)
        #expect(signers.signers(of: key.publicKey, namespace: Seal.namespace, principal: "panel").count == 1)
        let readme = String(decoding: files[4].bytes, as: UTF8.self)
        #expect(readme.contains("the readable record and pictures of its ink, as it is encrypted"))
        let list = answer(.list)
        #expect(list.contains(#""encrypted":true"#) && list.contains(#""prompt":[]"#))
        #expect(list.contains(#""seal":{"digest":"\#(head.digest)","n":1}"#))
        #expect(answer(.delete(writer.id)).contains(#""parameters":{}"#))
        #expect(chain.head?.n == 2)
        // Its seal stays, but it is the seal of no record.
        #expect(get(.seal).contains(file.seal.record!))

        let plain = try TestPanel()
        var client = try PanelClient(path: plain.path)
        let outcome = try client.capture(CaptureCall(request: CaptureRequest(reason: "accept"), follows: true)) { _ in }
        #expect(outcome.seal == nil)
        let picture = try client.file(of: outcome.id, as: ExportChoice(format: .png))
        let plainFiles = try entries(client.file(of: outcome.id, as: ExportChoice(format: .evidence)))
        #expect(plainFiles[1].name == "signature.png" && plainFiles[1].bytes == picture)
        for format in [ExportFormat.encrypted, .seal, .sealSignature, .pdf, .encryptedPDF] {
            let error = thrown { try client.file(of: outcome.id, as: ExportChoice(format: format)) }
            guard case .refused(.notExportable)? = error else {
                Issue.record("\(format): \(String(describing: error))")
                continue
            }
        }
    }

    @Test("of a capture with several pages hosts get each field, what was read and answered, and the signed document")
    func flow() throws {
        let spool = try Spool()
        var source = RandomCapture(seed: 1)
        var record = source.flowRecord(hasDocument: true)
        for _ in 1...100 where record.fields.count < 2 || record.answers.isEmpty {
            record = source.flowRecord(hasDocument: true)
        }
        var writer = try JournalWriter(record.header, in: spool.store)
        for entry in record.entries { try writer.append(entry) }
        let document = Array("%PDF-1.7 signed".utf8)
        try writer.finish(try #require(record.end)) { (_) throws(StoreError) in document }
        let id = writer.id
        let worker = ArchiveWorker(store: spool.store, export: RecordExport())
        func answer(_ call: GetCall) throws -> String {
            let (id, choice) = try call.checked()
            return String(decoding: worker.reply(to: .call(.get(id, choice), .all)).message, as: UTF8.self)
        }
        let metadata = try answer(GetCall(id, nil))
        for member in ["fields", "answers", "reading", #"signedByteCount":15"#] { #expect(metadata.contains(member)) }
        let pdf = try answer(GetCall(id, .pdf))
        #expect(pdf.contains(Data(document).base64EncodedString()) && pdf.contains("application/pdf"))
        #expect(try answer(GetCall(id, .encryptedPDF)).contains("NotExportable"))
        var call = GetCall(id, .csv)
        call.field = "none"
        #expect(try answer(call).contains("the record has no ink in a field none, but in \(record.fields[0].name)"))
        call.format = "record"
        let error = thrownError { try call.checked() } as? PanelError
        #expect(error == .invalidParameter("field", expected: "a format that has ink alone"))
        var large = worker
        large.exportByteCount = document.count - 1
        let refused = large.reply(to: .call(.get(id, ExportChoice(format: .pdf)), .all)).message
        #expect(String(decoding: refused, as: UTF8.self).contains("GetDocument"))
    }

    @Test("an archive of evidence has the files that the other formats are, and the page that checks them")
    func evidence() throws {
        let spool = try Spool()
        var source = RandomCapture(seed: 1)
        func picture(of field: FieldInk, in record: CaptureRecord) -> [UInt8]? {
            var choice = ExportChoice(format: .png)
            choice.field = field.name
            return try? RecordExport().bytes(of: record, as: choice)
        }
        var record = source.flowRecord(hasDocument: true)
        for _ in 1...100 where record.fields.count < 2 { record = source.flowRecord(hasDocument: true) }
        let inks = record.fields.filter { $0.same == nil }
        // Random ink may lie outside of its page.
        let drawn = inks.indices.prefix(20).filter { picture(of: inks[$0], in: record) != nil }
        var writer = try JournalWriter(record.header, in: spool.store)
        for entry in record.entries { try writer.append(entry) }
        let document = Array("%PDF-1.7 signed".utf8)
        try writer.finish(try #require(record.end)) { (_) throws(StoreError) in document }
        let id = writer.id
        let page = spool.path + "/verify.html"
        try AtomicFile.write(Array("<!doctype html>".utf8), to: page)
        var worker = ArchiveWorker(store: spool.store, export: RecordExport(), verifier: page)
        let bytes = try worker.evidence(of: id, ExportChoice(format: .evidence))
        #expect(try bytes == worker.evidence(of: id, ExportChoice(format: .evidence)))
        let reply = worker.reply(to: .call(.get(id, ExportChoice(format: .evidence)), .all)).message
        #expect(reply == ReplyEncoder.message(bytes, format: .evidence))
        let files = try entries(bytes)
        let pictures = drawn.map { $0 == 0 ? "signature.png" : "signature-\($0 + 1).png" }
        #expect(
            files.map(\.name) == ["\(id).jsonl", "\(id).pdf"] + pictures + ["verify.html", "README.txt"])
        #expect(try files[0].bytes == spool.store.read(id).file && files[1].bytes == document)
        for (index, file) in zip(drawn, files.dropFirst(2)) {
            #expect(file.bytes == picture(of: inks[index], in: record), "\(file.name)")
        }
        let readme = String(decoding: files[files.count - 1].bytes, as: UTF8.self)
        #expect(readme.contains("Open verify.html in a browser") && readme.contains("a seal: the panel had no key"))
        // A host gets its archive without the page, too, and the log says what to do.
        worker.verifier = spool.path + "/missing.html"
        var archive = EvidenceArchive(of: id, date: ZIPArchive.Date(microseconds: 0), capacity: 0)
        let reason = archive.addVerifier(at: worker.verifier)
        #expect(reason?.contains("missing.html") == true && reason?.contains("make build") == true)
        let without = try entries(worker.evidence(of: id, ExportChoice(format: .evidence)))
        #expect(without.map(\.name) == files.map(\.name).filter { $0 != "verify.html" })
        // The document is left out before the whole becomes too large.
        worker.exportByteCount = files[0].bytes.count + document.count
        let small = try entries(worker.evidence(of: id, ExportChoice(format: .evidence)))
        let text = String(decoding: small[small.count - 1].bytes, as: UTF8.self)
        #expect(small[1].name == (pictures + ["README.txt"])[0] && text.contains("too large; get it as pdf"))
        worker.exportByteCount = files[0].bytes.count - 1
        let error = thrownError { try worker.evidence(of: id, ExportChoice(format: .evidence)) }
        guard case .notExportable? = error as? PanelError else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    /// The entries of an archive that ``ZIPArchive`` wrote.
    private func entries(_ bytes: [UInt8]) throws -> [(name: String, bytes: [UInt8])] {
        func number(_ offset: Int) -> Int { (0..<4).reversed().reduce(0) { $0 << 8 | Int(bytes[offset + $1]) } }
        var entries: [(name: String, bytes: [UInt8])] = []
        var start = 0
        while number(start) == 0x0403_4b50 {
            let name = start + 30 + number(start + 26)
            let end = name + number(start + 18)
            entries.append((String(decoding: bytes[(start + 30)..<name], as: UTF8.self), Array(bytes[name..<end])))
            start = end
        }
        return entries
    }

    @Test("a record above exportByteCount can only be fetched as it is")
    func tooLarge() throws {
        let panel = try TestPanel()
        var client = try PanelClient(path: panel.path)
        let outcome = try client.capture(CaptureCall(request: CaptureRequest(reason: "accept"), follows: true)) { _ in }
        let file = try panel.store.read(outcome.id).file
        var worker = ArchiveWorker(store: panel.store, export: RecordExport())
        worker.exportByteCount = file.count - 1
        func answer(_ format: ExportFormat) -> String {
            let job = Archive.Job.call(.get(outcome.id, ExportChoice(format: format)), .all)
            return String(decoding: worker.reply(to: job).message, as: UTF8.self)
        }
        #expect(answer(.record).contains("application/jsonl"))
        for format in ExportFormat.allCases where !format.isStored {
            let reply = answer(format)
            #expect(reply.contains("NotExportable") && reply.contains("\(file.count) bytes"), "\(format)")
        }
        worker.exportByteCount = file.count
        #expect(answer(.png).contains("image/png"))
    }

    @Test("an SVG above the limit is NotExportable, with the limit in the reason")
    func svgTooLarge() throws {
        let panel = try TestPanel()
        var client = try PanelClient(path: panel.path)
        let outcome = try client.capture(CaptureCall(request: CaptureRequest(reason: "accept"), follows: true)) { _ in }
        let worker = ArchiveWorker(store: panel.store, export: RecordExport(svgByteLimit: 1000))
        let job = Archive.Job.call(.get(outcome.id, ExportChoice(format: .svg)), .all)
        let answer = String(decoding: worker.reply(to: job).message, as: UTF8.self)
        #expect(answer.contains("NotExportable") && answer.contains("1000 bytes"))
    }

    @Test("an SVG of too many samples is NotExportable before anything is drawn; a PNG of them is made")
    func svgSamples() throws {
        let panel = try TestPanel()
        var client = try PanelClient(path: panel.path)
        let outcome = try client.capture(CaptureCall(request: CaptureRequest(reason: "accept"), follows: true)) { _ in }
        let worker = ArchiveWorker(store: panel.store, export: RecordExport(svgSampleLimit: 1))
        func answer(_ format: ExportFormat) -> String {
            let job = Archive.Job.call(.get(outcome.id, ExportChoice(format: format)), .all)
            return String(decoding: worker.reply(to: job).message, as: UTF8.self)
        }
        #expect(answer(.svg).contains("NotExportable") && answer(.svg).contains("draws at most 1:"))
        #expect(answer(.png).contains("image/png"))
    }

    @Test("a damaged record is reported, and others are listed")
    func damaged() throws {
        let panel = try TestPanel()
        try AtomicFile.write(Array("no record\n".utf8), to: panel.directory.path + "/store/captures/a-1.jsonl")
        var client = try PanelClient(path: panel.path)
        let id = try #require(CaptureID("a-1"))
        let error = thrown { try client.metadata(of: id) }
        guard case .refused(.unreadableCapture(id, _))? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(try client.list().unreadable.count == 1)
        try client.delete(id)
        #expect(try client.list().unreadable.isEmpty)
    }

    @Test("a picture that is too large for the memory is refused")
    func largePicture() throws {
        let panel = try TestPanel()
        var client = try PanelClient(path: panel.path)
        let outcome = try client.capture(CaptureCall(request: CaptureRequest(reason: "accept"), follows: true)) { _ in }
        var choice = ExportChoice(format: .png)
        choice.picture.resolution = .size(.init(width: 8000, height: 8000))
        let error = thrown { try client.file(of: outcome.id, as: choice) }
        guard case .refused(.notExportable)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        choice.picture = PictureChoice(hasCaption: true)
        let caption = thrown { try client.file(of: outcome.id, as: choice) }
        guard case .refused(.notExportable(let reason))? = caption else {
            Issue.record("\(String(describing: caption))")
            return
        }
        #expect(reason.contains("caption"))
    }

    /// The order of replies when all jobs were submitted before the thread starts.
    private func order(
        _ panel: TestPanel, _ painter: TestPainter, _ asking: [(user: uid_t, call: ArchiveCall)], count: Int,
        held: Set<uid_t> = []
    ) throws -> [UInt64] {
        let archive = try Archive(
            ArchiveWorker(store: panel.store, export: RecordExport(captions: painter.png), largeBytes: 1 << 30))
        archive.hold(held)
        for (index, (user, call)) in asking.enumerated() {
            archive.submit(CallID(UInt64(index)), .call(call, .all), of: user)
        }
        let poll = try EventPoll()
        try poll.add(archive.descriptor, token: 0)
        let thread = try Linux.Thread(name: "test") { archive.run() }
        var order: [UInt64] = []
        while order.count < count, (try? poll.wait(until: MonotonicClock.now + .milliseconds(30_000)))?.isEmpty == false
        {
            order += archive.receiveReplies().map(\.call.number)
            archive.hold(held)
        }
        archive.finish()
        thread.join()
        return order
    }

    @Test("users take turns, and only exports wait for users with unread replies")
    func turns() throws {
        let painter = try TestPainter()
        let panel = try TestPanel(painter: painter)
        _ = try panel.callForFile()
        let id = try #require(try panel.store.list().captures.first?.id)
        let file = ArchiveCall.get(
            id, ExportChoice(format: .png, picture: PictureChoice(hasCaption: true)))
        #expect(
            try order(panel, painter, [(7, file), (7, file), (7, .list), (8, .list), (9, file), (8, file)], count: 6)
                == [0, 3, 4, 1, 5, 2])
        #expect(
            try order(panel, painter, [(7, file), (7, .list), (8, file), (7, .get(id, nil))], count: 3, held: [7])
                == [1, 2, 3])
    }

    private func thrown<Result>(_ body: () throws -> Result) -> PanelClientError? {
        thrownError(by: body) as? PanelClientError
    }
}
