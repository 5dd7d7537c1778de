// SPDX-License-Identifier: Apache-2.0
import Document
import FoundationEssentials
import JSON
import TestSupport
import Testing

@testable import HostAPI

/// The interface file and the types agree.
@Suite("The types of the interface")
struct InterfaceTests {
    private let text = InterfaceText.description(of: InterfaceText.panel) ?? ""

    /// Without comments.
    private var lines: [Substring] {
        text.split(separator: "\n").map { $0.prefix { $0 != "#" } }
    }

    private func names(_ keyword: String) -> [String] {
        lines.filter { $0.hasPrefix(keyword + " ") }.map { line in
            String(line.dropFirst(keyword.count + 1).prefix { $0.isLetter })
        }
    }

    private func values(_ type: String) -> [String] {
        let all = lines.joined(separator: " ")
        let list = (all.firstRange(of: "type \(type) (").map { all[$0.upperBound...] } ?? "").prefix { $0 != ")" }
        return list.split(separator: ",").map { String($0.drop { $0 == " " }) }
    }

    @Test("the methods are those of the interface")
    func methods() {
        #expect(Set(names("method")) == Set(PanelMethod.allCases.map(\.rawValue)))
    }

    @Test("every error of the interface is known, and decoded as it was encoded")
    func errors() throws {
        let id = try #require(CaptureID("a-1"))
        let all: [PanelError] = [
            .busy(with: id), .notRunning, .beingStored, .notSigning, .noSuchCapture("x"),
            .storeFailed(reason: "r", isFull: true),
            .unreadableCapture(id, reason: "r"), .encrypted(id), .notExportable(reason: "r"),
            .tooSmallScreen(field: "rows", fits: 6), .documentRefused(fault: "f", reason: "r"), .noSuchDocument("d"),
            .missingGlyphs([MissingGlyphs(text: "prompt[0]", characters: ["U+1F600", "U+0E3F"])]),
            .unavailable(reason: "r"), .malformedMessage(reason: "r"), .tooManyConnections,
        ]
        #expect(all.map { ErrorMessage($0).error.rawValue } == names("error").map { InterfaceText.panel + "." + $0 })
        let service: [PanelError] = [
            .interfaceNotFound("i"), .methodNotFound("m"), .methodNotImplemented("m"), .invalidParameter("p"),
            .invalidParameter("p", expected: "0 to 1 m"),
            .permissionDenied, .expectedMore,
        ]
        for error in all + service + [.busy(with: nil)] {
            let message = try JSONDecoder().decode(ErrorMessage.self, from: JSONEncoder().encode(ErrorMessage(error)))
            #expect(PanelError(message) == error)
            #expect(!error.description.isEmpty)
        }
        #expect((all + service).count == ErrorMessage.Name.allCases.count + 1)
        let serviceText = try #require(InterfaceText.description(of: InterfaceText.service))
        for error in service {
            #expect(serviceText.contains("error \(ErrorMessage(error).error.rawValue.split(separator: ".").last!) ("))
        }
    }

    @Test("enumerations have the same values in the interface and the program")
    func enumerations() {
        #expect(values("Format") == ["metadata"] + ExportFormat.allCases.map(\.rawValue))
        #expect(values("Page") == PanelStatus.Page.allCases.map(\.rawValue))
        #expect(values("RecordResult") == RecordOutcome.allCases.map(\.rawValue))
        #expect(values("SimulatedAct") == SimulatedAct.allCases.map(\.rawValue))
        #expect(values("MissingGlyphsRule") == MissingGlyphsRule.allCases.map(\.rawValue))
        // Of those who may ask for captures.
        #expect(values("Role") == HostRole.allCases.filter { $0 != .webhooks }.map(\.rawValue))
        #expect(values("MirrorLevel") == MirrorLevel.allCases.map(\.rawValue))
        #expect(values("FieldKind") == Field.Kind.ofPeople.map(\.rawValue))
        #expect(values("SignedKind") == SignedField.Kind.allCases.map(\.rawValue))
        #expect(values("QuestionKind") == CaptureQuestion.Kind.allCases.map(\.rawValue))
        let states: [CaptureState] = [
            .waiting, .reading, .answering, .signing, .handingOver, .refused(.noInk), .saving, .ended(.accepted),
        ]
        #expect(values("CaptureState") == states.map(\.name))
    }

