// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

/// A record as JSON lines (docs/record.md): the same record gives the same bytes.
public enum CaptureEncoder {
    /// The whole file.
    /// - Throws: ``CaptureFormatError/unencodable(_:)`` or ``CaptureFormatError/tooLarge(limit:)`` for a record that
    ///   the decoder would refuse.
    public static func encode(_ record: CaptureRecord) throws(CaptureFormatError) -> [UInt8] {
        var bytes = try line(record.header)
        for entry in record.entries { bytes += try line(entry, devices: record.header.devices) }
        if let end = record.end { bytes += try line(end) }
        if bytes.count > CaptureLimits.recordByteCount { throw .tooLarge(limit: CaptureLimits.recordByteCount) }
        return bytes
    }

    package static func line(_ header: CaptureHeader) throws(CaptureFormatError) -> [UInt8] {
        if let fault = header.fault { throw .unencodable(fault) }
        if header.format != CaptureHeader.format || header.version != CaptureHeader.version {
            throw .unencodable("a header of another format or version")
        }
        let bytes = try json(header) + [CaptureLines.newline]
        if bytes.count > CaptureLimits.headerByteCount {
            throw .unencodable("the header with the texts to show has more than \(CaptureLimits.headerByteCount) bytes")
        }
        return bytes
    }

    package static func line(_ entry: CaptureEntry, devices: [CaptureDevice]) throws(CaptureFormatError) -> [UInt8] {
        if let fault = entry.fault(on: devices) { throw .unencodable(fault) }
        var bytes: [UInt8]
        switch entry {
        case .action(let action, let microseconds):
            bytes = Array("{\"action\":\"\(action.rawValue)\",\"t\":\(microseconds)}".utf8)
        case .stroke(let stroke):
            bytes = Array("{\"stroke\":{\"device\":\(stroke.device),\"pen\":".utf8) + (try json(stroke.pen))
            bytes += Array(",\"samples\":".utf8)
            append(stroke.samples.map { ($0.microseconds, $0.x, $0.y, $0.pressure) }, to: &bytes)
            bytes += Array("}}".utf8)
        case .inAir(let movement):
            bytes = Array("{\"inAir\":{\"device\":\(movement.device),\"samples\":".utf8)
            append(movement.samples.map { ($0.microseconds, $0.x, $0.y, $0.distance) }, to: &bytes)
            bytes += Array("}}".utf8)
        }
        bytes.append(CaptureLines.newline)
        return bytes
    }

    package static func line(_ end: CaptureEnd) throws(CaptureFormatError) -> [UInt8] {
        if let fault = end.fault { throw .unencodable(fault) }
        return try json(["end": end]) + [CaptureLines.newline]
    }

    /// A list of samples; of each the last number may be missing. There is one at least.
    private static func append(_ samples: [(Int64, Int32, Int32, Int32?)], to bytes: inout [UInt8]) {
        var separator = UInt8(ascii: "[")
        for (microseconds, x, y, more) in samples {
            bytes.append(separator)
            bytes += Array("[\(microseconds),\(x),\(y)".utf8)
            if let more { bytes += Array(",\(more)".utf8) }
            bytes.append(UInt8(ascii: "]"))
            separator = UInt8(ascii: ",")
        }
        bytes.append(UInt8(ascii: "]"))
    }

    private static func json(_ value: some Encodable) throws(CaptureFormatError) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do { return Array(try encoder.encode(value)) } catch { throw .unencodable("\(error)") }
    }
}
