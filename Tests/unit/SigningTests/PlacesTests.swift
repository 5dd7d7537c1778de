// SPDX-License-Identifier: Apache-2.0
import Document
import Pad
import Record
import TestSupport
import Testing

@testable import Signing

@Suite("The places of signatures that records put into a document")
struct PlacesTests {
    private static let rectangle = DocumentRectangle(minX: 300, minY: 100, maxX: 460, maxY: 150)

    private func facts(fields: [Field] = []) -> DocumentFacts {
        let page = DocumentFacts.PageSize(width: 595, height: 842)
        return DocumentFacts(pages: [page, page], fields: fields, warnings: [], missingFonts: [])
    }

    private func own(_ name: String) -> Field {
        Field(name: name, kind: .signature, page: 1, rectangle: Self.rectangle)
    }

    private func plan(
        _ places: SignaturePlace..., fields: [Field] = [], hits: [DocumentHit] = []
    ) throws -> DocumentPlan {
        try DocumentPlan(places, values: [], in: facts(fields: fields)) { _ in DocumentHits(hits) }
    }

    @Test func eachRectangleIsANewField() throws {
        let plan = try plan(.rectangle(page: 1, Self.rectangle), .rectangle(page: 2, Self.rectangle))
        #expect(plan.fields.map(\.name) == ["S01", "S02"])
        #expect(plan.newFields(in: facts()).map(\.page) == [1, 2])
    }

    @Test("A new field that covers another one is refused; a shared border is none")
    func overlaps() throws {
        func fault(_ x: Double, page: Int = 1, fields: [Field] = []) -> DocumentPlanFault? {
            let place = DocumentRectangle(minX: x, minY: 100, maxX: x + 160, maxY: 150)
            return thrownError {
                try plan(.rectangle(page: 1, Self.rectangle), .rectangle(page: page, place), fields: fields)
            } as? DocumentPlanFault
        }
        #expect(fault(140) == nil && fault(140.9) == nil && fault(300, page: 2) == nil)
        #expect(fault(150) == .overlap("S01", "S02", page: 1) && fault(300) == .overlap("S01", "S02", page: 1))
        // Also one that nobody signs.
        #expect(fault(20, fields: [own("Kunde")]) == .overlap("Kunde", "S01", page: 1))
    }

    @Test func aFieldOfTheDocumentIsNotNew() throws {
        let plan = try plan(.field(name: "Kunde"), .rectangle(page: 2, Self.rectangle), fields: [own("Kunde")])
        #expect(plan.fields.map(\.name) == ["Kunde", "S01"])
        #expect(plan.newFields(in: facts(fields: [own("Kunde")])).map(\.name) == ["S01"])
    }

    @Test func noNewNameBeginsWithAnotherName() throws {
        let places = (0..<100).map { number in
            let (x, y) = (5 + 58 * Double(number % 10), 5 + 80 * Double(number / 10))
            return SignaturePlace.rectangle(page: 2, DocumentRectangle(minX: x, minY: y, maxX: x + 50, maxY: y + 50))
        }
        let plan = try DocumentPlan(places, values: [], in: facts(fields: [own("S01"), own("S020")])) { _ in
            DocumentHits()
        }
        let names = plan.fields.map(\.name) + ["S01", "S020"]
        for name in names {
            #expect(names.count { $0.hasPrefix(name) } == 1, "\(name)")
        }
    }

    @Test func namesOfFieldsThatNobodyCanSignAreTakenToo() throws {
        func name(_ names: [String]) throws -> String {
            var facts = facts()
            facts.names = names
            let plan = try DocumentPlan([.rectangle(page: 1, Self.rectangle)], values: [], in: facts) { _ in
                DocumentHits()
            }
            return plan.fields[0].name
        }
        #expect(try name(["S01"]) == "S02" && name(["S0", "S1", "S2.x"]) == "S20" && name(["S"]) == "T01")
        #expect(try name("STUVWXYZ".map { String($0) }) == "Signature1")
    }

