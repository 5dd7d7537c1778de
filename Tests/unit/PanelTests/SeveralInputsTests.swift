// SPDX-License-Identifier: Apache-2.0
import Geometry
import Ink
import Linux
import Screen
import TestSupport
import Testing
import Touch

@testable import Panel

/// A device whose reports and times are scripted by a test.
private final class ScriptedInput: TouchInput {
    enum Step {
        case frames([TouchFrame])
        /// Wakes the other device; this one waits until it is woken.
        case wake(ScriptedInput)
        case fail(waking: ScriptedInput?)
        case finish(waking: ScriptedInput?)
    }

    let name: String
    var path: String? { nil }
    let description: DeviceDescription
    let dropCount = 0
    var steps: [Step] = []
    private let isFirst: Bool
    private let signal: EventSignal
    /// Whether this device may report. The panel reads all devices when one is readable.
    private var isAwake = false

    init(_ description: DeviceDescription, isFirst: Bool = false) throws(Errno) {
        (name, self.description, self.isFirst) = (description.name, description, isFirst)
        signal = try EventSignal(blocking: false)
    }

    var descriptor: CInt { signal.number }

    func start() throws(Errno) { if isFirst { wake() } }

    private func wake() {
        isAwake = true
        signal.signal()
    }

    /// Performs one step.
    func read() throws(TouchError) -> TouchReading {
        if !isAwake { return TouchReading(frames: []) }
        isAwake = false
        signal.wait()
        switch steps.isEmpty ? nil : steps.removeFirst() {
        case nil: return TouchReading(frames: [])
        case .frames(let frames):
            wake()
            return TouchReading(frames: frames)
        case .wake(let other):
            other.wake()
            return TouchReading(frames: [])
        case .fail(let other):
            other?.wake()
            throw .deviceGone(path: name)
        case .finish(let other):
            other?.wake()
            return TouchReading(frames: [], isFinished: true)
        }
    }
}

@Suite("A panel with several devices", .serialized)
struct SeveralInputsTests {
    private static let axis = AxisInfo(minimum: 0, maximum: 199)

    private let finger = DeviceDescription(
        name: "finger", properties: [EventCode.propertyDirect], keys: [EventCode.touch],
        axes: [
            EventCode.mtSlot: AxisInfo(minimum: 0, maximum: 4), EventCode.mtPositionX: axis,
            EventCode.mtPositionY: axis, EventCode.mtTrackingID: AxisInfo(minimum: 0, maximum: 65535),
        ])
    private let pen = DeviceDescription(
        name: "pen", properties: [EventCode.propertyDirect], keys: [EventCode.touch, EventCode.toolPen],
        axes: [EventCode.absX: axis, EventCode.absY: axis])

    private func frame(
        _ phase: Contact.Phase?, _ x: Int32, _ tool: Contact.Tool = .finger, at milliseconds: Int64
    ) -> TouchFrame {
        let contact = phase.map {
            Contact(slot: 0, trackingID: 1, phase: $0, reading: DeviceReading(x: x, y: x / 2 + 20), tool: tool)
        }
        return TouchFrame(
            time: Timestamp(microseconds: milliseconds * 1000), contacts: contact.map { [$0] } ?? [],
            isPenInRange: tool == .pen)
    }

    private func line(_ tool: Contact.Tool = .finger, from start: Int64, isLifted: Bool) -> [TouchFrame] {
        (0..<12).map { frame($0 == 0 ? .began : .moved, Int32($0) * 10, tool, at: start + Int64($0) * 8) }
            + (isLifted ? [frame(.ended, 110, tool, at: start + 96)] : [])
    }

    private func run(_ inputs: [ScriptedInput]) throws -> PanelSession.Outcome {
        var session = PanelSession(look: Look(), log: Log(threshold: .error))
        session.keepsStrokes = true
        session.endsWithRecording = true
        let display = try HeadlessDisplay(size: PixelSize(width: 200, height: 200), pace: .immediate)
        defer { display.close() }
        return try session.run(inputs, display, until: [])
    }

    @Test("if a device is lost during a stroke, the stroke is kept, and the others go on")
    func oneGoes() throws {
        let gone = try ScriptedInput(finger, isFirst: true)
        let other = try ScriptedInput(pen)
        gone.steps = [.frames(line(from: 0, isLifted: false)), .fail(waking: other)]
        other.steps = [.frames(line(.pen, from: 5000, isLifted: true)), .finish(waking: nil)]
        // The pen is read before the lost device, and draws a moment later.
        let outcome = try run([other, gone])
        #expect(outcome.ending == .endOfRecording)
        #expect(outcome.rendering.strokes.count == 2)
        #expect(outcome.summary.reportCount == 12 + 13)
    }

    @Test("if the last device is lost, the panel ends as with a single device")
    func allGo() throws {
        let first = try ScriptedInput(finger, isFirst: true)
        let last = try ScriptedInput(pen)
        first.steps = [.fail(waking: last)]
        last.steps = [.frames(line(.pen, from: 5000, isLifted: false)), .fail(waking: nil)]
        #expect(throws: TouchError.deviceGone(path: "pen")) { try run([first, last]) }
    }

    @Test("a finger's stroke is removed when the other device's pen comes near, and the pen draws")
    func penComes() throws {
        let hand = try ScriptedInput(finger, isFirst: true)
        let other = try ScriptedInput(pen)
        let frames = [frame(nil, 0, .pen, at: 200)] + line(.pen, from: 208, isLifted: true)
        // The hand stays down until the pen has lifted.
        hand.steps = [.frames(line(from: 0, isLifted: false)), .wake(other), .finish(waking: other)]
        other.steps = [.frames(frames), .wake(hand), .finish(waking: nil)]
        let outcome = try run([hand, other])
        #expect(outcome.rendering.strokes.count == 1)
        // The remaining stroke is the pen's: its first report is 208 ms after the finger's.
        #expect(outcome.rendering.strokes.first?.centerline.first?.time == 208_000)
    }

    @Test("waiting reports of several devices are processed in order of time")
    func readLate() throws {
        let hand = try ScriptedInput(finger, isFirst: true)
        let other = try ScriptedInput(pen, isFirst: true)
        // When the reports are read, the hand has lifted, and the pen that came near during its stroke is gone.
        let near = [frame(nil, 0, .pen, at: 40), frame(nil, 0, .pen, at: 120)]
        hand.steps = [.frames(line(from: 0, isLifted: true)), .finish(waking: nil)]
        other.steps = [.frames(near), .finish(waking: nil)]
        #expect(try run([hand, other]).rendering.strokes.isEmpty)
    }
}
