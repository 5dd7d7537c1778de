// SPDX-License-Identifier: Apache-2.0
import Linux
import Touch

/// Reports of a recording, played as if its device were there: the same events through the same slot tracker.
final class RecordingInput: TouchInput {
    let name: String
    var path: String? { nil }
    let description: DeviceDescription
    private let recording: Recording
    private let pace: RecordingPlayer.Pace
    private let timer: Timer
    private var tracker: SlotTracker
    private var player: RecordingPlayer?

    /// - Parameters:
    ///   - name: for messages; a path.
    /// - Throws: ``CommandError`` when the recording is of a device that cannot draw.
    init(_ recording: Recording, name: String, pace: RecordingPlayer.Pace) throws {
        guard let tracker = SlotTracker(recording.device) else {
            throw CommandError(TouchError.unusable(path: name, device: recording.device))
        }
        self.recording = recording
        self.name = "recording of \(recording.device.name) (\(name))"
        self.pace = pace
        self.tracker = tracker
        description = recording.device
        timer = try Timer()
    }

    var descriptor: CInt { timer.number }
    /// The recorder's, if it was too slow.
    var dropCount: Int { tracker.dropCount }

    func start() throws(Errno) {
        let now = MonotonicClock.microseconds
        player = RecordingPlayer(recording, startMicroseconds: now, pace: pace)
        try timer.arm(at: now * 1000)
    }

    func read() throws(TouchError) -> TouchReading {
        timer.acknowledge()
        let now = MonotonicClock.microseconds
        var frames: [TouchFrame] = []
        while let due = player?.dueMicroseconds {
            if due > now {
                do {
                    try timer.arm(at: due * 1000)
                } catch {
                    throw .readFailed(path: name, error)
                }
                return TouchReading(frames: frames, handedOutMicroseconds: now)
            }
            guard let report = player?.next() else { break }
            for event in report {
                if let frame = tracker.update(with: event) { frames.append(frame) }
            }
        }
        // A recording may stop while a finger is down.
        if let last = tracker.endAll(at: now) { frames.append(last) }
        return TouchReading(frames: frames, handedOutMicroseconds: now, isFinished: player != nil)
    }
}

extension TouchError {
    /// Why a recorded device cannot draw.
    static func unusable(path: String, device: DeviceDescription) -> TouchError {
        guard case .unusable(let reason) = device.kind else {
            return .unusable(path: path, name: device.name, reason: "cannot be read")
        }
        return .unusable(path: path, name: device.name, reason: reason)
    }
}
