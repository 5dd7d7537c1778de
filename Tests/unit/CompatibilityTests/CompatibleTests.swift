// SPDX-License-Identifier: Apache-2.0
import FlyingFox
import Foundation
import Geometry
import HTTPFixtures
import HostAPI
import JSON
import PNG
import Raster
import Testing

@testable import Compatibility
@testable import Gateway
@testable import HTTP

/// Not FlyingFox's type of this name.
private typealias JSONValue = JSON.JSONValue

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
        #expect(StepOverRequest.Kind.allCases.count == 26)
    }

    @Test("the middle of an outline is half way between its sides")
    func middle() {
        // A ribbon 32 units wide, from x = 160 to 960, in sixteenths of a pixel.
        let path = "M160 160l0-16 400 0 400 0 0 32-400 0-400 0z"
        let points = MirrorPoints.middle(of: path)
        #expect(points.first == Point(x: 10, y: 10))
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
        func starts(_ final: String?, ends: Bool? = nil, cancels: Bool? = nil) -> Bool? {
            points.batch(of: MirrorReply.Step(final: final, ends: ends, cancels: cancels))?.startsStroke
        }
        let ink = "M0 0l160 0 0 9-160 0z"
        #expect(starts("") == nil)
        #expect(starts(ink) == true)
        #expect(starts(ink) == false)
        #expect(starts(ink, ends: true) == false)
        #expect(starts(ink) == true)
        #expect(starts(nil, cancels: true) == nil)
        #expect(starts(ink) == true)
    }

    @Test("the picture of a running signature has the field's ink in its middle, on white or on nothing")
    func runningPicture() throws {
        // A square of 20 pixels in the middle of a field of 100 x 50 at 10, 10, drawn twice as large.
        let square = "M800 400l320 0 0 320-320 0z"
        let field = MirrorReply.Rectangle(x: 10, y: 10, width: 100, height: 50)
        for isTransparent in [false, true] {
            let picture = RunningPicture(
                of: [square], in: field, size: PixelSize(width: 300, height: 100), isTransparent: isTransparent)
            let pixels = try PNGDecoder.decode(Array(picture.png()))
            let ground: UInt32 = isTransparent ? 0 : 0xffff_ffff
            for y in 0..<100 {
                for x in 0..<300 {
                    let isInk = 130..<170 ~= x && 30..<70 ~= y
                    #expect(pixels.pixels[300 * y + x] == (isInk ? 0xff00_0000 : ground))
                }
            }
        }
        let empty = RunningPicture(size: PixelSize(width: 2, height: 1), isTransparent: false)
        #expect(try PNGDecoder.decode(Array(empty.png())).pixels == [0xffff_ffff, 0xffff_ffff])
    }

    @Test("texts and pictures for people that the pad does not know are found by their names")
    func unseenTexts() throws {
        func unseen(_ parameters: String) throws -> String? {
            let start = "{\"TOKEN_TYPE\":\"TOKEN_TYPE_REQUEST\",\"TOKEN_CMD\":\"TOKEN_CMD_SIGNATURE_START\""
            return try SignotecRequest(Data((start + parameters + "}").utf8)).unseen(beside: ["CUSTOM_TEXT"])
        }
        #expect(try unseen("") == nil)
        #expect(try unseen(",\"TOKEN_PARAM_CUSTOM_TEXT\":\"a\",\"TOKEN_PARAM_TEXT_COLOR\":\"b\"") == nil)
        #expect(try unseen(",\"TOKEN_PARAM_CONFIRMATION_TEXT\":\"\",\"TOKEN_PARAM_IMAGE\":null") == nil)
        #expect(try unseen(",\"TOKEN_PARAM_HINT_TEXT\":\"a\"") == "TOKEN_PARAM_HINT_TEXT")
        #expect(try unseen(",\"TOKEN_PARAM_LOGO_IMAGE\":1") == "TOKEN_PARAM_LOGO_IMAGE")
    }

    @Test("a page that takes nothing gets one answer, and no events")
    func queue() async {
        let queue = FrameQueue()
        let answer = JSONValue.text(String(repeating: "x", count: 100_000))
        await queue.send(answer)
        await queue.offer("event")
        let second = Task { await queue.send("second") }
        #expect(await queue.next()?.payload.count == 100_002)
        await second.value
        #expect(await queue.next()?.payload == Data("\"second\"".utf8))
        await queue.close(.pageGone)
        await queue.send("late")
        #expect(await queue.next()?.opcode == .close)
        #expect(await queue.next() == nil)
    }

    @Test("one who waits for room hears when nobody takes anything any more")
    func abandoned() async {
        let queue = FrameQueue()
        await queue.send(.text(String(repeating: "x", count: 100_000)))
        let waiting = Task { await queue.send("second") }
        await queue.abandon()
        await waiting.value
        #expect(await queue.next() == nil)
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
