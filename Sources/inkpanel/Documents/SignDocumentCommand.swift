// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Document
import HostAPI
import Pad
import Record
import Signing

/// `inkpanel document sign`: puts the ink of records into the PDF file that they were captured for, and signs it.
struct SignDocumentCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign", abstract: "Put signatures into the PDF file that they were given for, and sign it.",
        discussion: """
            Each record must be of an accepted capture of exactly this file (inkpanel capture --document FILE) that \
            this panel has sealed. The bytes of the file stay as they are; each signature is added to them (PAdES-B-B) \
            with the panel's key and certificate, so this needs root, and the service to run. The file is written when \
            all is signed, or not at all.

            Places are in points (1/72 inch) from the lower left corner of the page. With anchor=TEXT the ink is \
            beside the text, which must be in the file once, or below it; with offset=RIGHT,UP its lower left corner \
            is that of the text, moved.
            """)

    @Argument(help: "PDF file.")
    var file: String

    @Option(
        help: ArgumentHelp(
            "A record, by its ID or file, and where its ink goes: \(SignaturePlace.form); may be repeated, in the "
                + "order of signing.", valueName: "record place"))
    var signature: [SignatureOption]

    @Option(
        name: .customLong("set"),
        help: ArgumentHelp(
            "What was chosen in a field of the file's own form, or its text, such as consent=Yes; may be repeated.",
            valueName: "field=value"))
    var answers: [DataEntry] = []

    @Option(help: ArgumentHelp("The signed file; - for standard output.", valueName: "file"))
    var output: String

    @Flag(help: "Write the signer's name and the date below each signature, as they were on the page.")
    var caption = false

    @Flag(help: "Let the last signature forbid every change after it, also further signatures.")
    var final = false

    @Flag(help: "Refuse a file with any warning (inkpanel document inspect).")
    var strict = false

    @Option(help: ReadDocument.Allowance.help)
    var allow: [ReadDocument.Allowance] = []

    @OptionGroup var helper: HelperOptions
    @OptionGroup var identity: IdentityOptions

    func validate() throws {
        guard !signature.isEmpty else { throw ValidationError("nobody signs: add --signature") }
        try OutputFile.checkSuffix(of: output, among: ["pdf"], hasFormat: false)
        for (index, act) in signature.enumerated() {
            if signature[..<index].contains(where: { $0.record == act.record }) {
                throw ValidationError("a record is there twice: each signature in a file is an act of its own")
            }
        }
        try DataEntry.checkKeys(of: answers, option: "--set")
    }

    func run() throws {
        try reportingErrors {
            try OutputFile.check(output)
            let (panel, _) = try identity.panelStore()
            let signer = try PDFSigner(file, helper: helper.helper, panel: panel, isStrict: strict)
            let values = answers.map { DocumentUpdate.Value(field: $0.key, value: $0.value) }
            let plan = try signer.plan(
                signature.map(\.place), values, hasCaptions: caption, isFinal: final, allowed: allow)
            var signatures: [FieldContents.Written] = []
            for option in signature {
                let next = try signer.signature(of: option.record)
                // A record may be named twice: by its ID and by its file.
                if signatures.contains(where: { $0.record == next.record }) {
                    throw CommandError.wrongUsage(
                        "the record \(next.record) is there twice: each signature in a file is an act of its own")
                }
                signatures.append(next)
            }
            try OutputFile.write(try signer.sign(signatures, plan), to: output)
            if output == "-" { return }
            try OutputFile.print(zip(plan.fields, signatures).map { "\($0.name) \($1.record)\n" }.joined())
        }
    }
}
