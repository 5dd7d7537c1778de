// SPDX-License-Identifier: Apache-2.0
import Document

/// A page, and how its own coordinates become those of the page as it is shown.
struct PDFPage {
    /// From 1.
    let number: Int
    let object: PDFObject
    /// What is shown, in the page's own coordinates: the crop box, within the media box.
    let box: (minX: Double, minY: Double, maxX: Double, maxY: Double)
    /// Clockwise, in degrees: 0, 90, 180 or 270.
    let rotation: Int
    /// Points of 1/72 inch in a unit of the page's own coordinates.
    let unit: Double

    /// As it is shown, in points.
    var size: DocumentFacts.PageSize {
        let (width, height) = ((box.maxX - box.minX) * unit, (box.maxY - box.minY) * unit)
        return rotation % 180 == 0 ? .init(width: width, height: height) : .init(width: height, height: width)
    }

    /// A rectangle of the page's own coordinates, as it is shown.
    func shown(_ own: (minX: Double, minY: Double, maxX: Double, maxY: Double)) -> DocumentRectangle {
        let (left, right) = ((own.minX - box.minX) * unit, (own.maxX - box.minX) * unit)
        let (bottom, top) = ((own.minY - box.minY) * unit, (own.maxY - box.minY) * unit)
        let (width, height) = (size.width, size.height)
        return switch rotation {
        // The page's right side is at the bottom.
        case 90: DocumentRectangle(minX: bottom, minY: height - right, maxX: top, maxY: height - left)
        case 180:
            DocumentRectangle(
                minX: width - right, minY: height - top, maxX: width - left, maxY: height - bottom)
        // The page's left side is at the bottom.
        case 270: DocumentRectangle(minX: width - top, minY: left, maxX: width - bottom, maxY: right)
        default: DocumentRectangle(minX: left, minY: bottom, maxX: right, maxY: top)
        }
    }

    /// The reverse of ``shown(_:)``.
    func own(_ shown: DocumentRectangle) -> (minX: Double, minY: Double, maxX: Double, maxY: Double) {
        let (width, height) = (size.width, size.height)
        let (left, bottom, right, top) =
            switch rotation {
            case 90: (height - shown.maxY, shown.minX, height - shown.minY, shown.maxX)
            case 180: (width - shown.maxX, height - shown.maxY, width - shown.minX, height - shown.minY)
            case 270: (shown.minY, width - shown.maxX, shown.maxY, width - shown.minX)
            default: (shown.minX, shown.minY, shown.maxX, shown.maxY)
            }
        return (
            box.minX + left / unit, box.minY + bottom / unit, box.minX + right / unit, box.minY + top / unit
        )
    }

    /// - Throws: ``PDFError/damaged(reason:)``, ``PDFError/pageTooLarge(page:)``
    init(_ object: PDFObject, number: Int) throws(PDFError) {
        self.number = number
        self.object = object
        guard let media = Self.inherited("MediaBox", by: object).rectangle else {
            throw .damaged(reason: "page \(number) has no media box")
        }
        let cropBox = Self.inherited("CropBox", by: object)
        guard let crop = cropBox.isNull ? media : cropBox.rectangle else {
            throw .damaged(reason: "page \(number) has a crop box that is none")
        }
        let box = (
            minX: max(media.minX, crop.minX), minY: max(media.minY, crop.minY),
            maxX: min(media.maxX, crop.maxX), maxY: min(media.maxY, crop.maxY)
        )
        let rotate = Self.inherited("Rotate", by: object)
        let turns = rotate.isNull ? 0 : rotate.integer
        guard let turns, turns % 90 == 0 else { throw .damaged(reason: "page \(number) is turned by no right angle") }
        let userUnit = object["UserUnit"]
        let unit = userUnit.isNull ? 1 : userUnit.number ?? 0
        guard unit > 0, box.maxX > box.minX, box.maxY > box.minY else {
            throw .damaged(reason: "page \(number) has no size")
        }
        self.box = box
        rotation = (turns % 360 + 360) % 360
        self.unit = unit
        let side = max(size.width, size.height)
        guard side <= PDFLimits.pageSide else { throw .pageTooLarge(page: number) }
        // Renderers do something of their own where a side is next to nothing.
        guard min(size.width, size.height) >= 1 else { throw .damaged(reason: "page \(number) has no size") }
    }

    /// The value of a page or of the nearest node of the tree above it that has one (ISO 32000-1, 7.7.3.4).
    static func inherited(_ key: String, by page: PDFObject) -> PDFObject {
        var node = page
        for _ in 0..<PDFLimits.depth {
            let value = node[key]
            if !value.isNull { return value }
            let parent = node["Parent"]
            if parent.isNull { return value }
            node = parent
        }
        return node["Parent"]["Parent"][key]
    }

    /// All pages in their order. The tree must be as the standard demands: libqpdf and renderers repair others in
    /// their own ways, and then a number does not mean the same page to all.
    static func all(of file: PDFFile) throws(PDFError) -> [PDFPage] {
        let tree = file.root["Pages"]
        guard tree.isDictionary else { throw .damaged(reason: "there is no tree of pages") }
        var pages: [PDFPage] = []
        var seen: Set<PDFObject.ID> = []
        var waiting = [(node: tree, level: 0)]
        while let (node, level) = waiting.popLast() {
            guard node.isDictionary, let id = node.id else {
                throw .damaged(reason: "the tree of pages has something else in it")
            }
            guard seen.insert(id).inserted else { throw .damaged(reason: "a page is there twice") }
            let type = node["Type"].name
            let kids = node["Kids"]
            if type == "Page" || type == nil && kids.isNull {
                if pages.count == PDFLimits.pages { throw .tooManyPages }
                pages.append(try PDFPage(node, number: pages.count + 1))
                continue
            }
            guard type == "Pages" || type == nil, kids.isArray else {
                throw .damaged(reason: "the tree of pages has something else in it")
            }
            // Empty nodes count, too.
            guard level < PDFLimits.depth, seen.count + waiting.count + kids.count <= 4 * PDFLimits.pages else {
                throw kids.count > PDFLimits.pages ? .tooManyPages : .tooComplex(reason: "the tree of pages is large")
            }
            for index in (0..<kids.count).reversed() { waiting.append((kids[index], level + 1)) }
        }
        if pages.isEmpty { throw .noPages }
        guard tree["Count"].integer == pages.count else {
            throw .damaged(reason: "the tree of pages has another count of pages than it says")
        }
        return pages
    }
}
