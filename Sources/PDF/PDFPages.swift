// SPDX-License-Identifier: Apache-2.0
import Document

/// A page, and how its own coordinates become those of the page as it is shown.
struct PDFPage {
    /// The number of the page, from 1.
    let number: Int
    let object: PDFObject
    /// The part of the page that is shown, in its own coordinates: the crop box, within the media box.
    let box: (minX: Double, minY: Double, maxX: Double, maxY: Double)
    /// The angle by which the page is turned when it is shown, clockwise, in degrees: 0, 90, 180 or 270.
    let rotation: Int
    /// Points of 1/72 inch in a unit of the page's own coordinates.
    let unit: Double
    /// The page's own resources, or those that it inherits; null if it has no resources.
    let resources: PDFObject
    /// Whether the document shows the page more than once. What is added to it would be seen in all places.
    private(set) var isRepeated = false

    /// The values of a page or of the nearest node of the tree above it that has them (ISO 32000-1, 7.7.3.4), collected
    /// on the way down, as poppler does it. Wrong values are read as poppler, MuPDF and PDFium all read them.
    struct Attributes {
        typealias Box = (minX: Double, minY: Double, maxX: Double, maxY: Double)

        private(set) var mediaBox, cropBox: Box?
        private(set) var rotation: Int?
        private(set) var resources: PDFObject?

        /// These attributes, with a node's own in place of inherited ones.
        /// - Parameter page: the number of the next page.
        /// - Throws: ``PDFError/damaged(reason:)`` if viewers would show the page differently.
        func with(_ node: PDFObject, page: Int) throws(PDFError) -> Attributes {
            var all = self
            all.mediaBox = try Self.box(node["MediaBox"], "media", page, inherited: mediaBox)
            all.cropBox = try Self.box(node["CropBox"], "crop", page, inherited: cropBox)
            all.rotation = try Self.rotation(node["Rotate"], page, inherited: rotation)
            let own = node["Resources"]
            if !own.isNull { all.resources = own }
            return all
        }

        /// All viewers take four zeros, and what is no array, for no box. They differ if it is in the place of an
        /// inherited one: poppler takes the inherited one.
        private static func box(
            _ value: PDFObject, _ name: String, _ page: Int, inherited: Box?
        ) throws(PDFError) -> Box? {
            if value.isNull { return inherited }
            let box = value.rectangle
            if let box, box.maxX > box.minX, box.maxY > box.minY { return box }
            let isNone = !value.isArray || box.map { $0 == (0, 0, 0, 0) } ?? false
            guard isNone, inherited == nil else {
                throw .damaged(reason: "page \(page) has a \(name) box that viewers understand differently")
            }
            return nil
        }

        /// poppler ignores what is no integer, such as 90.0; MuPDF and PDFium turn the page.
        private static func rotation(_ value: PDFObject, _ page: Int, inherited: Int?) throws(PDFError) -> Int? {
            if value.isNull { return inherited }
            if let turns = value.integer, turns % 90 == 0 { return (turns % 360 + 360) % 360 }
            let isNone = value.number.map { value.integer == nil && $0.remainder(dividingBy: 360) == 0 } ?? true
            guard isNone, inherited ?? 0 == 0 else {
                throw .damaged(reason: "page \(page) is turned by an angle that viewers understand differently")
            }
            return inherited
        }
    }

    /// The size of the page as it is shown, in points.
    var size: DocumentFacts.PageSize {
        let (width, height) = ((box.maxX - box.minX) * unit, (box.maxY - box.minY) * unit)
        return rotation % 180 == 0 ? .init(width: width, height: height) : .init(width: height, height: width)
    }

    /// Converts a rectangle from the page's own coordinates to those of the page as it is shown.
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

    /// Whether a rectangle on the page as it is shown is within it, and is not tiny. Half a point allows for rounded
    /// coordinates.
    func holds(_ shown: DocumentRectangle) -> Bool {
        let spaces = [shown.minX, shown.minY, size.width - shown.maxX, size.height - shown.maxY]
        return spaces.allSatisfy { $0 >= -0.5 } && shown.width >= 1 && shown.height >= 1
    }

    /// The box of a page that has none: Letter, for all viewers.
    private static let letter: Attributes.Box = (0, 0, 612, 792)

