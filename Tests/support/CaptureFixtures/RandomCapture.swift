// SPDX-License-Identifier: Apache-2.0
import Geometry
public import HostAPI
import Ink
public import Record
import TestSupport

/// Random captures from a seed, with extreme values of all numbers.
public struct RandomCapture {
    var random: SeededGenerator

    public init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    /// A record with up to `maximumEntryCount` entries, with or without an end.
    public mutating func record(maximumEntryCount: Int = 8) -> CaptureRecord {
        let header = header()
        let entries = (0..<Int.random(in: 0...maximumEntryCount, using: &random)).map { _ in
            entry(of: header.devices)
        }
        return CaptureRecord(header: header, entries: entries, end: Bool.random(using: &random) ? end() : nil)
    }

    /// - Parameter outcome: nil for a record without an end.
    public mutating func record(_ outcome: RecordOutcome?, startedAt: Int64? = nil) -> CaptureRecord {
        var record = record()
        record.end = outcome.map { end($0) }
        if let startedAt { record.header.startedAt = startedAt }
        return record
    }

    public mutating func header() -> CaptureHeader {
        let startedAt = Int64.random(in: 0...4_000_000_000_000_000, using: &random)
        var header = CaptureHeader(
            id: CaptureID(startedAt: startedAt, random: random.next()).description, startedAt: startedAt,
            startedAtDeviceTime: integer(),
            date: maybe { random in
                LocalDate(
                    text: random.text(), offsetSeconds: Int(random.integer()), zone: random.maybe { $0.text() })
            }, program: text(), panel: maybe { $0.text() },
            devices: (0..<Int.random(in: 1...3, using: &random)).map { _ in device() }, screen: screen(),
            request: request(),
            shows: maybe { random in
                func flag() -> Bool { Bool.random(using: &random.random) }
                return ShownFields(prompt: flag(), signer: flag(), reason: flag(), date: flag())
            },
            machine: maybe { random in
                CaptureMachine(
                    boot: random.maybe { $0.text() }, id: random.maybe { $0.text() },
                    kernel: random.maybe { $0.text() }, key: random.maybe { $0.text() })
            })
        header.missingGlyphs = maybe { random in
            (0..<Int.random(in: 1...2, using: &random.random)).map { _ in
                MissingGlyphs(text: random.text(), characters: [random.text(), random.text()])
            }
        }
        return header
    }

    public mutating func entry(of devices: [CaptureDevice]) -> CaptureEntry {
        if Int.random(in: 0..<4, using: &random) == 0 {
            return .action(CaptureEntry.Action.allCases.randomElement(using: &random)!, microseconds: integer())
        }
        let device = Int.random(in: 0..<devices.count, using: &random)
        if Int.random(in: 0..<4, using: &random) == 0 { return inAir(device, of: devices) }
        let isPressureMeasured = devices[device].pressure != nil
        let samples = (0..<Int.random(in: 1...40, using: &random)).map { _ in
            CaptureStroke.Sample(
                microseconds: integer(), x: Int32(truncatingIfNeeded: integer()),
                y: Int32(truncatingIfNeeded: integer()),
                pressure: isPressureMeasured && Bool.random(using: &random)
                    ? Int32(truncatingIfNeeded: integer()) : nil)
        }
        return .stroke(
            CaptureStroke(
                pen: text(), device: device, samples: samples, tool: tool(), enters: maybe { $0.edge() },
                leaves: maybe { $0.edge() }, places: maybe { random in samples.map { _ in random.place() } }))
    }

    private mutating func edge() -> CaptureStroke.Edge {
        let place = place()
        return CaptureStroke.Edge(
            microseconds: integer(), x: place.x, y: place.y,
            pressure: maybe { .random(in: 0...1, using: &$0.random) })
    }

    /// In pixels of the largest screen that a record may have.
    private mutating func place() -> Point {
        Point(x: .random(in: 0...1e6, using: &random), y: Double(Int.random(in: 0...1_000_000, using: &random)))
    }

    private mutating func inAir(_ device: Int, of devices: [CaptureDevice]) -> CaptureEntry {
        let isDistanceTold = devices[device].distance != nil
        let samples = (0..<Int.random(in: 1...40, using: &random)).map { _ in
            CaptureInAir.Sample(
                microseconds: integer(), x: Int32(truncatingIfNeeded: integer()),
                y: Int32(truncatingIfNeeded: integer()),
                distance: isDistanceTold && Bool.random(using: &random) ? Int32(truncatingIfNeeded: integer()) : nil)
        }
        return .inAir(CaptureInAir(device: device, samples: samples, tool: tool()))
    }

    private mutating func tool() -> CaptureTool {
        CaptureTool(maybe { $0.text() }, serial: maybe { .random(in: 0 ... .max, using: &$0.random) })
    }

