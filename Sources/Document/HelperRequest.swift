// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
public import Geometry
import JSON

/// A request of the pad to the helper, the program `inkpanel-document`, which alone parses documents. It is a line of
/// JSON, followed by the document's bytes. A connection carries one request.
public struct HelperRequest: Equatable, Sendable {
    public enum Action: Equatable, Sendable {
        /// The answer is a ``DocumentFacts`` in JSON.
        case inspect
        /// The answer is a picture, see ``PagePicture``.
        case render(Rendering)
        /// The answer is the places in JSON, see ``DocumentHits``.
        case find(text: String)
        /// The document is PNG and JPEG files, one after the other. The answer is a PDF file that has each as a page.
        case convert
        /// The answer is a new PDF file with the first engine's drawing of the document, which may be damaged.
        case flatten
        /// The answer is the document with the first engine's picture of a page in the place of the page.
        case picture(page: Int)
        /// The answer is the text of a page in UTF-8, in the order of reading.
        case read(page: Int)
        /// The page is drawn by two engines. The answer is a ``PageComparison`` in JSON.
        case compare(page: Int)
        /// The answer is the update, which follows the document (``SignedDocument``).
        case assemble(DocumentUpdate)
    }

    /// A page as a picture, or a part of one.
    public struct Rendering: Equatable, Sendable {
        /// The number of the page, from 1.
        public var page: Int
        /// The size of the whole page, in pixels.
        public var size: PixelSize
        /// The part that is drawn; nil for all.
        public var crop: PixelRect?
        /// Whether the second engine draws, with which pages are compared.
        public var isSecond: Bool

        public init(page: Int, size: PixelSize, crop: PixelRect? = nil, isSecond: Bool = false) {
            self.page = page
            self.size = size
            self.crop = crop
            self.isSecond = isSecond
        }

        /// The size of the picture in the answer, in pixels.
        public var pictureSize: PixelSize {
            crop.map { PixelSize(width: $0.width, height: $0.height) } ?? size
        }

        /// The reason why the page cannot be drawn; nil if it can.
        var fault: String? {
            let sides = 1...HelperLimits.pageSide
            guard (1...HelperLimits.pages).contains(page) else { return "the page is not from 1 to 500" }
            guard sides.contains(size.width), sides.contains(size.height) else {
                return "the page would have \(size.width) x \(size.height) pixels, and a side has 1 to "
                    + "\(sides.upperBound): "
                    + "ask for a smaller picture of so long a page"
            }
            if let crop, crop.isEmpty || !PixelRect(size: size).contains(crop) {
                return "the part is not in the page"
            }
            // The second engine draws the whole page, of which a part is taken.
            let drawn = isSecond ? size : pictureSize
            if drawn.width * drawn.height > HelperLimits.pixels {
                return "the picture has more than \(HelperLimits.pixels) pixels"
            }
            return nil
        }
    }

    public var action: Action
    /// The length of the document that follows the line, in bytes.
    public var byteCount: Int

    public init(_ action: Action, byteCount: Int) {
        self.action = action
        self.byteCount = byteCount
    }

    /// The most bytes that the document may have.
    public var longestDocument: Int {
        // Files with updates are inspected and drawn, too.
        switch action {
        case .find, .convert, .flatten, .picture: HelperLimits.document
        case .inspect, .render, .read, .compare, .assemble: HelperLimits.signedDocument
        }
    }

    /// The most bytes that an answer may have after its line.
    public var longestAnswer: Int {
        switch action {
        case .inspect, .find, .compare: HelperLimits.facts
        case .read: HelperLimits.pageText
        case .render(let rendering): PagePicture.byteCount(of: rendering.pictureSize)
        case .convert, .flatten, .picture: HelperLimits.document
        case .assemble: HelperLimits.update
        }
    }
}

/// Limits of the messages between the pad and the helper, for both of them.
public enum HelperLimits {
    /// The longest document that a host sends, in bytes.
    public static let document = 32 << 20
    /// The longest document that already has the updates of earlier signers, in bytes.
    public static let signedDocument = 48 << 20
    /// The bytes of the folder for files of programs that read no standard input: a document and a picture of a page.
    public static let scratch = signedDocument + (3 * pixels) + (1 << 20)
    public static let pages = 500
    /// The longest line of a request, in bytes, with its end. Ink is the longest part of a line.
    public static let requestLine = 8 << 20
    /// The longest line of an answer, in bytes, with its end.
    public static let answerLine = 4096
    /// The longest facts, and the longest list of places, in bytes.
    public static let facts = 1 << 20
    /// The longest update, in bytes.
    public static let update = 8 << 20
    /// The longest side of a whole page, in pixels, even if only a part of the page is drawn.
    public static let pageSide = 16_384
    /// The most pixels of a picture.
    public static let pixels = 16 << 20
    /// The most marks of an update, and the longest content of all their inks, in bytes.
    public static let marks = 1000
    public static let markContent = 4 << 20
    public static let fields = 1000
    /// The most signatures that are put into one document.
    public static let signers = 100
    /// The most nodes of a form.
    public static let names = 10 * fields
    /// The most choices of one radio button.
    public static let choices = 64
    /// The longest name of a field, label, choice and text to find, in bytes of UTF-8.
    public static let text = 1024
    /// The longest text of a page, in bytes of UTF-8.
    public static let pageText = 64 << 10
    /// The longest text that a field is filled with, in bytes of UTF-8.
    public static let value = 4096
    public static let fonts = 100
    public static let hits = 100
}

