// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import CaptureFixtures
import Control
import Evidence
import Formats
import FoundationEssentials
import Geometry
import Glibc
import HostAPI
import Linux
import Pad
import Pages
import Record
import TestSupport
import Testing

@testable import Panel
@testable import inkpanel

@Suite("Commands for a running panel")
struct CaptureCommandTests {
    @Test("the digest of a document is right for any size")
    func digest() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/document"
        // FIPS 180-2, appendix B: "abc", and a million times "a", which takes more than one read.
        for (bytes, digest) in [
            (Array("abc".utf8), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                [UInt8](repeating: UInt8(ascii: "a"), count: 1_000_000),
                "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
            ),
            ([], "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ] {
            try AtomicFile.write(bytes, to: path)
            #expect(try SHA256Digest(ofFile: path).description == digest)
        }
        let error = try #require(thrownError { try SHA256Digest(ofFile: directory.path) })
        #expect(CommandError(error).status == EX_NOINPUT)
        #expect(DocumentFile.reference(to: "/a/b.pdf") == "b.pdf")
        #expect(DocumentFile.reference(to: "b.pdf") == "b.pdf")
    }

    @Test("every outcome of a capture has its exit status")
    func endings() throws {
        func status(_ outcome: CaptureOutcome) -> Int32? {
            (thrownError { try CaptureEnding.check(outcome) } as? CommandError)?.status
        }
        #expect(status(.accepted) == nil)
        #expect(status(.declined(reason: nil)) == 12 && status(.declined(reason: "too dear")) == 12)
        #expect(status(.cancelled(by: .person)) == 10)
        #expect(status(.cancelled(by: .host)) == 10)
        #expect(status(.timedOut(.inactivity)) == 11)
        #expect(status(.timedOut(.total)) == 11)
        #expect(status(.failed(reason: "full")) == EX_IOERR)
    }

    @Test("the error for an unwritable file mentions the stored signature only if there is one")
    func withoutFile() throws {
        let id = try #require(CaptureID("a-1"))
        let full = CaptureEnding.withoutFile(id, CommandError.cannotWrite("/x", .noSpace))
        #expect(full.status == EX_CANTCREAT && full.message.hasSuffix("the signature is stored: inkpanel export a-1"))
        let wide = CaptureEnding.withoutFile(id, PanelClientError.refused(.notExportable(reason: "no pressure")))
        #expect(wide.status == EX_CANTCREAT && wide.message.contains("no pressure; the signature is stored"))
        let confirmed = CaptureEnding.withoutFile(
            id, PanelClientError.refused(.notExportable(reason: "no ink")), isSignature: false)
        #expect(confirmed.message.hasSuffix("no ink; the record is stored: inkpanel show a-1"))
        for error in [PanelError.noSuchCapture("a-1"), .unreadableCapture(id, reason: "cut")] {
            let gone = CaptureEnding.withoutFile(id, PanelClientError.refused(error))
            #expect(gone.status == EX_IOERR && !gone.message.contains("is stored"))
        }
    }

    @Test("an ID is a stored capture, anything else a file")
    func sources() throws {
        let id = try #require(CaptureID("20260314-150926-0f1e2d3c4b5a6978"))
        #expect(CaptureSource(argument: id.description) == .stored(id))
        #expect(CaptureSource(argument: "kept.jsonl") == .file(path: "kept.jsonl"))
        #expect(CaptureSource(argument: "./20260314") == .file(path: "./20260314"))
        #expect(CaptureSource(argument: "") == nil)
    }

