// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Configuration
import Document
import Glibc
import HostAPI
import Linux
import Record

/// The options of `inkpanel capture` for a document: the place of the ink in it, and its signature.
struct SigningOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Where the ink goes in the document, a PDF file, which --output then writes signed: "
                + "\(SignaturePlace.form). This needs root, and a panel of this machine; see inkpanel "
                + "document sign.", valueName: "place"))
    var field: SignaturePlace?

    @Option(
        name: .customLong("set"),
        help: ArgumentHelp(
            "With --field: what was chosen in a field of the document's own form, or its text, such as consent=Yes; "
                + "may be repeated.", valueName: "field=value"))
    var answers: [DataEntry] = []

    @Flag(help: "With --field: forbid every change after the signature, also further signatures.")
    var final = false

    @Flag(help: "With --field: refuse a document with any warning (inkpanel document inspect).")
    var strict = false

    @OptionGroup var helper: HelperOptions
    @OptionGroup var identity: IdentityOptions

    private var values: [DocumentUpdate.Value] { answers.map { DocumentUpdate.Value(field: $0.key, value: $0.value) } }

    /// - Throws: `ValidationError`.
    func check(document: String?, output: String?, _ export: ExportOptions) throws {
        guard field != nil else {
            let places = [helper.helperSocket, identity.file.path, identity.store, identity.key]
            if !answers.isEmpty || strict || final || places.contains(where: { $0 != nil }) {
                throw ValidationError(
                    "--set, --strict, --final, --helper-socket, --config, --store and --key need --field")
            }
            return
        }
        guard document != nil, let output else { throw ValidationError("--field needs --document and --output") }
        let hasPictureOptions =
            export.dpi != nil || export.size != nil || export.part != .ink || export.transparent || export.color != nil
        if export.statedFormat != nil || hasPictureOptions {
            throw ValidationError("--field goes with no option of pictures but --caption")
        }
        try OutputFile.checkSuffix(of: output, among: ["pdf"], hasFormat: false)
        try DataEntry.checkKeys(of: answers, option: "--set")
    }

    /// Reads the document and checks that it can be signed; nil without a place.
    /// - Parameter caption: the signer's name, if a line is drawn below the ink.
    func signer(of document: String, caption: String?) throws -> PDFSigner? {
        guard let field else { return nil }
        guard try identity.file.read().evidence.recipients.isEmpty else {
            throw CommandError.wrongConfiguration(
                "the panel encrypts its records, and cannot read them to sign: capture without --field, decrypt the "
                    + "record, then inkpanel document sign")
        }
        let (panel, _) = try identity.panelStore()
        let signer = try PDFSigner(document, helper: helper.helper, panel: panel, isStrict: strict)
        try signer.check([(field, caption.map { $0 + ", 0000-00-00" })], values, isFinal: final)
        return signer
    }

    /// Checks that the record will be in the store that the key belongs to.
    func check(_ signer: PDFSigner, storeOf client: inout PanelClient) throws {
        let path = try client.status().store.path
        guard Directory.realPath(path) == Directory.realPath(signer.storePath) else {
            throw CommandError.wrongUsage(
                "the panel's store is \(path), not \(signer.storePath): name it with --store, or its --config")
        }
    }

    /// - Returns: the signed document.
    func sign(_ signer: PDFSigner, _ id: CaptureID, hasCaption: Bool) throws -> [UInt8] {
        guard let field else { return [] }
        let act = try signer.act(of: .stored(id), at: field, hasCaption: hasCaption)
        return try signer.sign([act], values, isFinal: final).document
    }

    /// The error for an accepted signature whose signed document could not be made or written.
    func withoutFile(_ id: CaptureID, document: String, _ error: any Error) -> CommandError {
        CommandError(
            message: "\(CommandError(error).message); the signature is stored: put it into \(document) with inkpanel "
                + "document sign and --signature \"\(id) PLACE\"", status: EX_CANTCREAT)
    }
}
