// SPDX-License-Identifier: Apache-2.0
import Document
import Testing

struct DocumentFieldTests {
    @Test func aRectangleHasItsSize() {
        let rectangle = DocumentRectangle(minX: 10, minY: 20, maxX: 110, maxY: 50)
        #expect(rectangle.width == 100)
        #expect(rectangle.height == 30)
    }
}
