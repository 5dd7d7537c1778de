// SPDX-License-Identifier: Apache-2.0
import FlyingFox
import Foundation
import JSON
import Testing

@testable import Gateway

@Suite("Other pads' protocols")
struct CompatibleTests {
    private func answer(to message: String) -> JSONValue? {
        (try? SignotecRequest(Data(message.utf8)))?.response(7, ["X": "y"])
    }

    @Test("an answer of signotec's protocol names the command and has numbers as texts")
    func signotecAnswers() {
        let request = "{\"TOKEN_TYPE\":\"TOKEN_TYPE_REQUEST\",\"TOKEN_CMD\":\"TOKEN_CMD_OPEN_PAD\""
        let expected: [String: JSONValue] = [
            "TOKEN_TYPE": "TOKEN_TYPE_RESPONSE", "TOKEN_CMD_ORIGIN": "TOKEN_CMD_OPEN_PAD",
            "TOKEN_PARAM_RETURN_CODE": "7", "TOKEN_PARAM_X": "y",
        ]
        #expect(answer(to: request + "}") == .object(expected))
        #expect(answer(to: request + ",\"TOKEN_ID\":\"a\"}") == .object(expected.merging(["TOKEN_ID": "a"]) { $1 }))
        #expect(answer(to: request + ",\"TOKEN_ID\":1}") == .object(expected))
        #expect(answer(to: request) == nil)
    }

    @Test("the default mode of signotec's protocol has 22 commands, and 72 others do not begin so")
    func signotecCommands() {
        let events: [SignotecEvent] = [
            .signatureConfirm, .signatureRetry, .signatureCancel, .selectionConfirm, .selectionCancel,
            .selectionChange(id: "", isChecked: true), .point(x: 0, y: 0, starts: true), .disconnect,
            .error(context: "", ""), .incorrectCommand(""),
        ]
        let names = events.compactMap { $0.message["TOKEN_CMD"]?.text }
        #expect(Set(names + SignotecRequest.Command.allCases.map(\.rawValue)).count == 22)
        #expect(StepOverRequest.Kind.allCases.count == 25)
    }

    @Test("the middle of an outline is half way between its sides")
    func middle() {
        // A ribbon 32 units wide, from x = 160 to 960, in sixteenths of a pixel.
        let path = "M160 160l0-16 400 0 400 0 0 32-400 0-400 0z"
        let points = MirrorPoints.middle(of: path)
        #expect(points.first == MirrorPoints.Point(x: 10, y: 10))
        #expect(points.last?.x == 60)
        #expect(points.allSatisfy { 9...11 ~= $0.y })
    }

    @Test("outlines that are none give no points", arguments: ["", "M", "Mz", "M1z", "l5 5z", "M-", "Mab", "M5 5l"])
    func noOutlines(_ path: String) { #expect(MirrorPoints.middle(of: path).count <= 1) }

    @Test("numbers of any length are read")
    func longNumbers() {
        let digits = String(repeating: "9", count: 400)
        #expect(!MirrorPoints.middle(of: "M\(digits) -\(digits)l\(digits) 1 2 3z").isEmpty)
        #expect(MirrorPoints.middle(of: "M0 0l" + String(repeating: "99 99 ", count: 10_000)).count < 5000)
    }

    @Test("a stroke begins after the end of the one before, and after whatever clears the page")
    func strokes() {
        var points = MirrorPoints()
        func starts(_ event: String, _ final: String) -> Bool? {
            points.batch(of: Data("event: \(event)\ndata: {\"final\":\"\(final)\"}\n\n".utf8))?.startsStroke
        }
        let ink = "M0 0l160 0 0 9-160 0z"
        #expect(starts("ink", "") == nil)
        #expect(starts("ink", ink) == true)
        #expect(starts("ink", ink) == false)
        #expect(starts("stroke", ink) == false)
        #expect(starts("ink", ink) == true)
        #expect(starts("resync", ink) == nil)
        #expect(starts("ink", ink) == true)
        #expect(starts("state", ink) == nil)
    }

    @Test("a page that takes nothing gets one answer, and no events")
    func outbox() async {
        let outbox = Outbox()
        let answer = JSONValue.text(String(repeating: "x", count: 100_000))
        await outbox.send(answer)
        await outbox.offer("event")
        let second = Task { await outbox.send("second") }
        #expect(await outbox.next()?.payload.count == 100_002)
        await second.value
        #expect(await outbox.next()?.payload == Data("\"second\"".utf8))
        await outbox.close(.pageGone)
        await outbox.send("late")
        #expect(await outbox.next()?.opcode == .close)
        #expect(await outbox.next() == nil)
    }

    @Test("one who waits for room hears when nobody takes anything any more")
    func abandoned() async {
        let outbox = Outbox()
        await outbox.send(.text(String(repeating: "x", count: 100_000)))
        let waiting = Task { await outbox.send("second") }
        await outbox.abandon()
        await waiting.value
        #expect(await outbox.next() == nil)
    }

    @Test("a token that lasts is no session, and a session is let in by its path alone")
    func sessions() async throws {
        let route = Route("GET", session: "/compat/x/{session}", .capture) { call, end in
            HTTPResponse(statusCode: .ok, body: Data(end.bearer.name.utf8))
        }
        let (token, text) = Token.make(name: "till", scopes: [.capture], expires: nil, now: Date())
        let router = try RouterFixture(bearer: token) { Route.sessions($0, $1) + [route] }
        #expect(try await router.response("GET", "/compat/x/" + text, token: nil).problem == "wrong-token")
        let made = await router.response(
            "POST", "/v1/sessions", token: text, ["Content-Type": "application/json"],
            body: "{\"origin\":\"\(RouterFixture.till)\"}")
        let session = try await made.object["token"]?.text ?? ""
        let path = "/compat/x/" + session
        #expect(try await router.response("GET", path, token: nil).text == "session of till")
        #expect(try await router.response("GET", path + "x", token: text).problem == "wrong-token")
        let evil = ["Origin": "https://evil.example"]
        #expect(try await router.response("GET", path, token: nil, evil).problem == "wrong-origin")
    }
}
