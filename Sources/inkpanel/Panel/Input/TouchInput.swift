// SPDX-License-Identifier: Apache-2.0
import Geometry
import Linux
import Touch

/// Where a panel's reports come from: a device, or a recording of one played as if it were there. Main thread only.
protocol TouchInput: AnyObject {
    /// For logs.
    var name: String { get }
    /// In `/dev/input`; nil for what is no device.
    var path: String? { get }
    /// Axes and their ranges, for mapping them to the panel.
    var description: DeviceDescription { get }
    /// What udev has as its LIBINPUT_CALIBRATION_MATRIX; nil for none.
    var calibration: Transform? { get }
    /// Readable when reports wait.
    var descriptor: CInt { get }
    /// How often the kernel's buffer overran.
    var dropCount: Int { get }

    /// The first frame is on screen: reports are wanted from now on.
    func start() throws(Errno)

    /// Every report that waits, oldest first. Never blocks; asked also when none does, and before ``start()``, because
    /// all devices are read when one can be.
    func read() throws(TouchError) -> TouchReading
}

extension TouchInput {
    /// Of what is no device udev knows nothing.
    var calibration: Transform? { nil }
}

/// What ``TouchInput/read()`` found.
struct TouchReading {
    var frames: [TouchFrame]
    /// When the reports came into being, in microseconds, if that is not the time they carry: a recording's reports
    /// keep the pace of the hand, but exist from when the player hands them out, which a late timer delays.
    var handedOutMicroseconds: Int64?
    /// No report will come any more: a recording has been played to its end.
    var isFinished = false
}
