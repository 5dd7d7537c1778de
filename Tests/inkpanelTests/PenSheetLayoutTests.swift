// SPDX-License-Identifier: Apache-2.0
import Geometry
import Testing

@testable import inkpanel

@Suite("Layout of a comparison sheet")
struct PenSheetLayoutTests {
    @Test("keeps the page's pixels and has about a screen's proportions")
    func grid() {
        let layout = PenSheetLayout(count: 8, page: PixelSize(width: 1280, height: 720))
        #expect((layout.columns, layout.rows, layout.reduction) == (3, 3, 1))
        #expect(layout.cell == PixelSize(width: 1280, height: 720))
        #expect(PenSheetLayout(count: 4, page: PixelSize(width: 3000, height: 200)).columns == 1)
        #expect(PenSheetLayout(count: 4, page: PixelSize(width: 200, height: 3000)).columns == 4)
    }

    @Test(
        "is drawable for every page, with cells and names on it and none over another",
        arguments: [(1, 1), (16384, 1), (1, 16384), (8192, 8192), (16384, 4096), (60, 40), (4000, 2500)])
    func everyPage(width: Int, height: Int) {
        for count in [1, 2, 5, 12] {
            let layout = PenSheetLayout(count: count, page: PixelSize(width: width, height: height))
            #expect(layout.size.isDrawable && layout.columns * layout.rows >= count)
            let rooms = (0..<count).flatMap { [layout.picture($0), layout.name($0)] }
            for (index, room) in rooms.enumerated() {
                #expect(PixelRect(size: layout.size).contains(room) && !room.isEmpty, "\(room)")
                for other in rooms[..<index] { #expect(room.intersection(other).isEmpty, "\(room), \(other)") }
            }
        }
    }
}
