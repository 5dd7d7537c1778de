// SPDX-License-Identifier: Apache-2.0
package import Document
import Evidence
import Formats
import Geometry
import Raster
package import Record

/// Draws a signed document again, and compares it with what people saw. Outside of the filled places, every pixel must
/// be the same. Inside, the file must show the ticks, names and ink that the pad has drawn.
///
/// The helper that writes the signed file has parsed the document, so it is not trusted with what the file looks like.
package struct SignedPictures: Sendable {
    /// Ink that was put on a page.
    package struct Overlay: Sendable {
        /// The number of the page, from 1.
        var page: Int
        var rectangle: DocumentRectangle
        var ink: DocumentInk
        /// The rotation of the ink, as ``TextFormat/turn``.
        var turn = 0
        /// Whether it takes the place of what the document shows there, such as the look of an empty field.
        package var replaces: Bool
    }

    private let pages: [DocumentFacts.PageSize]
    /// The document as people saw it, before they filled it.
    package let shown: [UInt8]
    /// The document below the ink that replaces something (``DocumentUpdates/emptied``); nil if none does.
    private let ground: [UInt8]?
    package let overlays: [Overlay]

    package init(pages: [DocumentFacts.PageSize], shown: [UInt8], ground: [UInt8]?, overlays: [Overlay]) {
        self.pages = pages
        self.shown = shown
        self.ground = ground
        self.overlays = overlays
    }

    /// - Parameters:
    ///   - seen: the pictures that people saw. Other pages are drawn in another size.
    ///   - render: draws a page of a document; called up to three times for each page.
    /// - Throws: ``SignedPictureFault``, or what `render` throws.
    package func compare(
        with signed: [UInt8], seen: [SeenPage] = [],
        render: (HelperRequest.Rendering, [UInt8]) throws -> PagePicture
    ) throws {
        for (index, size) in pages.enumerated() {
            let number = index + 1
            let mine = overlays.filter { $0.page == number }
            let picture = seen.first { $0.number == number }
            let pixels = picture.map { PixelSize(width: $0.width, height: $0.height) } ?? Self.usualSize(of: size)
            func drawn(_ document: [UInt8]) throws -> PagePicture {
                try render(.init(page: number, size: pixels), document)
            }
            let after = try drawn(signed)
            if mine.isEmpty, let picture {
                guard after.sha256 == picture.sha256 else { throw SignedPictureFault.otherPage(number) }
                continue
            }
            let before = try drawn(shown)
            if let picture, before.sha256 != picture.sha256 { throw SignedPictureFault.otherRenderer(number) }
            if mine.isEmpty {
                guard after.file == before.file else { throw SignedPictureFault.otherPage(number) }
                continue
            }
            let below = try ground.flatMap { try mine.contains(where: \.replaces) ? drawn($0) : nil }
            try compare(after, with: before, below, number, size, mine)
        }
    }

    /// 100 pixels an inch, fewer on pages that are larger than A2.
    private static func usualSize(of page: DocumentFacts.PageSize) -> PixelSize {
        let most = 4e6
        let scale = min(100 / 72, (most / (page.width * page.height)).squareRoot(), 8192 / max(page.width, page.height))
        return PixelSize(
            width: max(1, Int((page.width * scale).rounded())), height: max(1, Int((page.height * scale).rounded())))
    }

    private func compare(
        _ drawn: PagePicture, with before: PagePicture, _ ground: PagePicture?, _ number: Int,
        _ page: DocumentFacts.PageSize, _ overlays: [Overlay]
    ) throws(SignedPictureFault) {
        let actual = PPM.pixels(drawn.file[drawn.pixelOffset...], size: drawn.size)
        let expected = PPM.pixels(before.file[before.pixelOffset...], size: before.size)
        let below = ground.map { PPM.pixels($0.file[$0.pixelOffset...], size: $0.size) }
        let bounds = PixelRect(size: drawn.size)
        let scale = Point(
            x: Double(drawn.size.width) / page.width, y: Double(drawn.size.height) / page.height)
        var rasterizer = Rasterizer()
        let places = overlays.map { overlay in
            let rect = overlay.rectangle
            return Rect(
                minX: rect.minX * scale.x, minY: Double(drawn.size.height) - rect.maxY * scale.y,
                maxX: rect.maxX * scale.x, maxY: Double(drawn.size.height) - rect.minY * scale.y)
        }
        let rooms = places.map { place in
            // Edges are smoothed into the next pixel.
            PixelRect(
                covering: Rect(
                    minX: place.minX - 1, minY: place.minY - 1, maxX: place.maxX + 1, maxY: place.maxY + 1),
                within: bounds)
        }
        if let below {
            for (overlay, room) in zip(overlays, rooms) where overlay.replaces {
                Self.copy(below.surface, to: expected.surface, in: room)
            }
        }
        for (overlay, place) in zip(overlays, places) {
            InkPicture(overlay.ink).draw(
                in: place, scale, turn: overlay.turn, on: expected.surface, within: bounds, &rasterizer)
        }
        guard Self.isEqual(actual.surface, expected.surface, besides: rooms) else { throw .otherPage(number) }
        for room in rooms {
            guard InkMatch.fits(actual.surface, expected.surface, in: room) else { throw .otherInk(number) }
        }
    }

    private static func copy(_ source: Surface, to target: Surface, in place: PixelRect) {
        for y in place.minY..<place.maxY {
            let (from, to) = (source.row(y), target.row(y))
            for x in place.minX..<place.maxX { to[x] = from[x] }
        }
    }

    /// Whether all pixels outside of `places` are the same.
    private static func isEqual(_ a: Surface, _ b: Surface, besides places: [PixelRect]) -> Bool {
        for y in 0..<a.size.height {
            let hidden = places.filter { $0.minY <= y && y < $0.maxY }.map { $0.minX..<$0.maxX }
            let (one, other) = (a.row(y), b.row(y))
            var x = 0
            while x < a.size.width {
                if one[x] == other[x] {
                    x += 1
                } else if let range = hidden.first(where: { $0.contains(x) }) {
                    x = range.upperBound
                } else {
                    return false
                }
            }
        }
        return true
    }
}

extension PagePicture {
    /// SHA-256 of the pixels, as ``SeenPage`` has it.
    package var sha256: String {
        var hash = SHA256Hash()
        file.withUnsafeBytes { hash.update(UnsafeRawBufferPointer(rebasing: $0[pixelOffset...])) }
        return hash.finish().description
    }
}

/// Why a signed file is not stored.
package enum SignedPictureFault: Error, Equatable, Sendable, CustomStringConvertible {
    /// Outside of its fields, a page of the signed file is drawn differently.
    case otherPage(Int)
    /// The marks or ink on a page do not look as they were shown.
    case otherInk(Int)
    /// The page is drawn differently than when it was shown.
    case otherRenderer(Int)

    package var description: String {
        switch self {
        case .otherPage(let page):
            "page \(page) of the signed file does not look as it was shown: flatten the document (inkpanel document "
                + "flatten IN OUT), and have it signed again"
        case .otherInk(let page):
            "page \(page) of the signed file does not show what was put into it as it was shown: flatten the document "
                + "(inkpanel document flatten IN OUT), and have it signed again"
        case .otherRenderer(let page):
            "page \(page) is drawn differently than when it was shown: poppler or a font was replaced meanwhile; have "
                + "it signed again"
        }
    }
}
