// SPDX-License-Identifier: Apache-2.0
package import FlyingFox
import Foundation
package import HostAPI
import JSON

/// Why a request fails, answered as problem+json (RFC 9457).
package struct Problem: Error, Equatable {
    package var name: Name
    package var status: Int
    /// The text for people: what is wrong, and what to do.
    package var detail: String
    /// JSON pointers into the body (RFC 6901), or names of headers and query parameters, that are wrong, with what is
    /// expected of each.
    package var errors: [Part] = []
    package var headers: [String: String] = [:]

    package init(name: Name, status: Int, detail: String, errors: [Part] = [], headers: [String: String] = [:]) {
        self.name = name
        self.status = status
        self.detail = detail
        self.errors = errors
        self.headers = headers
    }

    /// The kind of a problem: `type` is `urn:inkpanel:problem:` and this name.
    package enum Name: String, CaseIterable, Sendable {
        case busy, encrypted, `internal`, pairing, unavailable
        case addressTooLong = "address-too-long"
        case badHost = "bad-host"
        case badRequest = "bad-request"
        case beingStored = "being-stored"
        case documentRefused = "document-refused"
        case expiredToken = "expired-token"
        case headersTooLarge = "headers-too-large"
        case invalidParameter = "invalid-parameter"
        case keyInDoubt = "key-in-doubt"
        case keyInUse = "key-in-use"
        case keyOfAnother = "key-of-another"
        case keyReused = "key-reused"
        case missingGlyphs = "missing-glyphs"
        case missingScope = "missing-scope"
        case nameTaken = "name-taken"
        case noPairing = "no-pairing"
        case noSimulator = "no-simulator"
        case noToken = "no-token"
        case notAWebSocket = "not-a-websocket"
        case notExportable = "not-exportable"
        case notFound = "not-found"
        case notImplemented = "not-implemented"
        case notJSON = "not-json"
        case notRunning = "not-running"
        case notSigned = "not-signed"
        case notSigning = "not-signing"
        case pairingClosed = "pairing-closed"
        case panelFailed = "panel-failed"
        case panelNotRunning = "panel-not-running"
        case permissionDenied = "permission-denied"
        case sessionUsed = "session-used"
        case storeFailed = "store-failed"
        case storeFull = "store-full"
        case tooLarge = "too-large"
        case tooManyCalls = "too-many-calls"
        case tooManyCaptures = "too-many-captures"
        case tooManyDocuments = "too-many-documents"
        case tooManyFollowers = "too-many-followers"
        case tooManyKeys = "too-many-keys"
        case tooManySessions = "too-many-sessions"
        case tooManyWrongTokens = "too-many-wrong-tokens"
        case tooSlow = "too-slow"
        case tooSmallScreen = "too-small-screen"
        case unknownExpectation = "unknown-expectation"
        case unreadableRecord = "unreadable-record"
        case wrongContentType = "wrong-content-type"
        case wrongHost = "wrong-host"
        case wrongMethod = "wrong-method"
        case wrongOrigin = "wrong-origin"
        case wrongToken = "wrong-token"
        case wrongVersion = "wrong-version"
    }

    package struct Part: Equatable {
        package var pointer: String
        package var detail: String

        package init(pointer: String, detail: String) {
            self.pointer = pointer
            self.detail = detail
        }
    }

    package var response: HTTPResponse {
        var body: [String: JSONValue] = [
            "type": .text("urn:inkpanel:problem:" + name.rawValue), "title": .text(title),
            "status": .integer(Int64(status)), "detail": .text(detail),
        ]
        if !errors.isEmpty {
            body["errors"] = .list(errors.map { ["pointer": .text($0.pointer), "detail": .text($0.detail)] })
        }
        var response = HTTPResponse(
            statusCode: HTTPStatusCode(status, phrase: title), body: JSONValue.object(body).json)
        response.headers[.contentType] = "application/problem+json"
        for (name, value) in headers { response.headers[HTTPHeader(name)] = value }
        return response
    }

    private var title: String {
        switch status {
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 408: "Request Timeout"
        case 409: "Conflict"
        case 413: "Content Too Large"
        case 414: "URI Too Long"
        case 415: "Unsupported Media Type"
        case 417: "Expectation Failed"
        case 421: "Misdirected Request"
        case 422: "Unprocessable Content"
        case 429: "Too Many Requests"
        case 431: "Request Header Fields Too Large"
        case 501: "Not Implemented"
        case 503: "Service Unavailable"
        case 504: "Gateway Timeout"
        case 505: "HTTP Version Not Supported"
        case 507: "Insufficient Storage"
        default: "Internal Server Error"
        }
    }
}

extension Problem {
    package static func notFound(_ detail: String) -> Problem { Problem(name: .notFound, status: 404, detail: detail) }

    /// - Parameter pointer: to the member of the body, or the name of a header or query parameter.
    package static func invalid(_ pointer: String, _ expected: String) -> Problem {
        Problem(
            name: .invalidParameter, status: 400, detail: "\(pointer): expected \(expected)",
            errors: [Part(pointer: pointer, detail: "expected \(expected)")])
    }

