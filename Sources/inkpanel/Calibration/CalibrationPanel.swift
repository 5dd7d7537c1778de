// SPDX-License-Identifier: Apache-2.0
import Geometry
import Glibc
import Linux
import Pages
import Raster
import Screen
import Text
import Touch

/// A calibration on a display with a touch device: one thread, one epoll set. Between two touches nothing runs.
final class CalibrationPanel {
    private enum Source: UInt64 {
        case touch, display, signal
    }

    private let input: any TouchInput
    private let display: any Display
    private let rotation: Rotation
    private let density: PixelDensity?
    /// Nanoseconds that may pass without a step.
    private let patience: Int64
    private let log: Log
    private let poll: EventPoll
    private let signals: SignalSet
    private let picture: PixelBuffer
    /// In pixels of the picture.
    private let targets: [Point]
    private var course: CalibrationProcedure
    private var painter: PagePainter
    private var refusal: CalibrationProcedure.Refusal?
    private var next = 0
    private var isWanted = false
    private var isQueued = false
    private var deadline: Int64

    /// - Parameters:
    ///   - rotation: nil is as the display says.
    ///   - density: nil is as the display says.
    ///   - patience: in seconds.
    ///   - signals: what aborts it; blocked.
    init(
        _ input: any TouchInput, _ display: any Display, rotation: Rotation?, density: PixelDensity?, patience: Int,
        until signals: [CInt], log: Log
    ) throws {
        self.input = input
        self.display = display
        self.rotation = rotation ?? display.details.orientation ?? .none
        self.density = density ?? display.statedDensity
        self.patience = Int64(patience) * 1_000_000_000
        self.log = log
        self.signals = try SignalSet(signals)
        let size = self.rotation.pictureSize(onPanel: display.size)
        picture = PixelBuffer(size: size)
        let (width, height) = (Double(size.width), Double(size.height))
        // In the middle of a pixel, as it is drawn.
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
        deadline = MonotonicClock.nanoseconds + self.patience
        try poll.add(input.descriptor, token: Source.touch.rawValue)
        try poll.add(display.eventDescriptor, token: Source.display.rawValue)
        try poll.add(self.signals.number, token: Source.signal.rawValue)
    }

    /// Shows targets until the matrix is found.
    /// - Throws: ``CommandError`` when it is aborted, takes too long or cannot be; what Touch and Screen throw.
    func run() throws -> CalibrationFit {
        try show(isFirst: true)
        try input.start()
        while true {
            if isWanted, !isQueued { try show(isFirst: false) }
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
                    message: "nobody has touched a cross for \(patience / 1_000_000_000) seconds; nothing was written",
                    status: CaptureEnding.timedOut)
            }
        }
    }

    private var waitMilliseconds: Int32 {
        let until = min(deadline, display.retryDeadlineNanoseconds ?? .max)
        // Rounded up: a wait of 0 that comes too early would be a loop.
        return Int32(clamping: max(0, (until - MonotonicClock.nanoseconds + 999_999) / 1_000_000))
    }

    private func readTouch() throws -> CalibrationFit? {
        let reading = try input.read()
        for frame in reading.frames {
            let step = course.update(with: frame)
            if step != .wait { deadline = MonotonicClock.nanoseconds + patience }
            switch step {
            case .wait: break
            case .next: ask(after: nil)
            case .again(let refusal):
                log.notice(CalibrationMessage.reason(refusal))
                ask(after: refusal)
            case .finished(let fit): return fit
            case .failed:
                throw CommandError.unusableInput(
                    "no matrix brings the touches to the crosses: either they were not touched, or \(input.name) is "
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
        isWanted = true
    }

    private func show(isFirst: Bool) throws {
        let text = CalibrationMessage.text(target: course.target, of: targets.count, after: refusal)
        painter.drawCalibration(target: targets[course.target], text: text, density: density, on: picture.surface)
        display.surfaces[next].copy(picture.surface.bounds, from: picture.surface, rotation: rotation)
        if isFirst {
            try display.start(showing: next)
        } else {
            var damage = Damage()
            damage.add(display.surfaces[next].bounds)
            switch try display.present(next, damage: damage) {
            case .busy: return
            case .queued: isQueued = true
            case .shown: break
            }
        }
        isWanted = false
        next = (next + 1) % display.surfaces.count
    }

    private func finishFlips() throws {
        // One is outstanding at most; the buffer shown before it is free again.
        if try !display.readEvents().isEmpty { isQueued = false }
    }
}
