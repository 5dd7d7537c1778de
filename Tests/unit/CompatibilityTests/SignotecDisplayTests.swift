// SPDX-License-Identifier: Apache-2.0
import Foundation
import Geometry
import HTTP
import HostAPI
import JSON
import PNG
import Raster
import Testing

@testable import Compatibility

/// Not FlyingFox's type of this name.
private typealias JSONValue = JSON.JSONValue

@Suite("The display of signotec's API mode")
struct SignotecDisplayTests {
    /// A display, and what a page asks of it.
    private struct Fixture {
        var display = SignotecDisplay(size: PixelSize(width: 800, height: 480))

        /// - Returns: the code of the answer; nil for a refusal.
        @discardableResult
        mutating func run(
            _ command: SignotecRequest.DisplayCommand, _ parameters: [String: JSONValue] = [:], isSigning: Bool = false
        ) throws -> Int? {
            var members: [String: JSONValue] = [
                "TOKEN_TYPE": "TOKEN_TYPE_REQUEST", "TOKEN_CMD": .text(command.rawValue),
            ]
            for (name, value) in parameters { members["TOKEN_PARAM_" + name] = value }
            let request = try SignotecRequest(JSONValue.object(members).json)
            return try? display.run(command, request, isSigning: isSigning)
        }

        @discardableResult
        mutating func write(_ text: String, top: Int64 = 100, isSigning: Bool = false) throws -> Int? {
            try run(
                .setTextInRect,
                ["LEFT": 40, "TOP": .integer(top), "WIDTH": 700, "HEIGHT": 40, "TEXT": .text(text)],
                isSigning: isSigning)
        }

        @discardableResult
        mutating func addHotSpot(left: Int64, top: Int64 = 4) throws -> Int? {
            try run(.addHotSpot, ["LEFT": .integer(left), "TOP": .integer(top), "WIDTH": 48, "HEIGHT": 48])
        }

        @discardableResult
        mutating func draw(_ picture: Data) throws -> Int? {
            try run(.setImage, ["X_POS": 0, "Y_POS": 0, "BITMAP": .text(picture.base64EncodedString())])
        }

        var shown: SignotecDisplay.Shown? { try? display.shown() }
        var lines: [String]? { shown?.lines }
    }

    private static func picture(_ width: Int, _ height: Int) throws -> Data {
        try RunningPicture(size: PixelSize(width: width, height: height), isTransparent: false).png()
    }

    @Test("39 of the 72 commands of the API mode are taken, and its event names the hot spot")
    func commands() {
        let names =
            SignotecRequest.DisplayCommand.allCases.map(\.rawValue)
            + SignotecRequest.DeviceCommand.allCases.map(\.rawValue)
        #expect(Set(names).count == 39)
        #expect(names.allSatisfy { $0.hasPrefix("TOKEN_CMD_API_") })
        let event = SignotecEvent.hotSpotPressed(2).message
        #expect(event["TOKEN_CMD"] == "TOKEN_CMD_API_SENSOR_HOT_SPOT_PRESSED")
        #expect(event["TOKEN_PARAM_HOTSPOT_ID"] == "2")
    }

    @Test("texts are lines in the order in which they were drawn, once each")
    func texts() throws {
        var page = Fixture()
        #expect(page.lines == [])
        try page.write("Second\r\nThird", top: 300)
        try page.write(" ")
        try page.run(.setText, ["X_POS": "40", "Y_POS": .number(20.4), "TEXT": "First"])
        try page.write("Second\r\nThird", top: 300)
        #expect(page.lines == ["Second", "Third", "First"])
        try page.run(.erase)
        #expect(page.lines == [])
    }

    @Test("what is in the store is shown when it was fetched")
    func store() throws {
        var page = Fixture()
        try page.write("Old")
        #expect(try page.run(.setTarget, ["TARGET": "1"]) == 1)
        try page.write("New")
        #expect(page.lines == ["Old"])
        #expect(try page.run(.setTarget, ["TARGET": "0"]) == 0)
        #expect(try page.run(.setImageFromStore, ["STORE_ID": "1"]) == 0)
        #expect(page.lines == ["New"])
        #expect(try page.run(.setTarget, ["TARGET": "-1"]) == nil)
        #expect(try page.run(.setImageFromStore, ["STORE_ID": "2"]) == nil)
    }

    @Test("a rectangle erases what is in it, and cuts nothing")
    func eraseRect() throws {
        var page = Fixture()
        try page.write("A", top: 100)
        try page.write("B", top: 200)
        func rectangle(_ top: Int64, _ height: Int64) -> [String: JSONValue] {
            ["LEFT": 0, "TOP": .integer(top), "WIDTH": 0, "HEIGHT": .integer(height)]
        }
        #expect(try page.run(.eraseRect, rectangle(120, 40)) == nil)
        #expect(page.lines == ["A", "B"])
        #expect(try page.run(.eraseRect, rectangle(90, 60)) == 0)
        #expect(page.lines == ["B"])
        #expect(try page.run(.eraseRect, rectangle(0, 0)) == 0)
        #expect(page.lines == [])
    }

