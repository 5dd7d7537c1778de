// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Document
import HostAPI
import Testing

@testable import inkpanel

@Suite("What people read and answer, in the command line")
struct FlowOptionsTests {
    private static let anchor = SignaturePlace.anchor(text: "Signature:", width: 160, height: 50)

    @Test("a field is words and a place")
    func fields() throws {
        func field(_ text: String) -> RequestedField? { FieldOption(argument: text)?.field }
        #expect(field("anchor=Signature:") == RequestedField(place: Self.anchor))
        #expect(
            field(#"kind=check optional person="Second customer" label="I agree" name=terms field=a b"#)
                == RequestedField(
                    kind: .check, name: "terms", person: "Second customer", place: .field(name: "a b"),
                    isRequired: false, label: "I agree"))
        // Words of the place and others in any order, but a text ends the argument.
        let rectangle = DocumentRectangle(minX: 300, minY: 100, maxX: 460, maxY: 150)
        #expect(
            field("page=2 kind=initials rect=300,100,460,150 optional")
                == RequestedField(
                    kind: .initials, place: .rectangle(page: 2, rectangle), isRequired: false))
        #expect(
            field("kind=date size=90,30 anchor=kind=x")
                == RequestedField(kind: .date, place: .anchor(text: "kind=x", width: 90, height: 30)))
        // Quoted, it does not.
        #expect(
            field(#"kind=name anchor="Signature:" optional"#)
                == RequestedField(kind: .name, place: Self.anchor, isRequired: false))
        #expect(field(#"field="a b""#) == RequestedField(place: .field(name: "a b")))
    }

    @Test(
        "what is no field is refused",
        arguments: [
            "", "kind=signature", "kind=stamp anchor=x", "kind=check kind=date anchor=x", "label= anchor=x",
            "label=\"x anchor=x", "label=\"x\"y anchor=x", "optional optional anchor=x", "required anchor=x", "page=1",
            "anchor=", "anchor=\"\"", "optional=yes anchor=x", "anchor=\"x\" field=\"y\"", "anchor=\"x\" y",
        ])
    func wrongFields(text: String) { #expect(FieldOption(argument: text) == nil) }

    @Test("a question is its kind, its name and its text")
    func questions() {
        func question(_ text: String) -> CaptureQuestion? { QuestionOption(argument: text)?.question }
        #expect(
            question("check consent: I agree to: all")
                == CaptureQuestion(name: "consent", kind: .check, text: "I agree to: all"))
        #expect(
            question(#"choice receipt required person="Second customer":The receipt? |on paper|  by mail"#)
                == CaptureQuestion(
                    name: "receipt", kind: .choice, text: "The receipt?", choices: ["on paper", "by mail"],
                    required: true, person: "Second customer"))
        #expect(
            question("check mail required: May we write? | By mail")
                == CaptureQuestion(
                    name: "mail", kind: .check, heading: "May we write?", text: "By mail", required: true))
        let rating = CaptureQuestion(name: "stars", kind: .rating, text: "How was it?")
        #expect(question("rating stars: How was it?") == rating)
    }

    @Test(
        "what is no question is refused",
        arguments: [
            "", "check", "check consent", "check: text", "check consent:", "check consent:  ", "text a: b",
            "check a b: c", "check a required required: c", "choice a: b", "check a: b | c | d", "check a: | c",
            "check a: b |", "rating a: b | c",
            "note a=b: c",
            "check a person=: c",
        ])
    func wrongQuestions(text: String) { #expect(QuestionOption(argument: text) == nil) }

    /// The people of a command with these options.
    private func people(_ words: [String]) throws -> [CapturePerson] {
        try CaptureCommand.parse(["--prompt", "x"] + words).makeCall().flow.people
    }

    @Test("people come in their order, then those who have seen them")
    func people() throws {
        #expect(try people([]) == [])
        #expect(
            try people(["--witness", "Witness: Ben", "--person", "Customer: Anna: Müller"])
                == [
                    CapturePerson(role: "Customer", name: "Anna: Müller"),
                    CapturePerson(role: "Witness", name: "Ben", sees: "Customer"),
                ])
        let two = ["--person", "Customer", "--person", "Clerk: Eva"]
        #expect(
            try people(two + ["--witness", "Witness sees Clerk: Ben"]).last
                == CapturePerson(role: "Witness", name: "Ben", sees: "Clerk"))
        for words in [
            two + ["--witness", "Witness: Ben"], ["--witness", "Witness: Ben"], ["--person", ": Anna"],
            ["--person", "Anna:"], two + ["--person", "Third sees Clerk"],
        ] {
            #expect(throws: (any Error).self) { try people(words) }
        }
    }

    @Test(
        "options for a document that nobody reads are refused",
        arguments: [
            ["--set", "a=b"], ["--strict"], ["--final"], ["--flatten"], ["--see-all-pages"],
            ["--minimum-seconds", "3"],
            ["--require-answers"],
        ])
    func optionsWithoutDocument(options: [String]) {
        let words = ["capture", "--prompt", "x", "--document", "a.pdf"] + options
        #expect(throws: (any Error).self) { try Inkpanel.parseAsRoot(words) }
        for reading in [["--field", "anchor=x"], ["--read"]] {
            #expect(throws: Never.self) { try Inkpanel.parseAsRoot(words + reading + ["--output", "b.pdf"]) }
        }
    }

    @Test("a document is something to sign, and so is a question; without --read it is only named")
    func contents() throws {
        #expect(throws: Never.self) { try Inkpanel.parseAsRoot(["capture", "--document", "a.pdf", "--read"]) }
        #expect(throws: Never.self) { try Inkpanel.parseAsRoot(["capture", "--question", "check a: b"]) }
        #expect(throws: (any Error).self) { try Inkpanel.parseAsRoot(["capture", "--document", "a.pdf"]) }
        #expect(throws: (any Error).self) { try Inkpanel.parseAsRoot(["capture", "--prompt", "x", "--read"]) }
        let words = ["--prompt", "x", "--document", "a.pdf", "--read"]
        for (output, isDocument) in [("b.pdf", true), ("-", true), ("b", true), ("b.png", false)] {
            let command = try CaptureCommand.parse(words + ["--output", output])
            #expect(command.flow.writesDocument(to: command.output, command.export) == isDocument, "\(output)")
        }
        for (format, isDocument) in [("record", false), ("pdf", true), ("encryptedPdf", false)] {
            let command = try CaptureCommand.parse(words + ["--output", "-", "--format", format])
            #expect(command.flow.writesDocument(to: "-", command.export) == isDocument, "\(format)")
            // Nobody signs a document that nobody reads.
            let isRefused = (try? CaptureCommand.parse(["--prompt", "x", "--output", "-", "--format", format])) == nil
            #expect(isRefused == (format != "record"))
        }
    }

    @Test("the call has all that was asked for")
    func call() throws {
        let command = try CaptureCommand.parse([
            "--document", "a/b.pdf", "--field", "anchor=Signature:", "--set", "consent=Yes", "--caption", "--final",
            "--flatten", "--strict", "--allow", "notDrawn",
            "--see-all-pages", "--minimum-seconds", "2.5", "--require-answers", "--question",
            "check mail: By mail", "--decline-reason", "too dear", "--output", "s.pdf",
        ])
        let digest = String(repeating: "0", count: 64)
        let call = try command.makeCall(("d1", digest))
        #expect(call.request.document == .init(reference: "b.pdf", sha256: digest))
        #expect(
            call.flow
                == CaptureFlow(
                    document: ReadDocument(
                        id: "d1", fields: [RequestedField(place: Self.anchor)],
                        policy: ReadingPolicy(mustSeeAllPages: true, minimumSeconds: 2.5, requireAnswers: true),
                        values: ["consent": "Yes"], caption: true, strict: true, allow: [.notDrawn], final: true,
                        flatten: true, signed: true),
                    questions: [CaptureQuestion(name: "mail", kind: .check, text: "By mail")],
                    declineReasons: ["too dear"]))
        let asking = try CaptureCommand.parse(["--question", "check mail: By mail", "--require-answers", "--decline"])
        let flow = try asking.makeCall().flow
        #expect(flow.questions.map(\.required) == [true] && flow.declineReasons == [] && flow.document == nil)
    }
}
