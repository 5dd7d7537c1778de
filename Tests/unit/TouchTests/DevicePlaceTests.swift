// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Touch

@Suite("Devices of several screens")
struct DevicePlaceTests {
    private typealias Candidate = DeviceFinder.Candidate

    /// The finger and the pen of a Wacom I2C controller (wacom-hid-descriptors#97).
    private static func wacom(_ name: String, phys: String?, resolution: Int32 = 10) -> DeviceDescription {
        let isPen = name == "Pen"
        var device = isPen ? DeviceDescription.pen() : DeviceDescription.multitouch()
        (device.name, device.bus, device.vendor, device.product) = ("Wacom HID 4838 \(name)", 0x18, 0x56A, 0x4838)
        device.phys = phys
        let (x, y) = isPen ? (EventCode.absX, EventCode.absY) : (EventCode.mtPositionX, EventCode.mtPositionY)
        let scale: Int32 = isPen ? 10 : 1
        device.axes[x] = AxisInfo(minimum: 0, maximum: 2880 * scale - 1, resolution: resolution)
        device.axes[y] = AxisInfo(minimum: 0, maximum: 1920 * scale - 1, resolution: resolution)
        return device
    }

    private static func usb(_ device: DeviceDescription, port: String, interface: Int = 0, number: Int) -> Candidate {
        var device = device
        (device.bus, device.phys) = (3, "usb-0000:00:14.0-\(port)/input\(interface)")
        let hubs = port.split(separator: ".").indices.map { last in
            "1-" + port.split(separator: ".")[...last].joined(separator: ".")
        }
        let place = "/sys/devices/pci0000:00/0000:00:14.0/usb1/" + hubs.joined(separator: "/")
        return Candidate(
            path: "/dev/input/event\(number)", device: device,
            directory: place
                + "/1-\(port):1.\(interface)/0003:056A:4838.000\(number)/input/input\(number)/event\(number)")
    }

    private func chosen(_ candidates: [Candidate], for screen: ScreenPlace? = nil) -> [Int] {
        DeviceFinder.choose(from: candidates, for: screen).paths.map { path in
            candidates.firstIndex { $0.path == path } ?? -1
        }
    }

    private func numbered(_ devices: [DeviceDescription]) -> [Candidate] {
        devices.enumerated().map { Candidate(path: "/dev/input/event\($0.offset)", device: $0.element) }
    }

    @Test(
        "the only pen of the finger's controller is used, whatever size its descriptor states",
        arguments: [100, 10, 96, 1, 0] as [Int32])
    func wrongSize(resolution: Int32) {
        for phys in ["i2c-WACF4838:00", nil] {
            let finger = Self.wacom("Finger", phys: phys)
            #expect(chosen(numbered([finger, Self.wacom("Pen", phys: phys, resolution: resolution)])) == [0, 1])
        }
        // Of two pens there, that of the right size.
        let phys = "i2c-WACF4838:00"
        let devices = [
            Self.wacom("Finger", phys: phys), Self.wacom("Pen", phys: phys, resolution: 10),
            Self.wacom("Pen", phys: phys, resolution: 100),
        ]
        #expect(chosen(numbered(devices)) == [0, 2])
    }

    @Test("the pen of another place and size is not the screen's, though its maker is the same")
    func otherPlace() {
        let finger = Self.wacom("Finger", phys: "i2c-WACF4838:00")
        let other = Self.wacom("Pen", phys: "i2c-WACF4838:01", resolution: 10)
        #expect(chosen(numbered([finger, other])) == [0])
    }

    @Test("two equal displays: each finger has the pen of its own, by phys and by sysfs, in any order")
    func equalDisplays() {
        let (finger, pen) = (Self.wacom("Finger", phys: nil), Self.wacom("Pen", phys: nil, resolution: 100))
        // One device with two interfaces; two devices behind a display's hub.
        for ports in [(("1", "1"), ("2", "2")), (("1.1.1", "1.1.2"), ("1.2.1", "1.2.2"))] {
            let ((fingerA, penA), (fingerB, penB)) = ports
            var all = [
                Self.usb(pen, port: penB, interface: 1, number: 1), Self.usb(pen, port: penA, interface: 1, number: 2),
                Self.usb(finger, port: fingerA, number: 3), Self.usb(finger, port: fingerB, number: 4),
            ]
            for hasSysfs in [true, false] {
                if !hasSysfs { for index in all.indices { all[index].directory = nil } }
                #expect(chosen(all) == [2, 1], "\(ports) \(hasSysfs)")
                #expect(chosen([all[0], all[1], all[3], all[2]]) == [2, 0], "\(ports) \(hasSysfs)")
                // The pen of the other display alone is not this one's.
                #expect(chosen([all[0], all[2], all[3]]) == [1], "\(ports) \(hasSysfs)")
            }
        }
    }

