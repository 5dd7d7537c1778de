// SPDX-License-Identifier: Apache-2.0
import Geometry
import HostAPI
import JSON

/// Writes a record as JSON lines (docs/record.md). The same record gives the same bytes.
public enum CaptureEncoder {
    /// - Returns: the whole file.
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
        if header.format != CaptureHeader.format || header.version != header.neededVersion {
            throw .unencodable("a header of another format or version")
        }
        let bytes = try json(header) + [JSONLines.newline]
        if bytes.count > CaptureLimits.headerByteCount {
            throw .unencodable("the header with the texts to show has more than \(CaptureLimits.headerByteCount) bytes")
        }
        return bytes
    }

    package static func line(
        _ entry: CaptureEntry, devices: [CaptureDevice]
    ) throws(CaptureFormatError) -> [UInt8] {
        if let fault = entry.fault(on: devices) { throw .unencodable(fault) }
        var bytes: [UInt8]
        switch entry {
        case .action(let action, let microseconds):
            bytes = Array("{\"action\":\"\(action.rawValue)\",\"t\":\(microseconds)}".utf8)
        case .stroke(let stroke):
            bytes = Array("{\"stroke\":{\"device\":\(stroke.device),".utf8)
            for (name, edge) in [("enters", stroke.enters), ("leaves", stroke.leaves)] {
                if let edge { bytes += Array("\"\(name)\":".utf8) + (try json(edge)) + Array(",".utf8) }
            }
            bytes += Array("\"pen\":".utf8) + (try json(stroke.pen))
            bytes.append(UInt8(ascii: ","))
            if let places = stroke.places {
                SampleList.append(places, to: &bytes)
                bytes.append(UInt8(ascii: ","))
            }
            SampleList.append(stroke.samples, to: &bytes)
            bytes += try members(stroke.tool)
            bytes += Array("}}".utf8)
        case .inAir(let movement):
            bytes = Array("{\"inAir\":{\"device\":\(movement.device),".utf8)
            let samples = movement.samples.lazy.map {
                SampleList.Sample(microseconds: $0.microseconds, x: $0.x, y: $0.y, pressure: $0.distance)
            }
            SampleList.append(samples, to: &bytes)
            bytes += try members(movement.tool)
            bytes += Array("}}".utf8)
        case .flow(let event, let time): bytes = try json(FlowLine(event, t: time))
        }
        bytes.append(JSONLines.newline)
        return bytes
    }

    package static func line(_ end: CaptureEnd) throws(CaptureFormatError) -> [UInt8] {
        if let fault = end.fault { throw .unencodable(fault) }
        let bytes = try json(["end": end]) + [JSONLines.newline]
        if bytes.count > CaptureLimits.endByteCount {
            throw .unencodable("the end has more than \(CaptureLimits.endByteCount) bytes")
        }
        return bytes
    }

    /// The members that follow the samples in the alphabet, each with a comma before it.
    private static func members(_ tool: CaptureTool) throws(CaptureFormatError) -> [UInt8] {
        if tool == CaptureTool() { return [] }
        // Without the opening and the closing brace.
        return [UInt8(ascii: ",")] + (try json(tool)).dropFirst().dropLast()
    }

    private static func json(_ value: some Encodable) throws(CaptureFormatError) -> [UInt8] {
        do { return try JSONLines.encode(value) } catch { throw .unencodable("\(error)") }
    }
}

/// Reads records from JSON lines (docs/record.md). Ignores a torn last line and unknown members, so that later programs
/// can add some; anything else that is wrong is an error.
public enum CaptureDecoder {
    /// A member that says what a line is. A line has one of them, so that no reader takes it for something else.
    private enum Kind: String, CaseIterable {
        case format, stroke, inAir, action, end, person, page, view, answer, field, accepted, glass

        /// Whether such a line has its time beside it.
        var hasTime: Bool {
            switch self {
            case .format, .stroke, .inAir, .end: false
            case .action, .person, .page, .view, .answer, .field, .accepted, .glass: true
            }
        }
    }

    /// A line after the header. Its samples are read apart.
    private struct Line: Decodable {
        struct Stroke: Decodable {
            var device: Int
            var pen: String
            var tool: String?
            var serial: UInt32?
            var enters: CaptureStroke.Edge?
            var leaves: CaptureStroke.Edge?
        }

        struct InAir: Decodable {
            var device: Int
            var tool: String?
            var serial: UInt32?
        }

        var stroke: Stroke?
        var inAir: InAir?
        var action: CaptureEntry.Action?
        var t: Int64?
        var end: CaptureEnd?
    }

    private enum Part {
        case entry(CaptureEntry)
        case end(CaptureEnd)
    }

