// SPDX-License-Identifier: Apache-2.0
import Geometry
public import HostAPI
public import Record

extension HostStroke {
    /// Converts a stroke of a record with this header. Samples without a finite position are left out.
    public init(_ stroke: CaptureStroke, of header: CaptureHeader) {
        let screen = header.screen
        let area = screen.signingArea.map(Double.init)
        let corner = area.count == 4 ? (area[0], area[1]) : (0, 0)
        let device = header.devices.indices.contains(stroke.device) ? header.devices[stroke.device] : nil
        let map = header.map(of: stroke.device)
        let samples: [Sample] = stroke.samples.compactMap { sample in
            guard let place = map?.position(x: sample.x, y: sample.y) else { return nil }
            let (x, y) = (place.x - corner.0, place.y - corner.1)
            let perMillimetre = screen.pixelsPerMillimetre
            guard perMillimetre > 0, (x / perMillimetre).isFinite, (y / perMillimetre).isFinite else { return nil }
            return Sample(
                microseconds: sample.microseconds, x: x / perMillimetre, y: y / perMillimetre,
                pressure: sample.pressure.flatMap { device?.pressure?.share(of: $0) })
        }
        self.init(samples: samples)
    }
}
