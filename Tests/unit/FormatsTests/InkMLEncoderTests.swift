// SPDX-License-Identifier: Apache-2.0
import CaptureFixtures
import Geometry
import HostAPI
import Ink
import Record
import TestSupport
import Testing

@testable import Formats

@Suite("InkML, written")
struct InkMLEncoderTests {
    private let pressure = CaptureDevice.Axis(minimum: 5, maximum: 1000, resolution: 0)

    @Test("a whole record has millimetres of the screen, pressure in device units, time from the start")
    func document() throws {
        var record = CaptureRecord.pad(
            pressure: pressure,
            entries: [.stroke([(1500, 2000, 3000, 250), (9500, 2015, 3001, nil)]), .stroke([(-5, -7, 0, 6)])])
        record.header.panel = "till <3>"
        record.header.request.data = ["order": "4711", "<f&\"": "\u{1}x"]
        record.header.request.rows = [
            .init(label: "Betrag", value: "12,00 €"), .init(label: "A & \"B\"", value: "<1>"),
        ]
        let text = String(decoding: try InkMLEncoder.encode(record), as: UTF8.self)
        #expect(
            text == """
                <?xml version="1.0" encoding="UTF-8"?>
                <ink xmlns="http://www.w3.org/2003/InkML">
                <definitions>
                <timestamp xml:id="ts0" timeString="2026-11-20T23:14:36.123456Z"/>
                <inkSource xml:id="d1" model="Test &quot;Pad&quot; &lt;1&gt; &amp; Co">
                <traceFormat>
                <channel name="X" type="decimal" units="mm" min="0" max="100"/>
                <channel name="Y" type="decimal" units="mm" min="0" max="60"/>
                <channel name="F" type="integer" units="dev" min="5" max="1000"/>
                <channel name="T" type="decimal" units="ms" respectTo="#ts0"/>
                </traceFormat>
                <sampleRate uniform="false" value="125"/>
                </inkSource>
                <context xml:id="c1" inkSourceRef="#d1" timestampRef="#ts0"/>
                </definitions>
                <annotation type="captureId">20261121-1</annotation>
                <annotation type="program">inkpanel 1</annotation>
                <annotation type="panel">till &lt;3&gt;</annotation>
                <annotation type="startedAt">2026-11-20T23:14:36.123456Z</annotation>
                <annotation type="endedAt">1970-01-01T00:00:00.000001Z</annotation>
                <annotation type="signatory">Anna &lt;O'Neil&gt; &amp; \u{FFFD}Söhne</annotation>
                <annotation type="reason">Lieferung</annotation>
                <annotation type="prompt">Bitte unterschreiben&#10;وقّع هنا</annotation>
                <annotation type="documentReference">LS-17</annotation>
                <annotation type="documentSHA256">\(String(repeating: "ab", count: 32))</annotation>
                <annotation type="outcome">accepted</annotation>
                <annotation type="row.Betrag">12,00 €</annotation>
                <annotation type="row.A &amp; &quot;B&quot;">&lt;1&gt;</annotation>
                <annotation type="data.&lt;f&amp;&quot;">\u{FFFD}x</annotation>
                <annotation type="data.order">4711</annotation>
                <trace contextRef="#c1">20 30 250 1.5,20.15 30.01 ? 9.5</trace>
                <trace contextRef="#c1">0 0 6 -0.005</trace>
                </ink>

                """)
    }

    @Test("movement in the air is a penUp trace within the channels' ranges, which our reader ignores")
    func inAir() throws {
        let record = CaptureRecord.pad(
            pressure: pressure,
            entries: [
                .stroke([(0, 2000, 3000, 250)]), .inAir([(8000, -100, 3100, 5), (16_500, 2200, 3200, nil)]),
                .stroke([(24_000, 2300, 3300, 260), (32_000, 2400, 3400, 270)]),
            ])
        let bytes = try InkMLEncoder.encode(record)
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(text.contains("<trace type=\"penUp\" contextRef=\"#c1\">0 31 ? 8,22 32 ? 16.5</trace>\n"))
        #expect(text.contains("<channel name=\"X\" type=\"decimal\" units=\"mm\" min=\"0\" max=\"100\"/>"))
        #expect(try InkMLDecoder.decode(bytes).strokes.map(\.count) == [1, 2])
    }

    @Test("each device is a source with its own channels, and there is no rate if two drew")
    func devices() throws {
        var record = CaptureRecord.pad(
            pen: CaptureRecord.pen(pressure: pressure),
            entries: [
                .stroke([(0, 2000, 3000, nil)]),
                .stroke([(8000, 4000, 7000, 500), (9000, 4000, 7000, 510)], device: 1),
            ])
        let text = String(decoding: try InkMLEncoder.encode(record), as: UTF8.self)
        let sources = text.split(separator: "<inkSource ").dropFirst()
        #expect(sources.map { $0.contains("\"F\"") } == [false, true])
        #expect(sources.last?.contains("\"X\" type=\"decimal\" units=\"mm\" min=\"1\" max=\"100\"") == true)
        #expect(sources.last?.hasPrefix("xml:id=\"d2\" model=\"Test Pen\"") == true)
        #expect(text.contains("<context xml:id=\"c2\" inkSourceRef=\"#d2\" timestampRef=\"#ts0\"/>"))
        #expect(text.contains("<trace contextRef=\"#c1\">20 30 0</trace>"))
        #expect(text.contains("<trace contextRef=\"#c2\">21 34 500 8,21 34 510 9</trace>"))
        #expect(!text.contains("sampleRate"))
        record.entries.removeFirst()
        let alone = String(decoding: try InkMLEncoder.encode(record), as: UTF8.self)
        #expect(alone.split(separator: "<inkSource ").dropFirst().map { $0.contains("sampleRate") } == [false, true])
    }

    @Test("there is no pressure channel if none was measured, whatever the samples have")
    func noPressure() throws {
        let invented = CaptureRecord.pad(entries: [.stroke([(0, 1, 1, 5)])])
        let silent = CaptureRecord.pad(pressure: pressure, entries: [.stroke([(0, 1, 1, nil)])])
        for record in [invented, silent] {
            let text = String(decoding: try InkMLEncoder.encode(record), as: UTF8.self)
            #expect(!text.contains("\"F\"") && text.contains(">0.01 0.01 0</trace>"))
        }
    }

    @Test("units are pixels if the screen's size is unknown, and the outcome is interrupted without an end")
    func withoutSize() throws {
        var record = CaptureRecord.pad(entries: [.stroke([(0, 100, 200, nil)])])
        record.header.screen.pixelsPerMillimetre = 0
        record.end = nil
        let text = String(decoding: try InkMLEncoder.encode(record), as: UTF8.self)
        #expect(text.contains("units=\"px\"") && !text.contains("\"mm\"") && text.contains(">10 20 0</trace>"))
        #expect(text.contains("<annotation type=\"outcome\">interrupted<") && !text.contains("sampleRate"))
    }

    @Test("the operator whom the host named is an annotation; without one there is none")
    func operators() throws {
        var record = CaptureRecord.pad(entries: [.stroke([(0, 100, 200, nil)])])
        #expect(!String(decoding: try InkMLEncoder.encode(record), as: UTF8.self).contains("operator"))
        record.header.request.operator = "Kasse 3"
        let text = String(decoding: try InkMLEncoder.encode(record), as: UTF8.self)
        #expect(text.contains("<annotation type=\"operator\">Kasse 3</annotation>"))
    }

    @Test("random records are read back sample by sample", arguments: Breadth.seeds(10, long: 60))
    func roundTrip(seed: UInt64) throws {
        let record = CaptureRecord.random(seed: seed)
        let ink = try InkMLDecoder.decode(InkMLEncoder.encode(record))
        let strokes = record.visibleStrokes
        let forces = Set(strokes.flatMap { $0.samples.compactMap(\.pressure) }).subtracting([0])
        #expect(ink.strokes.map(\.count) == strokes.map(\.samples.count))
        let samples = strokes.flatMap { stroke in stroke.samples.map { (stroke.device, $0) } }
        for (sample, (device, wanted)) in zip(ink.strokes.joined(), samples) {
            #expect(sample.time.microseconds == wanted.microseconds)
            let place = record.millimetres(wanted, device)
            #expect(abs(sample.position.x - place.x) < 0.000051)
            #expect(abs(sample.position.y - place.y) < 0.000051)
            // A single value reads as a pressure that never varies.
            let share = forces.count > 1 ? wanted.pressure.map { Double($0) / 1023 } : nil
            #expect((sample.pressure == nil) == (share == nil))
            #expect(abs((sample.pressure ?? 0) - (share ?? 0)) < 1e-9)
        }
    }

    @Test(
        "any text is escaped for XML and read back, except characters that XML cannot have",
        arguments: Breadth.seeds(16, long: 100))
    func anyText(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var record = CaptureRecord.pad(entries: [.stroke([(0, 1, 1, nil)])])
        var text = String.UnicodeScalarView()
        for _ in 0..<20 {
            let range: ClosedRange<UInt32> = Bool.random(using: &random) ? 0...0x7F : 0...0x10_FFFF
            if let scalar = Unicode.Scalar(.random(in: range, using: &random)) { text.append(scalar) }
        }
        record.header.request.signer = String(text)
        record.header.devices[0].name = String(text)
        let found = try AnnotationFinder.find("signatory", in: InkMLEncoder.encode(record))
        let wanted = text.map { scalar in
            let value = scalar.value
            let isText = value >= 0x20 || value == 9 || value == 10 || value == 13
            return isText && value != 0xFFFE && value != 0xFFFF ? scalar : "\u{FFFD}"
        }
        #expect(Array(found.unicodeScalars) == wanted)
    }
}

