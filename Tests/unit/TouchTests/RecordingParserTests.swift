// SPDX-License-Identifier: Apache-2.0
import Geometry
import TestSupport
import Testing

@testable import Touch

@Suite("evemu's text")
struct RecordingParserTests {
    private func parse(_ text: String) throws -> Recording { try Recording(bytes: bytes(text), name: "test") }

    /// The line and the expected syntax in an error.
    private func refusal(_ text: String) -> (line: Int, expected: String)? {
        do {
            _ = try parse(text)
        } catch RecordingError.malformed(_, let line, let expected) {
            return (line, expected)
        } catch {}
        return nil
    }

    @Test("description and events are read as written")
    func complete() throws {
        let recording = try parse(smallRecording)
        let device = recording.device
        #expect(device.name == "A panel")
        #expect([device.bus, device.vendor, device.product, device.version] == [0x18, 0x123, 0xabcd, 0x100])
        #expect(device.properties == [EventCode.propertyDirect])
        #expect(device.keys == [EventCode.touch])
        #expect(device.axes[EventCode.mtPositionX] == AxisInfo(minimum: 0, maximum: 799, fuzz: 4, resolution: 10))
        #expect(device.axes[EventCode.mtPositionY] == AxisInfo(minimum: -5, maximum: 479))
        #expect(device.kind == .multitouch(slots: 5))
        #expect(recording.events.count == 7)
        #expect(recording.events[2] == InputEvent(time: 1, type: 3, code: 0x36, value: -4))
        #expect(recording.events[6].time == 1_020_003)
    }

    @Test("Windows line ends, blank lines, a missing last line end and unknown codes are accepted")
    func lenient() throws {
        var text = smallRecording.split(separator: "\n").joined(separator: "\r\n\r\n")
        #expect(try parse(text) == parse(smallRecording))
        text += "\r\nE: 2.000000 0016 ffff 2147483647\nL: 00 01\nS: 00 00"
        let last = InputEvent(time: Timestamp(microseconds: 2_000_000), type: 0x16, code: 0xffff, value: .max)
        #expect(try parse(text).events.last == last)
    }

    @Test("time may run backwards, as devices' clocks do")
    func backwards() throws {
        let text = smallRecording + "E: 0.500000 0003 0039 7\nE: 0.400000 0000 0000 0"
        let times = try parse(text).events.map(\.time)
        #expect(times.suffix(2) == [500_000, 400_000])
    }

    @Test("a name in another encoding stays readable")
    func notUTF8() throws {
        var text = bytes(smallRecording)
        let name = try #require(text.firstIndex(of: UInt8(ascii: "N")))
        text[name + 3] = 0xe9
        text[2] = 0xff
        #expect(try Recording(bytes: text, name: "test").device.name == "\u{fffd} panel")
    }

    @Test(
        "truncated, negative, too large or malformed values are refused with their line",
        arguments: [
            "E: 1.000000 0003 0039", "E: 1.000000 0003", "E: 1.000000", "E: 1.0", "E: 1", "E:",
            "E: -1.000000 0003 0039 1",
            "E: 1.-00001 0003 0039 1", "E: 1.00000 0003 0039 1", "E: 1.0000000 0003 0039 1", "E: .000000 0003 0039 1",
            "E: 9999999999999.000000 0003 0039 1", "E: 1.000000 10000 0039 1", "E: 1.000000 0003 zz 1",
            "E: 1.000000 0003 0039 2147483648", "E: 1.000000 0003 0039 -2147483649", "E: 1.000000 0003 0039 1 2",
            "E: 1.000000 0003 0039 --1", "E: 1.000000 0003 0039 0x1", "E: \u{ff} 0003 0039 1", "I: 0018 0000 0000",
            "I: 0018 0000 0000 fffff", "P:", "P: 100", "P: 00 00 00 00 00 00 00 00 00", "B:", "B: 01", "B: 01 gg",
            "A: 00 0 799 0", "A: 00 0 799 0 0 0 0", "A: 00 0 x 0 0 0", "X: 1", "E 1.000000 0003 0039 1", "hello",
            "\0\0",
        ])
    func malformed(line: String) {
        let refusal = refusal(smallRecording + line + "\n")
        #expect(refusal?.line == 25, "\(line)")
        #expect(refusal?.expected.isEmpty == false)
    }

    @Test("an empty recording, one without events and one without a description have different errors")
    func missing() {
        #expect(throws: RecordingError.noEvents(path: "test")) { try parse("") }
        #expect(throws: RecordingError.noEvents(path: "test")) { try parse("# EVEMU 1.3\n\n") }
        #expect(throws: RecordingError.noDescription(path: "test", tried: [])) { try parse("E: 0.000001 0000 0000 0") }
    }

    @Test("a description cannot grow beyond the kernel's numbers")
    func absurdDescription() throws {
        let lines = String(repeating: "B: 01 ff ff ff ff ff ff ff ff\nP: ff ff ff ff ff ff ff ff\n", count: 500)
        let axes = (0..<0x200).map { "A: \(String($0, radix: 16)) 0 1 0 0\n" }.joined()
        let device = try parse(lines + axes + "E: 0.000001 0000 0000 0").device
        #expect(device.keys.count == Int(EventCode.lastKey) + 1)
        #expect(device.properties.count == Int(EventCode.lastProperty) + 1)
        #expect(device.axes.count == Int(EventCode.lastAbs) + 1)
    }

    @Test("an endless line is refused")
    func longLine() {
        #expect(throws: RecordingError.lineTooLong(path: "test", line: 1)) {
            try parse("# " + String(repeating: "x", count: Recording.lineLimit))
        }
    }

    @Test("more events than the limit are refused at the line of the first too many")
    func tooManyEvents() {
        var parser = RecordingParser(path: "test", eventLimit: 1000)
        let line = bytes("E: 0.000001 0000 0000 0")[...]
        #expect(throws: RecordingError.tooManyEvents(path: "test", line: 1001)) {
            while true { try parser.parse(line) }
        }
    }

    @Test("a randomly damaged recording is read or refused", arguments: Breadth.seeds(66, long: 400))
    func fuzz(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var text = bytes(smallRecording)
        for _ in 0..<Int.random(in: 1...12, using: &random) {
            guard !text.isEmpty else { break }
            let index = Int.random(in: 0..<text.count, using: &random)
            switch Int.random(in: 0..<5, using: &random) {
            case 0: text[index] = .random(in: .min ... .max, using: &random)
            case 1: text[index] = bytes("0123456789abcdef-. \n\tEAPBIN:#").randomElement(using: &random)!
            case 2: text.remove(at: index)
            case 3: text.insert(text.randomElement(using: &random)!, at: index)
            default:
                if Bool.random(using: &random) {
                    text.removeSubrange(index...)
                } else {
                    text.insert(contentsOf: text[index...].prefix(200), at: .random(in: 0...text.count, using: &random))
                }
            }
        }
        do {
            let recording = try Recording(bytes: text, name: "fuzz")
            var down = 0
            for contact in recording.frames().flatMap(\.contacts) {
                if contact.phase == .began { down += 1 }
                if contact.phase == .ended || contact.phase == .cancelled { down -= 1 }
            }
            #expect(down == 0, "seed \(seed)")
            var player = RecordingPlayer(recording, from: .zero)
            var count = 0
            while let report = player.next() { count += report.count }
            #expect(count == recording.events.count, "seed \(seed)")
        } catch {
            #expect(error.message.contains("fuzz"), "seed \(seed)")
        }
    }
}
