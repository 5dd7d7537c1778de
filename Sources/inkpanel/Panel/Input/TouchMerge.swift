// SPDX-License-Identifier: Apache-2.0
import Touch

/// The reports of several devices that were read together, in the order of their times; those of one device stay in
/// theirs.
struct TouchMerge {
    struct Report {
        let device: Int
        let frame: TouchFrame
        /// When it came into being; see ``TouchReading/handedOutMicroseconds``.
        let microseconds: Int64
    }

    private var readings: [(device: Int, reading: TouchReading, next: Int)] = []

    mutating func add(_ reading: TouchReading, of device: Int) { readings.append((device, reading, 0)) }

    /// Devices of which no report will come any more.
    var finished: [Int] { readings.filter(\.reading.isFinished).map(\.device) }

    /// The oldest report that has not been taken; of equally old ones that of the device which was added first.
    mutating func next() -> Report? {
        var oldest: Int?
        var time = Int64.max
        for (index, entry) in readings.enumerated() where entry.next < entry.reading.frames.count {
            let own = entry.reading.frames[entry.next].microseconds
            if oldest == nil || own < time { (oldest, time) = (index, own) }
        }
        guard let oldest else { return nil }
        let (device, reading, next) = readings[oldest]
        readings[oldest].next += 1
        let frame = reading.frames[next]
        return Report(
            device: device, frame: frame, microseconds: reading.handedOutMicroseconds ?? frame.microseconds)
    }
}
