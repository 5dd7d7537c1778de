// SPDX-License-Identifier: Apache-2.0
public import Geometry

/// A report of a contact that may draw, in the picture. One `began` or `resumed`, any number of `moved`, then one
/// `ended`, `retired` or `cancelled`. The sample of an end has its time, and the position of the report before.
public struct TouchEvent: Equatable, Sendable {
    /// The contact's number, unique among all devices while it lasts, and unchanged if it resumes after lost events.
    public var contact: Int32
    public var phase: Contact.Phase
    /// Within the picture: `0 <= x < width` and `0 <= y < height`; the centre of the first pixel is 0.5. The time is
    /// of the device's clock.
    public var sample: Sample
    /// The values as the device sent them.
    public var reading: DeviceReading
    /// The contact has rested too long for its reports to be a person's doing (``ContactGate``).
    public var isResting: Bool
    /// The contact came down beside another that has turned out to be noise: it may own the page now.
    public var mayTakeOver: Bool

    public init(
        _ phase: Contact.Phase, contact: Int32, sample: Sample, reading: DeviceReading, isResting: Bool = false,
        mayTakeOver: Bool = false
    ) {
        self.contact = contact
        self.phase = phase
        self.sample = sample
        self.reading = reading
        self.isResting = isResting
        self.mayTakeOver = mayTakeOver
    }
}

/// Maps a device's readings to samples in the picture: device units to 0...1 of the digitizer, then the calibration,
/// then the rotation, then pixels.
///
/// A digitizer is glued to the panel, so its axes are those of the panel, however the picture is rotated
/// (INPUT_PROP_DIRECT in the kernel's documentation).
public struct PanelMapping: Equatable, Sendable {
    /// The map of positions, which records keep.
    public let map: PictureMap
    private let pressureAxis: AxisInfo?

    /// - Parameters:
    ///   - pressure: nil if the device does not measure it; samples then have none.
    ///   - panel: the panel's size as its driver reports it, before rotation; at least 1x1.
    ///   - calibration: for a digitizer that is not aligned with its panel, in 0...1 of the panel.
    public init(
        x: AxisInfo, y: AxisInfo, pressure: AxisInfo? = nil, panel: PixelSize, rotation: Rotation = .none,
        calibration: Transform = .identity
    ) {
        pressureAxis = pressure
        let picture = rotation.pictureSize(onPanel: panel)
        let pixels = calibration.then(rotation.panelToPicture)
            .then(.scale(x: Double(picture.width), y: Double(picture.height)))
        // Divides last, so that a digitizer with a unit for each pixel has whole factors.
        let (a, b) = (pixels.a / x.cellCount, pixels.b / y.cellCount)
        let (c, d) = (pixels.c / x.cellCount, pixels.d / y.cellCount)
        let (left, top) = (0.5 - Double(x.minimum), 0.5 - Double(y.minimum))
        map = PictureMap(
            transform: Transform(
                a: a, b: b, tx: pixels.tx + a * left + b * top, c: c, d: d, ty: pixels.ty + c * left + d * top),
            picture: picture)
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

    /// The position in the picture; always inside it and finite.
    public func position(of reading: DeviceReading) -> Point { map.position(x: reading.x, y: reading.y) }

    /// 0...1, or nil if the device does not measure it.
    public func pressure(of reading: DeviceReading) -> Double? {
        guard let pressureAxis, let pressure = reading.pressure else { return nil }
        return pressureAxis.fraction(of: pressure)
    }

    public func sample(_ reading: DeviceReading, at time: Timestamp) -> Sample {
        Sample(time: time, position: position(of: reading), pressure: pressure(of: reading))
    }

    /// The measured values of a reading. The values of an axis of two are not measurements.
    func measured(_ reading: DeviceReading) -> DeviceReading {
        var measured = reading
        if pressureAxis == nil { measured.pressure = nil }
        return measured
    }
}
