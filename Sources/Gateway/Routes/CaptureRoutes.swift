// SPDX-License-Identifier: Apache-2.0
import FlyingFox
import Foundation
import HTTP
import HostAPI
import JSON

extension Route {
    /// Seconds.
    private static let abandonRange: ClosedRange<Int64> = 10...3600
    private static let usualAbandonAfter = 60
    /// Seconds that a host may wait with `Prefer: wait`; shorter than the limit of a request.
    private static let longestWait = 60
    /// Seconds that a cancel, clear or accept waits for its effect.
    private static let effectLimit = 3

    /// Captures: ask for a signature and follow how the person signs.
    static func captures(_ captures: Captures, _ bearers: Bearers, _ panel: PanelService) -> [Route] {
        [
            Route("POST", "/v1/captures", .capture) { call, end in
                try call.checkQuery()
                var request = try call.object()
                let abandonAfter = try abandonAfter(request.removeValue(forKey: "abandonAfter"))
                let key = call[header: "Idempotency-Key"]
                guard key.map({ 1...255 ~= $0.utf8.count && $0.utf8.allSatisfy { 0x20..<0x7F ~= $0 } }) ?? true else {
                    throw Problem.invalid("Idempotency-Key", "1 to 255 characters of ASCII")
                }
                do {
                    let asked = try await captures.ask(
                        request, abandonAfter: abandonAfter, bearer: end.bearer, key: key, body: call.body,
                        bearers: bearers)
                    switch asked {
                    case .capture(let capture): return try await response(capture, .created)
                    case .ended(let id, let asked): return try await endedResponse(id, asked, panel)
                    }
                } catch let problem as Problem {
                    throw problem.naming("abandonAfter")
                }
            },
            Route("GET", "/v1/captures/{id}", .capture) { call, end in
                try call.checkQuery()
                let id = try call.captureID()
                guard let capture = await captures.capture(id, for: end.bearer) else {
                    let (document, tag) = try await storedCapture(id, end.bearer, captures, panel)
                    if call.hasVersion(tag) { return .notModified(tag) }
                    return HTTPResponse(document: document, headers: [.eTag: tag])
                }
                var seen = await capture.version
                if call[header: "If-None-Match"] != nil, !call.hasVersion(capture.tag(of: seen)) { seen = 0 }
                if let seconds = Preferences(call[header: "Prefer"] ?? "").wait(atMost: longestWait) {
                    await capture.wait(forChangeOf: seen, seconds: seconds)
                } else {
                    await capture.wait(forChangeOf: 0, seconds: 0)
                }
                let version = await capture.version
                if call.hasVersion(capture.tag(of: version)) {
                    return .notModified(capture.tag(of: version))
                }
                return try await response(capture, .ok)
            },
            Route("GET", "/v1/captures/{id}/events", .capture) { call, end in
                try call.checkQuery()
                let last = call[header: "Last-Event-ID"].flatMap { Int($0) }
                return await (try running(call, end, captures)).follow(after: last, until: end)
            },
            Route("POST", "/v1/captures/{id}/typed-name", .capture) { call, end in
                try call.checkQuery()
                let capture = try await running(call, end, captures)
                let call = try TypeNameCall(for: capture.id, call.object())
                try await capture.act(.typeName, call, on: panel, waiting: effectLimit)
                return try await response(capture, .ok)
            },
        ]
            + [PanelMethod.cancel, .clear, .accept].map { method in
                Route("POST", "/v1/captures/{id}/" + method.rawValue.lowercased(), .capture) { call, end in
                    try call.checkQuery()
                    let capture = try await running(call, end, captures)
                    try await capture.press(method, on: panel, waiting: effectLimit)
                    return try await response(capture, .ok)
                }
            }
    }

    /// - Throws: ``Problem`` with status 404 for a capture that the bearer may not see, or that is no longer in memory.
    private static func running(
        _ call: RoutedRequest, _ end: BearerEnd, _ captures: Captures
    ) async throws -> HostedCapture {
        guard let capture = await captures.capture(try call.captureID(), for: end.bearer) else {
            throw Problem.notFound("There is no such capture, or it ended a while ago.")
        }
        return capture
    }