    @Test("the format comes from --format or the file name extension")
    func choices() throws {
        func choice(_ words: [String], _ output: String?) throws -> ExportChoice {
            try ExportOptions.parse(words).choice(for: output)
        }
        #expect(try choice([], "a.svg").format == .svg)
        #expect(try choice([], "a.JSON").format == .signaturePad)
        #expect(try choice([], "dir.csv/a").format == .png)
        #expect(try choice([], "-").format == .png)
        #expect(try choice(["--format", "iso19794"], "a.svg").format == .iso19794)
        #expect(try choice([], "a.png").picture == PictureChoice())
        let sized = try choice(["--size", "300x100", "--part", "signing-area", "--transparent"], "a.png").picture
        #expect(
            sized
                == PictureChoice(
                    part: .signingArea, resolution: .size(PixelSize(width: 300, height: 100)), isTransparent: true))
        for (words, output) in [
            (["--dpi", "300"], "a.csv"), (["--transparent"], "a.jsonl"), (["--caption"], "a.svg"),
        ] {
            let error = thrownError { try choice(words, output) }
            #expect(error is ValidationError, "\(words)")
        }
    }

    @Test("data is KEY=VALUE, without duplicate keys")
    func data() throws {
        let entries = ["order=4711", "a=b=c", "empty="].compactMap { DataEntry(argument: $0) }
        #expect(entries.map(\.key) == ["order", "a", "empty"] && entries.map(\.value) == ["4711", "b=c", ""])
        #expect(DataEntry(argument: "=x") == nil && DataEntry(argument: "order") == nil)
        #expect(throws: Never.self) { try CaptureCommand.parse(["--prompt", "x", "--data", "a=1", "--data", "b=1"]) }
        let error = thrownError { try CaptureCommand.parse(["--prompt", "x", "--data", "a=1", "--data", "a=2"]) }
        #expect(error.map { CaptureCommand.message(for: $0) } == "--data has a twice")
    }

    @Test("letters are those of the call, from 1 to 20 mm")
    func letters() throws {
        #expect(try CaptureCommand.parse(["--prompt", "x", "--letters", "4.9"]).makeCall().letters == 4.9)
        #expect(try CaptureCommand.parse(["--prompt", "x"]).makeCall().letters == nil)
        for wrong in ["0.9", "20.1", "nan", "inf", "large"] {
            #expect(throws: (any Error).self) { try CaptureCommand.parse(["--prompt", "x", "--letters", wrong]) }
        }
    }

    @Test("rows are LABEL=VALUE: the first = separates, and labels may repeat")
    func rows() throws {
        let words = ["--row", "Amount=12,00 €", "--row", "a=b=c", "--row", "a="]
        let command = try CaptureCommand.parse(words)
        let expected = [
            CaptureRequest.Row(label: "Amount", value: "12,00 €"), .init(label: "a", value: "b=c"),
            .init(label: "a", value: ""),
        ]
        #expect(command.row == expected)
        #expect(try command.makeCall().request == CaptureRequest(rows: expected))
        #expect(try CaptureCommand.parse(["--prompt", "x"]).makeCall().request.rows == nil)
        for wrong in ["Amount", "=12", ""] { #expect(CaptureRequest.Row(argument: wrong) == nil, "\(wrong)") }
    }

    @Test("show, list and captions have the rows")
    func shownRows() throws {
        var record = CaptureRecord.pad()
        record.header.request.prompt = ["Bitte"]
        record.header.request.rows = [.init(label: "Betrag", value: "12,00 €"), .init(label: "Nr.", value: "47\u{1B}")]
        let lines = CaptureSheet(RecordMetadata(record, byteCount: 1)).text.split(separator: "\n")
        let first = try #require(lines.firstIndex { $0.hasPrefix("prompt") })
        #expect(
            lines[first..<first + 3] == [
                "prompt       Bitte", "row          Betrag: 12,00 €", "row          Nr.: 47\u{FFFD}",
            ])
        let caption = RecordCaptions().caption(of: record)
        #expect(caption.prompt == ["Bitte", "Betrag: 12,00 €", "Nr.: 47\u{1B}"])
        #expect(caption.signer != nil && caption.notice == nil)
        // The table has one text for each capture.
        record.header.request.reason = nil
        record.header.request.document = nil
        record.header.request.prompt = []
        let table = CaptureTable([RecordMetadata(record, byteCount: 1).summary]).text
        #expect(table.hasSuffix("  Betrag: 12,00 €\n"))
        // Rows alone are a prompt that is not shown.
        record.header.shows = ShownFields(prompt: false)
        #expect(CaptureSheet(RecordMetadata(record, byteCount: 1)).text.contains("not shown    prompt\n"))
    }

    @Test("progress is readable text")
    func progress() throws {
        let id = try #require(CaptureID("a-1"))
        func line(_ state: CaptureState, _ strokes: Int = 0) -> String {
            ProgressLines.line(CaptureReply(id: id, state: state, strokes: strokes))
        }
        #expect(line(.waiting) == "waiting for the panel to be free (a-1)")
        #expect(line(.signing) == "waiting for the signature (a-1)")
        #expect(line(.signing, 1) == "signing: 1 stroke")
        #expect(line(.signing, 2) == "signing: 2 strokes")
        #expect(
            line(.refused(.quick(.milliseconds(120), minimum: .milliseconds(300)))).hasSuffix(
                "drawn in 120 ms, 300 are required"))
        #expect(line(.refused(.straight(0.04, minimum: 1.5))).hasSuffix("0.0 mm broad, 1.5 are required"))
        #expect(line(.saving, 2) == "accepted; storing it")
    }

    @Test("control characters in a record do not reach a terminal")
    func printable() throws {
        #expect("Anna\u{1B}[2J\r\n\u{9B}1m\u{202E}x".printable == "Anna\u{FFFD}[2J\u{FFFD}\u{FFFD}\u{FFFD}1m\u{FFFD}x")
        #expect("وقّع هنا 签名 हस्ताक्षर 👩‍👩‍👧".printable == "وقّع هنا 签名 हस्ताक्षर 👩‍👩‍👧")
        var record = CaptureRecord.pad()
        record.header.request.signer = "\u{1B}]0;x\u{7}"
        record.header.request.data = ["\u{1B}k": "\u{1B}v"]
        record.header.panel = "\u{1B}p"
        let sheet = CaptureSheet(RecordMetadata(record, byteCount: 1)).text
        let table = CaptureTable([RecordMetadata(record, byteCount: 1).summary]).text
        for text in [sheet, table] {
            #expect(text.contains("]0;x") && !text.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" })
        }
        // CR and LF are one character, and two when they are shown.
        record.header.request.signer = "A\r\n\r\nB"
        let rows = CaptureTable([RecordMetadata(record, byteCount: 1).summary]).text.split(separator: "\n")
        #expect(rows.count == 2 && rows[1].contains("  A\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}B  "))
        // JSON escapes it without loss.
        record.header.request.signer = "\u{1B}[2J\u{9B}1m\u{202E}x\u{200F}\u{7F}é"
        let metadata = RecordMetadata(record, byteCount: 1)
        let json = try JSONText.encode(metadata)
        #expect(json.contains(#"[2J\u009B1m\u202Ex\u200F\u007Fé""#))
        #expect(!json.unicodeScalars.contains { $0.steersTerminal && $0 != "\n" })
        #expect(try JSONDecoder().decode(RecordMetadata.self, from: Data(json.utf8)) == metadata)
    }

    @Test("the date of a caption is that of the record, or the day in UTC if it has none")
    func date() {
        var record = CaptureRecord.pad()
        func row() -> String? {
            let lines = CaptureSheet(RecordMetadata(record, byteCount: 1)).text.split(separator: "\n")
            return lines.first { $0.hasPrefix("date") }.map(String.init)
        }
        #expect(record.header.shownDate == "2026-11-20 UTC" && row() == nil)
        record.header.date = .init(text: "21.11.2026", offsetSeconds: 3600, zone: "Europe/Berlin")
        #expect(record.header.shownDate == "21.11.2026")
        #expect(row() == "date         21.11.2026 (UTC+01:00, Europe/Berlin)")
        record.header.date = .init(text: "20.11.2026", offsetSeconds: -12_600)
        #expect(row() == "date         20.11.2026 (UTC-03:30)")
        record.header.date?.offsetSeconds = .min
        #expect(row()?.contains("UTC-") == true)
    }

    @Test("the devices are those of the visible strokes")
    func devices() {
        func stroke(_ device: Int) -> CaptureEntry {
            .stroke(CaptureStroke(pen: "ink", device: device, samples: [.init(microseconds: 0, x: 1, y: 1)]))
        }
        func names(_ entries: [CaptureEntry]) -> [String] {
            let record = CaptureRecord.pad(pen: CaptureRecord.pen(pressure: nil), entries: entries)
            return RecordMetadata(record, byteCount: 1).devices
        }
        #expect(names([]) == [] && names([stroke(1), stroke(1)]) == ["Test Pen"])
        #expect(names([stroke(1), .action(.undo, microseconds: 1)]) == [])
        #expect(names([stroke(1), stroke(0)]) == ["Test \"Pad\" <1> & Co", "Test Pen"])
    }

    @Test("show lists the fields that the page did not show")
    func notShown() {
        func row(_ shows: ShownFields?, reason: String? = "Lieferung") -> String? {
            var record = CaptureRecord.pad()
            record.header.shows = shows
            record.header.request.reason = reason
            let lines = CaptureSheet(RecordMetadata(record, byteCount: 1)).text.split(separator: "\n")
            return lines.first { $0.hasPrefix("not shown") }.map(String.init)
        }
        #expect(row(nil) == nil)
        #expect(row(ShownFields()) == nil)
        #expect(row(ShownFields(reason: false, date: false)) == "not shown    reason, date")
        #expect(row(ShownFields(reason: false), reason: nil) == nil)
    }
}
