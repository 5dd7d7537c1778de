// SPDX-License-Identifier: Apache-2.0
import Document
import Geometry
import Raster

/// The ink of an update, drawn by the panel's own rasterizer as a viewer draws it.
struct InkPicture {
    private let size: (width: Double, height: Double)
    /// The paths, in points, y up, in the order in which they are filled.
    private var layers: [(color: Color, path: Path)] = []

    /// Reads the operators that `PDFInkEncoder` writes: m, l, c, h, f and rg. Others are ignored, as ink has none.
    init(_ ink: DocumentInk) {
        size = (ink.width, ink.height)
        var numbers: [Double] = []
        var color = Color.black
        var path = Path()
        func point(_ index: Int) -> Point { Point(x: numbers[index], y: numbers[index + 1]) }
        for word in ink.content.utf8.split(whereSeparator: { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\n") }) {
            let text = String(Substring(word))
            if let number = Double(text) {
                numbers.append(number)
                continue
            }
            switch (text, numbers.count) {
            case ("rg", 3): color = Color(numbers)
            case ("m", 2): path.move(to: point(0))
            case ("l", 2): path.addLine(to: point(0))
            case ("c", 6): path.addCubic(control1: point(0), control2: point(2), end: point(4))
            case ("f", 0):
                layers.append((color, path))
                path = Path()
            default: break
            }
            numbers = []
        }
    }

    /// Draws the ink in the middle of a place, at most in its own size, as `InkAppearance` puts it into the file.
    /// - Parameters:
    ///   - place: in pixels, y down.
    ///   - scale: pixels per point, in both directions.
    ///   - turn: by how much the ink is turned counterclockwise, in degrees: 0, 90, 180 or 270.
    func draw(
        in place: Rect, _ scale: Point, turn: Int = 0, on surface: Surface, within clip: PixelRect,
        _ rasterizer: inout Rasterizer
    ) {
        let room = (width: place.width / scale.x, height: place.height / scale.y)
        let (width, height) = turn % 180 == 0 ? (size.width, size.height) : (size.height, size.width)
        let share = min(room.width / width, room.height / height, 1)
        guard share.isFinite, share > 0 else { return }
        let middle = Point(x: (place.minX + place.maxX) / 2, y: (place.minY + place.maxY) / 2)
        for layer in layers {
            var path = Path()
            path.append(layer.path) { point in
                // Coordinates relative to the middle of the ink, y up.
                let (x, y) = ((point.x - size.width / 2) * share, (point.y - size.height / 2) * share)
                let turned =
                    switch turn {
                    case 90: (-y, x)
                    case 180: (-x, -y)
                    case 270: (y, -x)
                    default: (x, y)
                    }
                return Point(x: middle.x + turned.0 * scale.x, y: middle.y - turned.1 * scale.y)
            }
            rasterizer.begin(clip: clip)
            rasterizer.add(path)
            rasterizer.fill(.nonZero, with: layer.color, into: surface)
        }
    }
}

extension Color {
    /// - Parameter shares: red, green and blue, 0 to 1.
    fileprivate init(_ shares: [Double]) {
        let values = shares.map { UInt8((max(0, min($0, 1)) * 255).rounded()) }
        self.init(red: values[0], green: values[1], blue: values[2], alpha: 255)
    }
}