    /// - Returns: a record without an end if the last whole line is not an end: the capture was interrupted.
    public static func decode(_ bytes: [UInt8]) throws(CaptureFormatError) -> CaptureRecord {
        if bytes.count > CaptureLimits.recordByteCount { throw .tooLarge(limit: CaptureLimits.recordByteCount) }
        let lines = JSONLines.whole(bytes)
        guard let first = lines.first else { throw .notARecord("there is no complete line") }
        var record = CaptureRecord(header: try header(first))
        for (index, text) in lines.enumerated().dropFirst() {
            let number = index + 1
            if record.end != nil { throw .malformed(line: number, reason: "there is a line after the end") }
            do throws(JSONLineError) {
                switch try part(text) {
                case .end(let end): record.end = end
                case .entry(let entry):
                    if let fault = entry.fault(on: record.header.devices) { throw JSONLineError(reason: fault) }
                    record.entries.append(entry)
                }
            } catch {
                throw .malformed(line: number, reason: error.reason)
            }
        }
        return record
    }

    /// - Parameter line: the first line, without the newline.
    package static func header(_ line: ArraySlice<UInt8>) throws(CaptureFormatError) -> CaptureHeader {
        if line.count >= CaptureLimits.headerByteCount { throw .notARecord("the first line is too long for a header") }
        let value: JSONValue
        let format: JSONLines.Format
        do throws(JSONLineError) {
            value = try JSONLines.read(line)
            format = try JSONLines.decode(JSONLines.Format.self, value)
        } catch {
            throw .notARecord("the first line is not a header: \(error.reason)")
        }
        guard format.format == CaptureHeader.format else { throw .notARecord("it has another format") }
        guard [CaptureHeader.version, CaptureHeader.flowVersion].contains(format.version) else {
            throw .unsupportedVersion(format.version)
        }
        let header: CaptureHeader
        do throws(JSONLineError) {
            if kinds(of: value) != [.format] || value["t"] != nil {
                throw JSONLineError(reason: "a header that is also a stroke, movement, action or end")
            }
            header = try JSONLines.decode(CaptureHeader.self, value)
        } catch {
            throw .malformed(line: 1, reason: error.reason)
        }
        if let fault = header.fault { throw .malformed(line: 1, reason: fault) }
        return header
    }

    /// - Parameter line: the last line, without the newline.
    /// - Returns: nil if it is not an end.
    package static func end(_ line: ArraySlice<UInt8>) -> CaptureEnd? {
        guard case .end(let end)? = try? part(line) else { return nil }
        return end
    }

    private static func kinds(of line: JSONValue) -> [Kind] { Kind.allCases.filter { line[$0.rawValue] != nil } }

    private static func flowEntry(_ value: JSONValue) throws(JSONLineError) -> CaptureEntry? {
        guard value["t"] != nil, value["action"] == nil else { return nil }
        let line = try JSONLines.decode(FlowLine.self, value)
        return line.event.map { .flow($0, microseconds: line.t) }
    }

    private static func part(_ text: ArraySlice<UInt8>) throws(JSONLineError) -> Part {
        let (value, samples, places) = try SampleList.read(text)
        let kinds = kinds(of: value)
        guard kinds.count == 1, kinds[0].hasTime == (value["t"] != nil) else {
            throw JSONLineError(
                reason: "neither a stroke, nor movement in the air, nor an action or another event with its time, nor an end")
        }
        if let entry = try flowEntry(value) { return .entry(entry) }
        let line = try JSONLines.decode(Line.self, value)
        if let stroke = line.stroke {
            return .entry(
                .stroke(
                    CaptureStroke(
                        pen: stroke.pen, device: stroke.device, samples: samples ?? [],
                        tool: CaptureTool(stroke.tool, serial: stroke.serial), enters: stroke.enters,
                        leaves: stroke.leaves, places: places)))
        }
        if let movement = line.inAir {
            let samples = (samples ?? []).map {
                CaptureInAir.Sample(microseconds: $0.microseconds, x: $0.x, y: $0.y, distance: $0.pressure)
            }
            return .entry(
                .inAir(
                    CaptureInAir(
                        device: movement.device, samples: samples,
                        tool: CaptureTool(movement.tool, serial: movement.serial))))
        }
        if let action = line.action, let microseconds = line.t {
            return .entry(.action(action, microseconds: microseconds))
        }
        guard let end = line.end else { throw JSONLineError(reason: "a second header") }
        if text.count >= CaptureLimits.endByteCount {
            throw JSONLineError(reason: "the end has more than \(CaptureLimits.endByteCount) bytes")
        }
        if let fault = end.fault { throw JSONLineError(reason: fault) }
        return .end(end)
    }
}

/// Why bytes are not a record, or why a capture cannot be written as one.
public enum CaptureFormatError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The first line is not a header.
    case notARecord(String)
    /// Written by a later program.
    case unsupportedVersion(Int)
    /// The first line is line 1.
    case malformed(line: Int, reason: String)
    case tooLarge(limit: Int)
    /// The decoder would refuse it.
    case unencodable(String)
    case notASeal(String)

    public var description: String {
        switch self {
        case .notARecord(let reason): "not the record of a capture: \(reason)"
        case .unsupportedVersion(let version):
            "version \(version) of the record format is not supported (only \(CaptureHeader.version) and \(CaptureHeader.flowVersion)): use a later "
                + "inkpanel"
        case .malformed(let line, let reason): "line \(line): \(reason)"
        case .tooLarge(let limit): "the record is larger than \(limit) bytes"
        case .unencodable(let reason): "this cannot be recorded: \(reason)"
        case .notASeal(let reason): "not a seal: \(reason)"
        }
    }
}

