// SPDX-License-Identifier: Apache-2.0
import Document
import Geometry
import Linux
import Synchronization

/// Draws a page with two engines, and compares the pictures.
struct PageComparator {
    private let renderer: PDFRenderer
    private let second: SecondReader

    init(_ renderer: PDFRenderer, second: SecondReader? = nil) {
        self.renderer = renderer
        self.second = second ?? SecondReader(deadline: renderer.deadline)
    }

    func compare(_ number: Int, in document: [UInt8]) throws(PDFError) -> PageComparison {
        let file = try PDFFile(document, longest: HelperLimits.signedDocument)
        let pages = try PDFPage.all(of: file)
        guard pages.indices.contains(number - 1) else { throw .noPage(number) }
        let page = pages[number - 1]
        let (vacant, borders) = (VacantFields.rectangles(on: page), LinkBorders.rectangles(on: page))
        try file.check()
        return try compare(number, ComparisonScale(of: page.size), vacant, borders, in: document)
    }

    /// Draws a page, or a part of one, with the second engine.
    func drawSecond(
        _ rendering: HelperRequest.Rendering, of document: [UInt8]
    ) throws(PDFError) -> PagePicture {
        let scratch = try Scratch(document)
        defer { withExtendedLifetime(scratch) {} }
        let picture = try second.draw(rendering.page, rendering.size, of: scratch.path)
        do throws(HelperResultFault) {
            guard let crop = rendering.crop else { return picture }
            return try picture.part(crop)
        } catch {
            throw .failed(doing: "draw page \(rendering.page)", reason: "\(error)")
        }
    }

    /// The document as a file, which lives as long as the value.
    private final class Scratch {
        let folder: String
        var path: String { folder + "/document.pdf" }
        private let owner: TemporaryFolder

        init(_ document: [UInt8]) throws(PDFError) {
            do throws(Errno) {
                owner = try TemporaryFolder(prefix: "inkpanel-document")
                folder = owner.path
                try ScratchFile.write(document, to: owner.path + "/document.pdf")
            } catch {
                throw .failed(doing: "write the document", reason: "\(TemporaryFolder.parent): \(error)")
            }
        }
    }

    private func compare(
        _ number: Int, _ scale: ComparisonScale, _ vacant: [DocumentRectangle],
        _ borders: [DocumentRectangle], in document: [UInt8]
    ) throws(PDFError) -> PageComparison {
        let rendering = HelperRequest.Rendering(page: number, size: scale.size)
        guard let version = second.version else {
            let messages = try renderer.draw(rendering, of: "-", input: document).messages
            return PageComparison(second: nil, complaints: RendererComplaints.complaints(in: messages))
        }
        let scratch = try Scratch(document)
        let (folder, path) = (scratch.folder, scratch.path)
        // The file is removed when the value ends, so not before the programs have ended.
        defer { withExtendedLifetime(scratch) {} }
        var places: [PictureComparison.Place] = []
        // Both engines draw an empty field as they like, MuPDF with a sign where to sign. The rectangle is left out if
        // people see nothing of the field; what the page itself has there is compared without fields.
        var left = vacant.map { scale.pixels(of: $0, margin: 1) }.filter { !$0.isEmpty }
        // poppler alone draws the borders of links, so they are left out in the same way.
        let borders = borders.map { scale.pixels(of: $0, margin: 2) }.filter { !$0.isEmpty }
        var bare: PagePicture?
        if !left.isEmpty || !borders.isEmpty {
            let pictures = try both(
                { () throws(PDFError) in try renderer.draw(rendering, of: path, options: ["-q", "-hide-annotations"]) },
                { () throws(PDFError) in try second.drawBare(number, scale.size, of: path, in: folder) })
            places = pictures.0.picture.places(against: pictures.1)
            bare = pictures.0.picture
        }
        let whole = try both(
            { () throws(PDFError) in try renderer.draw(rendering, of: path) },
            { () throws(PDFError) in try second.draw(number, scale.size, of: path) })
        if let bare {
            left = left.filter { !bare.differs(from: whole.0.picture, in: $0) }
        }
        places += whole.0.picture.places(against: whole.1, ignoring: left + borders)
        let differences = PictureComparison.Place.greatest(places, most: PageComparison.most)
        return PageComparison(
            second: version, differences: differences.map { scale.rectangle(of: $0.rectangle) },
            complaints: RendererComplaints.complaints(in: whole.0.messages))
    }

