// SPDX-License-Identifier: Apache-2.0
import Capture
import Geometry
import Record
import Touch

/// A page of 400x300 pixels, 10 a millimetre, and what happens on it.
enum TestPad {
    static let area = PixelRect(minX: 20, minY: 60, maxX: 380, maxY: 200)
    static let buttons: [PageButton: PixelRect] = [
        .cancel: PixelRect(minX: 10, minY: 220, maxX: 90, maxY: 290),
        .clear: PixelRect(minX: 110, minY: 220, maxX: 190, maxY: 290),
        .undo: PixelRect(minX: 210, minY: 220, maxX: 290, maxY: 290),
        .accept: PixelRect(minX: 310, minY: 220, maxX: 390, maxY: 290),
    ]
    static let pad = PadGeometry(signingArea: area, buttons: buttons, density: PixelDensity(dotsPerInch: 254))

    static func order(_ number: UInt64, _ policy: CapturePolicy = CapturePolicy(pen: "ink")) -> CaptureOrder {
        CaptureOrder(
            id: RequestID(number), request: CaptureRequest(prompt: ["Sign \(number)"], signer: "Ada"), policy: policy,
            pad: pad)
    }

    /// Device units are tenths of pixels.
    static func sample(_ x: Double, _ y: Double, at microseconds: Int64) -> TouchSample {
        func units(_ value: Double) -> Int32 { abs(value) < 1e6 ? Int32(value * 10) : -1 }
        return TouchSample(
            microseconds: microseconds, position: Point(x: x, y: y), pressure: nil,
            device: DeviceReading(x: units(x), y: units(y)))
    }

    static func center(_ button: PageButton) -> Point {
        let rect = buttons[button]!
        return Point(x: Double(rect.minX + rect.maxX) / 2, y: Double(rect.minY + rect.maxY) / 2)
    }
}
