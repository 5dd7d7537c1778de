// SPDX-License-Identifier: Apache-2.0
import Geometry
public import Record

/// A finished stroke as a host is told of it.
public struct HostStroke: Equatable, Sendable {
    public struct Sample: Equatable, Sendable {
        /// Since the start of the capture.
        public var microseconds: Int64
        /// Millimetres from the upper left corner of the signing area, y down.
        public var x, y: Double
        /// 0...1 along the device's axis; nil where none was measured.
        public var pressure: Double?

        public init(microseconds: Int64, x: Double, y: Double, pressure: Double? = nil) {
            self.microseconds = microseconds
            self.x = x
            self.y = y
            self.pressure = pressure
        }
    }

    public var samples: [Sample]

    public init(samples: [Sample]) { self.samples = samples }

    /// A stroke of a record with this header. A sample that has no place is left out.
    public init(_ stroke: CaptureStroke, of header: CaptureHeader) {
        let screen = header.screen
        let area = screen.signingArea.map(Double.init)
        let corner = area.count == 4 ? (area[0], area[1]) : (0, 0)
        let device = header.devices.indices.contains(stroke.device) ? header.devices[stroke.device] : nil
        samples = stroke.samples.compactMap { sample in
            guard let place = device?.position(x: sample.x, y: sample.y) else { return nil }
            let (x, y) = (place.x - corner.0, place.y - corner.1)
            let perMillimetre = screen.pixelsPerMillimetre
            guard perMillimetre > 0, (x / perMillimetre).isFinite, (y / perMillimetre).isFinite else { return nil }
            return Sample(
                microseconds: sample.microseconds, x: x / perMillimetre, y: y / perMillimetre,
                pressure: sample.pressure.flatMap { device?.pressure?.share(of: $0) })
        }
    }
}
