// SPDX-License-Identifier: Apache-2.0
import Geometry
import Ink
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
            case .action, .flow, .spoken: nil
            }
        }
    }

    /// The device at an index in the header; nil for any other number.
    func device(_ index: Int) -> CaptureDevice? {
        header.devices.indices.contains(index) ? header.devices[index] : nil
    }

    /// The pressure axis of a device; nil if it has no range, or if the pressures of the device in `strokes` are not
    /// measured.
    /// - Parameter device: the index in the header.
    func measuredPressure(of device: Int, in strokes: [CaptureStroke]) -> CaptureDevice.Axis? {
        guard let axis = self.device(device)?.pressure, axis.minimum < axis.maximum else { return nil }
        var pressures = MeasuredPressure()
        for sample in strokes.lazy.filter({ $0.device == device }).flatMap(\.samples) {
            pressures.add(sample.pressure.map(axis.share))
        }
        return pressures.isMeasured ? axis : nil
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

/// Positions and sizes of a record, with checks: records come from disk, and all formats need finite numbers.
struct CapturePlane {
    private let maps: [PictureMap]
    /// nil if the record does not have it, or if it is out of range.
    let density: PixelDensity?
    /// The whole screen in pixels.
    let screenBounds: Rect
    /// The part that takes ink, in pixels; nil if it is invalid.
    let signingArea: Rect?

    init(_ header: CaptureHeader) throws(ExportError) {
        maps = header.devices.indices.compactMap { header.map(of: $0) }
        guard maps.count == header.devices.count else { throw .noPlaces }
        let screen = header.screen
        screenBounds = Rect(minX: 0, minY: 0, maxX: Double(screen.width), maxY: Double(screen.height))
        density = PixelDensity(pixelsPerMillimetre: screen.pixelsPerMillimetre)
        let (area, most) = (screen.signingArea, CaptureHeader.sideRange.upperBound)
        if area.count == 4, area.allSatisfy((-most...most).contains), area[2] > 0, area[3] > 0 {
            signingArea = PixelRect(minX: area[0], minY: area[1], maxX: area[0] + area[2], maxY: area[1] + area[3]).rect
        } else {
            signingArea = nil
        }
    }

    /// The map that the screen used.
    /// - Parameter device: the index in the header.
    func map(of device: Int) throws(ExportError) -> PictureMap {
        guard maps.indices.contains(device) else { throw .noPlaces }
        return maps[device]
    }

    /// The position in pixels of the screen.
    /// - Parameter device: the index in the header.
    func position(x: Int32, y: Int32, of device: Int) throws(ExportError) -> Point {
        try map(of: device).position(x: x, y: y)
    }

    func position(_ sample: CaptureStroke.Sample, of device: Int) throws(ExportError) -> Point {
        try position(x: sample.x, y: sample.y, of: device)
    }
}
