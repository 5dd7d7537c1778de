// SPDX-License-Identifier: Apache-2.0
public import Document

/// Collects the facts about a document, with warnings of what can look or act differently in other viewers. Any thread.
/// It needs the helper's limits of time and memory, because libqpdf has no limits.
public enum PDFInspection {
    /// - Throws: the reason why the document must not be shown.
    public static func facts(of document: [UInt8]) throws(PDFError) -> DocumentFacts {
        let file = try PDFFile(document)
        let pages = try PDFPage.all(of: file)
        let form = try PDFForm(of: file, pages: pages)
        var walk = Walk()
        // Only fonts that a page uses count, not the form's list of fonts for typed text.
        for page in pages { try walk.notes(on: page.object) }
        for page in pages {
            try walk.visit([page.resources, page.object], collectsFonts: true)
        }
        walk.notes(on: file)
        if FieldLooks.mislead(form.tree, pages) { walk.warnings.insert(.misleadingFields) }
        try walk.visit([file.trailer], collectsFonts: false)
        if form.isSigned { walk.warnings.insert(.existingSignatures) }
        // The values that were read may be used only after this check.
        try file.check()
        let facts = DocumentFacts(
            pages: pages.map(\.size), fields: form.fields, names: form.allNames,
            unfillable: form.unfillable.isEmpty ? nil : form.unfillable,
            locked: form.locked.isEmpty ? nil : form.locked,
            warnings: DocumentFacts.Warning.allCases.filter { walk.warnings.contains($0) },
            missingFonts: walk.fonts.sorted())
        return facts
    }

    /// A walk through all objects that are used.
    private struct Walk {
        var warnings: Set<DocumentFacts.Warning> = []
        /// The names of the fonts that are not embedded.
        var fonts: Set<String> = []
        private var seen: [Role: Set<PDFObject.ID>] = [:]
        private var count = 0
        private var annotationCount = 0

        /// The role of an object for the one that refers to it. A font need not say that it is one: readers also draw
        /// with fonts that lack a type.
        private enum Role { case any, fonts, font }

        /// Visits each object that can be reached from `roots` and was not visited yet.
        mutating func visit(_ roots: [PDFObject], collectsFonts: Bool) throws(PDFError) {
            var waiting: [(PDFObject, Role)] = []
            for root in roots { try enter(root, .any, &waiting, isOnPage: collectsFonts) }
            while let (object, role) = waiting.popLast() {
                if object.isArray {
                    let part: Role = role == .fonts ? .font : .any
                    for index in 0..<object.count { try enter(object[index], part, &waiting, isOnPage: collectsFonts) }
                    continue
                }
                let dictionary = object.dictionary
                let isFont = collectsFonts && (role == .font || dictionary["Type"].name == "Font")
                note(dictionary, isStream: object.isStream)
                if isFont { noteFont(dictionary) }
                let isPage = dictionary["Type"].name == "Page"
                for key in dictionary.keys {
                    // The parent of a page leads to the other pages.
                    if isPage && collectsFonts && key.elementsEqual("Parent".utf8) { continue }
                    var part: Role = role == .fonts ? .font : .any
                    // Resources, graphics states and composite fonts have fonts under these keys.
                    let isList = key.elementsEqual("Font".utf8) || key.elementsEqual("DescendantFonts".utf8)
                    if collectsFonts, role != .fonts, isList { part = .fonts }
                    try enter(dictionary[key], part, &waiting, isOnPage: collectsFonts)
                }
            }
        }

        private func check(_ id: PDFObject.ID, _ structure: FileStructure, isOnPage: Bool) throws(PDFError) {
            try structure.check(id)
            if isOnPage, structure.hidden.contains(id.number) {
                throw .damaged(reason: "some readers do not find object \(id.number), a part of a page")
            }
        }

        private mutating func enter(
            _ object: PDFObject, _ role: Role, _ waiting: inout [(PDFObject, Role)], isOnPage: Bool
        ) throws(PDFError) {
            count += 1
            if count > PDFLimits.objects { throw .tooComplex(reason: "it has very many objects") }
            let id = object.id
            if let id { try check(id, object.file.structure, isOnPage: isOnPage) }
            guard object.isArray || object.isDictionary || object.isStream else { return }
            if let id, !seen[role, default: []].insert(id).inserted { return }
            if waiting.count == PDFLimits.waitingObjects { throw .tooComplex(reason: "it has very many objects") }
            waiting.append((object, role))
        }

