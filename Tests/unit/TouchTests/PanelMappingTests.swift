// SPDX-License-Identifier: Apache-2.0
import Geometry
import TestSupport
import Testing
import Touch

@Suite("Device units to pixels")
struct PanelMappingTests {
    private func axis(_ minimum: Int32, _ maximum: Int32) -> AxisInfo { AxisInfo(minimum: minimum, maximum: maximum) }

    @Test("with one unit per pixel, value v is the centre of pixel v")
    func centres() {
        let mapping = PanelMapping(x: axis(0, 799), y: axis(0, 479), panel: PixelSize(width: 800, height: 480))
        for (x, y) in [(Int32(0), Int32(0)), (1, 2), (400, 240), (799, 479)] {
            let place = mapping.position(of: DeviceReading(x: x, y: y))
            #expect(abs(place.x - (Double(x) + 0.5)) < 1e-9 && abs(place.y - (Double(y) + 0.5)) < 1e-9)
        }
    }

    @Test("a calibration reaches readings beyond the stated range; only the result is clamped")
    func clampedLast() throws {
        let panel = PixelSize(width: 800, height: 480)
        // A driver that states exchanged ranges, and one that states a quarter of them.
        let matrix = try Calibration.matrix("0 0.6 0 -1.6666666666666667 0 1")
        let exchanged = PanelMapping(x: axis(0, 799), y: axis(0, 479), panel: panel, calibration: matrix)
        let small = PanelMapping(
            x: axis(0, 199), y: axis(0, 119), panel: panel, calibration: Transform.scale(x: 0.25, y: 0.25))
        for (x, y) in [(Int32(0), Int32(0)), (148, 275), (700, 20), (799, 479)] {
            let place = Point(x: Double(x) + 0.5, y: Double(y) + 0.5)
            #expect(exchanged.position(of: DeviceReading(x: 479 - y, y: x)).distance(to: place) < 1e-9)
            #expect(small.position(of: DeviceReading(x: x, y: y)).distance(to: place) < 1e-9)
        }
    }

    @Test("values outside the range are clamped, even the largest")
    func clamped() {
        let panel = PixelSize(width: 1920, height: 1080)
        let mapping = PanelMapping(x: axis(400, 59152), y: axis(400, 33448), panel: panel)
        let low = mapping.position(of: DeviceReading(x: .min, y: 0))
        let high = mapping.position(of: DeviceReading(x: .max, y: 40000))
        #expect(low.x >= 0 && low.x < 1 && low.y >= 0 && low.y < 1)
        #expect(high.x > 1919 && high.x < 1920 && high.y > 1079 && high.y < 1080)
    }

    @Test("a range of all 32 bits does not overflow")
    func hugeRange() {
        let mapping = PanelMapping(x: axis(.min, .max), y: axis(.min, .max), panel: PixelSize(width: 100, height: 100))
        #expect(abs(mapping.position(of: DeviceReading(x: 0, y: -1)).x - 50) < 1e-6)
    }

    @Test(
        "the right pixel is hit, give or take one, if the range differs from the panel's",
        arguments: Breadth.seeds(8, long: 40))
    func rightPixel(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let width = Int.random(in: 2...4000, using: &random)
        let panel = PixelSize(width: width, height: .random(in: 2...4000, using: &random))
        let minimum = Int32.random(in: -500...500, using: &random)
        let count = Int32.random(in: 2...65536, using: &random)
        let range = axis(minimum, minimum + count - 1)
        let mapping = PanelMapping(x: range, y: range, panel: panel)
        for _ in 0..<50 {
            // The finger is in the middle of a pixel; the digitizer reports the cell it finds there.
            let pixel = Int.random(in: 0..<panel.width, using: &random)
            let value = minimum + Int32((Double(pixel) + 0.5) / Double(panel.width) * Double(count))
            let hit = Int(mapping.position(of: DeviceReading(x: value, y: minimum)).x)
            let tolerance = max(1, panel.width / Int(count))
            #expect(abs(hit - pixel) <= tolerance, "seed \(seed) pixel \(pixel) hit \(hit) of \(panel) units \(count)")
        }
    }

    @Test("the Pi panel's range of 0...800 for 800 pixels is one off at most")
    func offByOne() {
        let mapping = PanelMapping(x: axis(0, 800), y: axis(0, 480), panel: PixelSize(width: 800, height: 480))
        for x in 0...Int32(800) {
            let hit = Int(mapping.position(of: DeviceReading(x: x, y: 0)).x)
            #expect(abs(hit - min(Int(x), 799)) <= 1)
        }
    }

    @Test("touch follows the picture in every rotation", arguments: Rotation.allCases)
    func rotations(rotation: Rotation) {
        let panel = PixelSize(width: 800, height: 480)
        let picture = rotation.pictureSize(onPanel: panel)
        let mapping = PanelMapping(x: axis(0, 799), y: axis(0, 479), panel: panel, rotation: rotation)
        #expect(mapping.map.picture == picture)
        for (x, y) in [(0, 0), (10, 20), (picture.width - 1, picture.height - 1), (picture.width - 1, 3)] {
            // The finger touches where the screen shows this pixel.
            let shown = rotation.panelRect(
                of: PixelRect(minX: x, minY: y, maxX: x + 1, maxY: y + 1), picture: picture)
            let place = mapping.position(of: DeviceReading(x: Int32(shown.minX), y: Int32(shown.minY)))
            #expect(abs(place.x - (Double(x) + 0.5)) < 1e-9 && abs(place.y - (Double(y) + 0.5)) < 1e-9)
        }
    }

