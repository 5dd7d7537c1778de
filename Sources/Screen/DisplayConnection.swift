// SPDX-License-Identifier: Apache-2.0
public import Geometry
import Linux

/// The panel's connection to a display, which may come and go. A panel without a display waits for one.
///
///     none --opened--> open --failed--> closing --drawing stopped--> none
///
/// A display that failed stays open until the render thread has stopped drawing into its memory
/// (``drawingStopped(at:)``). Only then is it closed, and another one opened. Times are on
/// ``MonotonicClock``. For the main thread.
public final class DisplayConnection {
    public enum Change {
        /// There is a display to draw on; it shows nothing yet.
        case opened(any Display)
        /// The display is gone or fails. Stop drawing into it, then call ``drawingStopped(at:)``.
        case lost(any Display, ScreenError)
        /// There is still no display, for another reason than before.
        case unavailable(ScreenError)
    }

    private enum State {
        case none
        case open(any Display)
        /// Failed; the render thread may still draw into its memory.
        case closing(any Display)
    }

    /// How long to wait after an event about cards or connectors: several come at once, and the connectors of a new
    /// card must be probed first (kmscon and weston wait likewise).
    static let settlingTime = Duration.milliseconds(100)
    /// If a driver's flips stop for good this often within ``failurePeriod``, opening it again does not help.
    static let failureLimit = 3
    static let failurePeriod = Duration.seconds(60)
    /// The least time between two modesets because of a failed link. The screen is dark for a moment each time.
    static let linkPeriod = Duration.seconds(60)

    private let open: () throws(ScreenError) -> any Display
    private var state = State.none
    /// The caller has passed an open display and closes it; it is never replaced.
    public let isFixed: Bool
    private var retry = DisplayRetry()
    private var dueAt: Timestamp?
    private var linkFailedAt: Timestamp?
    /// When flips stopped for good.
    private var failures: [Timestamp] = []
    /// Set this if there are no events about cards and connectors: an open display is then checked periodically.
    public var polls = false {
        didSet { if polls, !isFixed, display != nil { dueAt = dueAt ?? .distantPast } }
    }
    /// Why there is no display; nil if there is one, and before the first attempt.
    public private(set) var fault: ScreenError?
    /// Another program has the screen by agreement; nothing is opened until ``resume(at:)``.
    public private(set) var isSuspended = false

    public init(open: @escaping () throws(ScreenError) -> any Display) {
        self.open = open
        isFixed = false
        dueAt = .distantPast
    }

    /// Uses an open display, which the caller closes, and never another one.
    public init(_ display: any Display) {
        open = { () throws(ScreenError) in throw .closed(name: display.details.name) }
        state = .open(display)
        isFixed = true
    }

    /// The display to present frames on.
    public var display: (any Display)? {
        guard case .open(let display) = state else { return nil }
        return display
    }

    /// Whether no display is open, not even a failed one.
    public var isClosed: Bool { if case .none = state { true } else { false } }

    /// When to call ``update(at:)``; nil if only an event can change anything.
    public var deadline: Timestamp? {
        guard !isSuspended else { return nil }
        if case .closing = state { return nil }
        return dueAt
    }

    /// Opens a display or checks the connector of the open one, if that is due. Opening takes tens of milliseconds.
    public func update(at now: Timestamp) -> Change? {
        guard let dueAt, dueAt <= now, !isSuspended else { return nil }
        self.dueAt = nil
        switch state {
        case .closing: return nil
        case .open(let display):
            do throws(ScreenError) {
                try display.checkConnection()
                if polls { self.dueAt = now + DisplayRetry.idle }
                return nil
            } catch {
                if case .linkFailed = error {
                    if let last = linkFailedAt, now - last < Self.linkPeriod {
                        self.dueAt = last + Self.linkPeriod
                        return nil
                    }
                    linkFailedAt = now
                }
                return lose(display, error)
            }
        case .none:
            do throws(ScreenError) {
                let display = try open()
                state = .open(display)
                fault = nil
                if polls { self.dueAt = now + DisplayRetry.idle }
                return .opened(display)
            } catch {
                let isNew = fault != error
                fault = error
                self.dueAt = retry.next(after: error, at: now)
                return isNew ? .unavailable(error) : nil
            }
        }
    }

