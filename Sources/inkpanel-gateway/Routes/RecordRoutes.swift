// SPDX-License-Identifier: Apache-2.0
import Evidence
import FlyingFox
import Foundation

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
        var records: [JSONValue] = []
        var isAfter = call.query("after") == nil
        let list = try await panel.call("List")
        for record in list["captures"]?.list ?? [] {
            guard let id = record["id"]?.text, await captures.mayRead(id, bearer) else { continue }
            if isAfter { records.append(record) }
            if id == call.query("after") { isAfter = true }
        }
        guard isAfter else { throw Problem.invalid("after", "the id of a record in the list") }
        let page = records.prefix(limit ?? usualPage)
        var answer: [String: JSONValue] = ["captures": .list(Array(page))]
        for name in ["seal", "missingSeals"] { answer[name] = list[name] }
        if page.count < records.count, let last = page.last?["id"] { answer["next"] = last }
        return .object(answer)
    }

    private static func response(
        _ file: RecordFile, _ call: Call, _ captures: Captures, _ panel: Panel
    ) async throws -> HTTPResponse {
        let parameters = try parameters(file, call)
        let id = call.parameters["id"] ?? ""
        guard let bearer = call.bearer, await captures.mayRead(id, bearer) else {
            throw Problem.notFound("There is no such capture.")
        }
        let reply = try await panel.call(
            "Get", .object(parameters.merging(["id": .text(id), "format": .text(file.format)]) { $1 }))
        let body: Data
        if let text = reply["text"]?.text {
            body = Data(text.utf8)
        } else if let metadata = reply["metadata"], metadata != .null {
            body = metadata.json
        } else if let data = reply["base64"]?.text.flatMap({ Data(base64Encoded: $0) }) {
            body = data
        } else {
            throw Problem.panelFailed("no file")
        }
        let tag = "\"\(SHA256Digest(of: [UInt8](body)).description.prefix(32))\""
        if call.hasVersion(tag) { return .notModified(tag) }
        return HTTPResponse(
            statusCode: .ok,
            headers: [
                .contentType: reply["mediaType"]?.text ?? "application/json", .eTag: tag,
                .contentDisposition: "attachment; filename=\"\(id)\(file.ending ?? "-" + file.name)\"",
            ], body: body)
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
