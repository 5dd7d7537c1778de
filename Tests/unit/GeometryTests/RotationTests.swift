// SPDX-License-Identifier: Apache-2.0
import Geometry
import Testing

@Suite("Rotation")
struct RotationTests {
    @Test("panelToPicture is the inverse of pictureToPanel", arguments: Rotation.allCases)
    func inverse(rotation: Rotation) {
        for point in [Point(x: 0.1, y: 0.2), Point(x: 0.9, y: 0.4)] {
            let back = rotation.panelToPicture.apply(rotation.pictureToPanel.apply(point))
            #expect(back.distance(to: point) < 1e-12)
        }
    }

    @Test("90 degrees clockwise moves the picture's top left corner to the panel's top right")
    func clockwise() {
        let corner = Rotation.clockwise90.pictureToPanel.apply(Point(x: 0, y: 0))
        #expect(corner == Point(x: 1, y: 0))
    }

    @Test("the rectangle of a pixel is where the transform maps its centre", arguments: Rotation.allCases)
    func rectangles(rotation: Rotation) {
        let picture = PixelSize(width: 7, height: 5)
        let panel = rotation.isTransposed ? picture.transposed : picture
        let map = Transform.scale(x: 1 / 7.0, y: 1 / 5.0).then(rotation.pictureToPanel)
            .then(.scale(x: Double(panel.width), y: Double(panel.height)))
        for y in 0..<5 {
            for x in 0..<7 {
                let pixel = PixelRect(minX: x, minY: y, maxX: x + 1, maxY: y + 1)
                let rect = rotation.panelRect(of: pixel, picture: picture)
                let middle = map.apply(Point(x: Double(x) + 0.5, y: Double(y) + 0.5))
                #expect(rect.area == 1)
                #expect(Double(rect.minX) + 0.5 == middle.x.rounded(.down) + 0.5)
                #expect(Double(rect.minY) + 0.5 == middle.y.rounded(.down) + 0.5)
            }
        }
    }
}
