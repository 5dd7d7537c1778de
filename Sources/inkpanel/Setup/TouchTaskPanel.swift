// SPDX-License-Identifier: Apache-2.0
import Geometry
import Glibc
import Linux
import Pad
import Pages
import Panel
import Raster
import Screen
import Touch

/// A person's task on the panel while it is set up: touching crosses, drawing along lines.
protocol TouchTask {
    associatedtype Result

    /// The task's name, for messages.
    static var name: String { get }
    /// The complaint when nobody touches the screen: `no cross was touched`.
    static var complaint: String { get }
    /// The page that is shown now.
    var page: Page { get }
    /// How far it is: `cross 4 of 5`.
    var place: String { get }

    mutating func update(with frame: TouchFrame) throws(CommandError) -> TouchTaskStep<Result>
}

enum TouchTaskStep<Result> {
    /// Nothing has changed.
    case wait
    /// The page has changed.
    case shows
    /// - Parameter reason: why a part must be repeated, for the log.
    case again(reason: String)
    case finished(Result)
}

/// Carries out a task on a display and a touch device, on one thread with one epoll set.
final class TouchTaskPanel<Task: TouchTask> {
    private enum Source: UInt64 {
        case touch, display, signal
    }

    private let input: any TouchInput
    private let display: any Display
    private let screen: PadScreen
    /// The time without a touch until it gives up.
    private let timeout: Duration
    private let log: Log
    private let poll: EventPoll
    private let signals: SignalSet
    private let picture: PixelBuffer
    private var task: Task
    private var painter: PagePainter
    private var next = 0
    private var needsFrame = false
    private var hasPendingFlip = false
    private var deadline: Timestamp

    /// - Parameters:
    ///   - timeout: in seconds.
    ///   - signals: abort the task; must be blocked.
    init(
        _ task: Task, _ input: any TouchInput, _ display: any Display, _ screen: PadScreen, timeout: Int,
        until signals: [CInt], log: Log
    ) throws {
        self.task = task
        self.input = input
        self.display = display
        self.screen = screen
        self.timeout = .seconds(timeout)
        self.log = log
        self.signals = try SignalSet(signals)
        picture = PixelBuffer(size: screen.size)
        painter = PagePainter(theme: .light, fonts: try Fonts())
        poll = try EventPoll()
        deadline = MonotonicClock.now + self.timeout
        try poll.add(input.descriptor, token: Source.touch.rawValue)
        try poll.add(display.eventDescriptor, token: Source.display.rawValue)
        try poll.add(self.signals.number, token: Source.signal.rawValue)
    }

    /// Shows the task's pages until it is finished.
    /// - Throws: ``CommandError`` if it is aborted, times out or fails; errors of Touch and Screen.
    func run() throws -> Task.Result {
        try show(isFirst: true)
        try input.start()
        while true {
            if needsFrame, !hasPendingFlip { try show(isFirst: false) }
            for event in try poll.wait(until: min(deadline, display.retryDeadline ?? .distantFuture)) {
                switch Source(rawValue: event.token) {
                case .touch: if let result = try readTouch() { return result }
                case .display: try finishFlips()
                case .signal, nil:
                    guard let signal = signals.next() else { continue }
                    throw CommandError(
                        message: "\(Task.name) aborted by signal \(signal); nothing was written",
                        status: CaptureEnding.cancelled)
                }
            }
            if let retry = display.retryDeadline, MonotonicClock.now >= retry { try finishFlips() }
            if MonotonicClock.now >= deadline {
                throw CommandError(
                    message: "\(Task.complaint) for \(timeout.components.seconds) seconds; nothing was written",
                    status: CaptureEnding.timedOut)
            }
        }
    }

    private func readTouch() throws -> Task.Result? {
        let reading = try input.read()
        for frame in reading.frames {
            // Drawing a line may take longer than the timeout.
            if !frame.contacts.isEmpty { deadline = MonotonicClock.now + timeout }
            switch try task.update(with: frame) {
            case .wait: break
            case .shows: needsFrame = true
            case .again(let reason):
                log.notice(reason)
                needsFrame = true
            case .finished(let result): return result
            }
        }
        if reading.isFinished {
            throw CommandError.unusableInput("\(input.name) ends at \(task.place); nothing was written")
        }
        return nil
    }

    private func show(isFirst: Bool) throws {
        // A screen that is too small for a page is white.
        if let placed = try? painter.place(task.page, size: picture.surface.size, density: screen.pageDensity) {
            painter.draw(placed, on: picture.surface)
        }
        display.surfaces[next].copy(picture.surface.bounds, from: picture.surface, rotation: screen.rotation)
        if isFirst {
            try display.start(showing: next)
        } else {
            var damage = Damage()
            damage.add(display.surfaces[next].bounds)
            switch try display.present(next, damage: damage) {
            case .busy: return
            case .queued: hasPendingFlip = true
            case .shown: break
            }
        }
        needsFrame = false
        next = (next + 1) % display.surfaces.count
    }

    private func finishFlips() throws {
        // At most one flip is pending. The earlier buffer is free now.
        if try !display.readEvents().isEmpty { hasPendingFlip = false }
    }
}
