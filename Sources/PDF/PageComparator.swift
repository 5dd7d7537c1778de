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
        let (vacant, borders) = (VacantFields.rectangles(on: page), LinkBorders.borders(on: page))
        try file.check()
        let plain = try vacant.isEmpty && borders.isEmpty ? nil : PlainPage.document(of: file, with: page)
        return try compare(number, ComparisonScale(of: page.size), vacant, borders, in: document, plain: plain)
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
        var path: String { owner.path + "/document.pdf" }
        private let owner: TemporaryFolder

        init(_ document: [UInt8]) throws(PDFError) {
            do throws(Errno) {
                owner = try TemporaryFolder(prefix: "inkpanel-document")
                try ScratchFile.write(document, to: owner.path + "/document.pdf")
            } catch {
                throw .failed(doing: "write the document", reason: "\(TemporaryFolder.parent): \(error)")
            }
        }
    }

    /// - Parameter plain: the document without what each engine draws as it likes (``PlainPage``); nil if the page has
    ///   nothing of this.
    private func compare(
        _ number: Int, _ scale: ComparisonScale, _ vacant: [DocumentRectangle], _ borders: [LinkBorders.Border],
        in document: [UInt8], plain: [UInt8]?
    ) throws(PDFError) -> PageComparison {
        let rendering = HelperRequest.Rendering(page: number, size: scale.size)
        guard let version = second.version else {
            let messages = try renderer.draw(rendering, of: "-", input: document).messages
            return PageComparison(second: nil, complaints: RendererComplaints.complaints(in: messages))
        }
        var places: [PictureComparison.Place] = []
        var ignored = vacant.map { scale.pixels(of: $0, margin: 1) }.filter { !$0.isEmpty }
        if let plain {
            let pictures = try drawings(rendering, of: plain)
            places = pictures.0.picture.places(against: pictures.1)
            let picture = pictures.0.picture
            for border in borders where border.isPlain {
                let inks = border.lines.map { picture.darkPixels(in: scale.pixels(of: $0)) }
                if inks.contains(where: { $0 >= LinkBorders.leastInk }) { continue }
                ignored += border.strips.map { scale.pixels(of: $0, margin: 2) }.filter { !$0.isEmpty }
            }
        }
        let whole = try drawings(rendering, of: document)
        places += whole.0.picture.places(against: whole.1, ignoring: ignored)
        let differences = PictureComparison.Place.greatest(places, most: PageComparison.most)
        return PageComparison(
            second: version, differences: differences.map { scale.rectangle(of: $0.rectangle) },
            complaints: RendererComplaints.complaints(in: whole.0.messages))
    }

    /// A page as both engines draw it, and what the first one says.
    private func drawings(
        _ rendering: HelperRequest.Rendering, of document: [UInt8]
    ) throws(PDFError) -> ((picture: PagePicture, messages: [UInt8]), PagePicture) {
        let scratch = try Scratch(document)
        // The file is removed when the value ends, so not before the programs have ended.
        defer { withExtendedLifetime(scratch) {} }
        let path = scratch.path
        return try both(
            { () throws(PDFError) in try renderer.draw(rendering, of: path) },
            { () throws(PDFError) in try second.draw(rendering.page, rendering.size, of: path) })
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

    /// How many pixels of a part are dark.
    fileprivate func darkPixels(in part: PixelRect) -> Int {
        var count = 0
        for y in part.minY..<part.maxY {
            for x in part.minX..<part.maxX {
                let pixel = pixelOffset + 3 * (y * size.width + x)
                if Int(file[pixel]) + Int(file[pixel + 1]) + Int(file[pixel + 2]) < 3 * 160 { count += 1 }
            }
        }
        return count
    }
}
