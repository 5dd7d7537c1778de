// SPDX-License-Identifier: Apache-2.0
import Geometry
import HostAPI
import Linux
import Pad
import Panel
import Touch

/// The person of `inkpanel run --simulate`, as a touch device: reads and answers what a capture asks for, signs as in
/// the demonstration's recording and presses Accept, unless a host asks for another act. Main thread only.
final class SimulatedPerson: TouchInput {
    /// The time before the first touch, and before a button.
    private static let pause = Duration.milliseconds(300)
    /// The time before the first touch of a page without an ink field.
    private static let look = Duration.milliseconds(600)
    /// The time in which a part of a document counts as read.
    private static let reading = Duration.milliseconds(500)

    let description: DeviceDescription
    private let signature: DemoSignature
    private var timer: Timer
    /// The page of the running capture; nil without one.
    private var page: PlacedPage?
    /// The elements of the page.
    private var view = PadView(page: .starting)
    /// The act for the next capture.
    private var next = SimulatedAct.sign
    /// The act for the running one.
    private var act = SimulatedAct.sign
    /// Sorted by time.
    private var frames: ArraySlice<TouchFrame> = []
    /// When to look at the document again.
    private var lookAt: Timestamp?
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

    func padShows(_ view: PadView) {
        let before = self.view
        self.view = view
        switch view.page {
        case .signing, .refused, .reading, .question, .handOver, .declining:
            guard let placed = view.placed else { return }
            if page == nil { (act, next) = (next, .sign) }
            // A refusal that disappears is no other page. A document is looked at again after each act.
            let isOther = page == nil || view.number != before.number
            page = placed
            if isOther { plan(act, on: placed, hasInk: false) }
        case .starting, .fault, .idle, .sketch, .ink, .pairing, .identity, .saving, .thanks, .declined, .failed:
            page = nil
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
        self.act = act
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
        // The next act in a document depends on what is seen after a while.
        if frames.isEmpty, view.page == .reading, act == .sign || act == .instead, !reading.frames.isEmpty {
            lookAt = now + Self.reading
        }
        if let due = lookAt, now >= due, let page {
            lookAt = nil
            plan(act, on: page, hasInk: false)
        }
        arm()
        return reading
    }

    private func plan(_ act: SimulatedAct, on page: PlacedPage, hasInk: Bool) {
        lookAt = nil
        // A tap that comes sooner would count as the second one of two on the page before.
        let pause = page.inkField.isEmpty ? Self.look : Self.pause
        frames = touches(of: act, on: page, hasInk: hasInk, from: MonotonicClock.now + pause)[...]
        arm()
    }

    /// The button; if the page lacks it, Back, because the page before may have it.
    private func leaving(_ button: PageButton, _ page: PlacedPage) -> PageButton {
        page.element(of: button) == nil && page.element(of: .back) != nil ? .back : button
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
        // The page to act on comes after its texts.
        case .sign where page.page.isLargeTexts, .instead where page.page.isLargeTexts,
            .refuse where page.page.isLargeTexts:
            add(signature.tap(.next, on: page, at: time))
        case .sign where page.inkField.isEmpty, .instead where page.inkField.isEmpty: add(step(on: page, at: time))
        case .instead where page.element(of: .instead) != nil: add(signature.tap(.instead, on: page, at: time))
        case .decline:
            if view.page == .declining {
                if page.element(of: .option(0)) != nil { add(signature.tap(.option(0), on: page, at: time)) }
                add(signature.tap(.next, on: page, at: time))
            } else {
                add(signature.tap(leaving(.decline, page), on: page, at: time))
            }
        case .sign, .instead:
            if hasInk { add(signature.tap(.clear, on: page, at: time)) }
            add(signature.frames(on: page, from: time))
            add(signature.tap(.accept, on: page, at: time))
        case .refuse:
            if hasInk { add(signature.tap(.clear, on: page, at: time)) }
            add(signature.tap(.accept, on: page, at: time))
        case .cancel: add(signature.tap(leaving(.cancel, page), on: page, at: time))
        case .leave: break
        }
        return touches
    }

    /// The next step on a page without an ink field.
    private func step(on page: PlacedPage, at start: Timestamp) -> [TouchFrame] {
        if !page.documentArea.isEmpty {
            let area = page.documentArea.rect
            // The first value of a choice; an answered one is no longer open.
            let open = view.document?.marks.first { mark in
                guard case .open(isRequired: true) = mark.state, mark.shape == .check || mark.shape == .choice else {
                    return false
                }
                return area.contains(mark.place.middle)
            }
            return open.map { signature.tap($0.place.middle, at: start) } ?? signature.tap(.lead, on: page, at: start)
        }
        let options = page.buttons.compactMap { if case .option(let index)? = $0.button { index } else { nil } }
        guard let last = options.last, page.element(of: .next) != nil else {
            return signature.tap(.next, on: page, at: start)
        }
        var style = OptionStyle.choice
        for case .option(_, _, let shown) in page.page.elements { style = shown }
        let chosen = style == .check ? options : [style == .rating ? last : 0]
        var touches: [TouchFrame] = []
        for button in chosen.map(PageButton.option) + [.next] {
            touches += signature.tap(button, on: page, at: touches.last.map { $0.time + Self.pause } ?? start)
        }
        return touches
    }

    /// Lifts the hand. What it has drawn stays, and it presses no button.
    private func stop() {
        (frames, lookAt) = ([], nil)
        isInterrupted = isTouching
        arm()
    }

    private func arm() {
        // Without the timer the host waits until the capture times out.
        try? timer.arm(at: isInterrupted ? .zero : [frames.first?.time, lookAt].compactMap { $0 }.min())
    }
}
