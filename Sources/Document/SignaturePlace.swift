// SPDX-License-Identifier: Apache-2.0

/// The place in a document at which a person signs, as the host states it.
public enum SignaturePlace: Equatable, Sendable {
    /// A signature field of the document's own form.
    case field(name: String)
    /// A rectangle on a page; pages count from 1.
    case rectangle(page: Int, DocumentRectangle)
    /// A rectangle of this size at a text, which must be in the document exactly once; all in points. Its lower left
    /// corner is that of the text, moved by `offset`; without one it is beside the text, or below it.
    case anchor(text: String, width: Double, height: Double, offset: Offset? = nil)

    /// A distance to the right and up.
    public struct Offset: Equatable, Sendable {
        public var right, up: Double

        public init(right: Double, up: Double) { (self.right, self.up) = (right, up) }
    }

    /// The usual size, in points: 56 x 18 mm, as on forms of banks and carriers.
    public static let usualSize = (width: 160.0, height: 50.0)
    /// The least width and height in points, 5 mm: no signature can be recognized in less.
    public static let leastSide = 14.0
    /// The space between a text and the field that is placed at it, in points.
    private static let gap = 4.0

    /// The rectangle of an anchor.
    /// - Parameters:
    ///   - text: the place of its text.
    ///   - offset: nil for beside the text: to its right if the page is wide enough there, else below it. It never
    ///     covers the text, which people have to read.
    package static func rectangle(
        width: Double, height: Double, offset: Offset?, at text: DocumentRectangle, on page: DocumentFacts.PageSize?
    ) -> DocumentRectangle {
        var (x, y) = (text.minX + (offset?.right ?? 0), text.minY + (offset?.up ?? 0))
        if offset == nil, let page {
            if text.maxX + gap + width <= page.width {
                // Higher than the line, it may reach down rather than beyond the page.
                (x, y) = (text.maxX + gap, max(0, min(text.minY, page.height - height)))
            } else {
                (x, y) = (max(0, min(text.minX, page.width - width)), text.minY - gap - height)
            }
        }
        return DocumentRectangle(minX: x, minY: y, maxX: x + width, maxY: y + height)
    }
}

/// The field of each signer of a document, chosen before the first signature. The first update has to make all new
/// fields, because a reader may take a field that is made later for a change of the document (ISO 32000-1, 12.8.2.2).
public struct SigningPlan: Equatable, Sendable {
    /// The most places of one document.
    public static let mostSigners = 100

    /// The field of each signer, in the order of the places.
    public let fields: [DocumentField]
    /// The part of ``fields`` that the document does not have yet.
    public let newFields: [DocumentField]

    /// - Parameters:
    ///   - hits: finds the places of a text; called for each anchor.
    /// - Throws: ``SigningPlanFault``, or what `hits` throws.
    public init(
        _ places: [SignaturePlace], in facts: DocumentFacts, hits: (String) throws -> DocumentHits
    ) throws {
        if places.count > Self.mostSigners { throw SigningPlanFault.tooMany }
        var fields: [DocumentField] = []
        var newFields: [DocumentField] = []
        let taken = TakenNames(facts.names + facts.fields.map(\.name))
        for place in places {
            let (page, rectangle): (Int, DocumentRectangle)
            switch place {
            case .field(let name):
                guard let field = facts.fields.first(where: { $0.name == name && $0.kind == .signature }) else {
                    let others = facts.fields.filter { $0.kind == .signature }.map(\.name)
                    throw SigningPlanFault.noField(name, others: others)
                }
                if fields.contains(where: { $0.name == name }) { throw SigningPlanFault.twice(name) }
                fields.append(field)
                continue
            case .rectangle(let number, let stated): (page, rectangle) = (number, stated)
            case .anchor(let text, let width, let height, let offset):
                let found = try hits(text)
                guard found.places.count == 1, let hit = found.places.first else {
                    throw SigningPlanFault.anchor(text, found)
                }
                page = hit.page
                rectangle = SignaturePlace.rectangle(
                    width: width, height: height, offset: offset, at: hit.rectangle, on: facts.size(of: page))
            }
            try Self.check(page, rectangle, in: facts)
            let name = taken.free(besides: fields.map(\.name))
            newFields.append(DocumentField(name: name, kind: .signature, page: page, rectangle: rectangle))
            fields.append(newFields[newFields.count - 1])
        }
        self.fields = fields
        self.newFields = newFields
    }

