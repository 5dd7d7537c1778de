// SPDX-License-Identifier: Apache-2.0
public import ArgumentParser
import Document
import Evidence
public import HostAPI

extension Alternative: ExpressibleByArgument {}

extension ReadDocument.Allowance: ExpressibleByArgument {
    static var help: ArgumentHelp {
        ArgumentHelp(
            "Have the document signed although a second engine draws it differently (drawnDifferently), or something "
                + "in it cannot be drawn (notDrawn); may be repeated.", valueName: "fault")
    }
}

/// The options of `inkpanel capture` for what people read, answer and fill beside the page to sign on.
struct FlowOptions: ParsableArguments {
    @Flag(help: "Show the document on the panel, to read it.")
    var read = false

    @Option(
        help: ArgumentHelp(
            "What a person fills in the document, which the panel shows: [kind=\(FieldOption.kinds)] [person=ROLE] "
                + "[name=NAME] [label=WORDS] [optional], then the place: \(SignaturePlace.form). Quote values with "
                + "spaces: label=\"I agree\". May be repeated. Without any: the signature fields, check boxes and "
                + "choices of the document's own form.", valueName: "field"))
    var field: [FieldOption] = []

    @Option(
        name: .customLong("set"),
        help: ArgumentHelp(
            "What the host fills into a field of the document's own form, such as consent=Yes; may be repeated.",
            valueName: "field=value"))
    var values: [DataEntry] = []

    @Option(
        help: ArgumentHelp(
            "A question on a page of its own: \(QuestionOption.kinds), its name, [required] [person=ROLE], a colon and "
                + "the text; the answers of a choice follow after bars. Such as \"check mail: I want news by mail\" or "
                + "\"choice receipt required: The receipt? | on paper | by mail\". Check boxes with the same words "
                + "before a bar stand below these on one page: \"check mail: May we write to you? | By mail\". May be "
                + "repeated.",
            valueName: "question"))
    var question: [QuestionOption] = []

    @Option(
        help: ArgumentHelp(
            "A person who takes part, such as \"Customer: Anna Müller\"; may be repeated, in the order of their turns.",
            valueName: "role: name"))
    var person: [PersonOption] = []

    @Option(
        help: ArgumentHelp(
            "A person who has seen another one sign, such as \"Witness: Ben\" or, with several people, \"Witness sees "
                + "Customer: Ben\"; may be repeated. Witnesses come after the others.", valueName: "role: name"))
    var witness: [PersonOption] = []

    @Option(
        help: ArgumentHelp(
            "What people who cannot write a signature may do in its place; may be repeated (default: as configured).",
            valueName: "way"))
    var alternative: [Alternative] = []

    @Flag(help: "Let people say that they do not agree.")
    var decline = false

    @Option(
        help: ArgumentHelp(
            "A reason that they can choose then; may be repeated. Includes --decline.", valueName: "text"))
    var declineReason: [String] = []

    @Flag(help: "People must have seen all pages of the document.")
    var seeAllPages = false

    @Option(help: ArgumentHelp("The least time with the document.", valueName: "seconds"))
    var minimumSeconds: Double?

    @Flag(help: "People must answer all questions and choices of the document; a check box may stay empty.")
    var requireAnswers = false

    @Flag(help: "Refuse a document with any warning (inkpanel document inspect).")
    var strict = false

    @Option(help: ReadDocument.Allowance.help)
    var allow: [ReadDocument.Allowance] = []

    @Flag(help: "Let nothing be added to the signed document, not even further signatures or time stamps.")
    var final = false

    @Flag(
        help: ArgumentHelp(
            "Show and sign a new PDF file with the pad's drawing of the document, as inkpanel document flatten writes "
                + "it: without forms, layers and actions."))
    var flatten = false

    /// Whether people read the document.
    var isReading: Bool { read || !field.isEmpty }

    /// - Throws: `ValidationError`.
    func check(document: String?, output: String?, _ export: ExportOptions) throws {
        guard isReading else {
            let words = [
                ("--set", !values.isEmpty), ("--see-all-pages", seeAllPages), ("--strict", strict), ("--final", final),
                ("--allow", !allow.isEmpty), ("--flatten", flatten),
                ("--minimum-seconds", minimumSeconds != nil),
            ]
            if let (word, _) = words.first(where: { $0.1 }) {
                throw ValidationError("\(word) needs --field, or --read to show the document without one")
            }
            if requireAnswers, question.isEmpty { throw ValidationError("--require-answers needs something to answer") }
            return
        }
        if document == nil { throw ValidationError("--field and --read need --document") }
        try DataEntry.checkKeys(of: values, option: "--set")
        if writesDocument(to: output, export) {
            let hasPictureOptions =
                export.dpi != nil || export.size != nil || export.part != .ink || export.transparent
                || export.color != nil
            if hasPictureOptions {
                throw ValidationError("a signed document goes with no option of pictures but --caption")
            }
        }
    }

    /// Whether `--output` is the signed document, and not a file of the record.
    func writesDocument(to output: String?, _ export: ExportOptions) -> Bool {
        guard isReading, let output else { return false }
        if let format = export.statedFormat { return format == .pdf }
        return OutputFile.suffix(of: output).map { $0 == "pdf" || !$0.allSatisfy(\.isLetter) } ?? true
    }

    /// - Parameters:
    ///   - id: of the document on the connection; nil if it is not shown.
    ///   - hasCaption: name and date below each signature.
    ///   - isSigned: a document in which nobody can sign is refused.
    /// - Throws: `ValidationError` for a witness of nobody.
    func flow(document id: String?, hasCaption: Bool, isSigned: Bool = false) throws -> CaptureFlow {
        let read = id.map { id in
            ReadDocument(
                id: id, fields: field.map(\.field),
                policy: ReadingPolicy(
                    mustSeeAllPages: seeAllPages ? true : nil, minimumSeconds: minimumSeconds,
                    requireAnswers: requireAnswers ? true : nil),
                values: values.isEmpty
                    ? nil : Dictionary(values.map { ($0.key, $0.value) }, uniquingKeysWith: { $1 }),
                caption: hasCaption ? true : nil, strict: strict ? true : nil, allow: allow.isEmpty ? nil : allow,
                final: final ? true : nil, flatten: flatten ? true : nil,
                signed: isSigned ? true : nil)
        }
        return CaptureFlow(
            document: read, questions: questions(hasDocument: id != nil), people: try people(),
            declineReasons: decline || !declineReason.isEmpty ? declineReason : nil)
    }

    /// Without a document each question has its own rule.
    private func questions(hasDocument: Bool) -> [CaptureQuestion] {
        question.map { option in
            var question = option.question
            if requireAnswers, !hasDocument { question.required = true }
            return question
        }
    }

    /// - Throws: `ValidationError`.
    func people() throws -> [CapturePerson] {
        if let seeing = person.first(where: { $0.person.sees != nil }) {
            throw ValidationError("--person \(seeing.person.role) has seen nobody sign: name a --witness so")
        }
        var all = person.map(\.person)
        for option in witness {
            var witness = option.person
            if witness.sees == nil {
                guard person.count == 1 else {
                    throw ValidationError(
                        person.isEmpty
                            ? "--witness needs the --person whom the witness has seen"
                            : "whom has \(witness.role) seen? With several people: \"\(witness.role) sees "
                                + "\(person[0].person.role): NAME\"")
                }
                witness.sees = person[0].person.role
            }
            all.append(witness)
        }
        return all
    }
}
