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
        for page in pages {
            walk.notes(on: page.object)
            try walk.visit([page.resources, page.object], collectsFonts: true)
        }
        walk.notes(on: file)
        try walk.visit([file.trailer], collectsFonts: false)
        if form.isSigned { walk.warnings.insert(.existingSignatures) }
        // The values that were read may be used only after this check.
        try file.check()
        let facts = DocumentFacts(
            pages: pages.map(\.size), fields: form.fields, names: form.allNames,
            unfillable: form.unfillable.isEmpty ? nil : form.unfillable,
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

        /// The role of an object for the one that refers to it. A font need not say that it is one: readers also draw
        /// with fonts that lack a type.
        private enum Role { case any, fonts, font }

        /// Visits each object that can be reached from `roots` and was not visited yet.
        mutating func visit(_ roots: [PDFObject], collectsFonts: Bool) throws(PDFError) {
            var waiting: [(PDFObject, Role)] = []
            for root in roots { try enter(root, .any, &waiting) }
            while let (object, role) = waiting.popLast() {
                if object.isArray {
                    let part: Role = role == .fonts ? .font : .any
                    for index in 0..<object.count { try enter(object[index], part, &waiting) }
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
                    try enter(dictionary[key], part, &waiting)
                }
            }
        }

        private mutating func enter(
            _ object: PDFObject, _ role: Role, _ waiting: inout [(PDFObject, Role)]
        ) throws(PDFError) {
            count += 1
            if count > PDFLimits.objects { throw .tooComplex(reason: "it has very many objects") }
            guard object.isArray || object.isDictionary || object.isStream else { return }
            if let id = object.id, !seen[role, default: []].insert(id).inserted { return }
            if waiting.count == PDFLimits.waitingObjects { throw .tooComplex(reason: "it has very many objects") }
            waiting.append((object, role))
        }

        private mutating func note(_ dictionary: PDFObject, isStream: Bool) {
            let action = dictionary["S"].name
            if action == "JavaScript" || dictionary.has("JS") { warnings.insert(.javaScript) }
            if action == "Launch" { warnings.insert(.launch) }
            // These actions open or send something else than this document.
            let leaves = ["SubmitForm", "ImportData", "GoToR", "GoToE"].contains(action)
            if leaves || dictionary.has("AA") { warnings.insert(.additionalActions) }
            if isStream, dictionary.has("F") { warnings.insert(.externalStream) }
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
        mutating func notes(on page: PDFObject) {
            let annotations = page["Annots"]
            for index in 0..<annotations.count {
                let annotation = annotations[index]
                // Links and pop-ups draw nothing.
                if ["Link", "Popup"].contains(annotation["Subtype"].name) { continue }
                let flags = annotation["F"].integer ?? 0
                let (hidden, print, noView) = (1 << 1, 1 << 2, 1 << 5)
                if flags & (hidden | noView) != 0 || flags & print == 0 { warnings.insert(.hiddenAnnotation) }
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
            if !root["Names"]["JavaScript"].isNull { warnings.insert(.javaScript) }
            // A signature over the file as it is (ISO 32000-1, 12.8.2.3); Acrobat says so to everybody who opens it.
            if ["UR", "UR3"].contains(where: root["Perms"].has) { warnings.insert(.usageRights) }
        }
    }
}