    @Test("a display has room for as many texts as a prompt")
    func room() throws {
        var page = Fixture()
        for number in 0..<100 { #expect(try page.write("\(number)") == 0) }
        #expect(try page.write("101") == nil)
        try page.run(.erase)
        #expect(try page.write(String(repeating: "x", count: 16_384)) == 0)
        #expect(try page.write("x", top: 0) == nil)
    }

    @Test("hot spots cancel, retry and confirm from left to right")
    func hotSpots() throws {
        var page = Fixture()
        #expect(page.shown?.hotSpots == [:])
        #expect(try page.addHotSpot(left: 600) == 0)
        #expect(page.shown?.hotSpots == [.confirm: 0])
        #expect(try page.addHotSpot(left: 100) == 1)
        #expect(page.shown?.hotSpots == [.cancel: 1, .confirm: 0])
        #expect(try page.addHotSpot(left: 300, top: 400) == 2)
        #expect(page.shown?.hotSpots == [.cancel: 1, .retry: 2, .confirm: 0])
        #expect(try page.addHotSpot(left: 700) == nil)
        try page.run(.clearHotSpots)
        try page.addHotSpot(left: 100)
        try page.addHotSpot(left: 120, top: 200)
        #expect(page.shown == nil, "one below the other")
    }

    @Test("a text in a hot spot is its name, and no line")
    func labels() throws {
        var page = Fixture()
        try page.addHotSpot(left: 100)
        try page.addHotSpot(left: 300)
        func label(_ text: String, _ left: Int64) -> [String: JSONValue] {
            ["X_POS": .integer(left), "Y_POS": 20, "TEXT": .text(text)]
        }
        try page.run(.setText, label("OK", 110))
        #expect(page.shown == nil, "the other one has no name")
        try page.run(.setText, label("Cancel", 310))
        #expect(page.shown?.hotSpots == [.confirm: 0, .cancel: 1])
        #expect(page.lines == [])
        try page.run(.setText, label("Agree", 112))
        #expect(page.shown == nil)
        try page.run(.erase)
        try page.run(.setText, label("OK", 110))
        try page.run(.setText, label("ok", 310))
        #expect(page.shown == nil, "two of one name")
    }

    @Test("what is shown stays while somebody signs")
    func signing() throws {
        var page = Fixture()
        try page.write("I owe 1 EUR")
        #expect(try page.write("I owe 4711 EUR", top: 200, isSigning: true) == nil)
        #expect(try page.write("I owe 1 EUR", isSigning: true) == 0, "no change")
        #expect(try page.run(.setTarget, ["TARGET": 1], isSigning: true) == 1)
        #expect(try page.write("Next", isSigning: true) == 0)
        #expect(page.lines == ["I owe 1 EUR"])
    }

    @Test("one picture that covers the display, below the texts, or one PDF file, is the document")
    func documents() throws {
        var page = Fixture()
        let (small, whole, large) = (
            try Self.picture(800, 479), try Self.picture(800, 480), try Self.picture(801, 480)
        )
        #expect(try page.draw(small) == nil)
        #expect(try page.draw(whole) == 0)
        #expect(try page.draw(whole) == 0)
        #expect(try page.draw(large) == nil)
        try page.write("Sign")
        #expect(try page.draw(whole) == nil)
        #expect(page.shown?.document == .picture(whole))
        #expect(page.lines == ["Sign"])
        let pdf = Data("%PDF-1.4".utf8)
        #expect(try page.run(.setPDF) == nil)
        #expect(try page.run(.loadPDF, ["DOCUMENT": .text(pdf.base64EncodedString()), "PASSWORD": "secret"]) == nil)
        #expect(try page.run(.loadPDF, ["DOCUMENT": .text(pdf.base64EncodedString()), "PASSWORD": ""]) == 0)
        #expect(try page.run(.setPDF) == 0)
        #expect(page.shown == nil)
        try page.run(.erase)
        #expect(page.shown?.document == .pdf(pdf))
        try page.write("I owe 4711 EUR")
        #expect(page.shown == nil, "the label of the file's field may stand in its place")
    }

    @Test("a white page to sign on follows a picture, and everything must have been seen")
    func reading() throws {
        let picture = try Self.picture(800, 480)
        let document = SignotecDisplay.Document.picture(picture)
        let bytes = try document.bytes()
        #expect(bytes.starts(with: picture))
        #expect(PNGStructure(bytes.dropFirst(picture.count))?.size == PixelSize(width: 160, height: 90))
        #expect(document.reading.fields.count == 1)
        #expect(document.reading.policy.mustSeeAllPages == true)
        #expect(SignotecDisplay.Document.pdf(picture).reading.signed == true)
    }

    @Test("a PNG file is one whole file")
    func structure() throws {
        let picture = try Self.picture(30, 20)
        #expect(PNGStructure(picture)?.size == PixelSize(width: 30, height: 20))
        #expect(PNGStructure(picture + picture) == nil)
        #expect(PNGStructure(picture + [0]) == nil)
        for count in 0..<picture.count { #expect(PNGStructure(picture.prefix(count)) == nil) }
        var long = picture
        long[8] = 0xFF
        #expect(PNGStructure(long) == nil)
    }

    @Test(
        "numbers that are none are refused",
        arguments: ["", "x", "nan", "inf", "-1", "1e300", "9223372036854775807"])
    func numbers(_ text: String) throws {
        var page = Fixture()
        #expect(
            try page.run(.setTextInRect, ["LEFT": .text(text), "TOP": 0, "WIDTH": 1, "HEIGHT": 1, "TEXT": "a"]) == nil)
        #expect(page.lines == [])
    }

    @Test("a text of another type is refused, and one that nobody would see")
    func otherTypes() throws {
        var page = Fixture()
        let place: [String: JSONValue] = ["X_POS": 0, "Y_POS": 0]
        for text: JSONValue in [1, true, .null, .list(["a"]), .object([:])] {
            #expect(try page.run(.setText, place.merging(["TEXT": text]) { $1 }) == nil)
        }
        #expect(try page.run(.setText, place.merging(["TEXT": "a", "HINT_TEXT": "b"]) { $1 }) == nil)
        #expect(page.lines == [])
    }
}
