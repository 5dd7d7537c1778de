// SPDX-License-Identifier: Apache-2.0

/// Tells when each report of a recording is due, and hands it out; the caller has the clock.
///
/// A value: nothing happens by itself. Arm a timer for ``dueMicroseconds``, call ``next()`` when it fires, until nil.
public struct RecordingPlayer: Sendable {
    public enum Pace: Equatable, Sendable {
        /// As recorded.
        case recorded
        /// All is due at once. The events still carry the recorded times, so the ink's speed is the hand's.
        case immediate
        /// This many times as fast as recorded; above 0, else as ``immediate``.
        case factor(Double)
    }

    /// When the next report is due, in microseconds of the clock that the start was given in; never before the one
    /// handed out last. Nil when all is handed out.
    public private(set) var dueMicroseconds: Int64?

    private let events: [InputEvent]
    private let start: Int64
    private let pace: Pace
    private let longestPause: Int64
    private var position = 0
    private var end = 0

    /// - Parameters:
    ///   - start: when the first report is due, in microseconds.
    ///   - longestPause: in microseconds of the caller's clock; a longer wait between two reports is cut to this, since
    ///     a recording whose clock was set on the way would otherwise stop for years.
    public init(
        _ recording: Recording, startMicroseconds start: Int64, pace: Pace = .recorded,
        longestPause: Int64 = 10_000_000
    ) {
        events = recording.events
        self.start = start
        self.pace = pace
        self.longestPause = max(longestPause, 0)
        end = reportEnd(from: 0)
        dueMicroseconds = events.isEmpty ? nil : start
    }

    /// The next report, its SYN_REPORT last; events behind the last SYN_REPORT come as they are.
    /// - Returns: events with times moved so that the recording starts at the start given; nil when all is handed out.
    public mutating func next() -> [InputEvent]? {
        guard position < events.count, let due = dueMicroseconds else { return nil }
        let shift = start &- events[0].microseconds
        let report = events[position..<end].map { event in
            var event = event
            event.microseconds = event.microseconds &+ shift
            return event
        }
        let time = events[end - 1].microseconds
        position = end
        end = reportEnd(from: position)
        dueMicroseconds = position < events.count ? due &+ wait(events[end - 1].microseconds &- time) : nil
        return report
    }

    /// How long to wait for a report that came `interval` after the one before; time may have run backwards.
    private func wait(_ interval: Int64) -> Int64 {
        guard interval > 0 else { return 0 }
        switch pace {
        case .immediate: return 0
        case .recorded: return min(interval, longestPause)
        case .factor(let factor):
            let wait = Double(interval) / factor
            // Not a number and infinities fail the comparison.
            return factor > 0 && wait >= 0 ? (wait < Double(longestPause) ? Int64(wait) : longestPause) : 0
        }
    }

    /// Past the SYN_REPORT at or after `index`.
    private func reportEnd(from index: Int) -> Int {
        (events[index...].firstIndex(where: \.isSynReport) ?? events.count - 1) + 1
    }
}
