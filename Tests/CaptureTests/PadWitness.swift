// SPDX-License-Identifier: Apache-2.0
import Capture
import Geometry
import Record
import Touch

/// Believes what a machine says, effect after effect, and lists what should not have been said.
struct PadWitness {
    private struct Request {
        let order: CaptureOrder
        let start: Int64
        var entries: [CaptureEntry] = []
        var isAccepted = false
        var isDiscarded = false
        /// Reports of pens in the air, in their order.
        var hovers: [Hover] = []
    }

    private struct Hover: Equatable {
        var device: Int
        var sample: CaptureInAir.Sample
    }

    private(set) var faults: [String] = []
    private(set) var results: [RequestID: [CaptureResult]] = [:]
    private(set) var asked: [RequestID] = []
    private(set) var strokesDrawn = 0
    private var open: [InkPoint]?
    private var canvas: [[InkPoint]] = []
    /// What the last clear took.
    private var cleared: [[InkPoint]]?
    private var pressed: PageButton?
    /// The one that is being met, or was last.
    private var current: CaptureOrder?
    private var orders: [RequestID: CaptureOrder] = [:]
    private var records: [RequestID: Request] = [:]
    private var durable: Set<RequestID> = []
    /// Whose stroke was begun last.
    private var lastDrawn: Int32?
    /// Where contacts came down, and where they were last.
    private var downs: [Int32?: (first: Point, last: Point)] = [:]

    private mutating func expect(_ holds: Bool, _ fault: String) {
        if !holds { faults.append(fault) }
    }

    mutating func see(_ input: CaptureInput, _ effects: [CaptureEffect], at now: Int64, _ machine: CaptureMachine) {
        if case .request(let order) = input {
            asked.append(order.id)
            orders[order.id] = order
        }
        if case .touch(.down(let sample), let contact) = input {
            downs[contact] = (sample.position, sample.position)
        } else if case .touch(.resume(let sample), let contact) = input {
            // Nowhere: it presses nothing.
            downs[contact] = (Point(x: -1, y: -1), sample.position)
        } else if case .touch(.motion(let sample), let contact) = input, let down = downs[contact] {
            downs[contact] = (down.first, sample.position)
        }
        for effect in effects { see(effect, because: input, at: now) }
        if case .touch(let event, let contact) = input {
            switch event {
            case .up, .cancel: downs[contact] = nil
            case .down, .resume, .motion: break
            }
        }
        if case .hover(let hover, let device, let microseconds) = input {
            expect(effects.allSatisfy { !isInk($0) }, "ink of a pen in the air")
            if let id = machine.running, let record = records[id], !record.isAccepted {
                let sample = CaptureInAir.Sample(
                    microseconds: microseconds - record.start, x: hover.x, y: hover.y, distance: hover.distance)
                records[id]?.hovers.append(Hover(device: device, sample: sample))
            }
        }
        if let deadline = machine.deadline { expect(deadline > now, "a deadline that is over") }
        if let id = machine.running, let record = records[id], !record.isAccepted {
            expect(now - record.start < record.order.policy.totalLimit, "beyond the total limit")
        }
        expect(machine.running != nil || (open == nil && canvas.isEmpty && cleared == nil), "ink without a capture")
        expect(machine.running != nil || pressed == nil, "a button stays pressed")
    }

    private func isInk(_ effect: CaptureEffect) -> Bool {
        switch effect {
        case .beginStroke, .extendStroke: true
        default: false
        }
    }

    private mutating func see(_ effect: CaptureEffect, because input: CaptureInput, at now: Int64) {
        switch effect {
        case .show, .reject: break
        case .button(let button, let isPressed):
            expect(pressed == (isPressed ? nil : button), "button \(button) \(isPressed) after \(pressed as Any)")
            expect(open == nil, "a button while a stroke is drawn")
            pressed = isPressed ? button : nil
        case .beginStroke(let point):
            expect(open == nil, "a stroke in a stroke")
            if case .touch(let event, let contact) = input {
                if case .resume = event { expect(contact == lastDrawn, "resumed by one who did not draw") }
                lastDrawn = contact
            }
            open = []
            draw(point, because: input)
        case .extendStroke(let point): draw(point, because: input)
        case .endStroke:
            expect(open?.contains { $0.device != nil } == true, "a stroke without a report")
            canvas.append(open ?? [])
            strokesDrawn += 1
            open = nil
        case .cancelStroke:
            expect(open != nil, "a cancel without a stroke")
            open = nil
        case .undo:
            expect(open == nil, "undo while drawing")
            if canvas.popLast() == nil {
                expect(cleared != nil, "undo of nothing")
                canvas = cleared ?? []
                cleared = nil
            }
        case .clear:
            expect(open == nil && !canvas.isEmpty, "clear of nothing or while drawing")
            (cleared, canvas) = (canvas, [])
        case .wipe:
            expect(open == nil, "wipe while drawing")
            (cleared, canvas) = (nil, [])
        case .record(let id, let step): see(id, step, because: input, at: now)
        case .tell(let id, let event): see(id, event, because: input)
        }
    }

