// SPDX-License-Identifier: Apache-2.0

/// The place where a panel's display belongs: what is in it, why nothing is, and when to look again. A panel without a
/// display waits for one; it does not end.
///
/// A display that fails stays in its place until whoever draws into its memory has stopped (``displayIsUnused(at:)``);
/// only then it is closed, and another one opened. Times are nanoseconds on ``MonotonicClock``. For the main thread.
public final class DisplaySeat {
    /// What has come of a look.
    public enum Change {
        /// A display to draw on; nothing is shown yet.
        case opened(any Display)
        /// The display is gone or fails. Stop drawing into it, then say ``displayIsUnused(at:)``.
        case lost(any Display, ScreenError)
        /// There is still none, for another reason than before.
        case stillEmpty(ScreenError)
    }

    private enum State {
        case empty
        case occupied(any Display)
        /// Failed, and perhaps still drawn into.
        case leaving(any Display)
    }

    /// Until what has happened to cards and connectors is looked at: several events come at once, and the connector
    /// of a card just found has to be probed (kmscon and weston wait likewise).
    static let settlingTime: Int64 = 100_000_000
    /// Times at which a driver's flips may stop for good before that is nothing that opening it again helps, within
    /// ``failurePeriod``.
    static let failureLimit = 3
    static let failurePeriod: Int64 = 60_000_000_000

    /// How often at most the mode is set again for a link that fails: each time the screen is dark for a while.
    static let linkPeriod: Int64 = 60_000_000_000

    private let open: () throws(ScreenError) -> any Display
    private var state = State.empty
    /// The display was given and is not to be opened again or closed here.
    public let isGiven: Bool
    private var retry = DisplayRetry()
    private var dueAt: Int64?
    private var linkFailedAt: Int64?
    /// When flips stopped for good.
    private var failures: [Int64] = []
    /// Nobody tells of changes: the display that there is, too, is looked at now and then.
    public var polls = false {
        didSet { if polls, !isGiven, display != nil { dueAt = dueAt ?? .min } }
    }
    /// Why there is none; nil while there is one, or when nobody has looked yet.
    public private(set) var fault: ScreenError?
    /// The screen is somebody else's, by agreement: nothing is looked for.
    public private(set) var isAway = false

    /// A place that is empty.
    /// - Parameter open: finds and opens the display to use.
    public init(open: @escaping () throws(ScreenError) -> any Display) {
        self.open = open
        isGiven = false
        dueAt = .min
    }

    /// A display that is there already, and that the caller closes; another one is never looked for.
    public init(_ display: any Display) {
        open = { () throws(ScreenError) in throw .closed(name: display.details.name) }
        state = .occupied(display)
        isGiven = true
    }

    /// The display to present frames on.
    public var display: (any Display)? {
        guard case .occupied(let display) = state else { return nil }
        return display
    }

    /// Whether no display is held open.
    public var isFree: Bool { if case .empty = state { true } else { false } }

    /// When to call ``pass(at:)`` at the latest; nil when only an event can change anything.
    public var deadline: Int64? {
        guard !isAway else { return nil }
        if case .leaving = state { return nil }
        return dueAt
    }

    /// Looks, if it is time to: for a display where there is none, or whether the one that there is still has its
    /// connector. Opening takes tens of milliseconds.
    public func pass(at now: Int64) -> Change? {
        guard let dueAt, dueAt <= now, !isAway else { return nil }
        self.dueAt = nil
        switch state {
        case .leaving: return nil
        case .occupied(let display):
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
                return leave(display, error, at: now)
            }
        case .empty:
            do throws(ScreenError) {
                let display = try open()
                state = .occupied(display)
                fault = nil
                if polls { self.dueAt = now + DisplayRetry.idle }
                return .opened(display)
            } catch {
                let isNews = fault != error
                fault = error
                self.dueAt = retry.next(after: error, at: now)
                return isNews ? .stillEmpty(error) : nil
            }
        }
    }

    /// Something has happened to cards or connectors: they are looked at soon.
    public func devicesChanged(at now: Int64) {
        if isGiven { return }
        if case .leaving = state { return }
        dueAt = min(dueAt ?? .max, now + Self.settlingTime)
    }

    /// A node has another owner or mode: where there is no display, one may be opened now.
    public func nodesChanged(at now: Int64) {
        if !isGiven, case .empty = state { dueAt = min(dueAt ?? .max, now) }
    }

    /// A frame is on the display: what was wrong is over.
    public func displayShows() { retry = DisplayRetry() }

    /// A call of the display has failed.
    /// - Throws: the error itself where another display is of no help: the display was given, or its driver has
    ///   failed again and again.
    public func fail(_ error: ScreenError, at now: Int64) throws(ScreenError) -> Change? {
        guard case .occupied(let display) = state else { return nil }
        if isGiven { throw error }
        if case .flipTimedOut = error {
            failures = failures.filter { now - $0 < Self.failurePeriod } + [now]
            if failures.count >= Self.failureLimit { throw error }
        }
        return leave(display, error, at: now)
    }

    /// Gives the display up, for another program that is to have the screen, until ``comeBack(at:)``.
    /// - Returns: nil when that is no news, or the display was given.
    public func goAway(at now: Int64) -> Change? {
        if isGiven { return nil }
        isAway = true
        if case .occupied(let display) = state { return leave(display, .away, at: now) }
        if fault == .away { return nil }
        fault = .away
        return .stillEmpty(.away)
    }

    public func comeBack(at now: Int64) {
        if isGiven { return }
        isAway = false
        dueAt = min(dueAt ?? .max, now)
    }

    /// Nobody draws into the failed display any more: it is closed, and the place is empty.
    public func displayIsUnused(at now: Int64) {
        guard case .leaving(let display) = state else { return }
        display.close()
        state = .empty
        // The card may have come back while the last one was still open, which nobody would tell again.
        dueAt = retry.next(after: fault ?? .noCard, at: now)
    }

    /// Leaves the screen as it was found. Nobody may draw into the display any more.
    public func close() {
        guard !isGiven else { return }
        switch state {
        case .occupied(let display), .leaving(let display): display.close()
        case .empty: break
        }
        state = .empty
        isAway = true
    }

    private func leave(_ display: any Display, _ error: ScreenError, at now: Int64) -> Change {
        precondition(!isGiven, "nobody opened it here")
        state = .leaving(display)
        fault = error
        dueAt = nil
        return .lost(display, error)
    }
}
