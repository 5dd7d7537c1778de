// SPDX-License-Identifier: Apache-2.0
import Pad
import Control
import Geometry
import Linux
import Touch

/// Somebody at the pad, as a touch device: reads the page, signs as the recorded hand did, touches Accept, and goes
/// when the host has what it wanted. Main thread only.
final class DemoPerson: TouchInput {
    private enum Deed {
        case frame(TouchFrame)
        /// Looks at the page, by its name.
        case look(String)
        /// Goes, when there is nothing more to do for who asked.
        case leave
    }

    /// Microseconds: to read a page, before and after writing, and from one page to a look at it.
    private static let reading: Int64 = 900_000
    private static let pause: Int64 = 400_000

    let name: String
    var path: String? { nil }
    let description: DeviceDescription
    let dropCount = 0
    private let signature: DemoSignature
    private let timer: Timer
    private let look: (String) -> Void
    private let isDone: () -> Bool
    /// What is still to come, by when.
    private var deeds: [(due: Int64, deed: Deed)] = []

    /// - Parameters:
    ///   - look: called with the name of each page when it is to be seen.
    ///   - isDone: whether the host has ended.
    init(
        _ recording: Recording, _ signature: DemoSignature, look: @escaping (String) -> Void,
        isDone: @escaping () -> Bool
    ) throws(Errno) {
        name = "recording of \(recording.device.name)"
        description = recording.device
        self.signature = signature
        self.look = look
        self.isDone = isDone
        timer = try Timer()
    }

    var descriptor: CInt { timer.number }

    func start() throws(Errno) {
        let now = MonotonicClock.microseconds
        plan([(now + Self.pause, .look("idle")), (now + Self.reading, .leave)])
    }

    func padShows(_ page: PadStatus.Page, _ layout: SignatureLayout?) {
        let now = MonotonicClock.microseconds
        switch page {
        case .signing:
            guard let layout, let accept = layout.buttons.first(where: { $0.button == .accept })?.rect.rect else {
                return
            }
            let frames = signature.frames(in: Self.place(on: layout), from: now + Self.reading)
            let end = (frames.last?.microseconds ?? now) + Self.pause
            let tap = signature.tap(
                at: Point(x: (accept.minX + accept.maxX) / 2, y: (accept.minY + accept.maxY) / 2), end + Self.pause)
            plan([(now + Self.reading / 2, .look("prompt"))] + frames.map { ($0.microseconds, .frame($0)) })
            plan([(end, .look("signed"))] + tap.map { ($0.microseconds, .frame($0)) })
        case .thanks: plan([(now + Self.pause, .look("thanks"))])
        case .idle, .sketch, .ink, .refused, .saving, .failed: break
        }
    }

    func read() throws(TouchError) -> TouchReading {
        timer.acknowledge()
        var frames: [TouchFrame] = []
        var isFinished = false
        let now = MonotonicClock.microseconds
        while let next = deeds.first, next.due <= now {
            deeds.removeFirst()
            switch next.deed {
            case .frame(let frame): frames.append(frame)
            case .look(let page): look(page)
            case .leave:
                isFinished = isDone() && deeds.isEmpty
                if !isFinished { plan([(now + Self.pause, .leave)]) }
            }
        }
        arm()
        return TouchReading(frames: frames, handedOutMicroseconds: now, isFinished: isFinished)
    }

    /// Over the line, in the middle: where people sign.
    private static func place(on layout: SignatureLayout) -> Rect {
        let (area, line) = (layout.signingArea.rect, layout.signingLine.rect)
        let (width, height) = (area.maxX - area.minX, area.maxY - area.minY)
        return Rect(
            minX: area.minX + width * 0.2, minY: area.minY + height * 0.1, maxX: area.maxX - width * 0.15,
            maxY: line.maxY + height * 0.08)
    }

    private func plan(_ more: [(Int64, Deed)]) {
        deeds = (deeds + more.map { (due: $0, deed: $1) }).sorted { $0.due < $1.due }
        arm()
    }

    private func arm() {
        guard let next = deeds.first else { return }
        // A timer that cannot be set leaves the demonstration waiting for a signal.
        try? timer.arm(at: next.due * 1000)
    }
}