    /// Handles an event about cards or connectors: checks them soon.
    public func devicesChanged(at now: Timestamp) {
        if isFixed { return }
        if case .closing = state { return }
        dueAt = min(dueAt ?? .distantFuture, now + Self.settlingTime)
    }

    /// Handles a change of the owner or mode of a node: a display may be accessible now.
    public func nodesChanged(at now: Timestamp) {
        if !isFixed, case .none = state { dueAt = min(dueAt ?? .distantFuture, now) }
    }

    /// Resets the delays of retries: a frame is on the display.
    public func frameShown() { retry = DisplayRetry() }

    /// Handles an error of the display.
    /// - Throws: the error itself if another display does not help: the display is fixed, or its driver has failed
    ///   repeatedly.
    public func displayFailed(_ error: ScreenError, at now: Timestamp) throws(ScreenError) -> Change? {
        guard case .open(let display) = state else { return nil }
        if isFixed { throw error }
        if case .flipTimedOut = error {
            failures = failures.filter { now - $0 < Self.failurePeriod } + [now]
            if failures.count >= Self.failureLimit { throw error }
        }
        return lose(display, error)
    }

    /// Gives the screen to another program until ``resume(at:)``.
    /// - Returns: nil if nothing changes or the display is fixed.
    public func suspend(at now: Timestamp) -> Change? {
        if isFixed { return nil }
        isSuspended = true
        if case .open(let display) = state { return lose(display, .otherTerminalShown) }
        if fault == .otherTerminalShown { return nil }
        fault = .otherTerminalShown
        return .unavailable(.otherTerminalShown)
    }

    public func resume(at now: Timestamp) {
        if isFixed { return }
        isSuspended = false
        dueAt = min(dueAt ?? .distantFuture, now)
    }

    /// Closes a failed display, because the render thread has stopped drawing into it.
    public func drawingStopped(at now: Timestamp) {
        guard case .closing(let display) = state else { return }
        display.close()
        state = .none
        // Retry without an event: the card may have returned while the old one was still open.
        dueAt = retry.next(after: fault ?? .noCard, at: now)
    }

    /// Leaves the screen as it was found. The render thread must have stopped drawing.
    public func close() {
        guard !isFixed else { return }
        switch state {
        case .open(let display), .closing(let display): display.close()
        case .none: break
        }
        state = .none
        isSuspended = true
    }

    private func lose(_ display: any Display, _ error: ScreenError) -> Change {
        state = .closing(display)
        fault = error
        dueAt = nil
        return .lost(display, error)
    }
}

/// When to try to open a display again after a failure.
///
/// Most changes are reported by udev. Two are not: another program closes a card, and a node gets another group on a
/// system without udev. So opening is retried, soon at first and then less often.
struct DisplayRetry: Equatable {
    /// The first and the longest delay while another program has the card, and the number of these attempts. They take
    /// 4 s together, longer than a splash screen or a display manager needs to end.
    static let eagerStart = Duration.milliseconds(20)
    static let eagerLimit = Duration.milliseconds(250)
    static let eagerAttempts = 20
    /// The delay if another program keeps the card or a driver fails.
    static let patient = Duration.seconds(1)
    /// The delay if there is no usable screen, and the period of ``DisplayConnection/polls``.
    static let idle = Duration.seconds(5)

    private var attempts = 0

    /// - Returns: the time of the next attempt, on the clock of `now`.
    mutating func next(after error: ScreenError, at now: Timestamp) -> Timestamp {
        switch error {
        // Another program ends, udev is late, or the screen was switched to another input: no event may follow.
        case .lostMaster, .refused, .cannotOpen(_, .busy), .cardGone, .otherTerminalShown, .disconnected,
            .modeGone:
            attempts += 1
        // The driver failed and may fail again.
        case .noBuffers, .badBuffer, .modesetFailed, .callFailed, .flipTimedOut, .linkFailed: return now + Self.patient
        case .noCard, .noDisplay, .noSuchDisplay, .noFramebuffer, .unusableFramebuffer, .cannotOpen, .closed:
            attempts = 0
            return now + Self.idle
        }
        if attempts > Self.eagerAttempts { return now + Self.patient }
        return now + min(Self.eagerStart * (1 << min(attempts - 1, 10)), Self.eagerLimit)
    }
}
