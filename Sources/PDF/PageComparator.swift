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

    /// The density of the pictures; less for pages that would have too many pixels.
    static let dotsPerInch = 300.0

    func compare(_ number: Int, in document: [UInt8]) throws(PDFError) -> PageComparison {
        let file = try PDFFile(document, longest: HelperLimits.signedDocument)
        let pages = try PDFPage.all(of: file)
        guard pages.indices.contains(number - 1) else { throw .noPage(number) }
        let page = pages[number - 1]
        let vacant = VacantFields.rectangles(on: page)
        try file.check()
        return try compare(number, Scale(of: page.size), vacant, in: document)
    }

    /// How points of a page become pixels of its pictures.
    struct Scale {
        let page: DocumentFacts.PageSize
        let size: PixelSize

        init(of page: DocumentFacts.PageSize) {
            self.page = page
            var scale = dotsPerInch / 72
            scale = min(scale, (Double(HelperLimits.pixels) / (page.width * page.height)).squareRoot())
            scale = min(scale, Double(HelperLimits.pageSide) / max(page.width, page.height))
            size = PixelSize(
                width: max(1, Int(page.width * scale)), height: max(1, Int(page.height * scale)))
        }

        private var x: Double { Double(size.width) / page.width }
        private var y: Double { Double(size.height) / page.height }

        /// The pixels that a rectangle touches, with those that its smoothed edges touch.
        func pixels(of rectangle: DocumentRectangle) -> PixelRect {
            let rect = Rect(
                minX: rectangle.minX * x - 1, minY: (page.height - rectangle.maxY) * y - 1,
                maxX: rectangle.maxX * x + 1,
                maxY: (page.height - rectangle.minY) * y + 1)
            return PixelRect(covering: rect, within: PixelRect(size: size))
        }

        func rectangle(of pixels: PixelRect) -> DocumentRectangle {
            DocumentRectangle(
                minX: Double(pixels.minX) / x, minY: page.height - Double(pixels.maxY) / y,
                maxX: Double(pixels.maxX) / x, maxY: page.height - Double(pixels.minY) / y)
        }
    }

    private func compare(
        _ number: Int, _ scale: Scale, _ vacant: [DocumentRectangle], in document: [UInt8]
    ) throws(PDFError) -> PageComparison {
        let rendering = HelperRequest.Rendering(page: number, size: scale.size)
        guard let version = second.version else {
            let messages = try renderer.draw(rendering, of: "-", input: document).messages
            return PageComparison(second: nil, complaints: RendererComplaints.complaints(in: messages))
        }
        let folder: TemporaryFolder
        let path: String
        do throws(Errno) {
            folder = try TemporaryFolder(prefix: "inkpanel-document")
            path = folder.path + "/document.pdf"
            try ScratchFile.write(document, to: path)
        } catch {
            throw .failed(doing: "compare page \(number)", reason: "\(TemporaryFolder.parent): \(error)")
        }
        // It is removed when the value ends, so not before the programs have ended.
        defer { withExtendedLifetime(folder) {} }
        let scratch = folder.path
        var places: [PictureComparison.Place] = []
        // Both engines draw an empty field as they like, MuPDF with a sign where to sign. The rectangle is left out if
        // people see nothing of the field; what the page itself has there is compared without fields.
        var left = vacant.map { scale.pixels(of: $0) }.filter { !$0.isEmpty }
        var bare: PagePicture?
        if !left.isEmpty {
            let pictures = try both(
                { () throws(PDFError) in try renderer.draw(rendering, of: path, options: ["-q", "-hide-annotations"]) },
                { () throws(PDFError) in try second.drawBare(number, scale.size, of: path, in: scratch) })
            places = pictures.0.picture.places(against: pictures.1)
            bare = pictures.0.picture
        }
        let whole = try both(
            { () throws(PDFError) in try renderer.draw(rendering, of: path) },
            { () throws(PDFError) in try second.draw(number, scale.size, of: path) })
        if let bare {
            left = left.filter { !bare.differs(from: whole.0.picture, in: $0) }
        }
        places += whole.0.picture.places(against: whole.1, ignoring: left)
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

/// The fields of a page that are empty, and have no look of their own: each viewer makes one up.
enum VacantFields {
    /// Their rectangles on the page as it is shown.
    static func rectangles(on page: PDFPage) -> [DocumentRectangle] {
        let annotations = page.object["Annots"]
        var rectangles: [DocumentRectangle] = []
        for index in 0..<annotations.count {
            let widget = annotations[index]
            guard widget["Subtype"].name == "Widget", widget["AP"]["N"].isNull, isEmpty(widget),
                let own = widget["Rect"].rectangle
            else { continue }
            if rectangles.count == HelperLimits.fields { break }
            rectangles.append(page.shown(own))
        }
        return rectangles
    }

    /// Whether a field has no value, nor inherits one.
    private static func isEmpty(_ widget: PDFObject) -> Bool {
        var node = widget
        for _ in 0..<PDFLimits.depth {
            let value = node["V"]
            if !value.isNull { return value.text == "" || value.name == "Off" }
            let parent = node["Parent"]
            guard parent.isDictionary else { return true }
            node = parent
        }
        return false
    }
}
