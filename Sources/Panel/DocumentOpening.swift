// SPDX-License-Identifier: Apache-2.0
package import Document
import Evidence
import Geometry
import HostAPI
import Linux
import Pad
import Pages
import Record
import Signing

/// The settings for documents that people read on the pad.
package struct DocumentSettings: Sendable {
    package var helper: DocumentHelper
    /// Documents with these warnings are refused.
    package var refused: Set<DocumentFacts.Warning> = []
    /// The most pages and bytes of a document.
    package var mostPages = HelperLimits.pages
    package var mostBytes = HelperLimits.document

    package init(helper: DocumentHelper = DocumentHelper()) { self.helper = helper }

    /// The documents that hosts may hand over. Looks for files.
    var abilities: PanelAbilities.Documents {
        PanelAbilities.Documents(
            fault: helper.obstacle, warning: helper.warning, maximumBytes: mostBytes, maximumPages: mostPages,
            refused: refused.map(\.rawValue).sorted())
    }
}

/// A document that can be shown, and whose whole signing was tried with samples in place of ink.
struct TriedDocument: Sendable {
    let document: OpenedDocument
    /// The bytes that are drawn: with what the host has filled in.
    let shown: [UInt8]
    /// The document with the samples, and the pictures that it must look like; nil if nobody signs.
    var signed: (bytes: [UInt8], pictures: SignedPictures)?
}

/// Inspects a document that people are to read on the pad, finds its fields, and tries whether it can be signed.
struct DocumentOpening {
    /// The number of pages of a flat file that are compared before people see the first one.
    private static let mostCompared = 20
    /// The longest time for finding all anchors, and for these comparisons: others wait for the panel meanwhile.
    private static let longestSearch = Duration.seconds(20)
    /// The longest time for finding dark grounds.
    private static let longestPlates = Duration.seconds(5)

    let settings: DocumentSettings
    let key: DocumentKey
    private let version = RendererVersion()

    init(_ settings: DocumentSettings, key: DocumentKey) {
        self.settings = settings
        self.key = key
    }

    /// Blocks for several calls of the helper.
    /// - Parameter date: as the pages show it today.
    /// - Throws: ``PanelError/noSuchDocument(_:)`` or ``PanelError/documentRefused(fault:reason:)``.
    func open(_ call: CaptureCall, date: String) throws(PanelError) -> TriedDocument {
        guard let asked = call.flow.document, let bytes = call.documentBytes else {
            throw .noSuchDocument(call.flow.document?.id ?? "")
        }
        do {
            return try opened(bytes, asked, call, date: date)
        } catch let error as PanelError {
            throw error
        } catch {
            throw Self.refusal(error)
        }
    }

    private func opened(
        _ bytes: [UInt8], _ asked: ReadDocument, _ call: CaptureCall, date: String
    ) throws -> TriedDocument {
        let helper = settings.helper
        try checkLength(of: bytes)
        var (bytes, pictures, flattened) = (bytes, RecordedOriginal?.none, RecordedOriginal?.none)
        if DocumentPicture.begins(bytes) {
            pictures = RecordedOriginal(bytes)
            bytes = try helper.convert(bytes)
            try checkLength(of: bytes)
        }
        if asked.flatten == true {
            flattened = RecordedOriginal(bytes)
            bytes = try helper.flatten(bytes, mostCompared: Self.mostCompared, longest: Self.longestSearch)
            try checkLength(of: bytes)
        }
        let facts = try helper.inspect(bytes)
        guard facts.pages.count <= settings.mostPages else {
            throw PanelError.documentRefused(
                fault: "tooManyPages",
                reason: "it has \(facts.pages.count) pages, and the panel shows at most \(settings.mostPages)")
        }
        let refused = facts.warnings.first { asked.strict == true || settings.refused.contains($0) }
        if let refused { throw PanelError.documentRefused(fault: refused.rawValue, reason: refused.words) }
        guard let renderer = facts.renderer else {
            throw PanelError.documentRefused(
                fault: "missingProgram", reason: "its pages cannot be drawn: install poppler-utils")
        }
        let end = MonotonicClock.now + Self.longestSearch
        var plan = try DocumentPlan(call.flow, in: facts) { text in
            // Others wait for the panel meanwhile.
            if MonotonicClock.now > end { throw DocumentHelperError.tooSlow }
            return try helper.find(text, in: bytes)
        }
        let isSigned = plan.fields.contains { $0.kind == .signature }
        if isSigned {
            let end = MonotonicClock.now + Self.longestPlates
            plan.plates = try Plates.places(of: plan.fields, in: facts) { page in
                MonotonicClock.now < end ? try helper.render(page, of: bytes) : nil
            }
        }
        let document = OpenedDocument(
            bytes: bytes, facts: facts, plan: plan, renderer: version.text(renderer), allowed: asked.allow ?? [],
            madeOf: pictures == nil && flattened == nil
                ? nil : (pictures, flattened, SHA256Digest(of: bytes).description))
        guard isSigned else { return TriedDocument(document: document, shown: bytes) }
        _ = try key.read()
        let sample = FieldContents.sample(
            for: plan.fields, of: call.flow.people, call.request, date: date, now: WallClock.microseconds / 1_000_000)
        let updates = try DocumentUpdates(sample, plan, in: facts, isInTurns: true)
        // Each signature can forbid later ones if the document has a form or a signature: then all are tried.
        let isPlain = facts.names.isEmpty && !facts.warnings.contains(.existingSignatures)
        let signed = try DocumentSigning(updates, to: bytes, facts, helper: helper)
            .trial(of: isPlain ? 1 : updates.list.count)
        return TriedDocument(document: document, shown: signed.pictures.shown, signed: signed)
    }

    private func checkLength(of document: [UInt8]) throws(PanelError) {
        guard document.count <= settings.mostBytes else {
            throw .documentRefused(
                fault: "tooLarge", reason: "it has more than \(settings.mostBytes) bytes: make its pictures smaller")
        }
    }

    /// The refusal of a document, with the name of its fault for hosts.
    static func refusal(_ error: any Error) -> PanelError {
        let fault: String
        switch error {
        case DocumentHelperError.notInstalled: fault = "missingProgram"
        case DocumentHelperError.tooSlow, DocumentHelperError.stopped: fault = "tooSlow"
        case DocumentHelperError.refused(let refused): fault = refused.name.rawValue
        case let error as DocumentPlanFault: fault = error.name
        case AppearanceFault.tooSmall: fault = "rectangle"
        case AppearanceFault.missing, FieldTextFault.missing, is TextError: fault = "missingGlyphs"
        case is FieldTextFault: fault = "field"
        case is DocumentKeyFault: fault = "noKey"
        case let error as DocumentComparisonFault: fault = error.name.rawValue
        case is SignedPictureFault: fault = "signedDifferently"
        default: fault = "failed"
        }
        return .documentRefused(fault: fault, reason: PlainText.printable("\(error)", atMost: 1000))
    }
}

extension RecordedOriginal {
    fileprivate init(_ file: [UInt8]) { self.init(bytes: file.count, sha256: SHA256Digest(of: file).description) }
}
