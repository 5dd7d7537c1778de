// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Document
import HostAPI
import Testing

@testable import inkpanel

@Suite("Places of signatures in the command line")
struct SignatureOptionTests {
    private static let rectangle = DocumentRectangle(minX: 300, minY: 100, maxX: 460, maxY: 150.5)

    @Test("a place is a rectangle, a field or a text")
    func places() {
        func place(_ text: String) -> SignaturePlace? { SignaturePlace(argument: text) }
        #expect(place("page=2 rect=300,100,460,150.5") == .rectangle(page: 2, Self.rectangle))
        #expect(place("  rect=300,100,460,150.5   page=2 ") == .rectangle(page: 2, Self.rectangle))
        #expect(place("field=Kunde 1") == .field(name: "Kunde 1"))
        #expect(place("field=a=b") == .field(name: "a=b"))
        #expect(place(#"field="Kunde 1""#) == .field(name: "Kunde 1"))
        #expect(place(#"anchor="a" and "#) == .anchor(text: #""a" and "#, width: 160, height: 50))
        #expect(place("anchor=Place, date: x=y") == .anchor(text: "Place, date: x=y", width: 160, height: 50))
        let moved = SignaturePlace.anchor(text: "here", width: 90, height: 30, offset: .init(right: -5, up: 7.5))
        #expect(place("size=90,30 offset=-5,7.5 anchor=here") == moved)
    }

    @Test(
        "what is no place is refused",
        arguments: [
            "", "page=2", "rect=1,2,3,4", "page=2 rect=1,2,3", "page=2 rect=1,2,3,x", "page=1.5 rect=1,2,30,40",
            "page=2 page=2 rect=1,2,30,40", "page=2 rect=1,2,30,40 more", "page=2 field=x", "field=", "anchor=",
            "size=1 anchor=x", "offset=1,2,3 anchor=x", "page=2 rect=1,2,30,nan", "page=2 rect=1,2,30,inf",
            "turn=1 page=2 rect=1,2,30,40", "page=99999999999999999999 rect=1,2,30,40", "size=5,5 field=x",
        ])
    func wrongPlaces(text: String) { #expect(SignaturePlace(argument: text) == nil) }

    @Test("a record stands before its place")
    func records() throws {
        let option = try #require(SignatureOption(argument: "20261127-1 field=Kunde 1"))
        let id = try #require(CaptureID("20261127-1"))
        #expect(option.record == .stored(id))
        #expect(option.place == .field(name: "Kunde 1"))
        let file = try #require(SignatureOption(argument: "./a.jsonl anchor=x"))
        #expect(file.record == .file(path: "./a.jsonl"))
        #expect(SignatureOption(argument: "20261127-1") == nil)
        #expect(SignatureOption(argument: " field=x") == nil)
    }
}