    @Test("places are those of controllers: input devices, HID devices and interfaces are left out")
    func places() {
        let i2c = "/sys/devices/platform/soc/fe804000.i2c/i2c-1/i2c-WACF4838:00"
        let one = DevicePlace(phys: nil, directory: i2c + "/0018:056A:4838.0001/input/input5/event5")
        #expect(
            one.isSame(as: DevicePlace(phys: nil, directory: i2c + "/0018:056A:4838.0001/input/input6/event6")) == true)
        #expect(one.isSame(as: DevicePlace(phys: nil, directory: i2c + "/input/input6/event6")) == true)
        #expect(
            one.isSame(as: DevicePlace(phys: nil, directory: "/sys/devices/platform/ts/input/input1/event1")) == false)
        // Devices of uinput share no controller; those of uhid have a HID device of their own.
        let virtual = "/sys/devices/virtual/"
        let made = DevicePlace(phys: nil, directory: virtual + "input/input7/event7")
        #expect(made.isSame(as: DevicePlace(phys: nil, directory: virtual + "input/input8/event8")) == nil)
        let first = DevicePlace(phys: nil, directory: virtual + "misc/uhid/0003:056A:00F8.0001/input/input7/event7")
        let second = DevicePlace(phys: nil, directory: virtual + "misc/uhid/0003:056A:00F8.0002/input/input8/event8")
        #expect(first.isSame(as: second) == false && first.isSame(as: first) == true)
        // goodix and others have one phys for all; sysfs knows better.
        let chips = ["1-005d", "2-005d"].map { "/sys/devices/platform/soc/i2c/\($0)/input/input1/event1" }
        #expect(
            DevicePlace(phys: "input/ts", directory: chips[0])
                .isSame(as: DevicePlace(phys: "input/ts", directory: chips[1])) == false)
        #expect(DevicePlace(phys: "").isSame(as: DevicePlace(phys: "")) == nil)
        #expect(DevicePlace(phys: "usb-a-1/input0").isSame(as: DevicePlace(phys: "usb-a-1/input1")) == true)
        #expect(DevicePlace(phys: "usb-a-1.2/input0").nearness(to: DevicePlace(phys: "usb-a-1.3/input0")) == 2)
        for odd in ["/", "usb-", "/input", "/input0", "-", "usb-/input0"] { _ = DevicePlace(phys: odd, directory: odd) }
    }

    /// The touch of an HDMI screen at USB, and that of a DSI screen (raspberrypi/bookworm-feedback#138).
    private static let twoScreens: [DeviceDescription] = {
        var usb = DeviceDescription.multitouch()
        (usb.name, usb.bus, usb.vendor, usb.product) = ("QDtech MPI7003", 3, 0x484, 0x5750)
        usb.phys = "usb-0000:00:14.0-1/input0"
        var i2c = DeviceDescription.multitouch()
        (i2c.name, i2c.bus) = ("10-0038 generic ft5x06 (79)", 0x18)
        return [usb, i2c]
    }()

    @Test("of two touch screens, that at the screen's own kind of bus is used: built in, or at USB for a monitor")
    func busOfScreen() {
        let all = numbered(Self.twoScreens)
        #expect(chosen(all, for: .builtIn) == [1])
        #expect(chosen(all, for: .external) == [0])
        #expect(chosen(all.reversed(), for: .external) == [1])
        #expect(chosen(all) == [0] && chosen(all, for: .unknown) == [0])
        let choice = DeviceFinder.choose(from: all, for: .builtIn)
        #expect(
            choice.reasons[0].hasSuffix(
                "not used: a multitouch screen (10 contacts); another device fits this screen better"))
        #expect(choice.warning == nil)
        // Also a resistive one. The only one is used, whatever its bus, and a touch screen before any pen.
        var resistive = DeviceDescription.singleTouch()
        resistive.bus = 0x1C
        #expect(chosen(numbered([Self.twoScreens[0], resistive]), for: .builtIn) == [1])
        #expect(chosen(numbered([Self.twoScreens[0]]), for: .builtIn) == [0])
        #expect(chosen(numbered([DeviceDescription.pen(), Self.twoScreens[0]]), for: .builtIn).first == 1)
    }

    @Test("a warning names the touch screens when several fit, once the screen is known")
    func warning() throws {
        var other = Self.twoScreens[0]
        other.phys = "usb-0000:00:14.0-2/input0"
        let two = numbered([Self.twoScreens[0], other])
        let warning = try #require(DeviceFinder.choose(from: two, for: .external).warning)
        #expect(warning.contains("/dev/input/event0 is used, not /dev/input/event1 (QDtech MPI7003)"))
        #expect(warning.contains("[touch]"))
        #expect(DeviceFinder.choose(from: two).warning == nil)
        #expect(DeviceFinder.choose(from: two, for: .unknown).warning != nil)
        // One controller with two devices, and one of another kind.
        var second = Self.twoScreens[0]
        second.phys = "usb-0000:00:14.0-1/input1"
        #expect(DeviceFinder.choose(from: numbered([Self.twoScreens[0], second]), for: .external).warning == nil)
        #expect(DeviceFinder.choose(from: numbered([other, .singleTouch()]), for: .external).warning == nil)
        #expect(DeviceFinder.choose(from: numbered([other, .pen()]), for: .external).warning == nil)
    }
}

