// SPDX-License-Identifier: Apache-2.0
import Geometry
import Glibc
import Linux
import Pad
import Pages
import Raster
import Screen
import Touch

/// Shows crosses on a display and reads a touch device, on one thread with one epoll set.
final class CalibrationPanel {
    private enum Source: UInt64 {
        case touch, display, signal
    }

    private let input: any TouchInput
    private let display: any Display
    private let rotation: Rotation
    private let density: PixelDensity?
    /// Nanoseconds without a touch until it gives up.
    private let timeout: Int64
    private let log: Log
    private let poll: EventPoll
    private let signals: SignalSet
    private let picture: PixelBuffer
    /// Crosses, in pixels of the picture.
    private let targets: [Point]
    private var course: CalibrationProcedure
    private var painter: PagePainter
    private var refusal: CalibrationProcedure.Refusal?
    private var next = 0
    private var needsFrame = false
    private var hasPendingFlip = false
    private var deadline: Int64

    /// - Parameters:
    ///   - rotation: nil for that of the display.
    ///   - density: nil for that of the display.
    ///   - timeout: in seconds.
    ///   - signals: abort the calibration; must be blocked.
    init(
        _ input: any TouchInput, _ display: any Display, rotation: Rotation?, density: PixelDensity?, timeout: Int,
        until signals: [CInt], log: Log
    ) throws {
        self.input = input
        self.display = display
        self.rotation = rotation ?? display.details.orientation ?? .none
        self.density = density ?? display.statedDensity
        self.timeout = Int64(timeout) * 1_000_000_000
        self.log = log
        self.signals = try SignalSet(signals)
        let size = self.rotation.pictureSize(onPanel: display.size)
        picture = PixelBuffer(size: size)
        let (width, height) = (Double(size.width), Double(size.height))
        // At the centre of a pixel, as it is drawn.
        targets = CalibrationProcedure.places.map { place in
            Point(x: (place.x * width).rounded(.down) + 0.5, y: (place.y * height).rounded(.down) + 0.5)
        }
        let toPanel = self.rotation.pictureToPanel
        let wanted = targets.map { toPanel.apply(Point(x: $0.x / width, y: $0.y / height)) }
        let pixels = (self.density ?? .standard).pixelsPerMillimetre
        let millimetres = Point(x: Double(display.size.width) / pixels, y: Double(display.size.height) / pixels)
        guard let course = CalibrationProcedure(input.description, targets: wanted, millimetres: millimetres) else {
            throw CommandError.unusableInput("\(input.name) has no axes to map to the screen")
        }
        self.course = course
        painter = PagePainter(theme: .light, fonts: try Fonts())
        poll = try EventPoll()
        deadline = MonotonicClock.nanoseconds + self.timeout
        try poll.add(input.descriptor, token: Source.touch.rawValue)
        try poll.add(display.eventDescriptor, token: Source.display.rawValue)
        try poll.add(self.signals.number, token: Source.signal.rawValue)
    }

    /// Shows crosses until the matrix is known.
    /// - Throws: ``CommandError`` if it is aborted, times out or fails; errors of Touch and Screen.
    func run() throws -> CalibrationFit {
        try show(isFirst: true)
        try input.start()
        while true {
            if needsFrame, !hasPendingFlip { try show(isFirst: false) }
            for event in try poll.wait(milliseconds: waitMilliseconds) {
                switch Source(rawValue: event.token) {
                case .touch: if let fit = try readTouch() { return fit }
                case .display: try finishFlips()
                case .signal, nil:
                    guard let signal = signals.next() else { continue }
                    throw CommandError(
                        message: "calibration aborted by signal \(signal); nothing was written",
                        status: CaptureEnding.cancelled)
                }
            }
            if let retry = display.retryDeadlineNanoseconds, MonotonicClock.nanoseconds >= retry { try finishFlips() }
            if MonotonicClock.nanoseconds >= deadline {
                throw CommandError(
                    message: "no cross was touched for \(timeout / 1_000_000_000) seconds; nothing was written",
                    status: CaptureEnding.timedOut)
            }
        }
    }

    private var waitMilliseconds: Int32 {
        let until = min(deadline, display.retryDeadlineNanoseconds ?? .max)
        // Rounded up, so that it does not wake early and spin.
        return Int32(clamping: max(0, (until - MonotonicClock.nanoseconds + 999_999) / 1_000_000))
    }

    private func readTouch() throws -> CalibrationFit? {
        let reading = try input.read()
        for frame in reading.frames {
            let step = course.update(with: frame)
            if step != .wait { deadline = MonotonicClock.nanoseconds + timeout }
            switch step {
            case .wait: break
            case .next: ask(after: nil)
            case .again(let refusal):
                log.notice(CalibrationMessage.reason(refusal))
                ask(after: refusal)
            case .finished(let fit): return fit
            case .failed:
                throw CommandError.unusableInput(
                    "no matrix maps the touches to the crosses: either other places were touched, or \(input.name) is "
                        + "not linear; nothing was written")
            }
        }
        if reading.isFinished {
            throw CommandError.unusableInput(
                "\(input.name) ends at cross \(course.target + 1) of \(targets.count); nothing was written")
        }
        return nil
    }

    private func ask(after refusal: CalibrationProcedure.Refusal?) {
        self.refusal = refusal
        needsFrame = true
    }

    private func show(isFirst: Bool) throws {
        let text = CalibrationMessage.text(target: course.target, of: targets.count, after: refusal)
        let page = Page([.target(targets[course.target]), .text(PageText(text, .headline))])
        // A screen that is too small for a page is white.
        if let placed = try? painter.place(page, size: picture.surface.size, density: density) {
            painter.draw(placed, on: picture.surface)
        }
        display.surfaces[next].copy(picture.surface.bounds, from: picture.surface, rotation: rotation)
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

/// Texts of a calibration, for people who install a panel. They are not among the translated messages.
enum CalibrationMessage {
    /// - Parameter target: from 0.
    static func text(target: Int, of count: Int, after refusal: CalibrationProcedure.Refusal?) -> String {
        let task = "Touch the middle of the cross and lift (\(target + 1) of \(count))"
        return refusal.map { reason($0) + "\n" + task } ?? task
    }

    static func reason(_ refusal: CalibrationProcedure.Refusal) -> String {
        switch refusal {
        case .moved: "That moved: hold the finger or pen still."
        case .several: "Touch with one finger only."
        case .sameAsBefore: "That is where the last cross was."
        case .outlier: "This touch does not fit the others. Once more:"
        case .contradiction: "These touches do not fit together. All of them once more:"
        }
    }
}
