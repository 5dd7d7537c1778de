// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
public import Geometry
import JSON

/// The reason why a result of the helper is not valid.
public struct HelperResultFault: Error, Equatable, Sendable, CustomStringConvertible {
    public var description: String

    public init(_ description: String) { self.description = description }
}

/// A page or a part of one as the helper has drawn it: a binary PPM file (netpbm, ppm(5)) of 8 bits a colour.
public struct PagePicture: Equatable, Sendable {
    public let size: PixelSize
    /// The whole file.
    public let file: [UInt8]
    /// The offset of the first pixel in the file. Rows from the top, pixels of three bytes: red, green, blue.
    public let pixelOffset: Int

    /// Reads a file, which must have exactly this size.
    public init(file: [UInt8], size: PixelSize) throws(HelperResultFault) {
        let header = Self.header(of: size)
        guard file.starts(with: header) else {
            throw HelperResultFault("the picture is not one of \(size.width) x \(size.height) pixels")
        }
        guard file.count == header.count + 3 * size.width * size.height else {
            throw HelperResultFault("the picture has \(file.count) bytes, not those of its size")
        }
        self.size = size
        self.file = file
        pixelOffset = header.count
    }

    /// A part of the picture.
    public func part(_ part: PixelRect) throws(HelperResultFault) -> PagePicture {
        guard !part.isEmpty, PixelRect(size: size).contains(part) else {
            throw HelperResultFault("the part is not in the picture")
        }
        let partSize = PixelSize(width: part.width, height: part.height)
        var file = Self.header(of: partSize)
        for y in part.minY..<part.maxY {
            let start = pixelOffset + 3 * (y * size.width + part.minX)
            file += self.file[start..<(start + 3 * part.width)]
        }
        return try PagePicture(file: file, size: partSize)
    }

    /// The length of the file of a picture of this size, in bytes.
    public static func byteCount(of size: PixelSize) -> Int { header(of: size).count + 3 * size.width * size.height }

    private static func header(of size: PixelSize) -> [UInt8] { Array("P6\n\(size.width) \(size.height)\n255\n".utf8) }
}

/// A place of a text in a document.
public struct DocumentHit: Equatable, Sendable {
    /// The number of the page, from 1.
    public var page: Int
    public var rectangle: DocumentRectangle

    public init(page: Int, rectangle: DocumentRectangle) {
        self.page = page
        self.rectangle = rectangle
    }
}

/// The places of a text in a document.
public struct DocumentHits: Equatable, Sendable {
    public var places: [DocumentHit]
    /// Texts that are most like one that has no place, the most alike first.
    public var near: [String]

    public init(_ places: [DocumentHit] = [], near: [String] = []) { (self.places, self.near) = (places, near) }

    private struct Members: Codable {
        /// Lists of `[page, minX, minY, maxX, maxY]`.
        var hits: [[Double]]
        var near: [String]
    }

    /// The places as JSON.
    public var json: [UInt8] {
        let lists = places.map { hit in
            [Double(hit.page), hit.rectangle.minX, hit.rectangle.minY, hit.rectangle.maxX, hit.rectangle.maxY]
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        return (try? encoder.encode(Members(hits: lists, near: near))).map { Array($0) } ?? []
    }

    /// Reads what ``json`` writes, within the limits.
    public init(json bytes: [UInt8]) throws(HelperResultFault) {
        let members: Members = try HelperJSON.decode(bytes)
        guard members.hits.count <= HelperLimits.hits else { throw HelperResultFault("there are too many places") }
        guard members.near.count <= 8, members.near.allSatisfy({ $0.utf8.count <= HelperLimits.text }) else {
            throw HelperResultFault("there are too many texts, or long ones")
        }
        near = members.near.map { PlainText.printable($0, atMost: HelperLimits.text / 4) }
        places = []
        for list in members.hits {
            guard list.count == 5, let page = Int(exactly: list[0]), (1...HelperLimits.pages).contains(page) else {
                throw HelperResultFault("a place is not a page and four numbers")
            }
            let rectangle = DocumentRectangle(minX: list[1], minY: list[2], maxX: list[3], maxY: list[4])
            guard rectangle.isPlausible else { throw HelperResultFault("a place has no size") }
            places.append(DocumentHit(page: page, rectangle: rectangle))
        }
    }
}

extension DocumentFacts {
    /// The facts as JSON; nil if they are beyond the limits.
    public func json() -> [UInt8]? {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard fault == nil, let bytes = try? encoder.encode(self), bytes.count <= HelperLimits.facts else {
            return nil
        }
        return Array(bytes)
    }

