// SPDX-License-Identifier: Apache-2.0
import CAllocations
import Geometry
import Touch

/// How often the noise filters ask for memory while contacts go on, lift and come down again.
struct NoiseAllocations {
    private var filter = NoiseFilter(
        NoiseSettings(["debounce", "evthres:5", "skip:2,2", "median:9", "dejitter"])!, density: .standard)
    private var told: [TouchEvent] = []
    /// One batch, as the gate hands them out: built once, changed in place.
    private var touches: [TouchEvent] = []
    private var name: Int32 = 0

    init() { told.reserveCapacity(64) }

    /// - Returns: how often, once the first contacts have been.
    mutating func count(contacts: Int, reports: Int) -> Int {
        for _ in 0..<4 { stroke(reports) }
        let before = allocation_count()
        for _ in 0..<contacts { stroke(reports) }
        return Int(allocation_count() - before)
    }

    private mutating func stroke(_ reports: Int) {
        name += 1
        for number in 0...reports {
            let x = Double(number % 700)
            let event = TouchEvent(
                number == 0 ? .began : number == reports ? .ended : .moved, contact: name,
                sample: Sample(
                    time: Timestamp(microseconds: Int64(name) * 10_000_000 + Int64(number) * 8000),
                    position: Point(x: x, y: 100)),
                reading: DeviceReading(x: Int32(number), y: 100))
            touches.removeAll(keepingCapacity: true)
            touches.append(event)
            told.removeAll(keepingCapacity: true)
            filter.update(with: touches, into: &told)
        }
    }
}
