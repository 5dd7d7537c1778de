// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Document
import Formats
import Geometry
import Glibc
import Linux
import PNG
import Panel
import Raster
import Signing

/// `inkpanel document compare`: the places that two engines draw differently.
struct CompareDocumentCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compare", abstract: "Print the places that two programs draw differently.",
        discussion: """
            Draws each page with poppler, as people see it on the panel, and with MuPDF, as before a document is \
            signed. The exit status is 0 if both show the same, 1 if a place differs or poppler could not draw \
            something.
            """)

    @Argument(help: "PDF file.")
    var file: String

    @Option(help: ArgumentHelp("Number of the page; without it, all pages.", valueName: "n"))
    var page: Int?

    @Option(
        help: ArgumentHelp(
            "Write a PNG file for each place into this folder: poppler's drawing on the left, MuPDF's on the right.",
            valueName: "folder"))
    var pictures: String?

    @OptionGroup var helper: HelperOptions

    func validate() throws {
        if let page, !(1...HelperLimits.pages).contains(page) {
            throw ValidationError("--page is 1 to \(HelperLimits.pages)")
        }
    }

    func run() throws {
        try reportingErrors {
            if let pictures {
                do throws(Errno) {
                    _ = try Directory.make(pictures, permissions: 0o777)
                    try Directory.checkWritable(pictures)
                } catch { throw CommandError.cannotWrite(pictures, error, option: "--pictures") }
            }
            let document = try PDFDocument.read(file, with: helper.helper)
            let pages = try helper.helper.inspect(document).pages
            if let page, page > pages.count { throw DocumentPlanFault.noPage(page, count: pages.count) }
            var isClean = true
            for number in page.map({ $0...$0 }) ?? 1...pages.count {
                let comparison = try helper.helper.compare(page: number, in: document)
                guard comparison.second != nil else {
                    throw CommandError.unavailable("there is no second program to compare with: install mupdf-tools")
                }
                isClean = isClean && comparison.isClean
                try report(comparison, number, pages[number - 1], of: document)
            }
            if !isClean { throw ExitCode(1) }
        }
    }

    private func report(
        _ comparison: PageComparison, _ number: Int, _ size: DocumentFacts.PageSize, of document: [UInt8]
    ) throws {
        for (index, place) in comparison.differences.enumerated() {
            var line = "page \(number) \(place.edges)"
            if let pictures {
                let name = "\(pictures)/page-\(number)-\(index + 1).png"
                try write(place, number, ComparisonScale(of: size), of: document, to: name)
                line += " \(name)"
            }
            try OutputFile.print(line + "\n")
        }
        for complaint in comparison.complaints { try OutputFile.print("page \(number) not drawn: \(complaint)\n") }
    }

    /// The pixels around a place that its picture shows, too.
    private static let margin = 40.0
    /// The pixels between the two drawings.
    private static let gap = 8

    /// Writes both drawings of a place beside each other.
    private func write(
        _ place: DocumentRectangle, _ number: Int, _ scale: ComparisonScale, of document: [UInt8], to path: String
    ) throws {
        let crop = scale.pixels(of: place, margin: Self.margin)
        let drawings = try [false, true].map { isSecond in
            try helper.helper.render(
                HelperRequest.Rendering(page: number, size: scale.size, crop: crop, isSecond: isSecond), of: document)
        }
        let size = PixelSize(width: 2 * crop.width + Self.gap, height: crop.height)
        var rows: [UInt8] = []
        rows.reserveCapacity(3 * size.width * size.height)
        for y in 0..<crop.height {
            for (index, drawing) in drawings.enumerated() {
                let start = drawing.pixelOffset + 3 * y * crop.width
                if index > 0 { rows += [UInt8](repeating: 0, count: 3 * Self.gap) }
                rows += drawing.file[start..<(start + 3 * crop.width)]
            }
        }
        let pixels = PPM.pixels(rows[...], size: size)
        let dpi = Double(scale.size.width) * 72 / scale.page.width
        try OutputFile.write(try PNGEncoder.encode(pixels.surface, dotsPerInch: dpi), to: path, option: "--pictures")
    }
}