    private static let refusals: [Refusal] = [
        .noInk, .fewStrokes(1, minimum: 2), .fewSamples(3, minimum: 10), .short(1.5, minimum: 15),
        .small(2.25, minimum: 6), .straight(0, minimum: 1.5), .quick(.microseconds(1), minimum: .milliseconds(300)),
    ]
    private static let outcomes: [CaptureOutcome] = [
        .accepted, .declined(reason: nil), .declined(reason: "too dear"), .cancelled(by: .person),
        .cancelled(by: .host), .timedOut(.inactivity), .timedOut(.total), .failed(reason: "full"),
    ]

    @Test("reasons of refusals and outcomes have the same names in the interface and the program")
    func outcomes() throws {
        let refusals = try JSONValue(JSONEncoder().encode(Self.refusals)).list ?? []
        #expect(values("RefusalReason") == refusals.compactMap { $0["reason"]?.text })
        let outcomes = try JSONValue(JSONEncoder().encode(Self.outcomes)).list ?? []
        func names(_ member: String) -> Set<String> { Set(outcomes.compactMap { $0[member]?.text }) }
        #expect(Set(values("Result")) == names("result"))
        #expect(Set(values("Party")) == names("by"))
        #expect(Set(values("Limit")) == names("limit"))
    }

    private func received(_ reply: CaptureReply) throws -> CaptureReply {
        try JSONDecoder().decode(CaptureReply.self, from: JSONEncoder().encode(reply))
    }

    @Test("replies to Capture are decoded as they were encoded")
    func captureReplies() throws {
        let id = try #require(CaptureID("a-1"))
        var states: [CaptureState] = [.waiting, .reading, .answering, .signing, .handingOver, .saving]
        states += Self.refusals.map { .refused($0) }
        let stroke = HostStroke(samples: [
            .init(microseconds: -1, x: 0.1, y: -2, pressure: 1), .init(microseconds: .max, x: 0, y: 0),
        ])
        for state in states {
            for stroke in [nil, stroke] {
                let missing = [MissingGlyphs(text: "signer", characters: ["U+1F600"])]
                let progress = CaptureReply(
                    id: id, state: state, strokes: 3, stroke: stroke, missingGlyphs: stroke == nil ? nil : missing)
                #expect(try received(progress) == progress)
            }
        }
        for outcome in Self.outcomes {
            let ended = CaptureReply(id: id, state: .ended(outcome))
            #expect(try received(ended) == ended)
            let kept = CaptureReply(
                id: id, state: .ended(outcome), data: ["order": "4711"],
                missingGlyphs: [MissingGlyphs(text: "rows[0].value", characters: ["U+1F600"])])
            #expect(try received(kept) == kept)
        }
        var flow = CaptureReply(id: id, state: .answering)
        (flow.person, flow.page, flow.field, flow.signed) = ("Customer", 3, "consent", true)
        flow.answers = [
            CaptureAnswer(name: "consent", checked: false), CaptureAnswer(name: "way", choice: "by mail"),
            CaptureAnswer(name: "stars", rating: 5),
        ]
        #expect(try received(flow) == flow)
    }

    @Test("a number that JSON cannot write becomes an error")
    func unwritable() throws {
        let id = try #require(CaptureID("a-1"))
        let stroke = HostStroke(samples: [.init(microseconds: 0, x: .nan, y: 0)])
        let progress = CaptureReply(id: id, state: .signing, strokes: 1, stroke: stroke)
        let message = String(decoding: ReplyEncoder.message(progress), as: UTF8.self)
        #expect(message.contains("org.inkpanel.Panel.Unavailable"))
    }

    @Test("A piece of a document fits into a message, whatever its bytes are", arguments: [0, 0xFB, 0xFF] as [UInt8])
    func pieces(byte: UInt8) throws {
        // Of 0xFF, each character of Base64 is a slash; of 0xFB and two others, a plus sign.
        let piece = [UInt8](repeating: byte, count: AppendCall.piece)
        let message = try #require(CallEncoder.message(.append, AppendCall(id: "1", bytes: piece[...])))
        #expect(message.count < 64 << 10)
    }
}
