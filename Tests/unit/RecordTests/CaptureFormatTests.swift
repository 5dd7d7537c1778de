// SPDX-License-Identifier: Apache-2.0
import CaptureFixtures
import HostAPI
import TestSupport
import Testing

@testable import Record

@Suite("The format of records")
struct CaptureFormatTests {
    /// The example of docs/record.md.
    private static let example = CaptureRecord(
        header: CaptureHeader(
            id: "20260314-150926-0f1e2d3c4b5a6978", startedAt: 1_773_500_966_535_897, startedAtDeviceTime: 81_250_000,
            date: .init(text: "14.03.2026", offsetSeconds: 3600, zone: "Europe/Berlin"),
            program: "inkpanel 1.0", panel: "till-3",
            devices: [
                CaptureDevice(
                    name: "Wacom Co.,Ltd. Pen", bus: 3, vendor: 1386, product: 770, version: 272,
                    x: .init(minimum: 0, maximum: 21600, resolution: 100),
                    y: .init(minimum: 0, maximum: 13500, resolution: 100),
                    pressure: .init(minimum: 0, maximum: 2047, resolution: 0),
                    distance: .init(minimum: 0, maximum: 63, resolution: 0),
                    transform: [0.037037, 0, 0, 0.035556, 0.5, 0.5]),
                CaptureDevice(
                    name: "Wacom Co.,Ltd. Finger", bus: 3, vendor: 1386, product: 771, version: 272,
                    x: .init(minimum: 0, maximum: 799, resolution: 0),
                    y: .init(minimum: 0, maximum: 479, resolution: 0), pressure: nil,
                    transform: [1, 0, 0, 1, 0.5, 0.5]),
            ],
            screen: CaptureScreen(
                width: 800, height: 480, pixelsPerMillimetre: 3.7037, signingArea: [40, 180, 720, 200]),
            request: CaptureRequest(
                prompt: ["Lieferung erhalten", "12 Kartons"], signer: "Anna Müller", reason: "Empfang",
                document: .init(
                    reference: "delivery/4711",
                    sha256: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"),
                data: ["order": "4711", "field": "buyer"]),
            shows: ShownFields(reason: false)),
        entries: [
            .stroke(
                CaptureStroke(
                    pen: "ink",
                    samples: [
                        .init(microseconds: 1_204_310, x: 4820, y: 7015),
                        .init(microseconds: 1_209_318, x: 4833, y: 7002, pressure: 211),
                        .init(microseconds: 1_214_309, x: 4851, y: 6984, pressure: 388),
                    ], tool: CaptureTool("pen", serial: 2_684_354_561))),
            .inAir(
                CaptureInAir(
                    samples: [
                        .init(microseconds: 1_219_310, x: 4860, y: 6970, distance: 3),
                        .init(microseconds: 1_224_311, x: 4874, y: 6951),
                    ], tool: CaptureTool("pen"))),
            .action(.undo, microseconds: 2_650_000),
            .stroke(
                CaptureStroke(
                    pen: "ink", device: 1, samples: [.init(microseconds: 3_100_002, x: 500, y: 300)])),
        ],
        end: CaptureEnd(
            outcome: .accepted, endedAt: 1_773_500_972_018_220,
            quality: CaptureQuality(
                reportRate: 200.1, longestGap: 5012, drops: 0, ignoredContacts: 1,
                latency: .init(p50: 9.4, p95: 16.8, p99: 18.25))))

    private static let lines = [
        #"{"date":{"offsetSeconds":3600,"text":"14.03.2026","zone":"Europe/Berlin"},"#
            + #""devices":[{"bus":3,"distance":{"maximum":63,"minimum":0,"resolution":0},"name":"Wacom Co.,Ltd. Pen","#
            + #""pressure":{"maximum":2047,"minimum":0,"resolution":0},"#
            + #""product":770,"transform":[0.037037,0,0,0.035556,0.5,0.5],"vendor":1386,"version":272,"#
            + #""x":{"maximum":21600,"minimum":0,"resolution":100},"#
            + #""y":{"maximum":13500,"minimum":0,"resolution":100}},"#
            + #"{"bus":3,"name":"Wacom Co.,Ltd. Finger","product":771,"transform":[1,0,0,1,0.5,0.5],"vendor":1386,"#
            + #""version":272,"x":{"maximum":799,"minimum":0,"resolution":0},"#
            + #""y":{"maximum":479,"minimum":0,"resolution":0}}],"format":"inkpanel-capture","#
            + #""id":"20260314-150926-0f1e2d3c4b5a6978","panel":"till-3","program":"inkpanel 1.0","#
            + #""request":{"data":{"field":"buyer","order":"4711"},"document":"#
            + #"{"reference":"delivery/4711","#
            + #""sha256":"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"},"#
            + #""prompt":["Lieferung erhalten","12 Kartons"],"reason":"Empfang","signer":"Anna Müller"},"#
            + #""screen":{"height":480,"pixelsPerMillimetre":3.7037,"signingArea":[40,180,720,200],"#
            + #""width":800},"shows":{"date":true,"prompt":true,"reason":false,"signer":true},"#
            + #""startedAt":1773500966535897,"#
            + #""startedAtDeviceTime":81250000,"version":1}"#,
        #"{"stroke":{"device":0,"pen":"ink","samples":"#
            + #"[[1204310,4820,7015],[1209318,4833,7002,211],[1214309,4851,6984,388]],"#
            + #""serial":2684354561,"tool":"pen"}}"#,
        #"{"inAir":{"device":0,"samples":[[1219310,4860,6970,3],[1224311,4874,6951]],"tool":"pen"}}"#,
        #"{"action":"undo","t":2650000}"#,
        #"{"stroke":{"device":1,"pen":"ink","samples":[[3100002,500,300]]}}"#,
        #"{"end":{"endedAt":1773500972018220,"outcome":"accepted","quality":{"drops":0,"ignoredContacts":1,"#
            + #""latency":{"p50":9.4,"p95":16.8,"p99":18.25},"longestGap":5012,"reportRate":200.1}}}"#,
    ]

    private func decode(_ lines: [String]) throws -> CaptureRecord {
        try CaptureDecoder.decode(Array((lines.joined(separator: "\n") + "\n").utf8))
    }

    @Test("the documented example is encoded and decoded exactly")
    func example() throws {
        let bytes = try CaptureEncoder.encode(Self.example)
        #expect(String(decoding: bytes, as: UTF8.self) == Self.lines.joined(separator: "\n") + "\n")
        #expect(try CaptureDecoder.decode(bytes) == Self.example)
    }

    @Test("lines of earlier versions say nothing of tools, and are written as they were")
    func untoldTools() throws {
        let old = [
            Self.lines[0], #"{"stroke":{"device":0,"pen":"ink","samples":[[1,2,3]]}}"#,
            #"{"inAir":{"device":0,"samples":[[1,2,3]]}}"#,
        ]
        let record = try decode(old)
        #expect(
            record.entries == [
                .stroke([(1, 2, 3, nil)]), .inAir([(1, 2, 3, nil)]),
            ])
        let bytes = try CaptureEncoder.encode(record)
        #expect(String(decoding: bytes, as: UTF8.self) == old.joined(separator: "\n") + "\n")
    }