@Suite("A screen that touches by BTN_LEFT")
struct TouchByButtonTests {
    /// eGalax's daemon for single touch (sfml-pi#24).
    private static let device: DeviceDescription = {
        let axis = AxisInfo(minimum: 0, maximum: 2047)
        return DeviceDescription(
            name: "eGalaxTouch Virtual Device for Single", bus: 6, vendor: 0xEEF, product: 1, version: 1,
            properties: [EventCode.propertyDirect], keys: [EventCode.buttonLeft, 0x111],
            axes: [
                EventCode.absX: axis, EventCode.absY: axis, EventCode.absRX: axis, EventCode.absRX + 1: axis,
            ])
    }()

    private static func left(_ value: Int32) -> InputEvent { Event.key(EventCode.buttonLeft, value) }

    @Test("is a single-touch screen, and draws while the button is pressed")
    func touches() throws {
        #expect(Self.device.kind == .singleTouch && Self.device.touchKey == EventCode.buttonLeft)
        var tracker = try #require(SlotTracker(Self.device))
        let frames = [
            tracker.report(Event.x(100), Event.y(200)), tracker.report(Self.left(1)), tracker.report(Event.x(110)),
            // The right button is a long press, which draws on.
            tracker.report(Event.key(0x111, 1)), tracker.report(Event.x(120), Self.left(0)),
            tracker.report(Event.x(130)),
        ]
        let phases = frames.map { $0?.contacts.map(\.phase) ?? [] }
        #expect(phases == [[], [.began], [.moved], [], [.ended], []], "\(phases)")
        #expect(frames[1]?.contacts.first?.reading.x == 100 && frames[2]?.contacts.first?.reading.x == 110)
    }

    @Test("with BTN_TOUCH the left button means nothing, and without INPUT_PROP_DIRECT it is a mouse")
    func others() throws {
        var both = Self.device
        both.keys.insert(EventCode.touch)
        var tracker = try #require(SlotTracker(both))
        #expect(tracker.report(Event.x(100), Event.y(200), Self.left(1)) == nil)
        #expect(tracker.report(Event.touch(1))?.contacts.map(\.phase) == [.began])
        var mouse = Self.device
        mouse.properties = []
        guard case .unusable(let reason) = mouse.kind else {
            Issue.record("a mouse is used")
            return
        }
        #expect(reason.hasPrefix("is a mouse with absolute positions"))
        // A pressure says more than a button, which may be one of a pen.
        var measuring = Self.device
        measuring.axes[EventCode.absPressure] = AxisInfo(minimum: 0, maximum: 255)
        #expect(measuring.kind == .singleTouch && measuring.touchKey == EventCode.touch)
    }
}
