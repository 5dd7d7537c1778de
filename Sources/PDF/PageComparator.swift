// SPDX-License-Identifier: Apache-2.0
import Document

/// Draws a page with two engines, and compares the pictures.
struct PageComparator {
    private let renderer: PDFRenderer

    init(_ renderer: PDFRenderer) { self.renderer = renderer }

    func compare(_ page: Int, in document: [UInt8]) throws(PDFError) -> PageComparison {
        PageComparison(second: nil)
    }
}
