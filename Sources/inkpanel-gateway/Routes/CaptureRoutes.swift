// SPDX-License-Identifier: Apache-2.0
import FlyingFox
import Foundation
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
    static func captures(_ captures: Captures, _ bearers: Bearers, _ panel: Panel) -> [Route] {
        [
            Route("POST", "/v1/captures", .scope(.capture)) { call in
                try call.checkQuery()
                guard let bearer = call.bearer else { throw CancellationError() }
                var request = try call.object()
                let abandonAfter = try abandonAfter(request.removeValue(forKey: "abandonAfter"))
                let key = call[header: "Idempotency-Key"]
                guard key.map({ 1...255 ~= $0.utf8.count && $0.utf8.allSatisfy { 0x20..<0x7F ~= $0 } }) ?? true else {
                    throw Problem.invalid("Idempotency-Key", "1 to 255 characters of ASCII")
                }
                do {
                    let asked = try await captures.ask(
                        request, abandonAfter: abandonAfter, bearer: bearer, key: key, body: call.body,
                        bearers: bearers)
                    switch asked {
                    case .capture(let capture): return try await response(capture, .created)
                    case .ended(let id, let asked): return try await endedResponse(id, asked, panel)
                    }
                } catch let problem as Problem {
                    throw problem.naming("abandonAfter")
                }
            },
            Route("GET", "/v1/captures/{id}", .scope(.capture)) { call in
                try call.checkQuery()
                guard let capture = await self.capture(call, captures) else {
                    let (document, tag) = try await storedCapture(call, captures, panel)
                    if call.hasVersion(tag) { return .notModified(tag) }
                    return HTTPResponse(json: document, headers: [.eTag: tag])
                }
                var seen = await capture.version
                if call[header: "If-None-Match"] != nil, !call.hasVersion(capture.tag(of: seen)) { seen = 0 }
                if let seconds = wait(call[header: "Prefer"]) {
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
            Route("GET", "/v1/captures/{id}/events", .scope(.capture)) { call in
                try call.checkQuery()
                let last = call[header: "Last-Event-ID"].flatMap { Int($0) }
                guard let end = call.end else { throw CancellationError() }
                return await (try running(call, captures)).follow(after: last, until: end)
            },
        ]
            + [("cancel", "Cancel"), ("clear", "Clear"), ("accept", "Accept")].map { name, method in
                Route("POST", "/v1/captures/{id}/" + name, .scope(.capture)) { call in
                    try call.checkQuery()
                    let capture = try await running(call, captures)
                    let seen = await capture.version
                    _ = try await panel.call(method, ["id": .text(capture.id)])
                    if method == "Cancel" {
                        await capture.waitForEnd(seconds: effectLimit)
                    } else {
                        await capture.wait(forChangeOf: seen, seconds: effectLimit)
                    }
                    return try await response(capture, .ok)
                }
            }
    }

    private static func capture(_ call: Call, _ captures: Captures) async -> HostedCapture? {
        guard let bearer = call.bearer else { return nil }
        return await captures.capture(call.parameters["id"] ?? "", for: bearer)
    }

    /// - Throws: ``Problem`` with status 404 for a capture that the bearer may not see, or that is no longer in memory.
    private static func running(_ call: Call, _ captures: Captures) async throws -> HostedCapture {
        guard let capture = await capture(call, captures) else {
            throw Problem.notFound("There is no such capture, or it ended a while ago.")
        }
        return capture
    }

    private static func response(_ capture: HostedCapture, _ status: HTTPStatusCode) async throws -> HTTPResponse {
        let (document, version) = await (capture.document, capture.version)
        var response = HTTPResponse(status, json: document, headers: [.eTag: capture.tag(of: version)])
        if status == .created { response.headers[.location] = "/v1/captures/" + capture.id }
        return response
    }

    /// An accepted capture that is known by its record only.
    private static func storedCapture(
        _ call: Call, _ captures: Captures, _ panel: Panel
    ) async throws -> (document: JSONValue, tag: String) {
        let id = call.parameters["id"] ?? ""
        guard let bearer = call.bearer, await captures.mayRead(id, bearer) else {
            throw Problem.notFound("There is no such capture.")
        }
        do {
            return (try await storedDocument(of: id, panel), "\"\(id)-stored\"")
        } catch let problem as Problem where problem.status == 404 {
            if try await panel.runningCapture() == id { throw Problem.notSigned }
            throw problem
        }
    }

    /// The capture of an idempotency key of before.
    private static func endedResponse(_ id: String, _ asked: Date, _ panel: Panel) async throws -> HTTPResponse {
        var document: JSONValue
        do { document = try await storedDocument(of: id, panel) } catch let problem as Problem
            where problem.status == 404
        {
            document = [
                "id": .text(id), "state": "ended", "createdAt": .text(asked.formatted(.iso8601)),
                "outcome": ["result": "failed", "reason": "it ended without a signature"],
            ]
        }
        return HTTPResponse(
            .created, json: document, headers: [.location: "/v1/captures/" + id, .eTag: "\"\(id)-stored\""])
    }

    private static func storedDocument(of id: String, _ panel: Panel) async throws -> JSONValue {
        let summary = try await summary(of: id, panel)
        func time(_ name: String) -> JSONValue? { summary[name]?.number.map { .time(microseconds: $0) } }
        var document: [String: JSONValue] = [
            "id": .text(id), "state": "ended", "outcome": ["result": summary["outcome"] ?? "accepted"],
        ]
        for name in ["data", "seal"] { document[name] = summary[name] }
        document["createdAt"] = time("startedAt")
        document["endedAt"] = time("endedAt")
        return .object(document)
    }

    private static func summary(of id: String, _ panel: Panel) async throws -> JSONValue {
        do {
            let reply = try await panel.call("Get", ["id": .text(id), "format": "metadata"])
            guard let summary = reply["metadata"]?["summary"] else { throw Problem.panelFailed("no metadata") }
            return summary
        } catch let problem as Problem where problem.name == Problem.encrypted {
            // The list has what the seal says of a record that the panel itself cannot read any more.
            var summary: JSONValue?
            _ = try await panel.records { if $1 == id { summary = $0 } }
            guard let summary else { throw problem }
            return summary
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

    /// The seconds of `Prefer: wait=30` (RFC 7240, 4.3), at most the longest; nil without it, or if it cannot be
    /// honoured.
    private static func wait(_ preferences: String?) -> Int? {
        guard let seconds = Preferences(preferences ?? "")["wait"], !seconds.isEmpty,
            seconds.utf8.allSatisfy({ 0x30...0x39 ~= $0 })
        else { return nil }
        // A number beyond the range of Int has more digits than any below the limit.
        let number = min(Int(seconds) ?? longestWait, longestWait)
        return number > 0 ? number : nil
    }
}

extension Problem {
    /// The same with another name among those of the body's members, which the panel does not know.
    fileprivate func naming(_ member: String) -> Problem {
        guard name == "invalid-parameter", errors.count == 1, errors[0].pointer.split(separator: "/").count == 1 else {
            return self
        }
        let (names, all) = ("one of the names ", "one of the names \(member), ")
        var problem = self
        problem.detail = detail.replacing(names, with: all)
        problem.errors[0].detail = errors[0].detail.replacing(names, with: all)
        return problem
    }
}