    private static func response(_ capture: HostedCapture, _ status: HTTPStatusCode) async throws -> HTTPResponse {
        let (document, version) = await (capture.document, capture.version)
        var response = HTTPResponse(status, document: document, headers: [.eTag: capture.tag(of: version)])
        if status == .created { response.headers[.location] = "/v1/captures/\(capture.id)" }
        return response
    }

    /// An accepted capture that is known by its record only.
    private static func storedCapture(
        _ id: CaptureID, _ bearer: Token, _ captures: Captures, _ panel: PanelService
    ) async throws -> (document: CaptureDocument, tag: String) {
        guard await captures.mayRead(id, bearer) else { throw Problem.notFound("There is no such capture.") }
        do {
            return (try await storedDocument(of: id, panel), "\"\(id)-stored\"")
        } catch let problem as Problem where problem.status == 404 {
            if try await panel.runningCapture() == id { throw Problem.notSigned }
            throw problem
        }
    }

    /// The capture of an idempotency key of before.
    private static func endedResponse(_ id: CaptureID, _ asked: Date, _ panel: PanelService) async throws
        -> HTTPResponse
    {
        let document: CaptureDocument
        do { document = try await storedDocument(of: id, panel) } catch let problem as Problem
            where problem.status == 404
        {
            let outcome = CaptureOutcome.failed(reason: "it ended without a signature")
            document = .hosted(CaptureReply(id: id, state: .ended(outcome)), created: asked, ended: nil)
        }
        return HTTPResponse(
            .created, document: document, headers: [.location: "/v1/captures/\(id)", .eTag: "\"\(id)-stored\""])
    }

    private static func storedDocument(of id: CaptureID, _ panel: PanelService) async throws -> CaptureDocument {
        do {
            let reply = try await panel.get(GetCall(id, nil))
            while try await reply.portion() != nil {}
            guard let metadata = try await reply.parameters(GetReply.self).metadata else {
                throw Problem.panelFailed("no metadata")
            }
            return .stored(metadata.summary, isSigned: metadata.signedByteCount != nil)
        } catch let problem as Problem where problem.name == .encrypted {
            // The list has what the seal says of a record that the panel itself cannot read any more.
            var summary: RecordSummary?
            _ = try await panel.records { if $0.id == id { summary = $0 } }
            guard let summary else { throw problem }
            return .stored(summary, isSigned: nil)
        }
    }

    private static func abandonAfter(_ value: JSONValue?) throws -> Int {
        guard let value, value != .null else { return usualAbandonAfter }
        guard let seconds = value.integer, abandonRange.contains(seconds) else {
            throw Problem.invalid(
                "/abandonAfter", "whole seconds, \(abandonRange.lowerBound) to \(abandonRange.upperBound)")
        }
        return Int(seconds)
    }
}

extension Problem {
    /// The same with another name among those of the body's members, which the panel does not know.
    fileprivate func naming(_ member: String) -> Problem {
        guard name == .invalidParameter, errors.count == 1, errors[0].pointer.split(separator: "/").count == 1 else {
            return self
        }
        let (names, all) = ("one of the names ", "one of the names \(member), ")
        var problem = self
        problem.detail = detail.replacing(names, with: all)
        problem.errors[0].detail = errors[0].detail.replacing(names, with: all)
        return problem
    }
}

extension TypeNameCall {
    /// - Throws: ``Problem`` for other members and for values that are not strings. The panel checks the texts.
    fileprivate init(for capture: CaptureID, _ members: [String: JSONValue]) throws {
        if let other = members.keys.sorted().first(where: { !["name", "by", "reason"].contains($0) }) {
            throw Problem.invalid("/" + other, "name, by and reason only")
        }
        func text(_ name: String) throws -> String {
            guard let text = members[name]?.text else { throw Problem.invalid("/" + name, "a string") }
            return text
        }
        let reason = members["reason"].flatMap { $0 == .null ? nil : $0 } == nil ? nil : try text("reason")
        self.init(id: capture, name: try text("name"), by: try text("by"), reason: reason)
    }
}
