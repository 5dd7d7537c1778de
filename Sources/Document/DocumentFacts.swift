// SPDX-License-Identifier: Apache-2.0

/// The pages, fields and warnings of a document, as the helper found them. For a document that must not be shown, the
/// helper answers with an error instead.
public struct DocumentFacts: Codable, Equatable, Sendable {
    /// The size of a page as it is shown, cropped and turned, in points.
    public struct PageSize: Codable, Equatable, Sendable {
        public var width, height: Double

        public init(width: Double, height: Double) {
            self.width = width
            self.height = height
        }
    }

    /// A feature of a document that can make it look or act differently in another viewer, or later.
    public enum Warning: String, Codable, CaseIterable, Sendable {
        case javaScript, additionalActions, openAction, launch, layers, needAppearances, externalStream,
            hiddenAnnotation, fontsNotEmbedded, existingSignatures, usageRights, actions, webLinks, attachments,
            viewerDependent, misleadingFields
    }

    public var pages: [PageSize]
    /// The fields of the document's own form, in their order in the form.
    public var fields: [Field]
    /// The fully qualified names of all nodes of the form, in alphabetical order, also of fields that a person cannot
    /// fill. New fields must have other names.
    public var names: [String]
    /// The names of visible fields that must be filled although neither people nor the host can fill them, such as
    /// lists; nil for none.
    public var unfillable: [String]?
    /// The names of fields that an earlier signature has locked; nil for none.
    public var locked: [String]?
    public var warnings: [Warning]
    /// The names of fonts that are not embedded, which each viewer replaces in its own way.
    public var missingFonts: [String]
    /// The version of poppler, which draws the pages, as it states it; nil if it is not installed.
    public var renderer: String?

    public init(
        pages: [PageSize], fields: [Field], names: [String] = [], unfillable: [String]? = nil,
        locked: [String]? = nil,
        warnings: [Warning], missingFonts: [String], renderer: String? = nil
    ) {
        self.pages = pages
        self.fields = fields
        self.names = names
        self.unfillable = unfillable
        self.locked = locked
        self.warnings = warnings
        self.missingFonts = missingFonts
        self.renderer = renderer
    }

    /// nil for a page that is not there.
    package func size(of page: Int) -> PageSize? { pages.indices.contains(page - 1) ? pages[page - 1] : nil }
}

extension DocumentFacts.Warning {
    /// The warning in words for people.
    public var words: String {
        switch self {
        case .javaScript: "it has JavaScript, which some viewers run"
        case .additionalActions: "it has actions that viewers carry out by themselves"
        case .openAction: "it has an action for when it is opened"
        case .launch: "it can start programs"
        case .layers: "it has layers: viewers may show some and hide others"
        case .needAppearances: "it asks viewers to draw its fields anew"
        case .externalStream: "a part of it is in another file"
        case .hiddenAnnotation: "it has notes that are hidden, or not printed"
        case .fontsNotEmbedded: "it lacks fonts: each viewer takes others"
        case .usageRights: "it has rights for Adobe Reader, which end with the first signature"
        case .actions: "it has buttons or links that hide, change, play or open something"
        case .webLinks: "it has links to the web"
        case .attachments: "it has other files in it, which some viewers show"
        case .viewerDependent: "it has notes, stamps, links or pictures that viewers draw differently"
        case .misleadingFields: "it has a field that does not look like its value"
        case .existingSignatures: "it is signed already; inkpanel does not check these signatures"
        }
    }
}