    /// The body, or the call to the panel that is made of it.
    package static let tooLarge = Problem(
        name: .tooLarge, status: 413,
        detail: "The request is larger than \(Router.bodyLimit) bytes. Of a document, send its sha256 instead of "
            + "base64, or upload it (POST /v1/documents).")

    package static let notSigned = Problem(
        name: .notSigned, status: 409, detail: "The capture is not signed yet; follow it until it has ended.",
        headers: ["Retry-After": "1"])

    /// The panel does not answer: its program restarts or was stopped.
    package static let noPanel = Problem(
        name: .panelNotRunning, status: 503,
        detail: "The panel's program does not answer. It may be starting; try again in a few seconds.",
        headers: ["Retry-After": "2"])

    /// An answer that this version does not understand, or too long a wait for one.
    package static func panelFailed(_ reason: String) -> Problem {
        Problem(name: .panelFailed, status: 500, detail: "The panel's answer cannot be used: \(reason)")
    }

    /// Varlink names members as `policy.minima.length` or `prompt[2]`.
    private static func pointer(_ name: String) -> String {
        "/" + name.replacing("[", with: "/").replacing("]", with: "").replacing(".", with: "/")
    }

    package init(_ error: ReplyError) {
        switch error {
        case .notUnderstood(let reason): self = .panelFailed(reason)
        case .refused(let error): self.init(error)
        }
    }

    /// Translates an error of the panel.
    package init(_ error: PanelError) {
        switch error {
        case .invalidParameter(let name, let expected):
            self = .invalid(Self.pointer(name), expected ?? "another value, or no such member")
        case .permissionDenied:
            self.init(
                name: .permissionDenied, status: 403,
                detail: "The panel does not allow this to the gateway; see docs/host-api.md, Permissions.")
        case .malformedMessage(let reason):
            self.init(
                name: .notJSON, status: 400,
                detail: "The panel cannot read the request, which is nested too deeply or too long: \(reason)")
        case .busy:
            self.init(
                name: .busy, status: 409,
                detail: "Another capture is running. Try again later, or wait for it with \"wait\": true.")
        case .notRunning: self.init(name: .notRunning, status: 409, detail: "The capture has ended.")
        case .beingStored:
            self.init(
                name: .beingStored, status: 409,
                detail: "The signature was accepted and is being stored: it can no longer be changed.")
        case .notSigning:
            self.init(
                name: .notSigning, status: 409,
                detail: "The page of the capture takes no ink: wait until its state is signing.")
        case .noSuchCapture:
            self = .notFound("There is no record of this capture: it was not accepted, or its record was deleted.")
        case .storeFailed(let reason, let isFull):
            self.init(name: isFull ? .storeFull : .storeFailed, status: isFull ? 507 : 500, detail: reason)
        case .unreadableCapture(_, let reason):
            self.init(name: .unreadableRecord, status: 500, detail: "The record cannot be read: \(reason)")
        case .encrypted:
            self.init(
                name: .encrypted, status: 409,
                detail: "Only its recipients can read this record: get record.jsonl.age, and open it with age.")
        case .notExportable(let reason): self.init(name: .notExportable, status: 422, detail: reason)
        case .tooSmallScreen(let field, let count): self.init(tooSmallFor: field, fits: count)
        case .missingGlyphs(let missing):
            let parts = missing.map { text in
                Part(
                    pointer: Self.pointer(text.text),
                    detail: "no font has \(text.characters.joined(separator: ", "))")
            }
            self.init(
                name: .missingGlyphs, status: 422,
                detail: parts.map { "\($0.pointer): \($0.detail)" }.joined(separator: "; ")
                    + ". Write it otherwise, install a font on the panel, or set missingGlyphs in the policy.",
                errors: parts)
        case .documentRefused(let fault, let reason):
            self.init(
                name: .documentRefused, status: 422, detail: "The document is refused (\(fault)): \(reason)")
        case .noSuchDocument: self = .invalid("/document/id", "the id of a document of POST /v1/documents")
        case .unavailable(let reason):
            self.init(name: .unavailable, status: 503, detail: reason, headers: ["Retry-After": "2"])
        case .tooManyConnections:
            self.init(
                name: .tooManyCaptures, status: 503, detail: "The panel has too many callers; try again later.",
                headers: ["Retry-After": "2"])
        case .interfaceNotFound, .methodNotFound, .methodNotImplemented, .expectedMore:
            self = .panelFailed(error.description)
        }
    }

    private init(tooSmallFor field: String?, fits count: Int?) {
        let hasRows = field == "rows"
        let remedy =
            hasRows
            ? "send fewer rows, or shorter ones"
            : field.map {
                count == nil
                    ? "several texts are too long; shorten them, \($0) most" : "shorten \($0), or do not show it"
            }
        let unit = hasRows ? "rows" : "characters"
        let fits = count.map { "too long for this screen: only \($0) \(unit) fit" }
        self.init(
            name: .tooSmallScreen, status: 422,
            detail: "The page does not fit on the panel's screen" + (remedy.map { ": \($0)." } ?? "."),
            errors: field.map { [Part(pointer: "/\($0)", detail: fits ?? "too long for this screen")] } ?? [])
    }
}
