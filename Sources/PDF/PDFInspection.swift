// SPDX-License-Identifier: Apache-2.0
public import Document

/// Finds out what a document is, and what it could do otherwise elsewhere. Any thread; it needs the time and memory
/// limits of the helper, because libqpdf has none.
public enum PDFInspection {
    /// - Throws: the reason why the document must not be shown.
    public static func facts(of document: [UInt8]) throws(PDFError) -> DocumentFacts {
        let file = try PDFFile(document)
        let pages = try PDFPage.all(of: file)
        let form = try PDFForm(of: file, pages: pages)
        var walk = Walk()
        // Fonts count where a page uses them, not in the form's list of fonts for what is typed into it.
        for page in pages {
            walk.notes(on: page.object)
            try walk.visit([page.resources, page.object], collectsFonts: true)
        }
        walk.notes(on: file)
        try walk.visit([file.trailer], collectsFonts: false)
        if form.isSigned { walk.warnings.insert(.existingSignatures) }
        // All that was read is believed only now.
        try file.check()
        let facts = DocumentFacts(
            pages: pages.map(\.size), fields: form.fields, names: form.allNames,
            warnings: DocumentFacts.Warning.allCases.filter { walk.warnings.contains($0) },
            missingFonts: walk.fonts.sorted())
        return facts
    }

    /// A walk through all objects that are used.
    private struct Walk {
        var warnings: Set<DocumentFacts.Warning> = []
        /// The names of those that are not embedded.
        var fonts: Set<String> = []
        private var seen: [Role: Set<PDFObject.ID>] = [:]
        private var count = 0

        /// What an object is for the one that refers to it. Fonts need not say that they are fonts: readers draw with
        /// those that lack a type, too.
        private enum Role { case any, fonts, font }

        /// Looks at everything that can be reached from these and was not looked at yet.
        mutating func visit(_ roots: [PDFObject], collectsFonts: Bool) throws(PDFError) {
            var waiting: [(PDFObject, Role)] = []
            for root in roots { try enter(root, .any, &waiting) }
            while let (object, role) = waiting.popLast() {
                defer { object.release() }
                if object.isArray {
                    let part: Role = role == .fonts ? .font : .any
                    for index in 0..<object.count { try enter(object[index], part, &waiting) }
                    continue
                }
                let dictionary = object.dictionary
                let isFont = collectsFonts && (role == .font || dictionary.name(of: "Type") == "Font")
                note(dictionary, isStream: object.isStream)
                if isFont { noteFont(dictionary) }
                let isPage = dictionary.name(of: "Type") == "Page"
                for key in dictionary.keys {
                    // Above a page are the other pages.
                    if isPage && collectsFonts && key.elementsEqual("Parent".utf8) { continue }
                    var part: Role = role == .fonts ? .font : .any
                    // In resources, graphics states and composite fonts.
                    let isList = key.elementsEqual("Font".utf8) || key.elementsEqual("DescendantFonts".utf8)
                    if collectsFonts, role != .fonts, isList { part = .fonts }
                    try enter(dictionary[key], part, &waiting)
                }
                if object.isStream { dictionary.release() }
            }
        }

        private mutating func enter(
            _ object: PDFObject, _ role: Role, _ waiting: inout [(PDFObject, Role)]
        ) throws(PDFError) {
            count += 1
            if count > PDFLimits.objects { throw .tooComplex(reason: "it has very many objects") }
            guard object.isArray || object.isDictionary || object.isStream else { return object.release() }
            if let id = object.id, !seen[role, default: []].insert(id).inserted { return object.release() }
            if waiting.count == PDFLimits.waitingObjects { throw .tooComplex(reason: "it has very many objects") }
            waiting.append((object, role))
        }

        private mutating func note(_ dictionary: PDFObject, isStream: Bool) {
            let action = dictionary.name(of: "S")
            if action == "JavaScript" || dictionary.has("JS") { warnings.insert(.javaScript) }
            if action == "Launch" { warnings.insert(.launch) }
            // They open or send something else than this document.
            let leaves = ["SubmitForm", "ImportData", "GoToR", "GoToE"].contains(action)
            if leaves || dictionary.has("AA") { warnings.insert(.additionalActions) }
            if isStream, dictionary.has("F") { warnings.insert(.externalStream) }
        }

        private mutating func noteFont(_ font: PDFObject) {
            // A composite font's part says whether it is embedded; Type 3 is drawn.
            if ["Type0", "Type3"].contains(font.name(of: "Subtype")) { return }
            let descriptor = font["FontDescriptor"]
            let keys = ["FontFile", "FontFile2", "FontFile3"]
            if keys.contains(where: { descriptor.has($0) }) { return }
            warnings.insert(.fontsNotEmbedded)
            let name = PlainText.printable(font["BaseFont"].name ?? "unnamed", atMost: 100)
            if fonts.count < HelperLimits.fonts { fonts.insert(name) }
        }

        /// The annotations of a page.
        mutating func notes(on page: PDFObject) {
            let annotations = page["Annots"]
            for index in 0..<annotations.count {
                let annotation = annotations[index]
                // These draw nothing.
                if ["Link", "Popup"].contains(annotation["Subtype"].name) { continue }
                let flags = annotation["F"].integer ?? 0
                let (hidden, print, noView) = (1 << 1, 1 << 2, 1 << 5)
                if flags & (hidden | noView) != 0 || flags & print == 0 { warnings.insert(.hiddenAnnotation) }
            }
        }

        /// The catalogue.
        mutating func notes(on file: PDFFile) {
            let root = file.root
            let opening = root["OpenAction"]
            // Going to a page when the document is opened changes nothing.
            if opening.isDictionary, opening["S"].name != "GoTo" { warnings.insert(.openAction) }
            if root["OCProperties"]["OCGs"].count > 0 { warnings.insert(.layers) }
            if root["AcroForm"]["NeedAppearances"].flag == true { warnings.insert(.needAppearances) }
            if !root["Names"]["JavaScript"].isNull { warnings.insert(.javaScript) }
        }
    }
}