    private mutating func draw(_ point: InkPoint, because input: CaptureInput) {
        expect(open != nil, "ink without a stroke")
        open?.append(point)
        let (area, place) = (TestPad.area.rect, point.position)
        expect(
            area.minX <= place.x && place.x <= area.maxX && area.minY <= place.y && place.y <= area.maxY,
            "ink outside at \(place)")
        guard case .touch(let event, let contact) = input, let down = downs[contact] else {
            return faults.append("ink without a touch")
        }
        let began = current.flatMap { order in order.policy.buttons.first { isOn($0, down.first) } }
        expect(began == nil, "ink of a contact that began on a button")
        expect(point.device == nil || point.position == event.sample.position, "ink where the contact is not")
    }

    private func isOn(_ button: PageButton, _ point: Point) -> Bool {
        let rect = TestPad.buttons[button]!
        return Double(rect.minX) <= point.x && point.x < Double(rect.maxX) && Double(rect.minY) <= point.y
            && point.y < Double(rect.maxY)
    }

    /// Whether the input is the lifting, on that button, of a contact that came down on it.
    private func isPress(of button: PageButton, _ input: CaptureInput) -> Bool {
        guard case .touch(.up, let contact) = input, let down = downs[contact] else { return false }
        return isOn(button, down.first) && isOn(button, down.last)
    }

    private mutating func see(_ id: RequestID, _ step: RecordStep, because input: CaptureInput, at now: Int64) {
        if case .start(let request, let start) = step {
            expect(records[id] == nil && start == now, "a record begun twice or at another time")
            guard let order = orders[id] else { return faults.append("a record nobody asked for") }
            current = order
            expect(order.request == request, "another request in the record")
            records[id] = Request(order: order, start: start)
            return
        }
        guard var record = records[id] else { return faults.append("a record that was not begun") }
        expect(!record.isDiscarded, "\(step) after the end")
        switch step {
        case .start: break
        case .append(let entry):
            expect(!record.isAccepted, "ink after Accept")
            record.entries.append(entry)
            if case .action(let action, _) = entry {
                let isPalm = if case .touch(.cancel, _) = input { true } else { false }
                switch action {
                case .undo:
                    let isAllowed = isPress(of: .undo, input) && record.order.policy.allowsUndo
                    expect(isAllowed || isPalm, "undo by nobody")
                case .clear: expect(isPress(of: .clear, input) || input == .command(.clear(id)), "clear by nobody")
                case .redo: faults.append("redo")
                }
            }
        case .accept:
            expect(!record.isAccepted, "accepted twice")
            expect(isPress(of: .accept, input) || input == .command(.accept(id)), "accepted without Accept")
            record.isAccepted = true
            let recorded = record.entries.flatMap { entry -> [Hover] in
                guard case .inAir(let movement) = entry else { return [] }
                return movement.samples.map { Hover(device: movement.device, sample: $0) }
            }
            expect(recorded == record.hovers, "movement in the air is not what pens did")
            expect(!canvas.isEmpty && open == nil, "accepted without ink")
        case .discard: record.isDiscarded = true
        }
        records[id] = record
        // What stands on the pad is what the record says.
        if case .append = step {
            expect(visible(record.entries) == canvas.map { $0.compactMap(\.device) }, "record and pad differ")
        }
    }

    private func visible(_ entries: [CaptureEntry]) -> [[DeviceReading]] {
        let axis = CaptureDevice.Axis(minimum: 0, maximum: 4000, resolution: 0)
        let device = CaptureDevice(
            name: "", bus: 0, vendor: 0, product: 0, version: 0, x: axis, y: axis, pressure: nil,
            transform: [])
        let screen = CaptureScreen(width: 400, height: 300, pixelsPerMillimetre: 10, signingArea: [])
        let header = CaptureHeader(
            id: "a", startedAt: 0, startedAtDeviceTime: 0, program: "", devices: [device], screen: screen,
            request: CaptureRequest())
        return CaptureRecord(header: header, entries: entries).visibleStrokes.map { stroke in
            stroke.samples.map { DeviceReading(x: $0.x, y: $0.y, pressure: $0.pressure) }
        }
    }

    private mutating func see(_ id: RequestID, _ event: HostEvent, because input: CaptureInput) {
        expect(results[id] == nil, "told of \(event) after the end")
        switch event {
        case .started, .saving, .refused: break
        case .strokes(let count): expect(count == canvas.count, "\(count) strokes of \(canvas.count)")
        case .ended(let result):
            results[id, default: []].append(result)
            let record = records[id]
            switch result {
            case .accepted:
                expect(input == .recordDurable(id) && record?.isAccepted == true, "accepted, but not durable")
                expect(record?.isDiscarded == false, "accepted and discarded")
            case .busy: expect(record == nil, "busy with itself")
            case .cancelled(by: .person): expect(isPress(of: .cancel, input), "cancelled by nobody")
            case .cancelled(by: .host): expect(input == .command(.cancel(id)), "cancelled by no host")
            case .timedOut, .recordFailed, .recordLate: break
            }
            if result != .accepted, let record { expect(record.isDiscarded, "kept after \(result)") }
        }
    }
}
