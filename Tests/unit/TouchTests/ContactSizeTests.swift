// SPDX-License-Identifier: Apache-2.0
import Geometry
import TestSupport
import Testing
import Touch

@Suite("The size of contacts")
struct ContactSizeTests {
    /// A panel with positions in tenths of a millimetre, and the given axes of sizes.
    private func device(
        _ axes: [UInt16: AxisInfo], resolution: (x: Int32, y: Int32) = (10, 10)
    ) -> DeviceDescription {
        var device = DeviceDescription.multitouch(3000, 1600)
        device.axes[EventCode.mtPositionX]?.resolution = resolution.x
        device.axes[EventCode.mtPositionY]?.resolution = resolution.y
        for (code, axis) in axes { device.axes[code] = axis }
        return device
    }

    private func size(_ device: DeviceDescription, _ events: InputEvent...) throws -> Double? {
        var tracker = try #require(SlotTracker(device))
        // Axes that measure have sent two values.
        for (code, axis) in device.axes where Self.sizes.contains(code) && axis.hasRange {
            for value: Int32 in [1, 2, 0] { _ = tracker.update(with: Event.abs(code, value)) }
        }
        for event in events + [Event.id(1), Event.mtX(10), Event.mtY(10)] { _ = tracker.update(with: event) }
        return tracker.update(with: Event.report)?.contacts.first?.size
    }

    private static let sizes = [
        EventCode.mtTouchMajor, EventCode.mtTouchMinor, EventCode.mtWidthMajor, EventCode.mtWidthMinor,
    ]
    private let plain = AxisInfo(minimum: 0, maximum: 3000, resolution: 10)
    private let fine = AxisInfo(minimum: 0, maximum: 255, resolution: 2)
    private let major = EventCode.mtTouchMajor
    private let minor = EventCode.mtTouchMinor

    @Test("sizes are in the units of their axis")
    func units() throws {
        #expect(try size(device([major: plain]), Event.abs(major, 127)) == 12.7)
        #expect(try size(device([major: fine]), Event.abs(major, 30)) == 15)
        // The larger side counts, whichever axis reports it.
        let both = device([major: plain, minor: fine])
        #expect(try size(both, Event.abs(major, 100), Event.abs(minor, 30)) == 15)
        #expect(try size(both, Event.abs(major, 200), Event.abs(minor, 30)) == 20)
    }

