// SPDX-License-Identifier: Apache-2.0
public import Geometry
public import Linux

/// A device and its events: an evemu recording (formats 1.0 to 1.3, gitlab.freedesktop.org/libevdev/evemu).
public struct Recording: Equatable, Sendable {
    /// Bytes. evemu writes lines of about 80 bytes, and names have at most 80.
    public static let lineLimit = 4096
    /// 32 MB in memory, and a quarter of an hour of a device with 500 reports a second.
    public static let eventLimit = 2_000_000
    public static let byteLimit = 256 << 20

    public var device: DeviceDescription
    /// The events in the order of the file. Times have an arbitrary origin and may run backwards.
    public var events: [InputEvent]

    public init(device: DeviceDescription, events: [InputEvent]) {
        self.device = device
        self.events = events
    }

    /// Reads a recording. If it lacks a description of the device, that comes from a file beside it: old recordings
    /// named `Device.gesture.events` keep it in `Device.desc` or `Device.device`.
    ///
    /// Blocks while reading; not for the thread that draws.
    public init(path: String) throws(RecordingError) {
        var parser = RecordingParser(path: path)
        try parser.parseFile()
        guard !parser.events.isEmpty else { throw .noEvents(path: path) }
        events = parser.events
        if let device = parser.device {
            self.device = device
        } else {
            device = try Recording.descriptionBeside(path)
        }
    }

    /// Reads a recording that contains its description.
    /// - Parameter name: for error messages.
    public init(bytes: [UInt8], name: String) throws(RecordingError) {
        var parser = RecordingParser(path: name)
        var rest = bytes[...]
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            try parser.parse(rest[..<end])
            rest = rest[(end + 1)...]
        }
        if !rest.isEmpty { try parser.parse(rest) }
        guard !parser.events.isEmpty else { throw .noEvents(path: name) }
        guard let device = parser.device else { throw .noDescription(path: name, tried: []) }
        self.init(device: device, events: parser.events)
    }

    /// All frames. A contact still down at the end of the recording ends there. Empty for an unusable device.
    public func frames() -> [TouchFrame] {
        guard var tracker = SlotTracker(device) else { return [] }
        var frames = events.compactMap { tracker.update(with: $0) }
        if let last = tracker.endAll(at: events.last?.time ?? .zero) { frames.append(last) }
        return frames
    }

    private static func descriptionBeside(_ path: String) throws(RecordingError) -> DeviceDescription {
        let tried = descriptionPaths(for: path)
        for candidate in tried {
            var parser = RecordingParser(path: candidate)
            do throws(RecordingError) { try parser.parseFile() } catch {
                if error == .cannotOpen(path: candidate, .noSuchFile) { continue }
                throw error
            }
            if let device = parser.device { return device }
        }
        throw .noDescription(path: path, tried: tried)
    }

    /// Possible paths of a recording's description: its name without the last part after a dot, without the last two,
    /// and so on.
    static func descriptionPaths(for path: String) -> [String] {
        var paths: [String] = []
        let folderEnd = path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex
        var stem = path[folderEnd...]
        while let dot = stem.lastIndex(of: "."), dot > stem.startIndex {
            stem = stem[..<dot]
            for suffix in [".desc", ".device"] {
                let candidate = path[..<folderEnd] + stem + suffix
                if candidate != path { paths.append(String(candidate)) }
            }
        }
        return paths
    }
}

/// Plays a recording: says when each report is due, and returns it. The caller has the clock: arm a timer for ``due``,
/// call ``next()`` when it fires, until that is nil.
public struct RecordingPlayer: Sendable {
    public enum Pace: Equatable, Sendable {
        /// The recorded intervals.
        case recorded
        /// Everything is due at once. The events keep the recorded intervals, so the ink's speed is that of the hand.
        case immediate
        /// This many times as fast as recorded; 0 and less is ``immediate``.
        case factor(Double)
    }

    /// When the next report is due, on the caller's clock; never earlier than the previous one. nil at the end.
    public private(set) var due: Timestamp?

