// SPDX-License-Identifier: Apache-2.0
import Record
import Touch

/// The stroke that is being drawn.
struct OpenStroke {
    private(set) var measure: InkMeasure
    /// Only what the device sent.
    private(set) var samples: [CaptureStroke.Sample] = []
    /// The device's number.
    private(set) var device = 0
    private let start: Int64

    /// - Parameter start: what the times of the record's samples count from.
    init(first point: InkPoint, start: Int64) {
        measure = InkMeasure(first: point)
        self.start = start
        keep(point)
    }

    mutating func add(_ point: InkPoint) {
        measure.add(point)
        keep(point)
    }

    private mutating func keep(_ point: InkPoint) {
        guard let device = point.device else { return }
        // The same for all: a contact is one device's.
        self.device = device.device
        samples.append(
            CaptureStroke.Sample(
                microseconds: point.microseconds &- start, x: device.x, y: device.y, pressure: device.pressure))
    }
}
