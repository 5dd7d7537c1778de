// SPDX-License-Identifier: Apache-2.0
public import Geometry

/// Decides when the screen is dimmed, switched off and switched on again. A value without I/O. A clock that
/// runs backwards counts as standing still.
///
/// Every touch and every capture request switches the screen on. On a dimmed screen people see what they touch, so the
/// touch counts. On a dark one they do not: that touch only wakes the screen, and so do others that begin before it has
/// lifted. The screen stays on while a contact moves, but not for one that rests, which may be stuck, and while a
/// capture runs, which has time limits of its own.
public struct PowerMachine: Sendable {
    public let timeouts: PowerTimeouts
    public private(set) var level = PowerLevel.on
    private var down: Set<Int32> = []
    /// Contacts that woke the screen, until they lift.
    private var swallowed: Set<Int32> = []
    private var isCapturing = false
    /// The time of the last activity.
    private var idleSince: Timestamp

    public init(timeouts: PowerTimeouts, at time: Timestamp) {
        self.timeouts = timeouts
        idleSince = time
    }

    /// When to call ``advance(to:)``; nil if nothing is due, as on a dark screen.
    public var deadline: Timestamp? {
        if isCapturing { return nil }
        let (dimming, switchingOff) = (timeouts.dimAfter.map(afterIdle), timeouts.offAfter.map(afterIdle))
        switch level {
        case .on: return [dimming, switchingOff].compactMap(\.self).min()
        case .dimmed: return switchingOff
        case .off: return nil
        }
    }

    /// Records a report of a contact.
    /// - Parameters:
    ///   - contact: identifies the contact until it lifts.
    ///   - isDown: false if it has lifted, or counts no more.
    ///   - isResting: the report is not a person's doing, and keeps nothing on.
    /// - Returns: whether the touch counts; false for contacts that only wake the screen.
    public mutating func touch(
        _ contact: Int32, isDown: Bool, isResting: Bool = false, at time: Timestamp
    ) -> Bool {
        let isNew = !down.contains(contact)
        if isNew, isDown, level == .off || !swallowed.isEmpty { swallowed.insert(contact) }
        let counts = !swallowed.contains(contact)
        if isDown {
            down.insert(contact)
        } else {
            down.remove(contact)
            swallowed.remove(contact)
        }
        if !isResting { wake(at: time) }
        return counts
    }

    /// Switches the screen on and restarts the timeouts.
    public mutating func wake(at time: Timestamp) {
        idleSince = max(idleSince, time)
        level = .on
    }

    /// Records whether a capture runs. A repeated call with the same value does nothing.
    public mutating func setCapturing(_ isCapturing: Bool, at time: Timestamp) {
        guard isCapturing != self.isCapturing else { return }
        self.isCapturing = isCapturing
        wake(at: time)
    }

    /// Dims the screen or switches it off if that is due.
    public mutating func advance(to time: Timestamp) {
        while let deadline, deadline <= time {
            level = timeouts.offAfter.map(afterIdle) == deadline ? .off : .dimmed
        }
    }

    private func afterIdle(_ duration: Duration) -> Timestamp { idleSince + duration }
}

/// How bright the screen is.
public enum PowerLevel: Equatable, Sendable {
    case on, dimmed, off
}

/// When an idle screen is dimmed and switched off: the time after the last activity, above 0; nil is never. The earlier
/// one comes first: a screen that is off is not dimmed.
public struct PowerTimeouts: Equatable, Sendable {
    public var dimAfter: Duration?
    public var offAfter: Duration?

    public init(dimAfter: Duration? = nil, offAfter: Duration? = nil) {
        self.dimAfter = dimAfter
        self.offAfter = offAfter
    }
}
