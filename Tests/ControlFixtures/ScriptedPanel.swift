// SPDX-License-Identifier: Apache-2.0
import Capture
import CaptureFixtures
public import Control
import Geometry
public import Linux
import Record
public import Store
import Synchronization

/// A panel without a screen, on a thread that stands for the main thread: what a capture does is said by its reason
/// (``Act``). It takes calls and answers as a panel does, one capture at a time.
public final class ScriptedPanel: Sendable {
    /// What a person would do. A capture of any other reason goes on until somebody ends it.
    public enum Act: String, Sendable {
        /// Two strokes, Accept; the record is in the store when that is told.
        case accept
        /// Accept without ink first.
        case refuse
        case cancel
        case timeout
        case fail
        /// Strokes without an end.
        case scribble
        /// The page does not fit.
        case tiny
    }

    public static let stroke = HostStroke(samples: [
        .init(microseconds: 1000, x: 1.5, y: 2, pressure: 0.5), .init(microseconds: 9000, x: 3, y: 2.25),
    ])

    private struct Running {
        var call: CallID
        var capture: CaptureCall
        var id: CaptureID
        var strokes = 0
    }

    private struct Log: Sendable {
        var inputs: [PanelInput] = []
        var isEnding = false
    }

    public let link: ControlLink
    private let store: CaptureStore
    private let standardAct: Act?
    private let log = Mutex(Log())
    private let wake: EventSignal

    /// - Parameter standardAct: of captures of another reason.
    public init(link: ControlLink, store: CaptureStore, standardAct: Act? = nil) throws(Errno) {
        self.link = link
        self.store = store
        self.standardAct = standardAct
        wake = try EventSignal(blocking: false)
    }

    /// What it was told so far.
    public var inputs: [PanelInput] { log.withLock { $0.inputs } }

    /// Makes ``run()`` return.
    public func finish() {
        log.withLock { $0.isEnding = true }
        wake.signal()
    }

    public func run() throws(Errno) {
        let poll = try EventPoll()
        try poll.add(link.descriptor, token: 0)
        try poll.add(wake.number, token: 1)
        var stage = Stage(link: link, store: store, standardAct: standardAct)
        while !log.withLock({ $0.isEnding }) {
            _ = try poll.wait(milliseconds: stage.isScribbling ? 0 : nil)
            for input in link.takeInputs() {
                log.withLock { $0.inputs.append(input) }
                stage.take(input)
            }
            stage.scribble()
        }
    }

    /// The thread's own state.
    private struct Stage {
        let link: ControlLink
        let store: CaptureStore
        let standardAct: Act?
        var running: Running?
        var waiting: [Running] = []
        var watchers: [CallID] = []
        var count: UInt64 = 0

        var isScribbling: Bool { running?.capture.request.reason == Act.scribble.rawValue }

        init(link: ControlLink, store: CaptureStore, standardAct: Act?) {
            self.link = link
            self.store = store
            self.standardAct = standardAct
        }

        mutating func take(_ input: PanelInput) {
            switch input {
            case .call(let call, .capture(let capture)): begin(call, capture)
            case .call(let call, .cancel(let id)):
                if let index = waiting.firstIndex(where: { $0.id == id }) {
                    end(waiting.remove(at: index), .cancelledByHost)
                    link.answer(call, .done)
                } else {
                    command(call, id) { $0.finish(.cancelledByHost) }
                }
            case .call(let call, .clear(let id)):
                command(call, id) { stage in
                    stage.running?.strokes = 0
                    stage.tell(.signing)
                }
            case .call(let call, .accept(let id)): command(call, id) { $0.accept() }
            case .call(let call, .status): link.answer(call, .status(status))
            case .call(let call, .watch):
                watchers.append(call)
                link.answer(call, .changed(status))
            case .gone(let call):
                watchers.removeAll { $0 == call }
                waiting.removeAll { $0.call == call }
                if running?.call == call { finish(.cancelledByHost) }
            }
        }