    @Test("a device's number, place and firmware are in the header if the kernel tells them")
    func deviceIdentity() throws {
        var record = Self.example
        record.header.devices[1].uniq = "8QC0"
        record.header.devices[1].phys = "usb-0000:01:00.0-1.2/input0"
        record.header.devices[1].firmware = "hw_version=1 fw_version=3.02"
        let bytes = try CaptureEncoder.encode(record)
        let text = String(decoding: bytes, as: UTF8.self)
        let first = #"{"bus":3,"firmware":"hw_version=1 fw_version=3.02","name":"Wacom Co.,Ltd. Finger","#
        #expect(text.contains(first + #""phys":"usb-0000:01:00.0-1.2/input0","product":771,"#))
        #expect(text.contains(#"[1,0,0,1,0.5,0.5],"uniq":"8QC0","vendor":1386"#))
        #expect(try CaptureDecoder.decode(bytes) == record)
        let old = try decode(Self.lines).header.devices[1]
        #expect(old.uniq == nil && old.phys == nil && old.firmware == nil)
    }

    @Test("the operator is in the request if the host named one")
    func operators() throws {
        var record = Self.example
        record.header.request.operator = "Kasse 3"
        let bytes = try CaptureEncoder.encode(record)
        let header = Self.lines[0].replacing(#""prompt":["Lief"#, with: #""operator":"Kasse 3","prompt":["Lief"#)
        #expect(String(decoding: bytes, as: UTF8.self).hasPrefix(header + "\n"))
        #expect(try CaptureDecoder.decode(bytes) == record)
        #expect(try decode(Self.lines).header.request.operator == nil)
    }

    @Test("the machine is in the header, with what is known of it")
    func machine() throws {
        var record = Self.example
        for (machine, text) in [
            (CaptureMachine(), "{}"),
            (
                CaptureMachine(boot: "0a1b", id: "2c3d", kernel: "6.12.0-1-arm64 aarch64"),
                #"{"boot":"0a1b","id":"2c3d","kernel":"6.12.0-1-arm64 aarch64"}"#
            ), (CaptureMachine(key: "SHA256:x"), #"{"key":"SHA256:x"}"#),
        ] {
            record.header.machine = machine
            let bytes = try CaptureEncoder.encode(record)
            #expect(String(decoding: bytes, as: UTF8.self).contains(#"a6978","machine":"# + text + #","panel":"#))
            #expect(try CaptureDecoder.decode(bytes) == record)
        }
        #expect(try decode(Self.lines).header.machine == nil)
    }

    @Test("rows of a request are in the header; without rows it has the bytes of earlier versions")
    func rows() throws {
        var record = Self.example
        record.header.request.rows = [.init(label: "Betrag", value: "12,00 €"), .init(label: "", value: "")]
        let bytes = try CaptureEncoder.encode(record)
        let header = Self.lines[0].replacing(
            #""reason":"Empfang","signer""#,
            with: #""reason":"Empfang","rows":[{"label":"Betrag","value":"12,00 €"},{"label":"","value":""}],"signer""#)
        #expect(String(decoding: bytes, as: UTF8.self).hasPrefix(header + "\n"))
        #expect(try CaptureDecoder.decode(bytes) == record)
        #expect(try decode(Self.lines).header.request.rows == nil)
        #expect(record.header.request.rows?.map(\.line) == ["Betrag: 12,00 €", ""])
        for (rows, reason) in [
            (#"[{"label":"x"}]"#, "request.rows[0].value is missing"),
            (#"[{"label":"x","value":7}]"#, "request.rows[0].value has another type"),
            (#"{"x":"y"}"#, "request.rows has"),
        ] {
            let line = Self.lines[0].replacing(#""reason":"Empfang","#, with: "\"rows\":\(rows),")
            let error = try #require(thrownError { try decode([line]) } as? CaptureFormatError)
            #expect(error.description.hasPrefix("line 1:") && error.description.contains(reason), "\(error)")
        }
    }

    @Test("a record is read back equal, and always encoded to the same bytes", arguments: 0..<200)
    func roundTrip(seed: Int) throws {
        var source = RandomCapture(seed: UInt64(seed))
        let record = source.record()
        let bytes = try CaptureEncoder.encode(record)
        #expect(try CaptureEncoder.encode(record) == bytes)
        let decoded = try CaptureDecoder.decode(bytes)
        #expect(decoded == record)
        #expect(try CaptureEncoder.encode(decoded) == bytes)
    }

    @Test("a record without an end is read, and unknown members are ignored")
    func interrupted() throws {
        var lines = Array(Self.lines.dropLast())
        lines[3] = #"{"later":[1],"t":2650000,"action":"undo"}"#
        let record = try decode(lines)
        #expect(record.end == nil)
        #expect(record.entries == Self.example.entries)
    }

    @Test("a text that was read aloud is a line with its time, in its place, and changes no ink")
    func spoken() throws {
        var lines = Self.lines
        lines.insert(#"{"spoken":"Lieferung erhalten: \"12\" Kartons","t":2700000}"#, at: 4)
        let record = try decode(lines)
        #expect(record.entries[3] == .spoken("Lieferung erhalten: \"12\" Kartons", microseconds: 2_700_000))
        #expect(record.visibleStrokes == Self.example.visibleStrokes)
        #expect(try CaptureEncoder.encode(record) == Array((lines.joined(separator: "\n") + "\n").utf8))
    }

    @Test("samples are those of the stroke, wherever else a line has such a list")
    func sampleLists() throws {
        let samples = "[[-9223372036854775808,-2147483648,2147483647],[9223372036854775807,0,-1,7],[0,5,6]]"
        let other = #""later":{"samples":[[9,9,9]]}"#
        let lines = [
            #"{"stroke":{"device":0,"pen":"ink","samples":"# + samples + "}}",
            #"{"stroke":{"later":"\"samples\":[[9,9,9]]","samples" : "# + samples + #","pen":"ink","device":0}}"#,
            "{" + other + #","stroke":{"device":0,"pen":"ink","s\u0061mples":"# + samples + "}}",
            #"{"stroke":{"# + other + #","samples":"# + samples.replacing(",", with: " ,\u{20}")
                + #","device":0,"pen":"ink"}}"#,
        ]
        let records = try lines.map { try decode([Self.lines[0], $0]) }
        guard case .stroke(let stroke) = records[0].entries[0] else {
            Issue.record("no stroke")
            return
        }
        #expect(
            stroke.samples == [
                .init(microseconds: .min, x: .min, y: .max), .init(microseconds: .max, x: 0, y: -1, pressure: 7),
                .init(microseconds: 0, x: 5, y: 6),
            ])
        for record in records { #expect(record == records[0]) }
    }

    @Test("an end of more than 4 KiB is neither read nor written; of very many fonts, it has the first ones")
    func longEnd() throws {
        let (header, end) = (Self.lines[0], Self.lines[5])
        func padded(_ count: Int) -> String {
            end.dropLast() + ",\"later\":\"" + String(repeating: "x", count: count - end.utf8.count - 11) + "\"}"
        }
        #expect(try decode([header, padded(4095)]).isAccepted)
        #expect(throws: CaptureFormatError.malformed(line: 2, reason: "the end has more than 4096 bytes")) {
            try decode([header, padded(4096)])
        }
        let fonts = (0..<300).map { "Noto Sans \($0) Regular 2.001" }
        let digest = String(repeating: "0f", count: 32)
        var record = Self.example
        record.end?.shown = ShownPage(page: digest, signed: digest, from: 0, until: .max, fonts: fonts)
        #expect(try CaptureDecoder.decode(CaptureEncoder.encode(record)) == record)
        let shown = try #require(record.end?.shown)
        #expect(
            shown.fonts.count > 80 && shown.fonts.count < 100 && shown.fonts == Array(fonts.prefix(shown.fonts.count)))
        record.end?.shown?.fonts = fonts
        #expect(thrownError { try CaptureEncoder.encode(record) } is CaptureFormatError)
    }

    @Test(
        "a wrong line is reported with its number and the reason",
        arguments: [
            (2, #"{"stroke":{"device":0,"pen":"ink","samples":[]}}"#, "a stroke without samples"),
            (2, #"{"stroke":{"device":0,"pen":"ink","samples":[[1,2]]}}"#, "(stroke.samples[0]): not a time"),
            (
                2, #"{"stroke":{"device":0,"pen":"ink","samples":[[1,2,3],[1,2,3,4,5]]}}"#,
                "(stroke.samples[1]): not a time"
            ),
            (2, #"{"stroke":{"device":0,"pen":"ink","samples":[[1,2147483648,3]]}}"#, "not a time"),
            (2, #"{"stroke":{"device":0,"pen":"ink","samples":[[1,2,3,-2147483649]]}}"#, "not a time"),
            (2, #"{"stroke":{"device":0,"pen":"ink","samples":[[1,2.5,3]]}}"#, "not a time, x, y"),
            (2, #"{"stroke":{"device":0,"pen":"ink","samples":[[9223372036854775808,2,3]]}}"#, "64 bits"),
            (2, #"{"stroke":{"device":0,"pen":"ink","samples":[[1,2,null]]}}"#, "(stroke.samples[0]): not a time"),
            (2, #"{"stroke":{"pen":"ink","samples":[[1,2,3]]}}"#, "stroke.device is missing"),
            (2, #"{"stroke":{"device":2,"pen":"ink","samples":[[1,2,3]]}}"#, "a device that the header does not name"),
            (2, #"{"stroke":{"device":-1,"pen":"ink","samples":[[1,2,3]]}}"#, "a device that the header does not"),
            (2, #"{"stroke":{"device":1,"pen":"ink","samples":[[1,2,3,4]]}}"#, "which this device does not measure"),
            (2, #"{"stroke":{"device":0,"samples":[[1,2,3]]}}"#, "stroke.pen is missing"),
            (2, #"{"stroke":{"device":0,"pen":"ink","samples":[[1,2,3]]}"#, "column 55: a comma or } is missing"),
            (3, #"{"action":"erase","t":1}"#, "action does not fit, or is not one of the values allowed"),
            (3, #"{"spoken":"x"}"#, "neither a stroke"), (3, #"{"spoken":1,"t":1}"#, "spoken has another type"),
            (3, #"{"spoken":"","t":1}"#, "empty or too long"),
            (3, #"{"spoken":"x","action":"undo","t":1}"#, "neither a stroke"),
            (3, #"{"action":"undo"}"#, "neither a stroke"), (3, #"{"t":1}"#, "neither a stroke"),
            (3, #"{"t":1,"stroke":{"device":0,"pen":"ink","samples":[[1,2,3]]}}"#, "neither a stroke"),
            (3, #"{"undo":1}"#, "neither a stroke"), (3, "[]", "not a JSON object"), (3, "", "not a JSON object"),
            (3, " {}", "not a JSON object"), (3, "{\t}", "not a JSON object"),
            (3, #"{"end":{}}"#, "end.outcome is missing"),
            (5, lines[5].replacing("accepted", with: "interrupted"), "an interrupted capture has no end"),
            (
                5, lines[5].replacing("accepted", with: "burnt"),
                "end.outcome does not fit, or is not one of the values allowed"
            ),
            (
                2, #"{"stroke":{"device":0,"pen":"ink","samples":[[1,2,3]],"serial":4294967296}}"#,
                "stroke.serial does not fit"
            ),
            (2, #"{"stroke":{"device":0,"pen":"ink","samples":[[1,2,3]],"serial":-1}}"#, "stroke.serial does not fit"),
            (2, #"{"stroke":{"device":0,"pen":"ink","samples":[[1,2,3]],"tool":1}}"#, "stroke.tool has another type"),
            (2, #"{"inAir":{"device":0,"samples":[]}}"#, "a movement in the air without samples"),
            (
                2, #"{"inAir":{"device":0,"samples":[[1,2]]}}"#,
                "(inAir.samples[0]): not a time, x, y and optionally a fourth number"
            ),
            (2, #"{"inAir":{"device":0,"samples":[[1,2,3,2147483648]]}}"#, "not a time"),
            (2, #"{"inAir":{"device":1,"samples":[[1,2,3,4]]}}"#, "a distance, which this device does not report"),
            (2, #"{"inAir":{"device":2,"samples":[[1,2,3]]}}"#, "a device that the header does not name"),
            (2, #"{"inAir":{"samples":[[1,2,3]]}}"#, "inAir.device is missing"),
            (2, #"{"inAir":{"device":0,"samples":[[1,2,3]]},"action":"undo","t":1}"#, "neither a stroke"),
            (5, lines[5], "line 6: there is a line after the end"),
            (1, #"{"format":"inkpanel-capture","version":1}"#, "line 1: id is missing"),
        ])
    func malformed(number: Int, text: String, reason: String) throws {
        var lines = Self.lines
        lines[number - 1] = text
        let error = try #require(thrownError { try decode(lines) } as? CaptureFormatError)
        guard case .malformed = error else {
            Issue.record("\(error)")
            return
        }
        #expect(error.description.contains(reason), "\(error)")
        #expect(error.description.hasPrefix("line \(number):") || reason.hasPrefix("line 6"), "\(error)")
    }

    @Test("files of another format and of a later version are reported as such")
    func notARecord() throws {
        for text in ["", "{", "\n", "{}\n", "PNG\n", #"{"format":"other","version":1}"# + "\n", Self.lines[1] + "\n"] {
            let error = thrownError { try CaptureDecoder.decode(Array(text.utf8)) } as? CaptureFormatError
            guard case .notARecord = error else {
                Issue.record("\(text): \(String(describing: error))")
                continue
            }
        }
        let later = #"{"format":"inkpanel-capture","version":3}"#
        #expect(throws: CaptureFormatError.unsupportedVersion(3)) { try decode([later]) }
    }

    @Test("the encoder refuses what the decoder would refuse")
    func unencodable() throws {
        func refused(_ change: (inout CaptureRecord) -> Void) -> Bool {
            var record = Self.example
            change(&record)
            let error = thrownError { try CaptureEncoder.encode(record) } as? CaptureFormatError
            if case .unencodable = error { return true }
            return false
        }
        #expect(!refused { _ in })
        #expect(refused { $0.header.id = "../../etc/passwd" })
        #expect(refused { $0.header.devices[0].transform = [1, 0, 0, 1, 0] })
        #expect(refused { $0.header.devices[0].transform[5] = .nan })
        #expect(refused { $0.header.screen.signingArea = [] })
        #expect(refused { $0.header.request.document?.sha256 = "9F86" })
        #expect(refused { $0.header.request.prompt = [String(repeating: "x", count: CaptureLimits.headerByteCount)] })
        #expect(refused { $0.header.version = 2 })
        #expect(refused { $0.header.devices[0].pressure = nil })
        #expect(refused { $0.header.devices = [] })
        #expect(refused { $0.header.devices.removeLast() })
        #expect(refused { $0.entries.append(.stroke(CaptureStroke(pen: "ink", samples: []))) })
        #expect(refused { $0.end?.quality.reportRate = .infinity })
    }
}
