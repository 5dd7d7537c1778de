// SPDX-License-Identifier: Apache-2.0
import Geometry
import Linux
import Touch

@testable import Panel

/// A touch device that reports no touches and ends after some time.
final class StillInput: TouchInput {
    let name = "still"
    var path: String? { nil }
    let description: DeviceDescription
    let dropCount = 0
    private var timer: Timer
    private let duration: Duration
    private var end = Timestamp.distantFuture

    init(_ description: DeviceDescription, for duration: Duration) throws(Errno) {
        self.description = description
        self.duration = duration
        timer = try Timer()
    }

    var descriptor: CInt { timer.number }

    func start() throws(Errno) {
        end = MonotonicClock.now + duration
        try timer.arm(at: end)
    }

    func read() throws(TouchError) -> TouchReading {
        timer.acknowledge()
        return TouchReading(frames: [], isFinished: MonotonicClock.now >= end)
    }
}