    /// Refuses new fields that cover others: ink over ink could be read as somebody else's. Fields of the document's
    /// own form stay where its author has put them.
    /// - Throws: ``SigningPlanFault/overlap(_:_:page:)``.
    public func checkOverlaps(in facts: DocumentFacts) throws(SigningPlanFault) {
        for (index, field) in newFields.enumerated() {
            let others = facts.fields.filter { $0.kind == .signature } + newFields[..<index]
            let other = others.first { $0.page == field.page && $0.rectangle.overlaps(field.rectangle) }
            if let other { throw .overlap(other.name, field.name, page: field.page) }
        }
    }

    private static func check(_ page: Int, _ rectangle: DocumentRectangle, in facts: DocumentFacts) throws {
        guard page >= 1, page <= facts.pages.count else {
            throw SigningPlanFault.noPage(page, count: facts.pages.count)
        }
        let size = facts.pages[page - 1]
        let least = SignaturePlace.leastSide
        // Comparisons with NaN are false, so a rectangle that has one is refused.
        guard rectangle.minX >= 0, rectangle.minY >= 0, rectangle.maxX <= size.width, rectangle.maxY <= size.height,
            rectangle.width >= least, rectangle.height >= least
        else { throw SigningPlanFault.rectangle(page: page, rectangle, size) }
    }

}

/// The names that a document has already.
private struct TakenNames {
    private let names: Set<String>
    /// The beginnings of all names, of up to 8 characters: the names that are tried are not longer.
    private let beginnings: Set<String>

    init(_ names: [String]) {
        self.names = Set(names)
        beginnings = Set(names.flatMap { name in (1...8).map { String(name.prefix($0)) } })
    }

    /// A new name. It begins no other name, and no other name begins it: readers have taken a prefix for the name
    /// (pyHanko#633). If all such names are taken, the new name is only different from all others.
    func free(besides others: [String]) -> String {
        func isFree(_ name: String) -> Bool {
            !beginnings.contains(name) && !(1...name.count).contains { names.contains(String(name.prefix($0))) }
                && !others.contains { $0.hasPrefix(name) || name.hasPrefix($0) }
        }
        for stem in "STUVWXYZ" {
            for number in 1...999 {
                let name = number < 10 ? "\(stem)0\(number)" : "\(stem)\(number)"
                if isFree(name) { return name }
            }
        }
        var number = 1
        while names.contains("Signature\(number)") || others.contains("Signature\(number)") { number += 1 }
        return "Signature\(number)"
    }
}

/// Why a place to sign does not fit a document.
public enum SigningPlanFault: Error, Equatable, Sendable, CustomStringConvertible {
    /// - Parameter others: the names of the signature fields that the document has.
    case noField(String, others: [String])
    case twice(String)
    case anchor(String, DocumentHits)
    case noPage(Int, count: Int)
    /// - Parameter page: its number, before the place and the size of the page.
    case rectangle(page: Int, DocumentRectangle, DocumentFacts.PageSize)
    case overlap(String, String, page: Int)
    case tooMany

    public var description: String {
        switch self {
        case .noField(let name, let others):
            "the document has no unsigned signature field \(name.debugDescription); "
                + (others.isEmpty
                    ? "it has none, so name a rectangle or an anchor"
                    : "it has \(others.map(\.debugDescription).joined(separator: ", "))")
        case .twice(let name): "the field \(name.debugDescription) is to be signed twice: one signer signs a field"
        case .anchor(let text, let found) where found.places.isEmpty:
            "the text \(text.debugDescription) is not in the document"
                + (found.near.isEmpty
                    ? ": an anchor is a text as it is written there"
                    : "; did you mean \(found.near.map(\.debugDescription).joined(separator: " or "))?")
        case .anchor(let text, let found):
            "the text \(text.debugDescription) is in the document \(found.places.count) times, on "
                + "\(Self.pages(found)): an anchor is there once"
        case .noPage(let page, let count): "the document has no page \(page), but pages 1 to \(count)"
        case .rectangle(let page, let place, let size):
            "the place \(place.edges) is not within page \(page), which is \(Int(size.width)) x "
                + "\(Int(size.height)) points, or is smaller than \(Int(SignaturePlace.leastSide)) points"
        case .overlap(let one, let other, let page):
            "the fields \(one.debugDescription) and \(other.debugDescription) overlap on page \(page): place one "
                + "elsewhere, or make it smaller"
        case .tooMany: "a document has at most \(SigningPlan.mostSigners) signers at once"
        }
    }

    private static func pages(_ found: DocumentHits) -> String {
        let pages = Set(found.places.map(\.page)).sorted()
        let list = pages.prefix(8).map { "\($0)" }.joined(separator: ", ") + (pages.count > 8 ? ", ..." : "")
        return (pages.count == 1 ? "page " : "pages ") + list
    }
}
