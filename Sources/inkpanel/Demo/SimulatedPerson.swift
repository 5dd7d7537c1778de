// SPDX-License-Identifier: Apache-2.0
import Geometry
import HostAPI
import Linux
import Pad
import Panel
import Touch

/// The person of `inkpanel run --simulate`, as a touch device: signs each capture as in the demonstration's recording
/// and presses Accept, unless a host asks for another act. Main thread only.
final class SimulatedPerson: TouchInput {
    /// The time before the first touch, and before a button.
    private static let pause = Duration.milliseconds(300)

    let description: DeviceDescription
    private let signature: DemoSignature
    private var timer: Timer
    /// The page of the running capture; nil without one.
    private var page: PlacedPage?
    /// The act for the next capture.
    private var next = SimulatedAct.sign
    /// Sorted by time.
    private var frames: ArraySlice<TouchFrame> = []
    private var isTouching = false
    /// The contact is to end before the next frame.
    private var isInterrupted = false

    /// - Parameter panel: the size of the display, which is not rotated.
    init(panel: PixelSize) throws {
        let recording = try Recording.demonstration()
        signature = try DemoSignature.demonstration(of: recording, panel: panel)
        var device = recording.device
        // Records must not be taken for those of a person.
        device.name = "simulated hand"
        (device.bus, device.vendor, device.product, device.version) = (6, 0, 0, 0)
        description = device
        timer = try Timer()
    }

    var name: String { description.name }
    var path: String? { nil }
    var descriptor: CInt { timer.number }
    var dropCount: Int { 0 }

    /// Does nothing: the first page starts the person.
    func start() throws(Errno) {}

    func padShows(_ page: PanelStatus.Page, _ signing: PlacedPage?) {
        switch page {
        case .signing, .refused:
            // A refusal that disappears is not another capture.
            guard self.page == nil, let signing else { return }
            self.page = signing
            plan(next, on: signing, hasInk: false)
            next = .sign
        case .starting, .fault, .idle, .sketch, .ink, .pairing, .identity, .reading, .question, .handOver, .declining,
            .saving, .thanks, .declined, .failed:
            self.page = nil
            stop()
        }
    }

    /// - Parameter inRunning: in the running capture, whose ink goes first; otherwise in the next one.
    func perform(_ act: SimulatedAct, inRunning: Bool) {
        guard inRunning, let page else {
            next = act
            return
        }
        stop()
        plan(act, on: page, hasInk: true)
    }

    func read() throws(TouchError) -> TouchReading {
        timer.acknowledge()
        let now = MonotonicClock.now
        var reading = TouchReading(frames: [], handedOut: now, isInterrupted: isInterrupted)
        if isInterrupted {
            (isInterrupted, isTouching) = (false, false)
        } else {
            reading.frames = Array(frames.prefix { $0.time <= now })
            frames.removeFirst(reading.frames.count)
            if let phase = reading.frames.last(where: { !$0.contacts.isEmpty })?.contacts.last?.phase {
                isTouching = phase == .began || phase == .moved
            }
        }
        arm()
        return reading
    }

    private func plan(_ act: SimulatedAct, on page: PlacedPage, hasInk: Bool) {
        frames = touches(of: act, on: page, hasInk: hasInk, from: MonotonicClock.now + Self.pause)[...]
        arm()
    }

    /// - Parameters:
    ///   - hasInk: ink on the page is removed first.
    ///   - start: of the first touch.
    func touches(of act: SimulatedAct, on page: PlacedPage, hasInk: Bool, from start: Timestamp) -> [TouchFrame] {
        var time = start
        var touches: [TouchFrame] = []
        func add(_ more: [TouchFrame]) {
            touches += more
            time = (more.last?.time ?? time) + Self.pause
        }
        switch act {
        case .sign:
            if hasInk { add(signature.tap(.clear, on: page, at: time)) }
            add(signature.frames(on: page, from: time))
            add(signature.tap(.accept, on: page, at: time))
        case .refuse:
            if hasInk { add(signature.tap(.clear, on: page, at: time)) }
            add(signature.tap(.accept, on: page, at: time))
        case .cancel: add(signature.tap(.cancel, on: page, at: time))
        case .leave: break
        }
        return touches
    }

    /// Lifts the hand. What it has drawn stays, and it presses no button.
    private func stop() {
        frames = []
        isInterrupted = isTouching
        arm()
    }

    private func arm() {
        // Without the timer the host waits until the capture times out.
        try? timer.arm(at: isInterrupted ? .zero : frames.first?.time)
    }
}
