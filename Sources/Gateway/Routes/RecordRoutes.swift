// SPDX-License-Identifier: Apache-2.0
import Evidence
import FlyingFox
package import Foundation
import Geometry
import HTTP
import HostAPI
import JSON

/// A file of a record: its name in the address, and the panel's format (docs/formats.md).
private struct RecordFile {
    let name: String
    /// nil for metadata.
    let format: ExportFormat?
    /// Whether it takes the parameters of pictures.
    var isPicture = false
    /// The ending after the id in the name of the download, if `inkpanel verify` finds files by that name.
    var ending: String?

    /// Whether the same file is there for records that were not accepted.
    var isEvidence: Bool { ending != nil && format != .record }

    static let all = [
        RecordFile(name: "signature.png", format: .png, isPicture: true),
        RecordFile(name: "signature.svg", format: .svg, isPicture: true),
        RecordFile(name: "signature.inkml", format: .inkml),
        RecordFile(name: "signature.iso", format: .iso19794),
        RecordFile(name: "signature.csv", format: .csv),
        RecordFile(name: "signature.json", format: .signaturePad),
        RecordFile(name: "record.jsonl", format: .record, ending: ".jsonl"),
        RecordFile(name: "metadata.json", format: nil),
        RecordFile(name: "record.jsonl.age", format: .encrypted, ending: ".jsonl.age"),
        RecordFile(name: "seal", format: .seal, ending: ".seal"),
        RecordFile(name: "seal.sig", format: .sealSignature, ending: ".seal.sig"),
        RecordFile(name: "signed.pdf.age", format: .encryptedPDF, ending: ".pdf.age"),
        RecordFile(name: "evidence.zip", format: .evidence),
    ]
}

extension Route {
    private static let pageRange: ClosedRange<Int> = 1...200
    private static let usualPage = 50

    /// Records of accepted captures.
    static func records(_ captures: Captures, _ panel: PanelService) -> [Route] {
        [
            Route("GET", "/v1/captures", .record) { call, end in
                try call.checkQuery("limit", "after")
                return HTTPResponse(document: try await list(call, end.bearer, captures, panel))
            }
        ]
            + RecordFile.all.map { file in
                Route("GET", "/v1/captures/{id}/" + file.name, .record) { call, end in
                    try await response(file, call, end, captures, panel)
                }
            }
    }

    /// The bearer's records, newest first. `next` is the value of `after` for those that follow.
    private static func list(
        _ call: RoutedRequest, _ bearer: Token, _ captures: Captures, _ panel: PanelService
    ) async throws -> RecordPage {
        let limit = try call.query("limit").map { text in
            guard let limit = Int(text), pageRange.contains(limit) else {
                throw Problem.invalid("limit", "\(pageRange.lowerBound) to \(pageRange.upperBound)")
            }
            return limit
        }
        let (after, size) = (call.query("after"), limit ?? usualPage)
        var page: [TimedRecord] = []
        var isAfter = after == nil
        var hasMore = false
        let rest = try await panel.records { record in
            if isAfter, !hasMore, await captures.mayRead(record.id, bearer) {
                if page.count < size { page.append(TimedRecord(record)) } else { hasMore = true }
            }
            if record.id.description == after, await captures.mayRead(record.id, bearer) { isAfter = true }
        }
        guard isAfter else { throw Problem.invalid("after", "the id of a record in the list") }
        return RecordPage(
            captures: page, seal: rest.seal, missingSeals: rest.missingSeals,
            next: hasMore ? page.last?.summary.id : nil)
    }

    private static func response(
        _ file: RecordFile, _ call: RoutedRequest, _ end: BearerEnd, _ captures: Captures, _ panel: PanelService
    ) async throws -> HTTPResponse {
        var request = GetCall(try call.captureID(), file.format)
        try add(call, to: &request, file)
        let id = try call.captureID()
        guard await captures.mayRead(id, end.bearer) else { throw Problem.notFound("There is no such capture.") }
        let capture = await captures.capture(id, for: end.bearer)
        if let capture, await capture.ended == nil { throw Problem.notSigned }
        let made: PanelFile
        do {
            made = try await PanelFile(try await panel.get(request))
        } catch let problem as Problem {
            if problem.name == .notFound, capture != nil {
                throw Problem.notFound("The capture ended without a signature.")
            }
            // It may be one that another program asked the panel for.
            if problem.name == .notFound, try await panel.runningCapture() == id { throw Problem.notSigned }
            throw problem.ofQuery
        }
        var headers: HTTPHeaders = [
            .contentType: made.mediaType,
            .contentDisposition: "attachment; filename=\"\(id)\(file.ending ?? "-" + file.name)\"",
        ]
        switch made.body {
        case .stream(let stream):
            // The tag is that of the content, which has not come yet.
            return HTTPResponse(
                statusCode: .ok, headers: headers, body: HTTPBodySequence(from: CutFile(file: stream, end: end)))
        case .whole(var content):
            if let metadata = made.metadata { content = TimedMetadata(metadata: metadata).json }
            let tag = "\"\(SHA256Digest(of: [UInt8](content)).description.prefix(32))\""
            if call.hasVersion(tag) { return .notModified(tag) }
            headers[.eTag] = tag
            return HTTPResponse(statusCode: .ok, headers: headers, body: content)
        }
    }

