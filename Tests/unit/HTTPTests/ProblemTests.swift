// SPDX-License-Identifier: Apache-2.0
import FlyingFox
import Foundation
import HTTPFixtures
import HostAPI
import JSON
import Testing

@testable import HTTP

@Suite("Problems that answers describe")
struct ProblemTests {
    @Test("an answer is problem+json, with the parts of the request that are wrong")
    func document() async throws {
        let problem = Problem(
            name: .busy, status: 409, detail: "Later.", errors: [.init(pointer: "/rows/2", detail: "expected less")],
            headers: ["Retry-After": "2"])
        let response = problem.response
        #expect(response.status == 409)
        #expect(response.headers[.contentType] == "application/problem+json")
        #expect(response.headers[HTTPHeader("Retry-After")] == "2")
        #expect(
            try await response.text
                == "{\"detail\":\"Later.\",\"errors\":[{\"detail\":\"expected less\",\"pointer\":\"/rows/2\"}],"
                + "\"status\":409,\"title\":\"Conflict\",\"type\":\"urn:inkpanel:problem:busy\"}")
    }

    @Test(
        "every error of the panel is a problem with a status",
        arguments: [
            (.invalidParameter("policy.minima.length", expected: "0 to 1"), .invalidParameter, 400),
            (.permissionDenied, .permissionDenied, 403), (.malformedMessage(reason: "r"), .notJSON, 400),
            (.busy(with: nil), .busy, 409), (.notRunning, .notRunning, 409), (.beingStored, .beingStored, 409),
            (.notSigning, .notSigning, 409),
            (.noSuchCapture("a"), .notFound, 404), (.storeFailed(reason: "r", isFull: true), .storeFull, 507),
            (.storeFailed(reason: "r", isFull: false), .storeFailed, 500),
            (.unreadableCapture(CaptureID("a-1")!, reason: "r"), .unreadableRecord, 500),
            (.encrypted(CaptureID("a-1")!), .encrypted, 409), (.notExportable(reason: "r"), .notExportable, 422),
            (.tooSmallScreen(field: "rows", fits: 6), .tooSmallScreen, 422),
            (.missingGlyphs([]), .missingGlyphs, 422),
            (.documentRefused(fault: "encrypted", reason: "r"), .documentRefused, 422),
            (.noSuchDocument("d1"), .invalidParameter, 400), (.unavailable(reason: "r"), .unavailable, 503),
            (.tooManyConnections, .tooManyCaptures, 503), (.interfaceNotFound("i"), .panelFailed, 500),
            (.methodNotFound("m"), .panelFailed, 500), (.methodNotImplemented("m"), .panelFailed, 500),
            (.expectedMore, .panelFailed, 500),
        ] as [(PanelError, Problem.Name, Int)])
    func panelErrors(_ error: PanelError, _ name: Problem.Name, _ status: Int) {
        let problem = Problem(ReplyError.refused(error))
        #expect(problem.name == name)
        #expect(problem.status == status)
        #expect(!problem.detail.isEmpty)
        // What a client may try again says when.
        #expect((problem.headers["Retry-After"] != nil) == (status == 503))
    }

    @Test("the panel's names of members are pointers into the body")
    func pointers() {
        let nested = Problem(.invalidParameter("policy.minima.length", expected: "0 to 1"))
        #expect(nested.errors == [.init(pointer: "/policy/minima/length", detail: "expected 0 to 1")])
        #expect(Problem(.invalidParameter("rows[2].value")).errors.map(\.pointer) == ["/rows/2/value"])
        let missing = Problem(.missingGlyphs([MissingGlyphs(text: "prompt[0]", characters: ["U+1F600", "U+0E3F"])]))
        #expect(missing.errors == [.init(pointer: "/prompt/0", detail: "no font has U+1F600, U+0E3F")])
        #expect(missing.detail.hasPrefix("/prompt/0: no font has U+1F600, U+0E3F. "))
    }

    @Test("a page that does not fit says what to shorten")
    func tooSmall() {
        func detail(_ field: String?, _ fits: Int?) -> [String] {
            let problem = Problem(.tooSmallScreen(field: field, fits: fits))
            return [problem.detail] + problem.errors.flatMap { [$0.pointer, $0.detail] }
        }
        #expect(detail(nil, nil) == ["The page does not fit on the panel's screen."])
        #expect(
            detail("rows", 6) == [
                "The page does not fit on the panel's screen: send fewer rows, or shorter ones.", "/rows",
                "too long for this screen: only 6 rows fit",
            ])
        #expect(
            detail("signer", 20) == [
                "The page does not fit on the panel's screen: shorten signer, or do not show it.", "/signer",
                "too long for this screen: only 20 characters fit",
            ])
        #expect(
            detail("reason", nil) == [
                "The page does not fit on the panel's screen: several texts are too long; shorten them, reason most.",
                "/reason", "too long for this screen",
            ])
    }

    @Test(
        "each status has its title",
        arguments: [400, 401, 403, 404, 405, 408, 409, 413, 414, 415, 417, 421, 422, 429, 431, 501, 503, 504, 505, 507])
    func titles(_ status: Int) async throws {
        let title = try await Problem(name: .internal, status: status, detail: "d").response.object["title"]?.text
        #expect(title != "Internal Server Error")
        #expect(title?.isEmpty == false)
    }
}
