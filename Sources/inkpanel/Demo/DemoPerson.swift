// SPDX-License-Identifier: Apache-2.0
import Control
import Geometry
import HostAPI
import Linux
import Pad
import Panel
import Touch

/// A person at the pad, as a touch device: reads the page, signs as in a recording, touches Accept and leaves when the
/// host is done. Main thread only.
final class DemoPerson: TouchInput {
    private enum Action {
        case frame(TouchFrame)
        /// Reports the page by its name.
        case look(String)
        /// Ends the input if the host is done.
        case leave
    }

    private static let reading = Duration.milliseconds(900)
    private static let pause = Duration.milliseconds(400)

    let name: String
    var path: String? { nil }
    let description: DeviceDescription
    let dropCount = 0
    private let signature: DemoSignature
    private var timer: Timer
    private let look: (String) -> Void
    private let film: ((Timestamp) -> Void)?
    private let isDone: () -> Bool
    /// When the film takes its next picture.
    private var nextPicture: Timestamp?
    /// Sorted by time.
    private var actions: [(due: Timestamp, action: Action)] = []

    /// - Parameters:
    ///   - look: called with the name of each page while it is shown.
    ///   - film: called every ``DemoFilm/interval`` with the time.
    ///   - isDone: whether the host has ended.
    init(
        _ recording: Recording, _ signature: DemoSignature, look: @escaping (String) -> Void,
        film: ((Timestamp) -> Void)? = nil, isDone: @escaping () -> Bool
    ) throws(Errno) {
        name = "recording of \(recording.device.name)"
        description = recording.device
        self.signature = signature
        self.look = look
        self.film = film
        self.isDone = isDone
        timer = try Timer()
    }

    var descriptor: CInt { timer.number }

    func start() throws(Errno) {
        let now = MonotonicClock.now
        nextPicture = film.map { _ in now + Self.pause }
        plan([(now + Self.pause, .look("idle")), (now + Self.reading, .leave)])
    }

    func padShows(_ view: PadView) {
        let now = MonotonicClock.now
        switch view.page {
        case .signing:
            guard let signing = view.placed else { return }
            let frames = signature.frames(on: signing, from: now + Self.reading)
            let end = (frames.last?.time ?? now) + Self.pause
            let tap = signature.tap(.accept, on: signing, at: end + Self.pause)
            plan([(now + Self.reading / 2, .look("prompt"))] + frames.map { ($0.time, .frame($0)) })
            plan([(end, .look("signed"))] + tap.map { ($0.time, .frame($0)) })
        case .thanks: plan([(now + Self.pause, .look("thanks"))])
        case .starting, .fault, .idle, .sketch, .ink, .pairing, .identity, .reading, .question, .handOver, .declining,
            .refused, .saving, .declined, .failed:
            break
        }
    }

    func read() throws(TouchError) -> TouchReading {
        timer.acknowledge()
        var frames: [TouchFrame] = []
        var isFinished = false
        let now = MonotonicClock.now
        while let next = actions.first, next.due <= now {
            actions.removeFirst()
            switch next.action {
            case .frame(let frame): frames.append(frame)
            case .look(let page): look(page)
            case .leave:
                isFinished = isDone() && actions.isEmpty
                if !isFinished { plan([(now + Self.pause, .leave)]) }
            }
        }
        if let film, let due = nextPicture, due <= now {
            film(now)
            nextPicture = due + DemoFilm.interval * (1 + Int((now - due) / DemoFilm.interval))
        }
        arm()
        return TouchReading(frames: frames, handedOut: now, isFinished: isFinished)
    }

    private func plan(_ more: [(Timestamp, Action)]) {
        actions = (actions + more.map { (due: $0, action: $1) }).sorted { $0.due < $1.due }
        arm()
    }

    private func arm() {
        guard let due = [actions.first?.due, nextPicture].compactMap(\.self).min() else { return }
        // Without the timer the demonstration waits for a signal.
        try? timer.arm(at: due)
    }
}