    /// The query as parameters of the panel's method Get, which checks their ranges.
    private static func add(_ call: RoutedRequest, to request: inout GetCall, _ file: RecordFile) throws {
        if file.isPicture {
            try call.checkQuery(
                "field", "dpi", "width", "height", "part", "transparent", "color", "caption", "interrupted")
        } else if file.isEvidence {
            try call.checkQuery()
        } else if file.format?.isStored == false {
            try call.checkQuery("field", "interrupted")
        } else {
            try call.checkQuery("interrupted")
        }
        func number(_ name: String) throws -> Double? {
            try call.query(name).map { text in
                guard let number = Double(text), number.isFinite else { throw Problem.invalid(name, "a number") }
                return number
            }
        }
        func flag(_ name: String) throws -> Bool? {
            try call.query(name).map { text in
                guard text == "true" || text == "false" else { throw Problem.invalid(name, "true or false") }
                return text == "true"
            }
        }
        request.dpi = try number("dpi")
        switch (try number("width"), try number("height")) {
        case (nil, nil): break
        case (let width?, let height?):
            guard let width = Int(exactly: width), let height = Int(exactly: height) else {
                throw Problem.invalid("width", "whole pixels")
            }
            request.pixels = PixelSize(width: width, height: height)
        default: throw Problem.invalid("height", "width and height together")
        }
        request.field = call.query("field")
        request.part = call.query("part")
        request.color = call.query("color")
        request.transparent = try flag("transparent")
        request.caption = try flag("caption")
        request.interrupted = try flag("interrupted")
    }
}

extension PanelService {
    /// The id of the capture that runs, whoever asked for it.
    func runningCapture() async throws -> CaptureID? { try await status().running?.id }

    /// Reads the list of all records, newest first, one at a time.
    /// - Returns: the list's other members.
    /// - Throws: ``Problem``.
    func records(_ body: (RecordSummary) async throws -> Void) async throws -> RecordList {
        let reply = try await list()
        while let pieces = try await reply.portion() {
            for element in pieces.elements {
                guard let record = try? JSONValue(element).decode(RecordSummary.self) else {
                    throw Problem.panelFailed("a record in the list cannot be read")
                }
                try await body(record)
            }
        }
        return try await reply.parameters(RecordList.self)
    }
}

// Times as the API has them everywhere: RFC 3339 instead of microseconds since 1970.

extension Date {
    package init(microseconds: Int64) { self.init(timeIntervalSince1970: Double(microseconds) / 1e6) }
}

private struct RecordPage: Encodable {
    var captures: [TimedRecord]
    var seal: SealHead?
    var missingSeals: [Int64]?
    /// The value of `after` for the records that follow.
    var next: CaptureID?
}

private struct TimedRecord: Encodable {
    let summary: RecordSummary

    private enum CodingKeys: CodingKey { case startedAt, endedAt }

    init(_ summary: RecordSummary) { self.summary = summary }

    func encode(to encoder: any Encoder) throws {
        try summary.encode(to: encoder)
        var times = encoder.container(keyedBy: CodingKeys.self)
        try times.encode(Date(microseconds: summary.startedAt).formatted(.iso8601), forKey: .startedAt)
        try times.encodeIfPresent(
            summary.endedAt.map { Date(microseconds: $0).formatted(.iso8601) }, forKey: .endedAt)
    }
}

private struct TimedMetadata: Encodable {
    let metadata: RecordMetadata

    private enum CodingKeys: CodingKey { case summary }

    func encode(to encoder: any Encoder) throws {
        try metadata.encode(to: encoder)
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(TimedRecord(metadata.summary), forKey: .summary)
    }
}

extension Problem {
    /// The same for a call that was made of query parameters: these have names, not pointers.
    fileprivate var ofQuery: Problem {
        guard name == .invalidParameter else { return self }
        var problem = self
        for index in errors.indices where errors[index].pointer.hasPrefix("/") {
            let member = String(errors[index].pointer.split(separator: "/").last ?? "")
            let name = member == "size" ? "width" : member
            // The panel's parameter `size` has both.
            let expected = errors[index].detail.replacing("dpi or size", with: "dpi, or width and height")
            problem.errors[index] = Part(pointer: name, detail: expected)
            problem.detail = "\(name): \(expected)"
        }
        return problem
    }
}