/// Reads one annotation by plain text search, after the XML reader has accepted the document.
private enum AnnotationFinder {
    static func find(_ type: String, in document: [UInt8]) throws -> String {
        _ = try InkMLDecoder.decode(document)
        let text = String(decoding: document, as: UTF8.self).unicodeScalars
        let start = Array("<annotation type=\"\(type)\">".unicodeScalars)
        let first = try #require(text.firstRange(of: start)).upperBound
        let end = try #require(text[first...].firstRange(of: Array("</annotation>".unicodeScalars))).lowerBound
        let names: [Substring: Unicode.Scalar] = ["amp": "&", "lt": "<", "gt": ">", "quot": "\""]
        // Each part after the first begins with a reference.
        let parts = String(text[first..<end]).split(separator: "&", omittingEmptySubsequences: false)
        var found = String(parts[0])
        for part in parts.dropFirst() {
            let name = part.prefix { $0 != ";" }
            let scalar = try #require(
                names[name] ?? (name.hasPrefix("#") ? UInt32(name.dropFirst()).flatMap(Unicode.Scalar.init) : nil))
            found.unicodeScalars.append(scalar)
            found.unicodeScalars += part.unicodeScalars.dropFirst(name.unicodeScalars.count + 1)
        }
        return found
    }
}
