// SPDX-License-Identifier: Apache-2.0

/// What a document is, as the helper found it. A document that must not be shown has no facts but an error.
public struct DocumentFacts: Codable, Equatable, Sendable {
    /// The size of a page as it is shown, cropped and turned, in points.
    public struct PageSize: Codable, Equatable, Sendable {
        public var width, height: Double

        public init(width: Double, height: Double) {
            self.width = width
            self.height = height
        }
    }

    /// What a document can use to look or act otherwise elsewhere, or later.
    public enum Warning: String, Codable, CaseIterable, Sendable {
        case javaScript, additionalActions, openAction, launch, layers, needAppearances, externalStream,
            hiddenAnnotation, fontsNotEmbedded, existingSignatures
    }

    public var pages: [PageSize]
    /// The fields of the document's own form, in their order in the form.
    public var fields: [DocumentField]
    /// The fully qualified names of all nodes of the form, those of fields that nobody can fill, too, in alphabetical
    /// order: new fields have others.
    public var names: [String]
    public var warnings: [Warning]
    /// The names of fonts that are not embedded, which each viewer replaces in its own way.
    public var missingFonts: [String]

    public init(
        pages: [PageSize], fields: [DocumentField], names: [String] = [], warnings: [Warning], missingFonts: [String]
    ) {
        self.pages = pages
        self.fields = fields
        self.names = names
        self.warnings = warnings
        self.missingFonts = missingFonts
    }
}
