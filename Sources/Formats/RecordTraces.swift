// SPDX-License-Identifier: Apache-2.0
import Geometry
import Record

extension CaptureRecord {
    /// The visible strokes, and the movement in the air between the first and the last of them, in the order of the
    /// record.
    var traces: [CaptureTrace] {
        let visible = visibleEntries
        guard let first = visible.first, let last = visible.last else { return [] }
        let wanted = Set(visible)
        return (first...last).compactMap { index in
            switch entries[index] {
            case .stroke(let stroke): wanted.contains(index) ? .stroke(stroke) : nil
            case .inAir(let movement): .inAir(movement)
            case .action: nil
            }
        }
    }

    /// The device at an index in the header; nil for any other number.
    func device(_ index: Int) -> CaptureDevice? {
        header.devices.indices.contains(index) ? header.devices[index] : nil
    }

    /// The pressure axis of a device; nil if it has no range, or if no sample of `strokes` has a pressure of the
    /// device.
    /// - Parameter device: the index in the header.
    func measuredPressure(of device: Int, in strokes: [CaptureStroke]) -> CaptureDevice.Axis? {
        guard let axis = self.device(device)?.pressure, axis.minimum < axis.maximum else { return nil }
        return strokes.contains { $0.device == device && $0.samples.contains { $0.pressure != nil } } ? axis : nil
    }
}

/// A movement of a pen on the page or above it.
enum CaptureTrace {
    case stroke(CaptureStroke)
    case inAir(CaptureInAir)

    /// The index in the header.
    var device: Int {
        switch self {
        case .stroke(let stroke): stroke.device
        case .inAir(let movement): movement.device
        }
    }

    var isDown: Bool { if case .stroke = self { true } else { false } }

    /// Without pressure in the air.
    var samples: [CaptureStroke.Sample] {
        switch self {
        case .stroke(let stroke): stroke.samples
        case .inAir(let movement): movement.samples.map { .init(microseconds: $0.microseconds, x: $0.x, y: $0.y) }
        }
    }
}

/// Converts device units to positions on the screen, with checks: records come from disk, and all formats need finite
/// numbers.
struct CapturePlane {
    /// The maximum distance from the corner of the screen, in pixels. Bounded numbers need no further checks.
    private static let farthest = 1e6

    private let screen: CaptureScreen
    private let devices: [CaptureDevice]
    /// nil if the record does not have it, or if it is out of range.
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

    /// The position in pixels of the screen.
    /// - Parameter device: the index in the header.
    func position(x: Int32, y: Int32, of device: Int) throws(ExportError) -> Point {
        // NaN fails these comparisons.
        guard devices.indices.contains(device), let point = devices[device].position(x: x, y: y),
            abs(point.x) <= Self.farthest, abs(point.y) <= Self.farthest
        else { throw .noPlaces }
        return point
    }

    func position(_ sample: CaptureStroke.Sample, of device: Int) throws(ExportError) -> Point {
        try position(x: sample.x, y: sample.y, of: device)
    }

    /// The whole screen in pixels; nil if its size is invalid.
    var screenBounds: Rect? {
        let range = 1...Int(Self.farthest)
        guard range.contains(screen.width), range.contains(screen.height) else { return nil }
        return Rect(minX: 0, minY: 0, maxX: Double(screen.width), maxY: Double(screen.height))
    }

    /// The part that takes ink, in pixels; nil if it is invalid.
    var signingArea: Rect? {
        let area = screen.signingArea
        let range = Int(-Self.farthest)...Int(Self.farthest)
        guard area.count == 4, area.allSatisfy(range.contains), area[2] > 0, area[3] > 0 else { return nil }
        return PixelRect(minX: area[0], minY: area[1], maxX: area[0] + area[2], maxY: area[1] + area[3]).rect
    }
}