    /// Runs two programs at the same time.
    private func both<First: Sendable, Second: Sendable>(
        _ first: () throws(PDFError) -> First, _ second: @escaping @Sendable () throws(PDFError) -> Second
    ) throws(PDFError) -> (First, Second) {
        let result = Shared<Result<Second, PDFError>?>(nil)
        let thread: Thread
        do throws(Errno) {
            thread = try Thread(name: "second reader") {
                let outcome: Result<Second, PDFError>
                do throws(PDFError) { outcome = .success(try second()) } catch { outcome = .failure(error) }
                result.value.withLock { $0 = outcome }
            }
        } catch {
            throw .failed(doing: "start a thread", reason: "\(error)")
        }
        let one: Result<First, PDFError>
        do throws(PDFError) { one = .success(try first()) } catch { one = .failure(error) }
        // The program of the thread ends at the deadline.
        thread.join()
        let picture = try one.get()
        guard let other = result.value.withLock({ $0 }) else {
            throw .failed(doing: "start a thread", reason: "it has ended")
        }
        return (picture, try other.get())
    }

    private final class Shared<Value: Sendable>: Sendable {
        let value: Mutex<Value>
        init(_ value: Value) { self.value = Mutex(value) }
    }
}

extension PagePicture {
    /// The places at which this picture and another of the same size show something different.
    func places(against other: PagePicture, ignoring: [PixelRect] = []) -> [PictureComparison.Place] {
        file.withUnsafeBufferPointer { first in
            other.file.withUnsafeBufferPointer { second in
                PictureComparison.places(
                    UnsafeBufferPointer(rebasing: first[pixelOffset...]),
                    UnsafeBufferPointer(rebasing: second[other.pixelOffset...]), size: size, ignoring: ignoring,
                    most: PageComparison.most)
            }
        }
    }

    /// Whether any pixel of a part is another one.
    fileprivate func differs(from other: PagePicture, in part: PixelRect) -> Bool {
        for y in part.minY..<part.maxY {
            let row = 3 * (y * size.width + part.minX)
            let (first, second) = (pixelOffset + row, other.pixelOffset + row)
            if file[first..<(first + 3 * part.width)] != other.file[second..<(second + 3 * part.width)] { return true }
        }
        return false
    }
}

/// The fields of a page that are empty, and have no look of their own: each viewer makes one up. MuPDF draws its own
/// sign into a signature field even if the field has a look.
enum VacantFields {
    /// Their rectangles on the page as it is shown.
    static func rectangles(on page: PDFPage) -> [DocumentRectangle] {
        let annotations = page.object["Annots"]
        var rectangles: [DocumentRectangle] = []
        for index in 0..<annotations.count {
            let widget = annotations[index]
            guard widget["Subtype"].name == "Widget", isEmpty(widget),
                widget["AP"]["N"].isNull || inherited("FT", by: widget)?.name == "Sig",
                let own = widget["Rect"].rectangle
            else { continue }
            if rectangles.count == HelperLimits.fields { break }
            rectangles.append(page.shown(own))
        }
        return rectangles
    }

    /// Whether a field has no value, nor inherits one.
    private static func isEmpty(_ widget: PDFObject) -> Bool {
        guard let value = inherited("V", by: widget) else { return true }
        return value.text == "" || value.name == "Off"
    }

    /// A value of a field, or of the nearest node above it that has one (ISO 32000-1, 12.7.3.1).
    private static func inherited(_ key: String, by widget: PDFObject) -> PDFObject? {
        var node = widget
        for _ in 0..<PDFLimits.depth {
            let value = node[key]
            if !value.isNull { return value }
            node = node["Parent"]
            if !node.isDictionary { break }
        }
        return nil
    }
}

/// The borders of the links on a page (ISO 32000-1, 12.5.4 and table 173), which MuPDF does not draw. LaTeX's files
/// have them.
enum LinkBorders {
    /// The widest border that counts as one, in points.
    static let widest = 3.0
    private static let most = 1000

    /// The strips of the borders on the page as it is shown.
    static func rectangles(on page: PDFPage) -> [DocumentRectangle] {
        let annotations = page.object["Annots"]
        var strips: [DocumentRectangle] = []
        for index in 0..<annotations.count where strips.count < 4 * most {
            let link = annotations[index]
            // A link with a look of its own may show anything.
            guard link["Subtype"].name == "Link", link["AP"].isNull, let own = link["Rect"].rectangle else { continue }
            let width = width(of: link)
            if width <= 0 || width > widest { continue }
            let rect = page.shown(own)
            let edge = width * page.unit
            let (left, right) = (rect.minX - edge, rect.maxX + edge)
            for y in [rect.minY, rect.maxY] {
                strips.append(DocumentRectangle(minX: left, minY: y - edge, maxX: right, maxY: y + edge))
            }
            for x in [rect.minX, rect.maxX] {
                strips.append(
                    DocumentRectangle(minX: x - edge, minY: rect.minY - edge, maxX: x + edge, maxY: rect.maxY + edge))
            }
        }
        return strips
    }

    private static func width(of link: PDFObject) -> Double {
        link["BS"]["W"].number ?? link["Border"][2].number ?? 1
    }
}
