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
        var course = RecordCourse(record.header)
        for entry in record.entries {
            bytes += try line(entry, after: course)
            course.add(entry)
        }
        if let end = record.end { bytes += try line(end, of: record.header) }
        if bytes.count > CaptureLimits.recordByteCount { throw .tooLarge(limit: CaptureLimits.recordByteCount) }
        return bytes
    }

    /// Why a capture with this header, which has a flow, cannot be recorded; nil if it can. The record thread adds
    /// about a hundred bytes.
    package static func fault(of header: CaptureHeader) -> String? {
        guard header.flow != nil else { return nil }
        do throws(CaptureFormatError) {
            _ = try line(header)
            return nil
        } catch {
            return error.description
        }
    }

    package static func line(_ header: CaptureHeader) throws(CaptureFormatError) -> [UInt8] {
        if let fault = header.fault { throw .unencodable(fault) }
        if header.format != CaptureHeader.format || header.version != header.neededVersion {
            throw .unencodable("a header of another format or version")
        }
        let bytes = try json(header) + [JSONLines.newline]
        let limit = CaptureLimits.headerByteCount(version: header.version)
        if bytes.count > limit {
            throw .unencodable("the header with the texts to show has more than \(limit) bytes")
        }
        return bytes
    }

    /// - Parameter course: the lines before.
    package static func line(
        _ entry: CaptureEntry, after course: RecordCourse
    ) throws(CaptureFormatError) -> [UInt8] {
        if let fault = course.fault(of: entry) { throw .unencodable(fault) }
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
        case .spoken(let text, let time): bytes = try json(SpokenLine(spoken: text, t: time))
        }
        bytes.append(JSONLines.newline)
        return bytes
    }

    package static func line(_ end: CaptureEnd, of header: CaptureHeader) throws(CaptureFormatError) -> [UInt8] {
        if let fault = end.fault(after: header) { throw .unencodable(fault) }
        let bytes = try json(["end": end]) + [JSONLines.newline]
        let limit = CaptureLimits.endByteCount(version: header.version)
        if bytes.count > limit { throw .unencodable("the end has more than \(limit) bytes") }
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
        case format, stroke, inAir, action, spoken, end, person, page, view, answer, field, instead, accepted, confirmed
        case typed, glass

        /// Those that a version has. In others they are members that a reader does not know.
        static func all(in version: Int) -> [Kind] {
            version == CaptureHeader.version ? [.format, .stroke, .inAir, .action, .spoken, .end] : allCases
        }

        /// Whether only records with a flow have such lines.
        var isOfFlow: Bool { !Self.all(in: CaptureHeader.version).contains(self) }

        /// Whether such a line has its time beside it.
        var hasTime: Bool {
            switch self {
            case .format, .stroke, .inAir, .end: false
            case .action, .spoken, .person, .page, .view, .answer, .field, .instead, .accepted, .confirmed, .typed,
                .glass:
                true
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
        var spoken: String?
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
        var course = RecordCourse(record.header)
        for (index, text) in lines.enumerated().dropFirst() {
            let number = index + 1
            if record.end != nil { throw .malformed(line: number, reason: "there is a line after the end") }
            do throws(JSONLineError) {
                switch try part(text, of: record.header) {
                case .end(let end): record.end = end
                case .entry(let entry):
                    if let fault = course.fault(of: entry) { throw JSONLineError(reason: fault) }
                    course.add(entry)
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
        let tooLong = CaptureFormatError.notARecord("the first line is too long for a header")
        if line.count >= CaptureLimits.flowHeaderByteCount { throw tooLong }
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
        if line.count >= CaptureLimits.headerByteCount(version: format.version) { throw tooLong }
        let header: CaptureHeader
        do throws(JSONLineError) {
            if kinds(of: value, in: format.version) != [.format] || value["t"] != nil {
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
    package static func end(_ line: ArraySlice<UInt8>, of header: CaptureHeader) -> CaptureEnd? {
        guard case .end(let end)? = try? part(line, of: header) else { return nil }
        return end
    }

    private static func kinds(of line: JSONValue, in version: Int) -> [Kind] {
        Kind.all(in: version).filter { line[$0.rawValue] != nil }
    }

    private static func flowEntry(_ value: JSONValue) throws(JSONLineError) -> CaptureEntry? {
        let line = try JSONLines.decode(FlowLine.self, value)
        return line.event.map { .flow($0, microseconds: line.t) }
    }

    private static func part(_ text: ArraySlice<UInt8>, of header: CaptureHeader) throws(JSONLineError) -> Part {
        let (value, samples, places) = try SampleList.read(text)
        let kinds = kinds(of: value, in: header.version)
        guard kinds.count == 1, kinds[0].hasTime == (value["t"] != nil) else {
            let event = header.flow == nil ? "" : " or another event"
            throw JSONLineError(
                reason: "neither a stroke, nor movement in the air, nor an action\(event) with its time, nor an end")
        }
        if kinds[0].isOfFlow, let entry = try flowEntry(value) { return .entry(entry) }
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
        if let text = line.spoken, let microseconds = line.t {
            return .entry(.spoken(text, microseconds: microseconds))
        }
        guard let end = line.end else { throw JSONLineError(reason: "a second header") }
        let limit = CaptureLimits.endByteCount(version: header.version)
        if text.count >= limit { throw JSONLineError(reason: "the end has more than \(limit) bytes") }
        if let fault = end.fault(after: header) { throw JSONLineError(reason: fault) }
        return .end(end)
    }
}

/// A text that was read aloud, and its time.
private struct SpokenLine: Encodable {
    var spoken: String
    var t: Int64
}

/// A line of a record with a flow: one event, and its time.
struct FlowLine: Codable {
    var t: Int64
    private var person: Int?
    private var page: SeenPage?
    private var view: SeenView?
    private var answer: CaptureAnswer?
    private var field: Signed?
    /// This member has a name of its own, so that older programs do not take a mark for a signature.
    private var instead: FieldSheet?
    private var accepted: AcceptedField?
    private var confirmed: Confirmed?
    /// This member has a name of its own, too, so that older programs do not take a typed name for a confirmation.
    private var typed: ConfirmedField?
    private var glass: GlassImage?

    /// The members of a sheet that is not in place of a signature. Others are unknown.
    private struct Signed: Codable {
        var name: String
        var person: Int
        var signingArea: [Int]
    }

    /// The members of what is confirmed without a typed name. Others are unknown.
    private struct Confirmed: Codable {
        var name, words: String
        var heard: Bool?
    }

    init(_ event: FlowEvent, t: Int64) {
        self.t = t
        switch event {
        case .person(let number): person = number
        case .page(let page): self.page = page
        case .view(let view): self.view = view
        case .answer(let answer): self.answer = answer
        case .field(let sheet):
            if sheet.part != nil {
                instead = sheet
            } else {
                field = Signed(name: sheet.name, person: sheet.person, signingArea: sheet.signingArea)
            }
        case .accepted(let field): accepted = field
        case .confirmed(let field):
            if field.entered != nil {
                typed = field
            } else {
                confirmed = Confirmed(name: field.name, words: field.words, heard: field.heard)
            }
        case .glass(let image): glass = image
        }
    }

    /// nil if the line has none.
    var event: FlowEvent? {
        if let person { return .person(person) }
        if let page { return .page(page) }
        if let view { return .view(view) }
        if let answer { return .answer(answer) }
        if let field {
            return .field(FieldSheet(name: field.name, person: field.person, signingArea: field.signingArea))
        }
        if let instead, instead.part != nil { return .field(instead) }
        if let accepted { return .accepted(accepted) }
        if let confirmed {
            return .confirmed(
                ConfirmedField(name: confirmed.name, words: confirmed.words, heard: confirmed.heard))
        }
        if let typed, typed.entered != nil { return .confirmed(typed) }
        return glass.map { .glass($0) }
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
            "version \(version) of the record format is not supported (only \(CaptureHeader.version) and "
                + "\(CaptureHeader.flowVersion)): use a later inkpanel"
        case .malformed(let line, let reason): "line \(line): \(reason)"
        case .tooLarge(let limit): "the record is larger than \(limit) bytes"
        case .unencodable(let reason): "this cannot be recorded: \(reason)"
        case .notASeal(let reason): "not a seal: \(reason)"
        }
    }
}