    @Test func aHundredPeopleSignAtOnce() {
        let places = [SignaturePlace](repeating: .rectangle(page: 1, Self.rectangle), count: 101)
        #expect(throws: DocumentPlanFault.tooManySigners) {
            try DocumentPlan(places, values: [], in: facts()) { _ in DocumentHits() }
        }
    }

    @Test func anAnchorIsTheCornerOfItsText() throws {
        let hit = DocumentHit(page: 2, rectangle: DocumentRectangle(minX: 70, minY: 200, maxX: 120, maxY: 212))
        let place = SignaturePlace.anchor(text: "Signature:", width: 160, height: 50, offset: .init(right: 60, up: -5))
        let plan = try plan(place, hits: [hit])
        #expect(
            plan.fields[0].page == 2
                && plan.fields[0].rectangle == DocumentRectangle(minX: 130, minY: 195, maxX: 290, maxY: 245))
    }

    @Test func withoutAnOffsetTheTextStaysFree() throws {
        let hit = DocumentHit(page: 2, rectangle: DocumentRectangle(minX: 70, minY: 200, maxX: 120, maxY: 212))
        let plan = try plan(SignaturePlace.anchor(text: "Signature:", width: 160, height: 50), hits: [hit])
        #expect(plan.fields[0].rectangle == DocumentRectangle(minX: 124, minY: 200, maxX: 284, maxY: 250))
    }

    @Test func anAnchorThatIsThereTwiceIsRefused() {
        let hit = DocumentHit(page: 1, rectangle: Self.rectangle)
        let place = SignaturePlace.anchor(text: "x", width: 160, height: 50)
        let twice = DocumentPlanFault.anchor("x", DocumentHits([hit, hit]))
        #expect(throws: twice) { try plan(place, hits: [hit, hit]) }
        #expect(twice.description == #"the text "x" is in the document 2 times, on page 1: an anchor is there once"#)
        #expect(throws: DocumentPlanFault.anchor("x", DocumentHits())) { try plan(place) }
    }

    @Test func theRefusalOfAnAnchorHasTheNearestTexts() {
        let fault = DocumentPlanFault.anchor("Sing here", DocumentHits(near: ["Sign here", "Sign there"]))
        #expect(
            fault.description
                == #"the text "Sing here" is not in the document; did you mean "Sign here" or "Sign there"?"#)
    }

    @Test func aFieldIsSignedOnce() {
        #expect(throws: DocumentPlanFault.twice("Kunde")) {
            try plan(.field(name: "Kunde"), .field(name: "Kunde"), fields: [own("Kunde")])
        }
    }

    @Test func aFieldThatTheDocumentDoesNotHaveIsNamedWithThoseThatItHas() {
        #expect(throws: DocumentPlanFault.noSignatureField("Kund", others: ["Kunde"])) {
            try plan(.field(name: "Kund"), fields: [own("Kunde")])
        }
    }

    @Test func aCheckBoxIsNotSigned() {
        let box = Field(name: "ok", kind: .check, page: 1, rectangle: Self.rectangle)
        #expect(throws: DocumentPlanFault.noSignatureField("ok", others: [])) {
            try plan(.field(name: "ok"), fields: [box])
        }
    }

    @Test func aPlaceOffThePageIsRefused() {
        let wide = DocumentRectangle(minX: 500, minY: 100, maxX: 660, maxY: 150)
        let small = DocumentRectangle(minX: 500, minY: 100, maxX: 513, maxY: 150)
        let wrong = DocumentRectangle(minX: .nan, minY: 100, maxX: 513, maxY: 150)
        for rectangle in [wide, small, wrong] {
            #expect(throws: DocumentPlanFault.self) { try plan(.rectangle(page: 1, rectangle)) }
        }
        let fault = thrownError { try plan(.rectangle(page: 1, small)) }.map { "\($0)" }
        #expect(fault?.hasPrefix("the place rect=500,100,513,150 is not within page 1") == true)
        #expect(throws: DocumentPlanFault.noPage(3, count: 2)) { try plan(.rectangle(page: 3, Self.rectangle)) }
        #expect(throws: DocumentPlanFault.noPage(.min, count: 2)) {
            try plan(.rectangle(page: .min, Self.rectangle))
        }
        #expect(throws: DocumentPlanFault.noPage(0, count: 2)) { try plan(.rectangle(page: 0, Self.rectangle)) }
    }
}