    @Test("a calibration applies before rotation, and keeps samples inside the picture")
    func calibration() throws {
        let panel = PixelSize(width: 800, height: 480)
        let mirrored = try Calibration.matrix("-1 0 1 0 1 0")
        let mapping = PanelMapping(x: axis(0, 799), y: axis(0, 479), panel: panel, calibration: mirrored)
        #expect(abs(mapping.position(of: DeviceReading(x: 0, y: 5)).x - 799.5) < 1e-9)
        // Mirrored left and right on the panel: on a picture rotated by 90 degrees, top and bottom.
        let turned = PanelMapping(
            x: axis(0, 799), y: axis(0, 479), panel: panel, rotation: .clockwise90, calibration: mirrored)
        let straight = PanelMapping(x: axis(0, 799), y: axis(0, 479), panel: panel, rotation: .clockwise90)
        let mirror = straight.position(of: DeviceReading(x: 799, y: 5))
        #expect(turned.position(of: DeviceReading(x: 0, y: 5)).distance(to: mirror) < 1e-9)
        let off = try Calibration.matrix("9 0 -4 0 9 -4")
        let wild = PanelMapping(
            x: axis(0, 799), y: axis(0, 479), panel: panel, rotation: .clockwise90, calibration: off)
        for x in stride(from: Int32(0), through: 799, by: 47) {
            let place = wild.position(of: DeviceReading(x: x, y: x / 2))
            #expect(place.x >= 0 && place.x < 480 && place.y >= 0 && place.y < 800)
        }
    }

    @Test("a calibration has six numbers, or nine with the row 0 0 1, and is invertible")
    func calibrationText() throws {
        #expect(try Calibration.matrix("1 0 0 0 1 0") == .identity)
        let turned = Transform(a: 0, b: -1, tx: 1, c: 1, d: 0, ty: 0)
        for text in [" 0\t-1 1 1 0 0\n", "0 -1 1 1 0 0 0 0 1", "0 -1 1\n1 0 0\n0.0 -0 1.000\n"] {
            #expect(try Calibration.matrix(text) == turned)
        }
    }

    @Test(
        "a text that is no calibration is refused with what is wrong with it",
        arguments: [
            ("", .count(0)), ("1", .count(1)), ("1 0 0 0 1", .count(5)), ("1 0 0 0 1 0 0", .count(7)),
            ("1 0 0 0 1 0 0 0", .count(8)), ("1 0 0 0 1 0 0 0 1 0", .count(10)),
            ("1 0 0 0 1 0 0 0 2", .lastRow("0 0 2")), ("1 0 0 0 1 0 0 1 0", .lastRow("0 1 0")),
            ("1 0 0 0 nan 0", .outOfRange("nan")), ("1 0 0 0 -inf 0", .outOfRange("-inf")),
            ("1 0 0 0 1e99 0", .outOfRange("1e99")), ("1 0 0 0 1 0 0 0 nan", .outOfRange("nan")),
            ("a b c d e f", .notANumber("a")), ("1, 0, 0, 0, 1, 0", .notANumber("1,")),
            ("0,5 0 0 0 0,5 0", .notANumber("0,5")), ("1;0;0;0;1;0", .notANumber("1;0;0;0;1;0")),
            ("0 0 0 0 0 0", .notInvertible), ("1 1 0 1 1 0 0 0 1", .notInvertible),
        ] as [(String, CalibrationError)])
    func noCalibration(text: String, expected: CalibrationError) {
        #expect(throws: expected) { try Calibration.matrix(text) }
    }

    @Test("pressure is 0...1 if there is an axis for it, else nil")
    func pressure() {
        let size = PixelSize(width: 10, height: 10)
        let with = PanelMapping(x: axis(0, 9), y: axis(0, 9), pressure: axis(0, 1023), panel: size)
        #expect(with.pressure(of: DeviceReading(x: 0, y: 0, pressure: 0)) == 0)
        #expect(with.pressure(of: DeviceReading(x: 0, y: 0, pressure: 1023)) == 1)
        #expect(with.pressure(of: DeviceReading(x: 0, y: 0, pressure: 9999)) == 1)
        #expect(with.pressure(of: DeviceReading(x: 0, y: 0)) == nil)
        let without = PanelMapping(x: axis(0, 9), y: axis(0, 9), panel: size)
        #expect(without.pressure(of: DeviceReading(x: 0, y: 0, pressure: 5)) == nil)
    }

    @Test("a multitouch panel is mapped by its multitouch axes, an unusable device not at all")
    func fromDevice() {
        let size = PixelSize(width: 800, height: 480)
        let mapping = PanelMapping(.multitouch(), panel: size)
        #expect(mapping?.position(of: DeviceReading(x: 799, y: 479)) == Point(x: 799.5, y: 479.5))
        #expect(PanelMapping(DeviceDescription(), panel: size) == nil)
    }
}
