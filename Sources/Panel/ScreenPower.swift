// SPDX-License-Identifier: Apache-2.0
import Configuration
import Geometry
import HostAPI
import Linux
import Screen
import Touch

/// Controls the brightness of the screen as a ``PowerMachine`` decides: by the backlight or, if no backlight can be
/// changed, by black frames. For the main thread. Blocks only in the backlight's driver, when the level changes.
final class ScreenPower {
    private var machine: PowerMachine
    /// Whether the configuration has a timeout; the brightness is left alone otherwise.
    private let isEnabled: Bool
    private let findBacklight: () -> Backlight?
    private var backlight: Backlight?
    private let blank: (Bool) -> Void
    private let log: Log
    private let now: () -> Timestamp
    private var timer: Timer
    /// The level that was applied last.
    private var level = PowerLevel.on
    private var isBlank = false
    private var hasWarned = false

    /// - Parameters:
    ///   - findBacklight: returns nil without a backlight; ``Backlight/find(dimmedPercent:in:)``.
    ///   - now: ``MonotonicClock``, or that of a test.
    ///   - blank: makes all frames black, or shows the picture again: ``RenderStep/blank(_:)``.
    init(
        _ power: Configuration.Power, log: Log, findBacklight: @escaping () -> Backlight?,
        now: @escaping () -> Timestamp = { MonotonicClock.now }, blank: @escaping (Bool) -> Void
    ) throws(Errno) {
        machine = PowerMachine(
            timeouts: PowerTimeouts(dimAfter: power.dimAfter, offAfter: power.offAfter), at: now())
        isEnabled = power.dimAfter != nil || power.offAfter != nil
        self.findBacklight = power.blank == .backlight ? findBacklight : { nil }
        backlight = self.findBacklight()
        self.blank = blank
        self.log = log
        self.now = now
        timer = try Timer()
        // A panel that was killed may have left the screen dark.
        if isEnabled { apply(.on) }
        try setTimer()
    }

    /// Call ``timerFired()`` when this is readable.
    var timerDescriptor: CInt { timer.number }

    func timerFired() throws(Errno) {
        // Also clears the expiration.
        try timer.disarm()
        machine.advance(to: now())
        try update()
    }

    /// Switches the screen on if there are touches.
    /// - Returns: the touches that count, without those that only wake a dark screen.
    func admit(_ touches: [TouchEvent]) throws(Errno) -> [TouchEvent] {
        if touches.isEmpty { return [] }
        let time = now()
        let admitted = touches.filter { touch in
            let isDown =
                switch touch.phase {
                case .began, .resumed, .moved: true
                case .ended, .retired, .cancelled: false
                }
            return machine.touch(touch.contact, isDown: isDown, isResting: touch.isResting, at: time)
        }
        try update()
        return admitted
    }

    /// Switches the screen on.
    /// - Returns: whether the key counts, because the screen was not dark.
    func admitKey() throws(Errno) -> Bool {
        let isSeen = machine.level != .off
        machine.wake(at: now())
        try update()
        return isSeen
    }

    /// Records whether a capture runs. Call it after everything that may begin or end one.
    func setCapturing(_ isCapturing: Bool) throws(Errno) {
        machine.setCapturing(isCapturing, at: now())
        try update()
    }

    /// Switches a new display on, because a person may have just plugged it in. It may have another backlight.
    func displayAttached() throws(Errno) {
        backlightsChanged()
        machine.wake(at: now())
        try update()
    }

    /// Finds the backlight again after one was added or removed. A new one has the brightness of its driver or of
    /// systemd-backlight, and keeps it unless the screen should be darker.
    func backlightsChanged() {
        guard isEnabled else { return }
        let found = findBacklight()
        hasWarned = false
        if level == .on {
            backlight = found
        } else {
            if found?.path != backlight?.path { try? backlight?.set(.on) }
            backlight = found
            apply(level)
        }
    }

    /// Leaves the screen on.
    func close() {
        if level != .on { apply(.on) }
    }

    private func update() throws(Errno) {
        if machine.level != level { apply(machine.level) }
        try setTimer()
    }

    private func apply(_ newLevel: PowerLevel) {
        level = newLevel
        var isDone = backlight != nil
        do throws(BacklightError) {
            try backlight?.set(newLevel)
        } catch {
            isDone = false
            // Once only: it will fail again.
            if !hasWarned { log.warning("the backlight cannot be changed: \(error)") }
            hasWarned = true
        }
        let isBlank = newLevel == .off && !isDone
        if isBlank != self.isBlank { blank(isBlank) }
        self.isBlank = isBlank
    }

    private func setTimer() throws(Errno) {
        guard let deadline = machine.deadline else {
            // A dark screen needs no timer. During a capture the timer runs on and is set again when it fires.
            if machine.level == .off { try timer.disarm() }
            return
        }
        // Touches are frequent and move the deadline, so the timer is not set again before it has fired.
        if let armed = timer.deadline, armed <= deadline { return }
        try timer.arm(at: deadline)
    }
}
