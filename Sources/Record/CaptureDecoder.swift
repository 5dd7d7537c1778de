// SPDX-License-Identifier: Apache-2.0

/// Records from JSON lines (docs/record.md). A torn last line is left out; anything else that is not as it should be is
/// an error. Members that are not known are ignored, so that later programs can say more.
public enum CaptureDecoder {
    private struct Format: Decodable {
        var format: String
        var version: Int
    }

    /// One of stroke, movement in the air, action with its time, and end.
    private struct Line: Decodable {
        struct Stroke: Decodable {
            var device: Int
            var pen: String
            var samples: [[Int64]]
        }

        struct InAir: Decodable {
            var device: Int
            var samples: [[Int64]]
        }

        var stroke: Stroke?
        var inAir: InAir?
        var action: CaptureEntry.Action?
        var t: Int64?
        var end: CaptureEnd?
    }

    /// Bytes of a line that is decoded with all that is in it: Foundation takes some 60 times as much memory for lists of
    /// numbers. A line with more than 35,000 samples is longer, and they are read by ``SampleList``.
    private static let longestLine = 1 << 20

    /// - Returns: a record without an end when the last whole line is none: the capture was interrupted.
    public static func decode(_ bytes: [UInt8]) throws(CaptureFormatError) -> CaptureRecord {
        if bytes.count > CaptureLimits.recordByteCount { throw .tooLarge(limit: CaptureLimits.recordByteCount) }
        let lines = CaptureLines.whole(bytes)
        guard let first = lines.first else { throw .notARecord("there is no whole line") }
        var record = CaptureRecord(header: try header(first))
        for (index, text) in lines.enumerated().dropFirst() {
            let number = index + 1
            if record.end != nil { throw .malformed(line: number, reason: "there is a line after the end") }
            let list = SampleList(in: text)
            if list == nil, text.count > Self.longestLine {
                throw .malformed(line: number, reason: "a long line without a list of samples")
            }
            let line = try parse(Line.self, list?.rest ?? text, number: number)
            let kinds = [line.stroke != nil, line.inAir != nil, line.action != nil, line.end != nil]
            guard kinds.count(where: { $0 }) == 1, (line.t != nil) == (line.action != nil) else {
                throw .malformed(
                    line: number,
                    reason: "neither a stroke, nor movement in the air, nor an action with its time, nor an end")
            }
            if let end = line.end {
                record.end = end
            } else {
                record.entries.append(try entry(line, list, number: number, devices: record.header.devices))
            }
        }
        return record
    }

    /// Its first line, without the newline.
    package static func header(_ line: ArraySlice<UInt8>) throws(CaptureFormatError) -> CaptureHeader {
        if line.count >= CaptureLimits.headerByteCount { throw .notARecord("the first line is too long for a header") }
        let format: Format
        do throws(CaptureFormatError) {
            format = try parse(Format.self, line, number: 1)
        } catch {
            throw .notARecord("the first line is no header")
        }
        guard format.format == CaptureHeader.format else { throw .notARecord("its format is another") }
        guard format.version == CaptureHeader.version else { throw .unsupportedVersion(format.version) }
        let header = try parse(CaptureHeader.self, line, number: 1)
        if let fault = header.fault { throw .malformed(line: 1, reason: fault) }
        return header
    }

    /// Its last line, without the newline; nil when that is no end.
    package static func end(_ line: ArraySlice<UInt8>) -> CaptureEnd? {
        (try? parse(Line.self, line, number: 0))?.end
    }

    /// - Parameter list: the line's samples, where they were read by themselves.
    private static func entry(
        _ line: Line, _ list: SampleList?, number: Int, devices: [CaptureDevice]
    ) throws(CaptureFormatError) -> CaptureEntry {
        let entry: CaptureEntry
        if let action = line.action, let microseconds = line.t {
            entry = .action(action, microseconds: microseconds)
        } else if let movement = line.inAir {
            let samples = try samples(list, movement.samples, number: number, last: "distance")
            entry = .inAir(
                CaptureInAir(
                    device: movement.device,
                    samples: samples.map { .init(microseconds: $0.t, x: $0.x, y: $0.y, distance: $0.more) }))
        } else {
            let samples = try samples(list, line.stroke?.samples ?? [], number: number, last: "pressure")
            entry = .stroke(
                CaptureStroke(
                    pen: line.stroke?.pen ?? "", device: line.stroke?.device ?? 0,
                    samples: samples.map { .init(microseconds: $0.t, x: $0.x, y: $0.y, pressure: $0.more) }))
        }
        if let fault = entry.fault(on: devices) { throw .malformed(line: number, reason: fault) }
        return entry
    }

    private static func parse<Value: Decodable>(
        _ type: Value.Type, _ line: ArraySlice<UInt8>, number: Int
    ) throws(CaptureFormatError) -> Value {
        do throws(JSONLineError) { return try JSONLine.parse(type, line) } catch {
            throw .malformed(line: number, reason: error.reason)
        }
    }

    /// - Parameters:
    ///   - list: nil where `lists` has them.
    ///   - last: what the last number of a sample says, if there are four.
    private static func samples(
        _ list: SampleList?, _ lists: [[Int64]], number: Int, last: String
    ) throws(CaptureFormatError) -> [SampleList.Sample] {
        if let list { return list.samples }
        var samples: [SampleList.Sample] = []
        samples.reserveCapacity(lists.count)
        for (index, numbers) in lists.enumerated() {
            guard (3...4).contains(numbers.count), let x = Int32(exactly: numbers[1]),
                let y = Int32(exactly: numbers[2]),
                let more = numbers.count == 4 ? Int32(exactly: numbers[3]).map(Optional.some) : .some(nil)
            else {
                throw .malformed(
                    line: number, reason: "sample \(index + 1) is not a time, x, y and perhaps a \(last)")
            }
            samples.append(SampleList.Sample(t: numbers[0], x: x, y: y, more: more))
        }
        return samples
    }
}