    private let events: [InputEvent]
    private let start: Timestamp
    private let pace: Pace
    private let longestPause: Duration
    private var position = 0
    private var end = 0

    /// - Parameters:
    ///   - start: when the first report is due.
    ///   - longestPause: on the caller's clock. Longer intervals are cut to this: a recording during which the clock
    ///     was set could otherwise pause for years.
    public init(
        _ recording: Recording, from start: Timestamp, pace: Pace = .recorded,
        longestPause: Duration = .seconds(10)
    ) {
        events = recording.events
        self.start = start
        self.pace = pace
        self.longestPause = max(longestPause, .zero)
        end = reportEnd(from: 0)
        due = events.isEmpty ? nil : start
    }

    /// The next report, up to its SYN_REPORT; events after the last SYN_REPORT form the last.
    /// - Returns: events with times shifted so that the recording begins at the start; nil at the end.
    public mutating func next() -> [InputEvent]? {
        guard position < events.count, let due else { return nil }
        let shift = start - events[0].time
        let report = events[position..<end].map { event in
            var event = event
            event.time += shift
            return event
        }
        let time = events[end - 1].time
        position = end
        end = reportEnd(from: position)
        self.due = position < events.count ? due + wait(events[end - 1].time - time) : nil
        return report
    }

    /// The time between two reports at this pace; 0 if time ran backwards.
    private func wait(_ interval: Duration) -> Duration {
        guard interval > .zero else { return .zero }
        switch pace {
        case .immediate: return .zero
        case .recorded: return min(interval, longestPause)
        case .factor(let factor):
            let wait = interval.seconds / factor
            // NaN and infinity fail the comparison.
            guard factor > 0, wait >= 0 else { return .zero }
            return wait < longestPause.seconds ? .seconds(wait) : longestPause
        }
    }

    /// The index after the SYN_REPORT at or after `index`.
    private func reportEnd(from index: Int) -> Int {
        (events[index...].firstIndex(where: \.isSynReport) ?? events.count - 1) + 1
    }
}

/// Why a recording cannot be used.
public enum RecordingError: Error, Equatable, Sendable {
    case cannotOpen(path: String, Errno)
    case readFailed(path: String, Errno)
    /// A directory, a device, a pipe.
    case notAFile(path: String)
    /// Lines count from 1.
    case malformed(path: String, line: Int, expected: String)
    /// The line is longer than any recorder writes, so this is not a recording.
    case lineTooLong(path: String, line: Int)
    case tooManyEvents(path: String, line: Int)
    /// More than ``Recording/byteLimit`` bytes, comments included.
    case tooLarge(path: String, line: Int)
    case noEvents(path: String)
    /// Neither the file nor a file beside it describes the device.
    case noDescription(path: String, tried: [String])

    public var message: String {
        switch self {
        case .cannotOpen(let path, let error): "cannot open the recording \(path): \(error)"
        case .readFailed(let path, let error): "reading the recording \(path) failed: \(error)"
        case .notAFile(let path): "\(path) is not a file; name an evemu recording (evemu-record writes them)"
        case .malformed(let path, let line, let expected): "\(path), line \(line): expected \(expected)"
        case .lineTooLong(let path, let line):
            "\(path), line \(line): longer than \(Recording.lineLimit) bytes; this is not an evemu recording"
        case .tooManyEvents(let path, let line):
            "\(path), line \(line): more than \(Recording.eventLimit) events; cut the recording into parts"
        case .tooLarge(let path, let line):
            "\(path), line \(line): more than \(Recording.byteLimit) bytes; cut the recording into parts"
        case .noEvents(let path): "\(path) has no events (lines that start with \"E: \")"
        case .noDescription(let path, let tried):
            "\(path) does not describe its device (lines N:, I:, P:, B: and A:), and there is none of "
                + tried.joined(separator: ", ") + "; record again with evemu-record, or put the output of "
                + "evemu-describe into one of them"
        }
    }
}

extension RecordingError: CustomStringConvertible {
    public var description: String { message }
}
