// SPDX-License-Identifier: Apache-2.0
public import Geometry

/// An event of a contact: `down` or `resume`, any number of `motion`, then one `up`, `retire` or `cancel`.
public enum TouchEvent: Equatable, Sendable {
    case down(TouchSample)
    /// Like `down`, for a contact that was down when events were lost and then ended with an `up`. It may only continue
    /// what it did: if it was ignored, it still is.
    case resume(TouchSample)
    case motion(TouchSample)
    /// Lifted, at the sample's time; the position is that of the previous sample.
    case up(TouchSample)
    /// Counts no more until it lifts, because its device is gone, or because it rests and another contact has come
    /// down. What it drew stays, and it presses nothing. The sample is as for `up`.
    case retire(TouchSample)
    /// Remove what the contact drew: it is a palm, the hand that holds a pen, or has only rested. The sample is as for
    /// `up`.
    case cancel(TouchSample)

    public var sample: TouchSample {
        switch self {
        case .down(let sample), .resume(let sample), .motion(let sample), .up(let sample), .retire(let sample),
            .cancel(let sample):
            sample
        }
    }
}

/// One report of a contact, in the picture.
public struct TouchSample: Equatable, Sendable {
    /// The contact's number, unique among all devices while it lasts, and unchanged if it resumes after lost events.
    public var contact: Int32
    /// The kernel's time, in microseconds of the device's clock; may repeat or run backwards.
    public var microseconds: Int64
    /// Pixels of the picture, `0 <= x < width` and `0 <= y < height`; the centre of the first pixel is 0.5.
    public var position: Point
    /// 0...1; nil if the device does not measure it.
    public var pressure: Double?
    /// The values as the device sent them; nil for a point between two reports, where the pad cuts a stroke.
    public var device: DeviceReading?
    /// The contact has rested too long for its reports to be a person's doing (``ContactGate``).
    public var isResting = false

    public init(
        contact: Int32, microseconds: Int64, position: Point, pressure: Double?, device: DeviceReading?
    ) {
        self.contact = contact
        self.microseconds = microseconds
        self.position = position
        self.pressure = pressure
        self.device = device
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

    public func sample(_ reading: DeviceReading, of contact: Int32, at microseconds: Int64) -> TouchSample {
        // Values of an axis of two are not measurements and must not be recorded as such.
        var measured = reading
        if pressureAxis == nil { measured.pressure = nil }
        return TouchSample(
            contact: contact, microseconds: microseconds, position: position(of: reading),
            pressure: pressure(of: reading), device: measured)
    }
}
