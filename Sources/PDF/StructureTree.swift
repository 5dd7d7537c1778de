// SPDX-License-Identifier: Apache-2.0

/// The structure of a tagged document (ISO 32000-1, 14.7), for new annotations: PDF/UA demands that each has an element
/// (ISO 14289-1, 7.18.1), by which screen readers come to it.
struct StructureTree {
    private let root: PDFObject
    /// The element that gets the new ones: the document, or else the root.
    private let parent: PDFObject
    /// The first key of the parent tree that is free.
    private var next: Int
    private var entries: [(key: Int, element: PDFObject.ID)] = []

    /// The most levels of a parent tree, and its greatest key.
    private static let (mostLevels, greatestKey) = (32, 1 << 30)

    /// - Returns: nil for a document that is not tagged, or whose parent tree cannot get more entries.
    init?(of catalogue: PDFObject) {
        root = catalogue["StructTreeRoot"]
        guard catalogue["MarkInfo"]["Marked"].flag == true, root.isDictionary, root.id != nil else { return nil }
        let kids = root["K"]
        let top = kids.count == 1 ? kids[0] : kids
        parent = top.isDictionary && top.id != nil && top["S"].name == "Document" ? top : root
        guard let last = Self.lastKey(of: root["ParentTree"]), last < Self.greatestKey else { return nil }
        next = max(root["ParentTreeNextKey"].integer ?? 0, last + 1)
        guard (0...Self.greatestKey).contains(next) else { return nil }
    }

    /// The greatest key of a number tree (7.9.7), whose keys are sorted; -1 for an empty one, nil for a very deep one.
    private static func lastKey(of tree: PDFObject) -> Int? {
        var node = tree
        for _ in 0..<mostLevels {
            let (numbers, kids) = (node["Nums"], node["Kids"])
            if numbers.count >= 2 { return numbers[(numbers.count - 2) / 2 * 2].integer ?? 0 }
            if kids.count == 0 { return -1 }
            node = kids[kids.count - 1]
        }
        return nil
    }

    /// Adds an element for an annotation.
    /// - Parameters:
    ///   - role: a standard type of elements (14.8.4).
    ///   - words: for people who do not see the annotation.
    /// - Returns: the annotation's entry `StructParent`.
    mutating func add(
        _ annotation: PDFObject.ID, as role: String, on page: PDFObject.ID?, words: String?,
        _ writer: inout UpdateWriter
    ) -> Int {
        let key = next
        next += 1
        var reference = PDFDictionaryText()
        reference.set("Type", "/OBJR")
        reference.set("Obj", PDFSyntax.reference(annotation))
        var text = PDFDictionaryText()
        text.set("Type", "/StructElem")
        text.set("S", "/" + role)
        if let id = parent.id { text.set("P", PDFSyntax.reference(id)) }
        if let page {
            text.set("Pg", PDFSyntax.reference(page))
            reference.set("Pg", PDFSyntax.reference(page))
        }
        if let words { text["Alt"] = PDFSyntax.string(words) }
        text["K"] = reference.text
        entries.append((key, writer.add(text.text)))
        return key
    }

    /// Adds the elements to the document's tree.
    func write(_ writer: inout UpdateWriter) throws(PDFError) {
        guard let first = entries.first, let last = entries.last else { return }
        let references = entries.map { PDFSyntax.reference($0.element) }
        let kids = parent["K"]
        let before = kids.isArray || kids.isNull ? [] : [String(decoding: kids.text(isResolved: false), as: UTF8.self)]
        try writer.set("K", to: kids.arrayText(appending: before + references), in: parent)
        let tree = root["ParentTree"]
        let pairs = zip(entries, references).map { "\($0.key) \($1)" }
        var text = PDFDictionaryText(tree)
        let (key, value): (String, [UInt8])
        if tree["Kids"].isArray {
            let limits = "[ \(first.key) \(last.key) ]"
            let leaf = writer.add(Array("<< /Limits \(limits) /Nums [ \(pairs.joined(separator: " ")) ] >>".utf8))
            (key, value) = ("Kids", tree["Kids"].arrayText(appending: [PDFSyntax.reference(leaf)]))
        } else {
            (key, value) = ("Nums", tree["Nums"].arrayText(appending: pairs))
        }
        if tree.isDictionary, tree.id != nil {
            try writer.set(key, to: value, in: tree)
        } else {
            text[key] = value
            try writer.set("ParentTree", to: text.text, in: root)
        }
        try writer.set("ParentTreeNextKey", to: "\(next)", in: root)
    }
}