        /// More strokes than any socket takes in at once.
        mutating func scribble() {
            guard isScribbling else { return }
            for _ in 0..<200 { draw() }
        }

        private mutating func begin(_ call: CallID, _ capture: CaptureCall) {
            count += 1
            // 2026-03-14 15:09:26 and so many seconds.
            let started = 1_773_500_966_000_000 + Int64(count) * 1_000_000
            let running = Running(call: call, capture: capture, id: CaptureID(startedAt: started, random: count))
            if let busy = self.running {
                if capture.waits {
                    waiting.append(running)
                    link.answer(call, .progress(CaptureProgress(id: running.id, state: .waiting, strokes: 0)))
                } else {
                    link.answer(call, .failed(.busy(with: busy.id)))
                }
            } else {
                perform(running)
            }
        }

        private mutating func perform(_ running: Running) {
            let act = running.capture.request.reason.flatMap(Act.init(rawValue:)) ?? standardAct
            if act == .tiny { return link.answer(running.call, .failed(.pageTooSmall(.reason))) }
            self.running = running
            tellWatchers()
            tell(.signing)
            switch act {
            case .accept:
                draw()
                draw()
                accept()
            case .refuse:
                tell(.refused(.small(2.5, minimum: 6)))
                draw()
                accept()
            case .cancel: finish(.cancelledByPerson)
            case .timeout: finish(.timedOut(.inactivity))
            case .fail: finish(.failed(reason: "the disk is full"))
            case .scribble, .tiny, nil: break
            }
        }

        private mutating func draw() {
            running?.strokes += 1
            tell(.signing, stroke: ScriptedPanel.stroke)
        }

        private mutating func accept() {
            guard let running else { return }
            tell(.saving)
            var record = CaptureRecord.random(seed: count)
            record.header.id = running.id.description
            record.header.request = running.capture.request
            record.end = CaptureEnd(
                outcome: .accepted, endedAt: record.header.startedAt + 9_000_000,
                quality: CaptureQuality(reportRate: 125, longestGap: 9000, latency: .init(p50: 9, p95: 15, p99: 18)))
            do throws(StoreError) {
                var writer = try JournalWriter(record.header, in: store)
                for entry in record.entries { try writer.append(entry) }
                if let end = record.end { try writer.finish(end) }
                finish(.accepted)
            } catch {
                finish(.failed(reason: error.description))
            }
        }

        private mutating func finish(_ result: CaptureOutcome.Result) {
            guard let running else { return }
            self.running = nil
            end(running, result)
            tellWatchers()
            if !waiting.isEmpty { perform(waiting.removeFirst()) }
        }

        private func end(_ running: Running, _ result: CaptureOutcome.Result) {
            let data = running.capture.request.data
            link.answer(running.call, .ended(CaptureOutcome(id: running.id, result: result, data: data)))
        }

        private mutating func command(_ call: CallID, _ id: CaptureID?, _ follow: (inout Stage) -> Void) {
            guard let running, id == nil || id == running.id else {
                return link.answer(call, .failed(.notRunning))
            }
            follow(&self)
            link.answer(call, .done)
        }

        private func tell(_ state: CaptureProgress.State, stroke: HostStroke? = nil) {
            guard let running else { return }
            link.answer(
                running.call,
                .progress(CaptureProgress(id: running.id, state: state, strokes: running.strokes, stroke: stroke)))
        }

        private func tellWatchers() { for call in watchers { link.answer(call, .changed(status)) } }

        private var status: PanelStatus {
            PanelStatus(
                program: "inkpanel 1", page: running == nil ? .idle : .signing,
                running: running.map { PanelStatus.Running(id: $0.id, strokes: $0.strokes) }, waiting: waiting.count,
                touchDevices: ["Test Pad"],
                screen: PanelStatus.Screen(
                    name: "DSI-1", size: PixelSize(width: 800, height: 480), density: PixelDensity(dotsPerInch: 127)))
        }
    }
}
