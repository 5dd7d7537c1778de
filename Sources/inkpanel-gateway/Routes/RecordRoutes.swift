// SPDX-License-Identifier: Apache-2.0
import Evidence
import FlyingFox
import Foundation
import JSON

/// A file of a record: its name in the address, and the panel's format (docs/formats.md).
private struct RecordFile {
    let name: String
    let format: String
    /// Whether it takes the parameters of pictures.
    var isPicture = false
    /// What follows the id in the name under which it is downloaded, if `inkpanel verify` finds files by that name.
    var ending: String?

    /// Whether the same file is there for records that were not accepted.
    var isEvidence: Bool { ending != nil && format != "record" }

    static let all = [
        RecordFile(name: "signature.png", format: "png", isPicture: true),
        RecordFile(name: "signature.svg", format: "svg", isPicture: true),
        RecordFile(name: "signature.inkml", format: "inkml"),
        RecordFile(name: "signature.iso", format: "iso19794"),
        RecordFile(name: "signature.csv", format: "csv"),
        RecordFile(name: "signature.json", format: "signature_pad"),
        RecordFile(name: "record.jsonl", format: "record", ending: ".jsonl"),
        RecordFile(name: "metadata.json", format: "metadata"),
        RecordFile(name: "record.jsonl.age", format: "encrypted", ending: ".jsonl.age"),
        RecordFile(name: "seal", format: "seal", ending: ".seal"),
        RecordFile(name: "seal.sig", format: "sealSignature", ending: ".seal.sig"),
    ]
}

extension Route {
    private static let pageRange: ClosedRange<Int> = 1...200
    private static let usualPage = 50

    /// Records of accepted captures.
    static func records(_ captures: Captures, _ panel: Panel) -> [Route] {
        [
            Route("GET", "/v1/captures", .scope(.record)) { call in
                try call.checkQuery("limit", "after")
                return HTTPResponse(json: try await list(call, captures, panel))
            }
        ]
            + RecordFile.all.map { file in
                Route("GET", "/v1/captures/{id}/" + file.name, .scope(.record)) { call in
                    try await response(file, call, captures, panel)
                }
            }
    }

    /// The bearer's records, newest first. `next` is the value of `after` for those that follow.
    private static func list(_ call: Call, _ captures: Captures, _ panel: Panel) async throws -> JSONValue {
        let limit = try call.query("limit").map { text in
            guard let limit = Int(text), pageRange.contains(limit) else {
                throw Problem.invalid("limit", "\(pageRange.lowerBound) to \(pageRange.upperBound)")
            }
            return limit
        }
        guard let bearer = call.bearer else { throw CancellationError() }
        let (after, size) = (call.query("after"), limit ?? usualPage)
        var page: [JSONValue] = []
        var isAfter = after == nil
        var hasMore = false
        let rest = try await panel.records { record, id in
            if isAfter, !hasMore, await captures.mayRead(id, bearer) {
                if page.count < size { page.append(record.withTimes) } else { hasMore = true }
            }
            if id == after, await captures.mayRead(id, bearer) { isAfter = true }
        }
        guard isAfter else { throw Problem.invalid("after", "the id of a record in the list") }
        var answer: [String: JSONValue] = ["captures": .list(page)]
        for name in ["seal", "missingSeals"] { answer[name] = rest[name] }
        if hasMore, let last = page.last?["id"] { answer["next"] = last }
        return .object(answer)
    }

