// SPDX-License-Identifier: Apache-2.0
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
    private let microseconds: Int64
    private var end = Int64.max

    init(_ description: DeviceDescription, microseconds: Int64) throws(Errno) {
        self.description = description
        self.microseconds = microseconds
        timer = try Timer()
    }

    var descriptor: CInt { timer.number }

    func start() throws(Errno) {
        end = MonotonicClock.microseconds + microseconds
        try timer.arm(atMicroseconds: end)
    }

    func read() throws(TouchError) -> TouchReading {
        timer.acknowledge()
        return TouchReading(frames: [], isFinished: MonotonicClock.microseconds >= end)
    }
}