    /// - Throws: ``PDFError/damaged(reason:)``, ``PDFError/pageTooLarge(page:)``
    /// - Parameter attributes: the page's own and those that it inherits.
    init(_ object: PDFObject, number: Int, _ attributes: Attributes) throws(PDFError) {
        self.number = number
        self.object = object
        resources = attributes.resources ?? object["Resources"]
        let media = attributes.mediaBox ?? Self.letter
        let crop = attributes.cropBox ?? media
        let box = (
            minX: max(media.minX, crop.minX), minY: max(media.minY, crop.minY),
            maxX: min(media.maxX, crop.maxX), maxY: min(media.maxY, crop.maxY)
        )
        // poppler shows the media box if the crop box is wider and higher, wherever it is.
        let isGreater =
            crop.maxX - crop.minX > media.maxX - media.minX && crop.maxY - crop.minY > media.maxY - media.minY
        guard !isGreater || box == media else {
            throw .damaged(reason: "page \(number) has a crop box that viewers understand differently")
        }
        let userUnit = object["UserUnit"]
        let unit = userUnit.isNull ? 1 : userUnit.number ?? 0
        guard unit > 0, box.maxX > box.minX, box.maxY > box.minY else {
            throw .damaged(reason: "page \(number) has no size")
        }
        self.box = box
        rotation = attributes.rotation ?? 0
        self.unit = unit
        let side = max(size.width, size.height)
        guard side <= PDFLimits.pageSide else { throw .pageTooLarge(page: number) }
        // Renderers differ if a side is almost 0.
        guard min(size.width, size.height) >= 1 else { throw .damaged(reason: "page \(number) has no size") }
    }

    /// A node of the tree that waits to be visited. If `first` has the number of pages before it, all pages of the node
    /// have been read.
    private struct Waiting {
        var node: PDFObject
        var parent: PDFObject.ID?
        var level = 0
        var attributes = Attributes()
        var first: Int?
    }

    /// All pages in their order. The tree must be as the standard demands: libqpdf and renderers repair other trees in
    /// different ways, so the number of a page would not mean the same page to all of them.
    static func all(of file: PDFFile) throws(PDFError) -> [PDFPage] {
        let tree = file.root["Pages"]
        guard tree.isDictionary else { throw .damaged(reason: "there is no tree of pages") }
        var pages: [PDFPage] = []
        var seen: Set<PDFObject.ID> = []
        var waiting = [Waiting(node: tree)]
        while let next = waiting.popLast() {
            let node = next.node
            if let first = next.first {
                guard node["Count"].integer == pages.count - first else {
                    throw .damaged(reason: "the tree of pages has another count of pages than it says")
                }
                continue
            }
            guard node.isDictionary, let id = node.id else {
                throw .damaged(reason: "the tree of pages has something else in it")
            }
            let isNew = seen.insert(id).inserted
            // Some readers follow parents upwards, others remember the way down: both must agree.
            let parent = node["Parent"]
            guard next.parent == nil ? parent.isNull : parent.id == next.parent else {
                throw .damaged(reason: "a node of the tree of pages has another parent")
            }
            let attributes = try next.attributes.with(node, page: pages.count + 1)
            let type = node["Type"].name
            let kids = node["Kids"]
            if type == "Page" || type == nil && kids.isNull {
                if pages.count == PDFLimits.pages { throw .tooManyPages }
                pages.append(try PDFPage(node, number: pages.count + 1, attributes))
                continue
            }
            // All viewers show a page again that is listed again.
            guard isNew else { throw .damaged(reason: "a part of the tree of pages is in it twice") }
            guard type == "Pages" || type == nil, kids.isArray else {
                throw .damaged(reason: "the tree of pages has something else in it")
            }
            // Empty nodes count, too.
            guard next.level < PDFLimits.depth, seen.count + waiting.count + kids.count <= 4 * PDFLimits.pages else {
                throw kids.count > PDFLimits.pages ? .tooManyPages : .tooComplex(reason: "the tree of pages is large")
            }
            waiting.append(Waiting(node: node, first: pages.count))
            for index in (0..<kids.count).reversed() {
                waiting.append(Waiting(node: kids[index], parent: id, level: next.level + 1, attributes: attributes))
            }
        }
        if pages.isEmpty { throw .noPages }
        var counts: [PDFObject.ID: Int] = [:]
        for page in pages { if let id = page.object.id { counts[id, default: 0] += 1 } }
        for index in pages.indices { pages[index].isRepeated = pages[index].object.id.map { counts[$0] != 1 } ?? true }
        return pages
    }
}
