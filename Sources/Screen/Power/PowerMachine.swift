// SPDX-License-Identifier: Apache-2.0

/// How bright the screen is.
public enum PowerLevel: Equatable, Sendable {
    case on, dimmed, off
}

/// When a screen that nobody touches is dimmed and switched off. In microseconds after the last touch, above 0; nil is
/// never. What comes first is done first: a screen that is off is not dimmed.
public struct PowerPlan: Equatable, Sendable {
    public var dimAfter: Int64?
    public var offAfter: Int64?

    public init(dimAfter: Int64? = nil, offAfter: Int64? = nil) {
        self.dimAfter = dimAfter
        self.offAfter = offAfter
    }
}

/// The screen's light as a machine that is told what happens and says how bright it shall be. Times are microseconds of
/// one clock; one that runs backwards stands still here.
///
/// Whatever is touched, and every capture that a host asks for, lights the screen up. On a dimmed screen people see
/// what they touch, so the touch counts; on one that is off they do not: that touch wakes and does nothing else until
/// it has lifted, and neither do others that begin while it is down. The light stays on while anything touches the
/// screen and while a capture runs, whose own limits end it.
public struct PowerMachine: Sendable {
    public let plan: PowerPlan
    public private(set) var level = PowerLevel.on
    private var down: Set<Int32> = []
    /// Those that woke the screen, until they lift.
    private var swallowed: Set<Int32> = []
    private var isCapturing = false
    /// Since when nothing has happened.
    private var idleSince: Int64

    public init(plan: PowerPlan, at microseconds: Int64) {
        self.plan = plan
        idleSince = microseconds
    }

    /// When to call ``passTime(at:)``; nil while nothing is to come, as when the screen is off.
    public var deadline: Int64? {
        if !down.isEmpty || isCapturing { return nil }
        let (dimming, switchingOff) = (plan.dimAfter.map(later), plan.offAfter.map(later))
        switch level {
        case .on: return [dimming, switchingOff].compactMap(\.self).min()
        case .dimmed: return switchingOff
        case .off: return nil
        }
    }

    /// A report of a contact.
    /// - Parameters:
    ///   - contact: what it is called until it lifts.
    ///   - isDown: false when it has lifted, was taken back or is lost.
    /// - Returns: whether what is shown shall hear of it.
    public mutating func touch(_ contact: Int32, isDown: Bool, at microseconds: Int64) -> Bool {
        let isNew = !down.contains(contact)
        if isNew, isDown, level == .off || !swallowed.isEmpty { swallowed.insert(contact) }
        let isForPad = !swallowed.contains(contact)
        if isDown {
            down.insert(contact)
        } else {
            down.remove(contact)
            swallowed.remove(contact)
        }
        wake(at: microseconds)
        return isForPad
    }

    /// A host has asked for something that people are to see.
    public mutating func wake(at microseconds: Int64) {
        idleSince = max(idleSince, microseconds)
        level = .on
    }

    /// Whether a capture runs now; said as often as one likes.
    public mutating func follow(isCapturing: Bool, at microseconds: Int64) {
        guard isCapturing != self.isCapturing else { return }
        self.isCapturing = isCapturing
        wake(at: microseconds)
    }

    /// Time has passed.
    public mutating func passTime(at microseconds: Int64) {
        // A deadline that a touch has moved, or a timer that was early.
        while let deadline, deadline <= microseconds { level = next(at: deadline) }
    }

    /// What comes at a deadline.
    private func next(at deadline: Int64) -> PowerLevel {
        plan.offAfter.map(later) == deadline ? .off : .dimmed
    }

    private func later(_ microseconds: Int64) -> Int64 {
        let (sum, isBeyond) = idleSince.addingReportingOverflow(microseconds)
        return isBeyond ? .max : sum
    }
}