/// The reason why a request is not valid.
public struct HelperRequestFault: Error, Equatable, Sendable, CustomStringConvertible {
    public var description: String

    public init(_ description: String) { self.description = description }
}

extension HelperRequest {
    /// The members of the line's JSON object, under these names.
    private struct Members: Codable {
        var `do`: String
        var size: Int
        var page, width, height: Int?
        var crop: [Int]?
        var second: Bool?
        var text: String?
        var update: DocumentUpdate?

        enum CodingKeys: String, CodingKey, CaseIterable {
            case `do`, size, page, width, height, crop, second, text, update
        }
    }

    /// The line of the request, with its end.
    /// - Throws: if a value is beyond the limits.
    public func line() throws(HelperRequestFault) -> [UInt8] {
        var members = Members(do: "", size: byteCount)
        switch action {
        case .inspect: members.do = "inspect"
        case .render(let rendering):
            members.do = "render"
            (members.page, members.width, members.height) = (
                rendering.page, rendering.size.width, rendering.size.height
            )
            members.crop = rendering.crop.map { [$0.minX, $0.minY, $0.width, $0.height] }
            if rendering.isSecond { members.second = true }
        case .find(let text): (members.do, members.text) = ("find", text)
        case .convert: members.do = "convert"
        case .flatten: members.do = "flatten"
        case .picture(let page): (members.do, members.page) = ("picture", page)
        case .read(let page): (members.do, members.page) = ("read", page)
        case .compare(let page): (members.do, members.page) = ("compare", page)
        case .assemble(let update): (members.do, members.update) = ("assemble", update)
        }
        if let fault { throw fault }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let line = try? encoder.encode(members) else { throw HelperRequestFault("a number is not finite") }
        if line.count >= HelperLimits.requestLine { throw HelperRequestFault("the request is too long") }
        return Array(line) + [UInt8(ascii: "\n")]
    }

    /// Reads a line, without its end.
    public init(line: some Collection<UInt8>) throws(HelperRequestFault) {
        if line.count >= HelperLimits.requestLine { throw HelperRequestFault("the request is too long") }
        let members: Members
        do {
            let value = try JSONValue(line)
            let names = Members.CodingKeys.allCases.map(\.rawValue)
            if let other = value.object?.keys.filter({ !names.contains($0) }).min() {
                throw HelperRequestFault("there is no member \(other.debugDescription)")
            }
            members = try value.decode()
        } catch {
            switch error {
            case let fault as HelperRequestFault: throw fault
            case let fault as JSONFault: throw HelperRequestFault(fault.place)
            case let fault as DecodingError: throw HelperRequestFault(fault.reason)
            default: throw HelperRequestFault("\(error)")
            }
        }
        byteCount = members.size
        switch members.do {
        case "inspect": action = .inspect
        case "render":
            guard let page = members.page, let width = members.width, let height = members.height else {
                throw HelperRequestFault("page, width or height is missing")
            }
            var rendering = Rendering(
                page: page, size: PixelSize(width: width, height: height), isSecond: members.second ?? false)
            if let crop = members.crop {
                // The sums below cannot overflow: the numbers are small.
                let numbers = 0...HelperLimits.pageSide
                guard crop.count == 4, crop.allSatisfy({ numbers.contains($0) }) else {
                    throw HelperRequestFault("crop has not four numbers from 0 to \(numbers.upperBound)")
                }
                rendering.crop = PixelRect(
                    minX: crop[0], minY: crop[1], maxX: crop[0] + crop[2], maxY: crop[1] + crop[3])
            }
            action = .render(rendering)
        case "find":
            guard let text = members.text else { throw HelperRequestFault("text is missing") }
            action = .find(text: text)
        case "convert": action = .convert
        case "flatten": action = .flatten
        case "read", "compare", "picture":
            guard let page = members.page else { throw HelperRequestFault("page is missing") }
            action =
                switch members.do {
                case "read": .read(page: page)
                case "compare": .compare(page: page)
                default: .picture(page: page)
                }
        case "assemble":
            guard let update = members.update else { throw HelperRequestFault("update is missing") }
            action = .assemble(update)
        default:
            throw HelperRequestFault(
                "do is not inspect, render, find, read, compare, convert, flatten, picture or assemble")
        }
        if let fault { throw fault }
    }

    private var fault: HelperRequestFault? {
        guard (0...longestDocument).contains(byteCount) else {
            return HelperRequestFault("size is not from 0 to \(longestDocument)")
        }
        switch action {
        case .inspect, .convert, .flatten: return nil
        case .assemble(let update):
            let content = update.marks.reduce(0) { $0 + $1.ink.content.utf8.count }
            guard update.marks.count <= HelperLimits.marks, content <= HelperLimits.markContent else {
                return HelperRequestFault(
                    "the update has more than \(HelperLimits.marks) marks, or more than "
                        + "\(HelperLimits.markContent >> 20) MiB of ink in them")
            }
            return nil
        case .render(let rendering): return rendering.fault.map { HelperRequestFault($0) }
        case .read(let page), .compare(let page), .picture(let page):
            let isFit = (1...HelperLimits.pages).contains(page)
            return isFit ? nil : HelperRequestFault("the page is not from 1 to \(HelperLimits.pages)")
        case .find(let text):
            let isFit = !text.isEmpty && text.utf8.count <= HelperLimits.text
            return isFit ? nil : HelperRequestFault("text has not 1 to \(HelperLimits.text) bytes")
        }
    }
}