        private mutating func note(_ dictionary: PDFObject, isStream: Bool) {
            noteAction(dictionary)
            if dictionary.has("JS") { warnings.insert(.javaScript) }
            if dictionary.has("AA") { warnings.insert(.additionalActions) }
            // An embedded file (7.11.4).
            if dictionary.has("EF") { warnings.insert(.attachments) }
            // An action of a kind that no table has. Attributes of tagged content are under this key, too.
            let action = dictionary["A"]["S"].name
            if let action, action != "GoTo", Self.known[action] == nil { warnings.insert(.actions) }
            guard isStream else { return }
            // The content of another file, and a page of another one (8.10.4).
            if dictionary.has("F") || dictionary.has("Ref") { warnings.insert(.externalStream) }
            // Alternate images (8.9.5.4), and PostScript (8.8.2): viewers choose.
            let kinds = [dictionary["Subtype"].name, dictionary["Subtype2"].name]
            if dictionary.has("Alternates") || dictionary.has("OPI") || kinds.contains("PS") {
                warnings.insert(.viewerDependent)
            }
        }

        /// ISO 32000-1, table 198, and ISO 32000-2, table 201, without `GoTo`.
        private static let known: [String: DocumentFacts.Warning] = [
            "JavaScript": .javaScript, "Launch": .launch, "URI": .webLinks,
            // These open or send something else than this document.
            "SubmitForm": .additionalActions, "ImportData": .additionalActions, "GoToR": .additionalActions,
            "GoToE": .additionalActions,
            "Hide": .actions, "ResetForm": .actions, "SetOCGState": .actions, "Rendition": .actions,
            "Movie": .actions, "Sound": .actions, "Named": .actions, "Thread": .actions, "Trans": .actions,
            "GoTo3DView": .actions, "RichMediaExecute": .actions, "GoToDp": .actions,
        ]

        private mutating func noteAction(_ dictionary: PDFObject) {
            guard let warning = dictionary["S"].name.flatMap({ Self.known[$0] }) else { return }
            // An element of tagged content names its kind there, too; only it must have a parent (table 323).
            if dictionary.has("P"), dictionary["Type"].name != "Action" { return }
            warnings.insert(warning)
        }

        private mutating func noteFont(_ font: PDFObject) {
            // The part of a composite font says whether the font is embedded. Type 3 fonts consist of drawings.
            if ["Type0", "Type3"].contains(font["Subtype"].name) { return }
            let descriptor = font["FontDescriptor"]
            let keys = ["FontFile", "FontFile2", "FontFile3"]
            if keys.contains(where: { descriptor.has($0) }) { return }
            warnings.insert(.fontsNotEmbedded)
            let name = PlainText.printable(font["BaseFont"].name ?? "unnamed", atMost: 100)
            if fonts.count < HelperLimits.fonts { fonts.insert(name) }
        }

        /// Notes the warnings about the annotations of a page.
        mutating func notes(on page: PDFObject) throws(PDFError) {
            let annotations = page["Annots"]
            annotationCount += annotations.count
            guard annotationCount <= PDFLimits.annotations else {
                throw .tooComplex(reason: "its pages have very many annotations")
            }
            for index in 0..<annotations.count {
                let annotation = annotations[index]
                guard annotation.isDictionary else { continue }
                let kind = annotation["Subtype"].name
                if !Self.isDrawnAlike(annotation, kind) { warnings.insert(.viewerDependent) }
                if kind == "FileAttachment" { warnings.insert(.attachments) }
                // Links and pop-ups draw nothing.
                if ["Link", "Popup"].contains(kind) { continue }
                let flags = annotation["F"].integer ?? 0
                let (hidden, print, noView) = (1 << 1, 1 << 2, 1 << 5)
                if flags & (hidden | noView) != 0 || flags & print == 0 { warnings.insert(.hiddenAnnotation) }
            }
        }

        /// Whether all viewers draw an annotation alike. Many draw their own picture of one that has none (12.5.5);
        /// some draw that of a link.
        private static func isDrawnAlike(_ annotation: PDFObject, _ kind: String?) -> Bool {
            switch kind {
            case "Link", "Popup": !annotation.has("AP")
            // Fields have warnings of their own.
            case "Widget": true
            case "Movie", "Sound", "Screen", "3D", "RichMedia": false
            default: FieldLooks.look(of: annotation) != nil
            }
        }

        /// Notes the warnings about the catalogue.
        mutating func notes(on file: PDFFile) {
            let root = file.root
            let opening = root["OpenAction"]
            // Going to a page when the document is opened changes nothing.
            if opening.isDictionary, opening["S"].name != "GoTo" { warnings.insert(.openAction) }
            if root["OCProperties"]["OCGs"].count > 0 { warnings.insert(.layers) }
            if root["AcroForm"]["NeedAppearances"].flag == true { warnings.insert(.needAppearances) }
            let names = root["Names"]
            if names.has("JavaScript") { warnings.insert(.javaScript) }
            // Viewers that know collections (12.3.5) show their files instead of the pages.
            if names.has("EmbeddedFiles") || root.has("Collection") { warnings.insert(.attachments) }
            // A signature over the file as it is (ISO 32000-1, 12.8.2.3); Acrobat says so to everybody who opens it.
            if ["UR", "UR3"].contains(where: root["Perms"].has) { warnings.insert(.usageRights) }
        }
    }
}