    public mutating func end(_ outcome: RecordOutcome? = nil) -> CaptureEnd {
        CaptureEnd(
            outcome: outcome ?? [.accepted, .cancelled, .timedOut].randomElement(using: &random)!, endedAt: integer(),
            quality: CaptureQuality(
                reportRate: maybe { $0.number() }, longestGap: maybe { $0.integer() }, drops: Int(integer()),
                ignoredContacts: Int(integer()),
                latency: maybe { CaptureQuality.Latency(p50: $0.number(), p95: $0.number(), p99: $0.number()) }))
    }

    private mutating func device() -> CaptureDevice {
        func axis(_ random: inout RandomCapture) -> CaptureDevice.Axis {
            CaptureDevice.Axis(
                minimum: Int32(truncatingIfNeeded: random.integer()),
                maximum: Int32(truncatingIfNeeded: random.integer()),
                resolution: Int32(truncatingIfNeeded: random.integer()))
        }
        var device = CaptureDevice(
            name: text(), bus: .random(in: 0 ... .max, using: &random), vendor: .random(in: 0 ... .max, using: &random),
            product: .random(in: 0 ... .max, using: &random), version: .random(in: 0 ... .max, using: &random),
            x: axis(&self), y: axis(&self), pressure: maybe(axis), distance: maybe(axis),
            transform: (0..<6).map { _ in number() })
        device.uniq = maybe { $0.text() }
        device.phys = maybe { $0.text() }
        device.firmware = maybe { $0.text() }
        device.selfTest = maybe { $0.selfTest() }
        return device
    }

    private mutating func selfTest() -> DigitizerTest {
        DigitizerTest(
            at: integer(), program: text(), offset: number(), largestOffset: number(), noise: number(),
            reportRate: number(), longestGap: integer(), breaks: Int(integer()), drops: Int(integer()))
    }

    private mutating func screen() -> CaptureScreen {
        CaptureScreen(
            width: Int(integer()), height: Int(integer()), pixelsPerMillimetre: number(),
            clampedLast: maybe { Bool.random(using: &$0.random) }, signingArea: (0..<4).map { _ in Int(integer()) },
            penLook: maybe { random in
                var look = CapturePenLook(Pen())
                look.width = random.maybe { $0.number() }
                look.pressure = random.text()
                look.panelScatter = random.maybe { $0.number() }
                look.color = random.maybe { $0.text() }
                look.paper = random.maybe { $0.text() }
                look.switches = (0..<Int.random(in: 0...2, using: &random.random)).map { _ in random.text() }
                return look
            })
    }

    private mutating func request() -> CaptureRequest {
        CaptureRequest(
            prompt: (0..<Int.random(in: 0...3, using: &random)).map { _ in text() },
            rows: maybe { random in
                (0..<Int.random(in: 0...3, using: &random.random)).map { _ in
                    CaptureRequest.Row(label: random.text(), value: random.text())
                }
            }, signer: maybe { $0.text() },
            reason: maybe { $0.text() },
            document: maybe { random in
                CaptureRequest.Document(
                    reference: random.maybe { $0.text() },
                    sha256: random.maybe { random in
                        String((0..<64).map { _ in "0123456789abcdef".randomElement(using: &random.random)! })
                    })
            },
            data: maybe { random in
                let count = Int.random(in: 0...3, using: &random.random)
                return Dictionary(
                    (0..<count).map { _ in (random.text(), random.text()) }, uniquingKeysWith: { first, _ in first })
            }, language: maybe { $0.text() }, operator: maybe { $0.text() })
    }

    mutating func maybe<Value>(_ make: (inout RandomCapture) -> Value) -> Value? {
        Bool.random(using: &random) ? make(&self) : nil
    }

    mutating func integer() -> Int64 {
        switch Int.random(in: 0..<8, using: &random) {
        case 0: [.min, .max, 0, -1, 1, 1 << 53 + 1, Int64(Int32.min), Int64(Int32.max)].randomElement(using: &random)!
        case 1: Int64(bitPattern: random.next())
        default: .random(in: 0...40_000_000, using: &random)
        }
    }

    mutating func number() -> Double {
        switch Int.random(in: 0..<6, using: &random) {
        case 0:
            [0, -0.1, 1e-300, .leastNonzeroMagnitude, .greatestFiniteMagnitude, 1e21, 123_456_789_012_345_680]
                .randomElement(using: &random)!
        case 1: Double(Int.random(in: -9...9, using: &random))
        default: .random(in: -2000...2000, using: &random)
        }
    }

    /// Text in scripts of both directions, with combining marks, characters beyond the BMP, and JSON escapes.
    mutating func text() -> String {
        let parts = [
            "Anna Müller", "توقيع", "签名", "हस्ताक्षर", "\"", "\\", "/", "\n", "\u{0}", "\u{1F}", "\u{7F}",
            "\u{2028}", "e\u{301}", "👩‍👩‍👧", "\u{FFFD}", "\u{10FFFF}", "null", "{\"end\":",
        ]
        return (0..<Int.random(in: 0...4, using: &random)).map { _ in parts.randomElement(using: &random)! }.joined()
    }
}
