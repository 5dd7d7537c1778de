// SPDX-License-Identifier: Apache-2.0
import Geometry
import Record

/// Where the samples of a record lie on its screen, checked: records come from disk, and every format wants numbers
/// that are some.
struct CapturePlane {
    /// Pixels from the screen's corner. No screen is this large, and bounded numbers need no more care.
    private static let farthest = 1e6

    private let screen: CaptureScreen
    private let devices: [CaptureDevice]
    /// Nil where the record does not tell, or tells what is no screen's.
    let density: PixelDensity?

    init(_ header: CaptureHeader) throws(ExportError) {
        for device in header.devices {
            guard device.transform.count == 6, device.transform.allSatisfy(\.isFinite) else { throw .noPlaces }
        }
        screen = header.screen
        devices = header.devices
        let dotsPerInch = screen.pixelsPerMillimetre * 25.4
        density =
            PixelDensity.dotsPerInchRange.contains(dotsPerInch) ? PixelDensity(dotsPerInch: dotsPerInch) : nil
    }

    /// In pixels of the screen.
    /// - Parameter device: its place in the header.
    func position(x: Int32, y: Int32, of device: Int) throws(ExportError) -> Point {
        // Written so that NaN fails it.
        guard devices.indices.contains(device), let point = devices[device].position(x: x, y: y),
            abs(point.x) <= Self.farthest, abs(point.y) <= Self.farthest
        else { throw .noPlaces }
        return point
    }

    func position(_ sample: CaptureStroke.Sample, of device: Int) throws(ExportError) -> Point {
        try position(x: sample.x, y: sample.y, of: device)
    }

    /// The whole screen in pixels; nil where its size is none.
    var screenBounds: Rect? {
        let range = 1...Int(Self.farthest)
        guard range.contains(screen.width), range.contains(screen.height) else { return nil }
        return Rect(minX: 0, minY: 0, maxX: Double(screen.width), maxY: Double(screen.height))
    }

    /// The part that takes ink in pixels; nil where the record does not tell.
    var signingArea: Rect? {
        let area = screen.signingArea
        let range = Int(-Self.farthest)...Int(Self.farthest)
        guard area.count == 4, area.allSatisfy(range.contains), area[2] > 0, area[3] > 0 else { return nil }
        return PixelRect(minX: area[0], minY: area[1], maxX: area[0] + area[2], maxY: area[1] + area[3]).rect
    }
}