    /// Reads what ``json()`` writes, within the limits.
    public init(json bytes: [UInt8]) throws(HelperResultFault) {
        self = try HelperJSON.decode(bytes)
        if let fault { throw HelperResultFault(fault) }
    }

    /// The reason why a value is beyond the limits; nil if all are within them.
    private var fault: String? {
        guard (1...HelperLimits.pages).contains(pages.count) else { return "there are no pages, or too many" }
        // The inspection demands the same: with a side of almost 0, a ratio of sides may be too large for an integer.
        let sides = 1...DocumentRectangle.furthest
        for page in pages where !sides.contains(page.width) || !sides.contains(page.height) {
            return "a page has no size"
        }
        guard fields.count <= HelperLimits.fields else { return "there are too many fields" }
        for field in fields {
            guard (1...pages.count).contains(field.page) else { return "a field is on no page" }
            guard field.rectangle.isPlausible else { return "a field has no size" }
            guard !field.name.isEmpty, Self.isShort(field.name), Self.isShort(field.label ?? ""),
                Self.isShort(field.value ?? ""), Self.isShort(field.meaning ?? "")
            else {
                return "a field has no name, or a long one"
            }
            guard Self.isShort(field.choice ?? "") else { return "a field has a long choice" }
            if field.kind == .check || field.kind == .choice, field.choice == nil { return "a box has no value" }
            if let format = field.format {
                guard TextFormat.ems.contains(format.em ?? 1), (1...HelperLimits.value).contains(format.longest ?? 1)
                else { return "a text has no size, or no length" }
            }
        }
        let unfillable = unfillable ?? []
        guard names.count <= HelperLimits.names, names.allSatisfy(Self.isShort),
            unfillable.count <= HelperLimits.names, unfillable.allSatisfy(Self.isShort),
            (locked ?? []).count <= HelperLimits.names, (locked ?? []).allSatisfy(Self.isShort)
        else {
            return "there are too many names of fields, or long ones"
        }
        guard Set(warnings).count == warnings.count else { return "a warning is there twice" }
        guard missingFonts.count <= HelperLimits.fonts, missingFonts.allSatisfy(Self.isShort) else {
            return "there are too many fonts"
        }
        let isVersion = renderer.map { !$0.isEmpty && $0.utf8.count <= 64 && $0.utf8.allSatisfy { 33...126 ~= $0 } }
        if isVersion == false { return "the renderer's version is none" }
        return nil
    }

    private static func isShort(_ text: String) -> Bool { text.utf8.count <= HelperLimits.text }
}

extension TextFormat {
    /// The ems of texts, in points.
    public static let ems = 0.1...1000.0
}

extension DocumentRectangle {
    /// The longest side of a page, 200 inches, in points.
    static let furthest = 14_400.0

    /// The least width and height of a field and of a place, in points: smaller ones are invisible.
    public static let leastSide = 0.01

    /// Whether each side has ``leastSide``, and each edge is at most ``furthest`` outside a page of the greatest size.
    package var isPlausible: Bool {
        let numbers = -Self.furthest...2 * Self.furthest
        let isThere = width >= Self.leastSide && height >= Self.leastSide
        return isThere && [minX, minY, maxX, maxY].allSatisfy { numbers.contains($0) }
    }
}

/// JSON of the helper.
enum HelperJSON {
    static func decode<Value: Decodable>(_ bytes: [UInt8]) throws(HelperResultFault) -> Value {
        guard bytes.count <= HelperLimits.facts else { throw HelperResultFault("the answer is too long") }
        do { return try JSONValue(bytes).decode() } catch {
            switch error {
            case let fault as JSONFault: throw HelperResultFault(fault.description)
            case let fault as DecodingError: throw HelperResultFault(fault.reason)
            default: throw HelperResultFault("\(error)")
            }
        }
    }
}