    private static func response(
        _ file: RecordFile, _ call: Call, _ captures: Captures, _ panel: Panel
    ) async throws -> HTTPResponse {
        let parameters = try parameters(file, call)
        let id = call.parameters["id"] ?? ""
        guard let end = call.end, case let bearer = end.bearer, await captures.mayRead(id, bearer) else {
            throw Problem.notFound("There is no such capture.")
        }
        let capture = await captures.capture(id, for: bearer)
        if let capture, await capture.ended == nil { throw Problem.notSigned }
        let made: PanelFile
        do {
            let call = parameters.merging(["id": .text(id), "format": .text(file.format)]) { $1 }
            made = try await PanelFile(try await panel.long("Get", .object(call)))
        } catch let problem as Problem {
            if problem.name == "not-found", capture != nil {
                throw Problem.notFound("The capture ended without a signature.")
            }
            // It may be one that another program asked the panel for.
            if problem.name == "not-found", try await panel.runningCapture() == id { throw Problem.notSigned }
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
            if let metadata = made.metadata { content = metadata.withTimes.json }
            let tag = "\"\(SHA256Digest(of: [UInt8](content)).description.prefix(32))\""
            if call.hasVersion(tag) { return .notModified(tag) }
            headers[.eTag] = tag
            return HTTPResponse(statusCode: .ok, headers: headers, body: content)
        }
    }

    /// The query as parameters of the panel's method Get, which checks their ranges.
    private static func parameters(_ file: RecordFile, _ call: Call) throws -> [String: JSONValue] {
        if file.isPicture {
            try call.checkQuery("dpi", "width", "height", "part", "transparent", "color", "caption", "interrupted")
        } else if file.isEvidence {
            try call.checkQuery()
        } else {
            try call.checkQuery("interrupted")
        }
        var parameters: [String: JSONValue] = [:]
        func number(_ name: String) throws -> Double? {
            try call.query(name).map { text in
                guard let number = Double(text), number.isFinite else { throw Problem.invalid(name, "a number") }
                return number
            }
        }
        parameters["dpi"] = try number("dpi").map { .number($0) }
        switch (try number("width"), try number("height")) {
        case (nil, nil): break
        case (let width?, let height?):
            guard let width = Int64(exactly: width), let height = Int64(exactly: height) else {
                throw Problem.invalid("width", "whole pixels")
            }
            parameters["size"] = ["width": .integer(width), "height": .integer(height)]
        default: throw Problem.invalid("height", "width and height together")
        }
        for name in ["part", "color"] { parameters[name] = call.query(name).map { .text($0) } }
        for name in ["transparent", "caption", "interrupted"] {
            parameters[name] = try call.query(name).map { text in
                guard text == "true" || text == "false" else { throw Problem.invalid(name, "true or false") }
                return .flag(text == "true")
            }
        }
        return parameters
    }
}

extension Panel {
    /// The id of the capture that runs, whoever asked for it.
    func runningCapture() async throws -> String? { try await call("Status")["status"]?["running"]?["id"]?.text }

    /// Reads the list of all records, newest first, one at a time.
    /// - Parameter body: called with each one and its id.
    /// - Returns: the list's other members.
    /// - Throws: ``Problem``.
    func records(_ body: (JSONValue, String) async throws -> Void) async throws -> JSONValue {
        let reply = try await long("List")
        while let pieces = try await reply.portion() {
            for element in pieces.elements {
                guard let record = try? JSONValue(element), let id = record["id"]?.text else {
                    throw Problem.panelFailed("a record is not JSON")
                }
                try await body(record, id)
            }
        }
        return try await reply.parameters
    }
}

extension JSONValue {
    /// A record's summary, or metadata with one, with times as the API has them everywhere: RFC 3339 instead of
    /// microseconds since 1970.
    var withTimes: JSONValue {
        guard case .object(var members) = self else { return self }
        for name in ["startedAt", "endedAt"] {
            if let microseconds = members[name]?.number { members[name] = .time(microseconds: microseconds) }
        }
        if let summary = members["summary"] { members["summary"] = summary.withTimes }
        return .object(members)
    }

    static func time(microseconds: Double) -> JSONValue {
        .text(Date(timeIntervalSince1970: microseconds / 1e6).formatted(.iso8601))
    }
}

extension Problem {
    /// The same for a call that was made of query parameters: these have names, not pointers.
    fileprivate var ofQuery: Problem {
        guard name == "invalid-parameter" else { return self }
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
