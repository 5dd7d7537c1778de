// SPDX-License-Identifier: Apache-2.0
package import Geometry
package import Linux

/// A source of touch frames: a device, or a recording played as if its device were there. Main thread only.
package protocol TouchInput: AnyObject {
    /// A name for logs.
    var name: String { get }
    /// The device's node, or nil for a recording.
    var path: String? { get }
    var description: DeviceDescription { get }
    /// udev's LIBINPUT_CALIBRATION_MATRIX, or nil.
    var calibration: Transform? { get }
    /// Readable when reports wait.
    var descriptor: CInt { get }
    /// How often the kernel's buffer overran.
    var dropCount: Int { get }

    /// Starts the reports. Called when the first frame is on screen.
    func start() throws(Errno)

    /// Reads every waiting report, the oldest first. Never blocks. May be called when none waits, and before
    /// ``start()``, because all inputs are read when one is readable.
    func read() throws(TouchError) -> TouchReading
}

extension TouchInput {
    package var calibration: Transform? { nil }
}

/// The result of ``TouchInput/read()``.
package struct TouchReading {
    package var frames: [TouchFrame]
    /// When the reports became available, if that differs from their own times: a recording's reports
    /// keep their original intervals, but a late timer delays them.
    package var handedOut: Timestamp?
    /// Whether a recording has ended.
    package var isFinished: Bool
    /// Whether the contacts that are down have ended after the frames, because a virtual panel's client has gone.
    package var isInterrupted: Bool

    package init(
        frames: [TouchFrame], handedOut: Timestamp? = nil, isFinished: Bool = false, isInterrupted: Bool = false
    ) {
        self.frames = frames
        self.handedOut = handedOut
        self.isFinished = isFinished
        self.isInterrupted = isInterrupted
    }
}

/// A device in `/dev/input`.
package final class DeviceInput: TouchInput {
    /// libinput's property, so that one udev rule serves a desktop and this program.
    private static let property = "LIBINPUT_CALIBRATION_MATRIX"

    private var device: TouchDevice
    package let calibration: Transform?

    /// - Throws: errors of ``TouchDevice``. Limitations go to the log.
    package init(path: String, log: Log) throws(TouchError) {
        device = try TouchDevice(path: path)
        for warning in device.warnings { log.warning(warning, .device(device.description.name)) }
        guard let text = UdevDevice(node: path)?.property(Self.property) else {
            calibration = nil
            return
        }
        do throws(CalibrationError) {
            calibration = try Calibration.matrix(text)
        } catch {
            calibration = nil
            log.warning("udev's \(Self.property) of \(path) is ignored: \(error)", .device(device.description.name))
        }
    }

    package var name: String { "\(device.description.name) (\(device.path))" }
    package var path: String? { device.path }
    package var description: DeviceDescription { device.description }
    package var descriptor: CInt { device.descriptor }
    package var dropCount: Int { device.dropCount }
    /// Whether no other program receives the touches.
    package var isExclusive: Bool { device.isExclusive }

    /// Does nothing: a device reports by itself.
    package func start() throws(Errno) {}

    package func read() throws(TouchError) -> TouchReading { TouchReading(frames: try device.read()) }
}

/// A recording, played as if its device were there: the same events through the same slot tracker.
package final class RecordingInput: TouchInput {
    package let name: String
    package var path: String? { nil }
    package let description: DeviceDescription
    private let recording: Recording
    private let pace: RecordingPlayer.Pace
    private var timer: Timer
    private var tracker: SlotTracker
    private var player: RecordingPlayer?

    /// - Parameter name: for messages; a path.
    /// - Throws: ``TouchError`` if the recorded device cannot draw, or ``Errno``.
    package init(_ recording: Recording, name: String, pace: RecordingPlayer.Pace) throws {
        guard let tracker = SlotTracker(recording.device) else {
            throw TouchError.unusable(path: name, device: recording.device)
        }
        self.recording = recording
        self.name = "recording of \(recording.device.name) (\(name))"
        self.pace = pace
        self.tracker = tracker
        description = recording.device
        timer = try Timer()
    }

    package var descriptor: CInt { timer.number }
    /// Drops in the recording.
    package var dropCount: Int { tracker.dropCount }

    package func start() throws(Errno) {
        let now = MonotonicClock.now
        player = RecordingPlayer(recording, from: now, pace: pace)
        try timer.arm(at: now)
    }

    package func read() throws(TouchError) -> TouchReading {
        timer.acknowledge()
        let now = MonotonicClock.now
        var frames: [TouchFrame] = []
        while let due = player?.due {
            if due > now {
                do {
                    try timer.arm(at: due)
                } catch {
                    throw .readFailed(path: name, error)
                }
                return TouchReading(frames: frames, handedOut: now)
            }
            guard let report = player?.next() else { break }
            for event in report {
                if let frame = tracker.update(with: event) { frames.append(frame) }
            }
        }
        // A recording may stop while a finger is down.
        if let last = tracker.endAll(at: now) { frames.append(last) }
        return TouchReading(frames: frames, handedOut: now, isFinished: player != nil)
    }
}

extension TouchError {
    /// The error for a recorded device that cannot draw.
    static func unusable(path: String, device: DeviceDescription) -> TouchError {
        guard case .unusable(let reason) = device.kind else {
            return .unusable(path: path, name: device.name, reason: "cannot be read")
        }
        return .unusable(path: path, name: device.name, reason: reason)
    }
}

/// Orders the reports of several devices that were read together by time. Reports of one device keep their order.
package struct TouchMerge {
    private var readings: [(device: Int, reading: TouchReading, next: Int)] = []

    package init() {}

    package mutating func add(_ reading: TouchReading, of device: Int) { readings.append((device, reading, 0)) }

    /// Devices that will not report again.
    package var finished: [Int] { readings.filter(\.reading.isFinished).map(\.device) }
    /// Devices whose contacts have ended after the reports.
    package var interrupted: [Int] { readings.filter(\.reading.isInterrupted).map(\.device) }

    /// The next report by time; if several are equally old, that of the device added first.
    package mutating func next() -> (device: Int, frame: TouchFrame, reported: Timestamp)? {
        var oldest: Int?
        var time = Timestamp.distantFuture
        for (index, entry) in readings.enumerated() where entry.next < entry.reading.frames.count {
            let own = entry.reading.frames[entry.next].time
            if oldest == nil || own < time { (oldest, time) = (index, own) }
        }
        guard let oldest else { return nil }
        let (device, reading, next) = readings[oldest]
        readings[oldest].next += 1
        let frame = reading.frames[next]
        return (device, frame, reading.handedOut ?? frame.time)
    }
}
