// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Document
import Glibc
import HostAPI
import Record

/// Where `inkpanel capture` puts the ink into the document, which it then signs.
struct SigningOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Where the ink goes in the document, a PDF file, which --output then writes signed: "
                + "\(SignaturePlace.form). This needs root or the panel's user, and a store of this machine; see "
                + "inkpanel document sign.", valueName: "place"))
    var field: SignaturePlace?

    @Option(
        name: .customLong("set"),
        help: ArgumentHelp(
            "With --field: what was chosen in a field of the document's own form, such as consent=Yes; may be "
                + "repeated.", valueName: "field=value"))
    var answers: [DataEntry] = []

    @Flag(help: "With --field: refuse a document with any warning (inkpanel document inspect).")
    var strict = false

    @OptionGroup var helper: HelperOptions
    @OptionGroup var identity: IdentityOptions

    private var values: [DocumentUpdate.Value] { answers.map { DocumentUpdate.Value(field: $0.key, value: $0.value) } }

    /// - Throws: `ValidationError`.
    func check(document: String?, output: String?, _ export: ExportOptions) throws {
        guard field != nil else {
            if !answers.isEmpty || strict { throw ValidationError("--set and --strict need --field") }
            return
        }
        guard document != nil, let output else { throw ValidationError("--field needs --document and --output") }
        if export.statedFormat != nil { throw ValidationError("--field and --format exclude each other") }
        try OutputFile.checkSuffix(of: output, among: ["pdf"], hasFormat: false)
        try DataEntry.checkKeys(of: answers, option: "--set")
    }

    /// Reads the document and checks that it can be signed; nil without a place.
    func signer(of document: String) throws -> PDFSigner? {
        guard let field else { return nil }
        let (panel, _) = try identity.panelStore()
        let signer = try PDFSigner(document, helper: helper.helper, panel: panel, isStrict: strict)
        try signer.check([field], values)
        return signer
    }

    /// - Returns: the signed document.
    func sign(_ signer: PDFSigner, _ id: CaptureID, hasCaption: Bool) throws -> [UInt8] {
        guard let field else { return [] }
        do {
            let act = try signer.act(of: .stored(id), at: field, hasCaption: hasCaption)
            return try signer.sign([act], values).document
        } catch {
            throw CommandError(
                message: "\(CommandError(error).message); the signature is stored: inkpanel document sign "
                    + "\(signer.path) --signature '\(id) PLACE'", status: EX_CANTCREAT)
        }
    }
}
