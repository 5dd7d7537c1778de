// SPDX-License-Identifier: Apache-2.0
import Capture
import Geometry
import Record
import Touch

/// A machine, the time, and what people and hosts do in a word.
struct MachineDriver {
    var machine = CaptureMachine()
    var now: Int64 = 1_000_000
    private(set) var effects: [CaptureEffect] = []

    @discardableResult
    mutating func send(_ input: CaptureInput) -> [CaptureEffect] {
        let done = machine.handle(input, at: now)
        effects += done
        return done
    }

    @discardableResult
    mutating func request(_ number: UInt64, _ policy: CapturePolicy = CapturePolicy(pen: "ink")) -> [CaptureEffect] {
        send(.request(TestPad.order(number, policy)))
    }

    @discardableResult
    mutating func down(_ x: Double, _ y: Double, _ contact: Int32? = 1) -> [CaptureEffect] {
        touch({ .down($0) }, x, y, contact)
    }

    @discardableResult
    mutating func move(_ x: Double, _ y: Double, _ contact: Int32? = 1) -> [CaptureEffect] {
        touch({ .motion($0) }, x, y, contact)
    }

    @discardableResult
    mutating func resume(_ x: Double, _ y: Double, _ contact: Int32? = 1) -> [CaptureEffect] {
        touch({ .resume($0) }, x, y, contact)
    }

    @discardableResult
    mutating func up(_ contact: Int32? = 1) -> [CaptureEffect] { touch({ .up($0) }, 0, 0, contact) }

    @discardableResult
    mutating func palm(_ contact: Int32? = 1) -> [CaptureEffect] { touch({ .cancel($0) }, 0, 0, contact) }

    @discardableResult
    mutating func hover(_ x: Int32, _ y: Int32, device: Int = 0) -> [CaptureEffect] {
        now += 8000
        return send(.hover(PenHover(x: x, y: y, distance: x), device: device, microseconds: now))
    }

    private mutating func touch(
        _ event: (TouchSample) -> TouchEvent, _ x: Double, _ y: Double, _ contact: Int32?
    ) -> [CaptureEffect] {
        now += 8000
        return send(.touch(event(TestPad.sample(x, y, at: now)), contact: contact))
    }

    @discardableResult
    mutating func press(_ button: PageButton) -> [CaptureEffect] {
        let place = TestPad.center(button)
        return down(place.x, place.y) + up()
    }

    mutating func stroke(_ places: [(x: Double, y: Double)]) {
        down(places[0].x, places[0].y)
        for place in places.dropFirst() { move(place.x, place.y) }
        up()
    }

    /// Enough for a signature: a zigzag of half a second.
    mutating func sign() { stroke(Self.zigzag(60)) }

    static func zigzag(_ count: Int) -> [(x: Double, y: Double)] {
        var places: [(x: Double, y: Double)] = []
        for index in 0..<count { places.append((100 + Double(index) * 2, index % 2 == 0 ? 100 : 150)) }
        return places
    }

    /// As many places as ``sign()`` has, along a straight line through the middle of the area.
    static func line(_ x: Double, _ y: Double) -> [(x: Double, y: Double)] {
        var places: [(x: Double, y: Double)] = []
        for index in -30..<30 { places.append((200 + Double(index) * x, 130 + Double(index) * y)) }
        return places
    }

    /// What the record of a request has been given.
    func entries(_ number: UInt64) -> [CaptureEntry] {
        effects.compactMap { effect in
            if case .record(RequestID(number), .append(let entry)) = effect { entry } else { nil }
        }
    }

    /// What is left of the effects when only hosts listen.
    func told(_ number: UInt64) -> [HostEvent] {
        effects.compactMap { effect in
            if case .tell(RequestID(number), let event) = effect { event } else { nil }
        }
    }
}