    @Test("the tool's size replaces a missing contact's size; without either, or without units, there is no size")
    func missing() throws {
        let width = EventCode.mtWidthMajor
        #expect(try size(device([width: plain]), Event.abs(width, 90)) == 9)
        #expect(try size(device([width: plain, major: plain]), Event.abs(width, 90), Event.abs(major, 70)) == 7)
        #expect(try size(device([width: plain, major: plain]), Event.abs(width, 90)) == nil)
        #expect(try size(device([:]), Event.abs(major, 70)) == nil)
        #expect(try size(device([major: AxisInfo(minimum: 0, maximum: 0)]), Event.abs(major, 70)) == nil)
        for value: Int32 in [0, -5, .min] { #expect(try size(device([major: plain]), Event.abs(major, value)) == nil) }
        #expect(ContactSize(.singleTouch()) == nil && ContactSize(.pen()) == nil)
    }

    @Test(
        "numbers without a unit, whatever their range, and axes of two values are no sizes",
        arguments: [255, 1023, 2999, 3000])
    func numbers(maximum: Int32) throws {
        let width = EventCode.mtWidthMajor
        let bare = AxisInfo(minimum: 0, maximum: maximum)
        #expect(try size(device([major: bare]), Event.abs(major, 200)) == nil)
        #expect(try size(device([width: bare]), Event.abs(width, 200)) == nil)
        #expect(try size(device([major: AxisInfo(minimum: 0, maximum: 1, resolution: 1)]), Event.abs(major, 1)) == nil)
        // Another axis may be a size.
        #expect(try size(device([major: bare, width: fine]), Event.abs(major, 200), Event.abs(width, 30)) == 15)
        #expect(try size(device([major: fine, minor: bare]), Event.abs(major, 30), Event.abs(minor, 200)) == 15)
    }

    @Test("an axis that sends one value only is no size, at its end or below, until it sends another")
    func constant() throws {
        let both = device([major: fine, minor: fine])
        for value: Int32 in [255, 90] {
            var tracker = try #require(SlotTracker(both))
            for id: Int32 in 1...3 {
                let frame = tracker.report(
                    Event.id(id), Event.mtX(id), Event.mtY(1), Event.abs(major, value), Event.abs(minor, value))
                #expect(frame?.contacts.first { $0.phase == .began }?.size == nil)
                tracker.report(Event.abs(major, 0), Event.abs(minor, 0), Event.id(-1))
            }
            // The constant minor axis still does not count.
            let frame = tracker.report(
                Event.id(9), Event.mtX(1), Event.mtY(1), Event.abs(major, 20), Event.abs(minor, value))
            #expect(frame?.contacts.first?.size == 10)
        }
    }

    @Test("a panel whose contacts always have the largest size draws with a finger")
    func alwaysLargest() throws {
        let device = try Recording(path: recordings + "Wacom Cintiq 13HD touch Finger.events").device
        let mapping = try #require(PanelMapping(device, panel: PixelSize(width: 800, height: 480)))
        var gate = ContactGate(mappings: [mapping])
        var tracker = try #require(SlotTracker(device))
        var touches: [TouchEvent] = []
        for step in 0..<Int32(5) {
            let frame = tracker.report(
                Event.id(4), Event.mtX(step * 10), Event.mtY(9), Event.abs(major, 2937))
            if let frame { touches += gate.update(with: frame, of: 0) }
        }
        #expect(touches.count == 5 && gate.ignoredCount == 0)
    }

    @Test("an unchanged size applies to the next contact, and after lost events the state's size applies")
    func outlives() throws {
        var tracker = try #require(SlotTracker(device([major: plain])))
        tracker.report(Event.id(1), Event.mtX(1), Event.mtY(1), Event.abs(major, 70))
        tracker.report(Event.abs(major, 80))
        tracker.report(Event.id(-1))
        #expect(tracker.report(Event.id(2))?.contacts.first?.size == 8)
        _ = tracker.update(with: Event.dropped)
        let state = DeviceState(slots: [.init(trackingID: 3, x: 1, y: 1, major: 260)], isTouching: true)
        #expect(tracker.resynchronise(to: state, at: 0)?.contacts.first?.size == 26)
    }

    @Test("a recorded finger has the recorded sizes if their axis has a resolution")
    func recorded() throws {
        var recording = try Recording(path: recordings + "Wacom Cintiq 13HD touch Finger.events")
        #expect(recording.frames().flatMap(\.contacts).allSatisfy { $0.size == nil })
        recording.device.axes[EventCode.mtTouchMajor]?.resolution = 10
        recording.device.axes[EventCode.mtTouchMinor]?.resolution = 10
        let sizes = recording.frames().flatMap(\.contacts).map(\.size)
        // The first report has no size, and one size alone might be a constant.
        #expect(sizes == [nil, nil, 8.4, 8.4, 8.4])
    }

    @Test("a palm that the device identifies is counted once, unless the contact was reported before")
    func palms() {
        var tracker = SlotTracker(.multitouch(slots: 2))!
        let palm = tracker.report(Event.id(1), Event.tool(2), Event.mtX(1), Event.mtY(1))
        #expect(palm?.palmCount == 1 && palm.steps == [])
        #expect(tracker.report(Event.mtX(2)) == nil)
        tracker.report(Event.id(-1))
        tracker.report(Event.id(2), Event.tool(0))
        let late = tracker.report(Event.tool(2))
        #expect(late?.palmCount == 0 && late.steps == [Step(0, 2, .cancelled)])
    }
}
