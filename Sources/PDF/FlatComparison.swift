// SPDX-License-Identifier: Apache-2.0
import Document
import Geometry
import Linux

/// Compares poppler's pictures of a damaged document with those of its flat file: pdftoppm draws for the screen, and
/// pdftocairo for paper, without the notes that are on the screen only. Documents that are not damaged are not
/// compared: their notes are marked for paper before, and the two programs draw lines without a width, and other odd
/// things, differently, which is no reason to refuse them.
struct FlatComparison {
    let renderer: PDFRenderer
    let document, flat: [UInt8]

    /// The longest side of a picture, in pixels, and the pixels of a point: a letter of 10 points has seven rows.
    private static let longestSide = 600
    private static let scale = 0.7
    /// Pages that are drawn by one process.
    private static let batch = 20

    /// - Parameter pages: the sizes of those of the flat file.
    /// - Returns: the number of the first page that looks different; nil if all look alike.
    func firstDifference(_ pages: [DocumentFacts.PageSize]) throws(PDFError) -> Int? {
        let sides = pages.map { page in
            min(Self.longestSide, max(1, Int(max(page.width, page.height) * Self.scale)))
        }
        var first = 0
        while first < sides.count {
            // The pages of the same longer side.
            let end = sides[first...].prefix(Self.batch).prefix { $0 == sides[first] }.endIndex
            let before = try pictures(of: document, first..<end, side: sides[first])
            let after = try pictures(of: flat, first..<end, side: sides[first])
            for index in 0..<(end - first) {
                guard before.indices.contains(index), after.indices.contains(index),
                    Self.areAlike(before[index], after[index])
                else { return first + index + 1 }
            }
            first = end
        }
        return nil
    }

    /// A picture of a page: rows from the top, three bytes a pixel.
    private struct Picture {
        var size: PixelSize
        var pixels: ArraySlice<UInt8>

        func cropped(to size: PixelSize) -> [UInt8] {
            var rows: [UInt8] = []
            rows.reserveCapacity(3 * size.width * size.height)
            for y in 0..<size.height {
                let start = pixels.startIndex + 3 * y * self.size.width
                rows += pixels[start..<(start + 3 * size.width)]
            }
            return rows
        }
    }

    private func pictures(of file: [UInt8], _ pages: Range<Int>, side: Int) throws(PDFError) -> [Picture] {
        let output = try renderer.run(
            "pdftoppm",
            [
                "-q", "-cropbox", "-scale-to", "\(side)", "-f", "\(pages.lowerBound + 1)", "-l", "\(pages.upperBound)",
                "-",
            ], file, doing: "compare the flat file with the document",
            mostOutput: pages.count * (3 * (side + 1) * (side + 1) + 32))
        var pictures: [Picture] = []
        var rest = output[...]
        while !rest.isEmpty {
            guard let picture = Self.picture(from: &rest) else {
                throw .failed(doing: "compare the flat file with the document", reason: "pdftoppm draws no pictures")
            }
            pictures.append(picture)
        }
        return pictures
    }

    /// Reads the first of several binary PPM files (netpbm, ppm(5)).
    private static func picture(from bytes: inout ArraySlice<UInt8>) -> Picture? {
        var lines: [Substring] = []
        for _ in 0..<3 {
            guard let end = bytes.prefix(32).firstIndex(of: UInt8(ascii: "\n")) else { return nil }
            lines.append(Substring(decoding: bytes[..<end], as: UTF8.self))
            bytes = bytes[(end + 1)...]
        }
        let sides = lines[1].split(separator: " ").compactMap { Int($0) }
        guard lines[0] == "P6", lines[2] == "255", sides.count == 2,
            sides.allSatisfy({ (1...longestSide + 1).contains($0) })
        else { return nil }
        let count = 3 * sides[0] * sides[1]
        guard bytes.count >= count else { return nil }
        defer { bytes = bytes.dropFirst(count) }
        return Picture(size: PixelSize(width: sides[0], height: sides[1]), pixels: bytes.prefix(count))
    }

    private static func areAlike(_ one: Picture, _ other: Picture) -> Bool {
        // The sides are rounded up, so those of the same page may differ by one.
        let (a, b) = (one.size, other.size)
        guard abs(a.width - b.width) <= 1, abs(a.height - b.height) <= 1 else { return false }
        let size = PixelSize(width: min(a.width, b.width), height: min(a.height, b.height))
        let (first, second) = (one.cropped(to: size), other.cropped(to: size))
        // The page often ends within the last pixels, and the flat file is clipped there.
        let (width, height) = (size.width, size.height)
        let edges = [
            PixelRect(minX: 0, minY: 0, maxX: width, maxY: 1), PixelRect(minX: 0, minY: 0, maxX: 1, maxY: height),
            PixelRect(minX: 0, minY: height - 1, maxX: width, maxY: height),
            PixelRect(minX: width - 1, minY: 0, maxX: width, maxY: height),
        ]
        return first.withUnsafeBufferPointer { first in
            second.withUnsafeBufferPointer { second in
                PictureComparison.places(first, second, size: size, ignoring: edges, most: 1).isEmpty
            }
        }
    }
}