/// Limits on the parts of a record. They bound memory when a file is hostile and are far above what a capture needs.
public enum CaptureLimits {
    /// Half an hour of drawing at 1000 reports/s, 30 bytes each, is 54 MB.
    public static let recordByteCount = 64 << 20
    /// An encrypted record: age adds 16 bytes to each 64 KiB, and a header with about 120 bytes a recipient.
    public static let encryptedByteCount = recordByteCount + (1 << 20)
    /// A signed document: as large as the signer makes them.
    public static let documentByteCount = 48 << 20
    /// An encrypted one.
    public static let encryptedDocumentByteCount = documentByteCount + (1 << 20)
    /// Disk space for one signature in a document: 16 kB of certificates, and its ink.
    public static let signatureReserve = 64 << 10
    /// The maximum number of samples in the strokes of a capture, where ink ends: more than five minutes at 1000
    /// reports/s, half an hour at 200. With the samples in the air a record then has 18 MB.
    public static let strokeSampleCount = 400_000
    /// Disk space that a capture reserves when it begins and returns when it ends, so that a disk that fills up
    /// meanwhile does not cost a signature: 35,000 reports of 30 bytes, three minutes at 200 reports/s. Most captures
    /// need a tenth.
    public static let reservedByteCount = 1 << 20
    /// A header has about 800 bytes and the texts of the request.
    public static let headerByteCount = 64 << 10
    /// The maximum number of samples in the air in a capture, because a pen that lies beside the panel may be detected
    /// for hours: eight minutes at 200 reports/s, 3 MB.
    public static let inAirSampleCount = 100_000
    /// An end has about 300 bytes and the names of fonts.
    public static let endByteCount = 4 << 10
}

// Conditions that both the encoder and the decoder check; nil if they hold.

extension CaptureHeader {
    var fault: String? {
        if CaptureID(id) == nil { return "the id is not 1 to 64 letters, digits and hyphens" }
        if let sequence, !(1...Self.largestSequence ~= sequence) { return "the sequence is not 1 to 2^53 - 1" }
        if devices.isEmpty { return "there is no device" }
        if devices.contains(where: { $0.transform.count != 6 }) { return "a device's transform is not six numbers" }
        if !devices.allSatisfy({ $0.transform.allSatisfy(\.isFinite) }) {
            return "a number of a device's transform is not finite"
        }
        if let fault = devices.lazy.compactMap({ $0.selfTest?.fault }).first { return fault }
        if screen.signingArea.count != 4 { return "the signing area is not four numbers" }
        if !screen.pixelsPerMillimetre.isFinite { return "a number of the screen is not finite" }
        if request.document?.hasValidDigest == false {
            return "the document's digest is not 64 lower-case hexadecimal digits"
        }
        return nil
    }
}

extension CaptureEntry {
    func fault(on devices: [CaptureDevice]) -> String? {
        switch self {
        case .action, .flow: nil
        case .stroke(let stroke): stroke.fault(on: devices)
        case .inAir(let movement): movement.fault(on: devices)
        }
    }
}

extension CaptureInAir {
    fileprivate func fault(on devices: [CaptureDevice]) -> String? {
        if samples.isEmpty { return "a movement in the air without samples" }
        guard devices.indices.contains(device) else {
            return "a movement in the air of a device that the header does not name"
        }
        if devices[device].distance == nil, samples.contains(where: { $0.distance != nil }) {
            return "a distance, which this device does not report"
        }
        return nil
    }
}

extension CaptureStroke {
    fileprivate func fault(on devices: [CaptureDevice]) -> String? {
        if samples.isEmpty { return "a stroke without samples" }
        guard devices.indices.contains(device) else {
            return "a stroke of a device that the header does not name"
        }
        if devices[device].pressure == nil, samples.contains(where: { $0.pressure != nil }) {
            return "a pressure, which this device does not measure"
        }
        let range = 0...Double(CaptureHeader.sideRange.upperBound)
        if let places {
            if places.count != samples.count {
                return "a stroke with \(samples.count) samples, but \(places.count) places"
            }
            if !places.allSatisfy({ range ~= $0.x && range ~= $0.y }) { return "a place beyond any screen" }
        }
        for edge in [enters, leaves].compactMap(\.self) {
            guard range ~= edge.x, range ~= edge.y, 0...1 ~= edge.pressure ?? 0 else {
                return "a stroke that enters or leaves beyond any screen"
            }
        }
        return nil
    }
}

extension CaptureEnd {
    var fault: String? {
        if outcome == .interrupted { return "an interrupted capture has no end" }
        let numbers = [quality.reportRate, quality.latency?.p50, quality.latency?.p95, quality.latency?.p99]
        return numbers.allSatisfy { $0?.isFinite ?? true } ? nil : "a number of the quality is not finite"
    }
}
