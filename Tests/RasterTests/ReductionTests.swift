// SPDX-License-Identifier: Apache-2.0
import Geometry
import Raster
import Testing

@Suite("Smaller copies")
struct ReductionTests {
    /// A picture of grey values.
    private func gray(_ rows: [[UInt8]]) -> PixelBuffer {
        let buffer = PixelBuffer(size: PixelSize(width: rows[0].count, height: rows.count))
        for (y, row) in rows.enumerated() {
            for (x, value) in row.enumerated() {
                buffer.surface.row(y)[x] = Color(red: value, green: value, blue: value).xrgb8888
            }
        }
        return buffer
    }

    @Test("a pixel is the mean of those it stands for, also at the far edges")
    func mean() {
        let source = gray([[0, 255, 10], [255, 255, 20], [7, 8, 9]])
        let target = PixelBuffer(size: PixelSize(width: 2, height: 2))
        target.surface.copy(source.surface, reducedBy: 2)
        let values = (0..<2).map { y in (0..<2).map { target.surface.row(y)[$0] & 0xFF } }
        #expect(values == [[191, 15], [8, 9]])
        #expect(target.surface.row(0)[0] == 0xFFBF_BFBF)
    }

    @Test("by 1 it is a copy")
    func same() {
        let source = gray([[1, 2], [3, 4]])
        let target = PixelBuffer(size: source.surface.size)
        target.surface.copy(source.surface, reducedBy: 1)
        #expect((0..<2).map { y in (0..<2).map { target.surface.row(y)[$0] & 0xFF } } == [[1, 2], [3, 4]])
    }
}
