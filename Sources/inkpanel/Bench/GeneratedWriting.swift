// SPDX-License-Identifier: Apache-2.0
import Geometry
import Glibc
import Ink

/// A hand that writes loops, line below line, for as long as one likes, hardly ever crossing what it wrote: five
/// strokes up and down a second, their height and speed swelling and shrinking.
struct GeneratedWriting {
    /// The page that it fills.
    static let page = PixelSize(width: 2048, height: 2048)
    private static let lineLength = 1960.0
    private static let linePitch = 40.0
    /// Pixels a second along the line.
    private static let advance = 60.0

    /// Reports a second.
    var hertz: Double

    func sample(_ index: Int) -> Sample {
        let seconds = Double(index) / hertz
        return Sample(microseconds: Int64(seconds * 1e6), position: Self.position(at: seconds))
    }

    func samples(_ count: Int) -> [Sample] { (0..<count).map(sample) }

    private static func position(at seconds: Double) -> Point {
        let way = seconds * advance
        let line = (way / lineLength).rounded(.down)
        let along = way - line * lineLength
        // To and fro, so that the pen never jumps; the lines slant, so that each ends where the next one begins.
        let x = Int(line) % 2 == 0 ? along : lineLength - along
        let y = (way / lineLength).truncatingRemainder(dividingBy: 49) * linePitch
        let phase = 2 * Double.pi * 5 * seconds + 0.8 * sin(2 * Double.pi * 1.3 * seconds)
        let height = 9 + 4 * sin(2 * Double.pi * 0.7 * seconds)
        return Point(x: 44 + x + 0.7 * height * sin(phase), y: 30 + y + height * cos(phase))
    }
}
