// SPDX-License-Identifier: Apache-2.0
public import Geometry
public import Touch

/// A place of ink, within the signing area.
public struct InkPoint: Equatable, Sendable {
    /// As the kernel stamps reports; between those of its neighbours where the stroke crosses the area's edge.
    public var microseconds: Int64
    /// In pixels of the picture.
    public var position: Point
    /// 0...1 where the device measures it; where the stroke crosses the edge, between those of its neighbours.
    public var pressure: Double?
    /// What the device sent; nil where the stroke crosses the edge, which no report said.
    public var device: DeviceReading?

    init(_ sample: TouchSample) {
        microseconds = sample.microseconds
        position = sample.position
        pressure = sample.pressure
        device = sample.device
    }

    /// At `fraction` of the way between two reports.
    init(between a: TouchSample, _ b: TouchSample, _ fraction: Double, position: Point) {
        // Times of one contact: their difference is far below where it would not fit.
        let passed = Double(b.microseconds &- a.microseconds) * fraction
        microseconds = a.microseconds &+ Int64(passed)
        self.position = position
        if let first = a.pressure, let second = b.pressure { pressure = first + (second - first) * fraction }
    }
}
