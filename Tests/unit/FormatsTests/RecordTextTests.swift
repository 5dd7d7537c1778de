// SPDX-License-Identifier: Apache-2.0
import CaptureFixtures
import Geometry
import HostAPI
import Ink
import Raster
import Record
import TestSupport
import Testing

@testable import Formats

@Suite("Records as text")
struct RecordTextTests {
    private let pressure = CaptureDevice.Axis(minimum: 0, maximum: 1000, resolution: 0)
    private var entries: [CaptureEntry] {
        [
            .stroke([(1500, 2000, 3000, 250), (9500, 2010, 3001, 1200)]), .stroke([(20_000, 1000, 2000, nil)]),
            .stroke([(30_000, 1, 1, 1)]), .action(.undo, microseconds: 40_000),
        ]
    }

    @Test("CSV has a header and a row per sample, and lines end with CR LF")
    func csv() throws {
        let text = String(decoding: try CSVEncoder.encode(.pad(pressure: pressure, entries: entries)), as: UTF8.self)
        #expect(
            text == "stroke,time_us,x,y,pressure,x_mm,y_mm,pen,device,tip,distance,outcome\r\n"
                + "1,1500,2000,3000,250,20,30,ink,1,1,,accepted\r\n"
                + "1,9500,2010,3001,1200,20.1,30.01,ink,1,1,,accepted\r\n"
                + "2,20000,1000,2000,,10,20,ink,1,1,,accepted\r\n")
    }

    @Test("CSV has movement in the air between the strokes in rows with the distance")
    func csvInAir() throws {
        let entries: [CaptureEntry] = [
            .inAir([(1, 10, 10, nil)], device: 1), .stroke([(2, 100, 100, nil)]),
            .inAir([(3, 200, 400, 7), (4, 200, 400, nil)], device: 1), .stroke([(5, 0, 0, nil)]),
            .action(.undo, microseconds: 6), .inAir([(7, 0, 0, nil)]), .stroke([(8, 0, 0, nil)]),
            .inAir([(9, 0, 0, nil)]),
        ]
        let record = CaptureRecord.pad(pen: CaptureRecord.pen(pressure: nil), entries: entries)
        let text = String(decoding: try CSVEncoder.encode(record), as: UTF8.self)
        #expect(
            text.split(separator: "\r\n").dropFirst() == [
                "1,2,100,100,,1,1,ink,1,1,,accepted", "0,3,200,400,,2,1,,2,0,7,accepted",
                "0,4,200,400,,2,1,,2,0,,accepted", "0,7,0,0,,0,0,,1,0,,accepted", "2,8,0,0,,0,0,ink,1,1,,accepted",
            ])
        // Without visible strokes there is no movement between them.
        let none = CaptureRecord.pad(entries: [.inAir([(1, 1, 1, nil)])])
        #expect(try CSVEncoder.encode(none).split(separator: 10).count == 1)
    }

    @Test("signature_pad JSON has the colour of the screen, or black if unknown")
    func signaturePadColor() throws {
        func colors(_ look: String?) throws -> Int {
            var record = CaptureRecord.pad(entries: entries)
            if let look { record.header.screen.penLook = CapturePenLook(Pen(), color: Color(hex: look)) }
            let json = String(decoding: try SignaturePadJSONEncoder.encode(record), as: UTF8.self)
            let member = "\"penColor\":\"\(look ?? "black")\""
            return json.split(separator: member, omittingEmptySubsequences: false).count - 1
        }
        #expect(try colors("#c01020") == 2 && colors("#0b1f5c80") == 2 && colors(nil) == 2)
    }

    @Test(
        "a signature that was not accepted is marked in every row, group and annotation; ISO 19794-7 refuses it",
        arguments: [nil, .cancelled, .timedOut] as [RecordOutcome?])
    func notAccepted(outcome: RecordOutcome?) throws {
        var record = CaptureRecord.pad(entries: entries)
        let accepted = record
        record.end = outcome.map { CaptureEnd(outcome: $0, endedAt: 1, quality: CaptureQuality()) }
        let word = outcome?.rawValue ?? "interrupted"
        let rows = String(decoding: try CSVEncoder.encode(record), as: UTF8.self).split(separator: "\r\n").dropFirst()
        #expect(rows.count == 3 && rows.allSatisfy { $0.hasSuffix("," + word) })
        let json = try SignaturePadJSONEncoder.encode(record)
        let marked = "{\"outcome\":\"\(word)\",\"penColor\""
        let groups = String(decoding: json, as: UTF8.self).split(separator: marked, omittingEmptySubsequences: false)
        #expect(groups.count == 3)
        #expect(try SignaturePadJSON.decode(json).strokes.map(\.count) == [2, 1])
        #expect(!String(decoding: try SignaturePadJSONEncoder.encode(accepted), as: UTF8.self).contains("outcome"))
        let inkml = String(decoding: try InkMLEncoder.encode(record), as: UTF8.self)
        #expect(inkml.contains("<annotation type=\"outcome\">\(word)</annotation>"))
        let error = thrownError { try ISO19794Encoder.encode(record) } as? ExportError
        #expect(error?.description.contains("was not accepted") == true)
        #expect(throws: Never.self) { try ISO19794Encoder.encode(accepted) }
    }

    @Test("each of two devices has its own positions and pressure, in CSV and signature_pad JSON")
    func devices() throws {
        let record = CaptureRecord.pad(
            pen: CaptureRecord.pen(pressure: pressure),
            entries: [
                .stroke([(0, 2000, 3000, 9)]), .stroke([(8000, 4000, 7000, 500), (9000, 4000, 7000, 600)], device: 1),
            ])
        let csv = String(decoding: try CSVEncoder.encode(record), as: UTF8.self)
        #expect(
            csv.hasSuffix(
                "tip,distance,outcome\r\n1,0,2000,3000,,20,30,ink,1,1,,accepted\r\n"
                    + "2,8000,4000,7000,500,21,34,ink,2,1,,accepted\r\n"
                    + "2,9000,4000,7000,600,21,34,ink,2,1,,accepted\r\n"))
        let json = String(decoding: try SignaturePadJSONEncoder.encode(record), as: UTF8.self)
        #expect(json.contains("{\"time\":1795216476123.456,\"x\":37.795,\"y\":37.795}"))
        #expect(json.contains("{\"time\":1795216476131.456,\"x\":41.575,\"y\":52.913,\"pressure\":0.5}"))
    }

    @Test(
        "CSV: a field with a comma, a quote or a line end is quoted, quotes doubled",
        arguments: [",", "\"", "\n", "\r\n"])
    func quotedCSV(special: String) throws {
        let record = CaptureRecord.pad(entries: [.stroke([(0, 0, 0, 7)], pen: "a\(special)b")])
        let inner = special == "\"" ? "\"\"" : special
        let text = String(decoding: try CSVEncoder.encode(record), as: UTF8.self)
        // No pressure if the device has no axis.
        #expect(text.hasSuffix("\r\n1,0,0,0,,0,0,\"a\(inner)b\",1,1,,accepted\r\n"))
    }

    @Test("CSV has empty millimetres if the size of the screen is unknown")
    func csvWithoutSize() throws {
        var record = CaptureRecord.pad(entries: [.stroke([(0, 10, 20, nil)])])
        record.header.screen.pixelsPerMillimetre = -1
        let text = String(decoding: try CSVEncoder.encode(record), as: UTF8.self)
        #expect(text.hasSuffix("1,0,10,20,,,,ink,1,1,,accepted\r\n"))
    }

    @Test("signature_pad JSON has CSS pixels of the signing area, milliseconds since 1970, pressure from 0 to 1")
    func signaturePad() throws {
        let bytes = try SignaturePadJSONEncoder.encode(.pad(pressure: pressure, entries: entries))
        let text = String(decoding: bytes, as: UTF8.self)
        // 10 mm from the corner of the signing area in x and y; a CSS pixel is 25.4/96 mm.
        #expect(text.contains("{\"time\":1795216476124.956,\"x\":37.795,\"y\":37.795,\"pressure\":0.25}"))
        // Pressures beyond the axis are clamped; a missing one stays missing.
        #expect(text.contains("\"pressure\":1}"))
        #expect(text.contains("{\"time\":1795216476143.456,\"x\":0,\"y\":0}"))
        #expect(text.contains("\"penColor\":\"black\""))
    }

    @Test("signature_pad JSON is read back sample by sample", arguments: Breadth.seeds(8, long: 40))
    func signaturePadRoundTrip(seed: UInt64) throws {
        let record = CaptureRecord.random(seed: seed)
        let read = try SignaturePadJSON.decode(SignaturePadJSONEncoder.encode(record)).strokes
        let strokes = record.visibleStrokes
        #expect(read.map(\.count) == strokes.map(\.samples.count))
        let wanted = strokes.flatMap { stroke in stroke.samples.map { (stroke.device, $0) } }
        for (sample, (device, wanted)) in zip(read.joined(), wanted) {
            #expect(sample.time.microseconds == record.header.startedAt + wanted.microseconds)
            let place = record.millimetres(wanted, device)
            #expect(abs(sample.position.x - (place.x - 10) * 96 / 25.4) < 0.00051)
            #expect(abs(sample.position.y - (place.y - 20) * 96 / 25.4) < 0.00051)
        }
    }

    @Test("a record without strokes gives an empty list in signature_pad JSON, and times beyond any calendar an error")
    func signaturePadEdges() throws {
        #expect(try SignaturePadJSONEncoder.encode(.pad()) == Array("[]\n".utf8))
        let late = CaptureRecord.pad(entries: [.stroke([(.max, 0, 0, nil)])])
        #expect(throws: ExportError.self) { try SignaturePadJSONEncoder.encode(late) }
        var nowhere = CaptureRecord.pad()
        nowhere.header.screen.signingArea = []
        #expect(throws: ExportError.self) { try SignaturePadJSONEncoder.encode(nowhere) }
    }

    @Test(
        "times are written to the microsecond in any year",
        arguments: [
            (0, "1970-01-01T00:00:00.000000Z"), (1_795_216_476_123_456, "2026-11-20T23:14:36.123456Z"),
            (-1, "1969-12-31T23:59:59.999999Z"), (951_782_400_000_000, "2000-02-29T00:00:00.000000Z"),
            (4_107_542_400_000_000, "2100-03-01T00:00:00.000000Z"), (.max, "294247-01-10T04:00:54.775807Z"),
            (.min, "-290308-12-21T19:59:05.224192Z"),
        ] as [(Int64, String)])
    func timestamps(microseconds: Int64, text: String) {
        #expect(TimestampText.text(microseconds: microseconds) == text)
    }

    @Test("whole units are written exactly")
    func exactDecimals() {
        #expect(DecimalText.text(units: .max, decimals: 3) == "9223372036854775.807")
        #expect(DecimalText.text(units: .min, decimals: 3) == "-9223372036854775.808")
        #expect(DecimalText.text(units: -1, decimals: 3) == "-0.001")
    }
}
