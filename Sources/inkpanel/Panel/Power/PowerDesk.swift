// SPDX-License-Identifier: Apache-2.0
import Configuration
import Linux
import Screen
import Touch

/// The screen's light, on the main thread: tells a ``PowerMachine`` what happens, and does what it says, by the
/// backlight or, where there is none that can be changed, by black frames. Waits for nothing but the backlight's
/// driver, and only when the light changes.
final class PowerDesk {
    private var machine: PowerMachine
    /// Whether the light is this one's to change at all.
    private let isInCharge: Bool
    private let findBacklight: () -> Backlight?
    /// As it was found last.
    private var backlight: Backlight?
    private let blank: (Bool) -> Void
    private let log: Log
    private let now: () -> Int64
    private let timer: Timer
    /// What ``timer`` is armed for: at a deadline that a touch has moved since, it is armed anew, because touches are
    /// many and deadlines are far.
    private var armedDeadline: Int64?
    /// What was done last.
    private var level = PowerLevel.on
    private var isBlank = false
    private var hasWarned = false

    /// - Parameters:
    ///   - findBacklight: nil where there is none; ``Backlight/find(dimmedPercent:in:)``.
    ///   - blank: makes every frame black, or shows the picture again: ``RenderStep/blank(_:)``.
    ///   - now: microseconds of ``MonotonicClock``.
    init(
        _ power: Configuration.Power, log: Log, findBacklight: @escaping () -> Backlight?,
        now: @escaping () -> Int64 = { MonotonicClock.microseconds }, blank: @escaping (Bool) -> Void
    ) throws(Errno) {
        machine = PowerMachine(
            plan: PowerPlan(dimAfter: power.dimAfter, offAfter: power.offAfter), at: now())
        isInCharge = power.dimAfter != nil || power.offAfter != nil
        self.findBacklight = power.blank == .backlight ? findBacklight : { nil }
        backlight = self.findBacklight()
        self.blank = blank
        self.log = log
        self.now = now
        timer = try Timer()
        // A panel that was killed in the dark is lit again.
        if isInCharge { changeLight(to: .on) }
        try followDeadline()
    }

    /// For the main thread's epoll set: call ``passTime()`` then.
    var timerDescriptor: CInt { timer.number }

    /// Takes note of touches, which light the screen up.
    /// - Returns: those that count: not those that have woken a dark screen.
    func admit(_ touches: [ContactGate.Touch]) throws(Errno) -> [ContactGate.Touch] {
        if touches.isEmpty { return [] }
        let time = now()
        let admitted = touches.filter { touch in
            let isDown =
                switch touch.event {
                case .down, .resume, .motion: true
                case .up, .cancel: false
                }
            return machine.touch(touch.contact, isDown: isDown, at: time)
        }
        try follow()
        return admitted
    }

    /// Whether a capture runs: after whatever may begin or end one.
    func follow(isCapturing: Bool) throws(Errno) {
        machine.follow(isCapturing: isCapturing, at: now())
        try follow()
    }

    /// A display has come, which somebody may have plugged in to see something. Its light may be another.
    func displayCame() throws(Errno) {
        lightsChanged()
        machine.wake(at: now())
        try follow()
    }

    /// Backlights have come or gone; the one to use is found again. A new one is as its driver, or who keeps its value
    /// over a boot (systemd-backlight), has set it, so that it is left alone unless the screen is to be darker.
    func lightsChanged() {
        guard isInCharge else { return }
        let found = findBacklight()
        hasWarned = false
        if level == .on {
            backlight = found
        } else {
            if found?.path != backlight?.path { try? backlight?.set(.on) }
            backlight = found
            changeLight(to: level)
        }
    }

    func passTime() throws(Errno) {
        // Takes the expiry, too.
        try timer.disarm()
        armedDeadline = nil
        machine.passTime(at: now())
        try follow()
    }

    /// Leaves the screen lit.
    func close() {
        if level != .on { changeLight(to: .on) }
    }

    private func follow() throws(Errno) {
        if machine.level != level { changeLight(to: machine.level) }
        try followDeadline()
    }

    private func changeLight(to wanted: PowerLevel) {
        level = wanted
        var isDone = backlight != nil
        do throws(BacklightError) {
            try backlight?.set(wanted)
        } catch {
            isDone = false
            // Once: it will be the same the next time.
            if !hasWarned { log.warning("the screen's light cannot be changed: \(error)") }
            hasWarned = true
        }
        let isBlank = wanted == .off && !isDone
        if isBlank != self.isBlank { blank(isBlank) }
        self.isBlank = isBlank
    }

    private func followDeadline() throws(Errno) {
        guard let deadline = machine.deadline else {
            // While a pen is down it runs on, to be armed anew; a dark screen has nothing to wait for.
            if machine.level == .off, armedDeadline != nil {
                armedDeadline = nil
                try timer.disarm()
            }
            return
        }
        if let armedDeadline, armedDeadline <= deadline { return }
        armedDeadline = deadline
        // A limit that nobody lives to see is in no clock.
        try timer.arm(at: min(deadline, Int64.max / 1000) * 1000)
    }
}
