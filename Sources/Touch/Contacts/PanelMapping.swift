// SPDX-License-Identifier: Apache-2.0
public import Geometry

/// From device units to pixels of the picture.
///
/// A digitizer is glued to the panel, so its axes are the panel's whatever way the picture is turned
/// (INPUT_PROP_DIRECT in the kernel's documentation): device units, then 0...1 of the panel, then the calibration, then
/// the rotation, then pixels.
public struct PanelMapping: Equatable, Sendable {
    private let x: AxisInfo
    private let y: AxisInfo
    private let pressureAxis: AxisInfo?
    /// From 0...1 of the digitizer to 0...1 of the picture.
    private let toPicture: Transform
    public let picture: PixelSize

    /// - Parameters:
    ///   - pressure: nil where the device measures none; samples then have none.
    ///   - panel: the panel's size as its driver gives it, before rotation; at least 1x1.
    ///   - calibration: for a digitizer that is not aligned with its panel, in 0...1 of the panel.
    public init(
        x: AxisInfo, y: AxisInfo, pressure: AxisInfo? = nil, panel: PixelSize, rotation: Rotation = .none,
        calibration: Transform = .identity
    ) {
        self.x = x
        self.y = y
        pressureAxis = pressure
        toPicture = calibration.then(rotation.panelToPicture)
        picture = rotation.pictureSize(onPanel: panel)
    }

    /// The mapping for a device, or nil if it is unusable.
    public init?(
        _ device: DeviceDescription, panel: PixelSize, rotation: Rotation = .none, calibration: Transform = .identity
    ) {
        guard let axes = device.positionAxes else { return nil }
        self.init(
            x: axes.x, y: axes.y, pressure: device.pressureAxis, panel: panel, rotation: rotation,
            calibration: calibration)
    }

    /// From device units to pixels of the picture, as ``position(of:)`` for readings within the axes.
    public var transform: Transform {
        let cells = Transform(
            a: x.cellWidth, b: 0, tx: (0.5 - Double(x.minimum)) * x.cellWidth, c: 0, d: y.cellWidth,
            ty: (0.5 - Double(y.minimum)) * y.cellWidth)
        return cells.then(toPicture).then(.scale(x: Double(picture.width), y: Double(picture.height)))
    }

    /// The place in the picture; always inside it and finite.
    public func position(of reading: DeviceReading) -> Point {
        let place = toPicture.apply(Point(x: x.cellCentre(of: reading.x), y: y.cellCentre(of: reading.y)))
        return Point(x: pixels(place.x, picture.width), y: pixels(place.y, picture.height))
    }

    /// 0...1, or nil where the device measures none.
    public func pressure(of reading: DeviceReading) -> Double? {
        guard let pressureAxis, let pressure = reading.pressure else { return nil }
        return pressureAxis.fraction(of: pressure)
    }

    public func sample(_ reading: DeviceReading, at microseconds: Int64) -> TouchSample {
        // What an axis of two values sends is no measurement, and is not to be taken for one later.
        var measured = reading
        if pressureAxis == nil { measured.pressure = nil }
        return TouchSample(
            microseconds: microseconds, position: position(of: reading), pressure: pressure(of: reading),
            device: measured)
    }

    /// Below `size`, so that rounding down always names a pixel; 0 for what a calibration makes of no number.
    private func pixels(_ fraction: Double, _ size: Int) -> Double {
        let end = Double(max(size, 1))
        let value = fraction * end
        return value > 0 ? min(value, end.nextDown) : 0
    }
}
