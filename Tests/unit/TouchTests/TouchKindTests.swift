// SPDX-License-Identifier: Apache-2.0
import Testing
import Touch

@Suite("Kinds of devices")
struct TouchKindTests {
    private func reason(_ device: DeviceDescription) -> String? {
        if case .unusable(let reason) = device.kind { return reason }
        return nil
    }

    @Test("a direct device with slots and positions is multitouch, with or without BTN_TOUCH")
    func multitouch() {
        var device = DeviceDescription.multitouch(slots: 5)
        #expect(device.kind == .multitouch(slots: 5))
        device.keys = []
        #expect(device.kind == .multitouch(slots: 5))
        #expect(device.positionAxes?.x.maximum == 799)
    }

    @Test("an old multitouch screen without INPUT_PROP_DIRECT is multitouch, too")
    func oldMultitouch() {
        var device = DeviceDescription.multitouch()
        device.properties = []
        #expect(device.kind == .multitouch(slots: 10))
    }

    @Test(
        "a pen's buttons beside slots that alone have positions make them no pen",
        arguments: [EventCode.toolPen, EventCode.stylus])
    func slotsWithPen(key: UInt16) {
        var device = DeviceDescription.multitouch()
        device.properties = []
        device.keys.insert(key)
        device.axes[EventCode.absX] = nil
        device.axes[EventCode.absY] = nil
        #expect(device.kind == .multitouch(slots: 10))
        device.axes[EventCode.mtSlot] = nil
        #expect(device.kind == .anonymousMultitouch)
    }

    @Test("an impossible range of slots is clamped", arguments: [Int32.max, 1 << 20, -1, Int32.min])
    func absurdSlots(maximum: Int32) {
        var device = DeviceDescription.multitouch()
        device.axes[EventCode.mtSlot]?.maximum = maximum
        #expect(device.kind == .multitouch(slots: maximum > 0 ? TouchKind.slotLimit : 1))
    }

    @Test("BTN_TOUCH with ABS_X and ABS_Y is a single-touch screen, direct or not")
    func singleTouch() {
        var device = DeviceDescription.singleTouch()
        #expect(device.kind == .singleTouch)
        device.properties = [EventCode.propertyDirect]
        #expect(device.kind == .singleTouch)
        // A direct device with BTN_TOOL_FINGER is a screen, not a touchpad.
        device.keys.insert(EventCode.toolFinger)
        #expect(device.kind == .singleTouch)
    }

    @Test("a pen is a pen on a screen and on a tablet, and with BTN_STYLUS only")
    func pens() {
        #expect(DeviceDescription.pen(isDirect: true).kind == .pen(isDirect: true))
        var tablet = DeviceDescription.pen(isDirect: false)
        tablet.properties = [EventCode.propertyPointer]
        #expect(tablet.kind == .pen(isDirect: false))
        tablet.keys = [EventCode.touch, EventCode.stylus]
        #expect(tablet.kind == .pen(isDirect: false))
    }

    @Test("without BTN_TOUCH, a pen and a direct panel touch by their pressure; without either they are refused")
    func withoutTouch() {
        for device in [DeviceDescription.pen(), .pen(isDirect: false), .directPressure()] {
            var device = device
            let kind = device.kind
            device.keys.remove(EventCode.touch)
            #expect(device.kind == kind)
            device.axes[EventCode.absPressure] = nil
            let words = device.name == "pen" ? "neither BTN_TOUCH nor ABS_PRESSURE" : "no BTN_TOUCH, BTN_LEFT or"
            #expect(reason(device)?.contains(words) == true)
        }
        // A joystick.
        var stick = DeviceDescription.directPressure()
        (stick.keys, stick.properties) = ([0x120], [])
        #expect(reason(stick)?.hasPrefix("is not a touch device") == true)
    }

    @Test("a touchpad is refused, single-touch, multitouch or by its pointer property")
    func touchpads() {
        var pad = DeviceDescription.multitouch()
        pad.properties = []
        pad.keys = [EventCode.touch, EventCode.toolFinger, EventCode.buttonLeft]
        #expect(reason(pad)?.hasPrefix("is a touchpad (BTN_TOOL_FINGER without") == true)
        var single = DeviceDescription.singleTouch()
        single.keys.insert(EventCode.toolFinger)
        #expect(reason(single)?.hasPrefix("is a touchpad (BTN_TOOL_FINGER without") == true)
        var pointer = DeviceDescription.multitouch()
        pointer.properties = [EventCode.propertyPointer]
        #expect(reason(pointer)?.hasPrefix("is a touchpad (INPUT_PROP_POINTER without") == true)
    }

    @Test("a panel without slots uses protocol A, even if it has only positions")
    func protocolA() {
        var device = DeviceDescription.multitouch()
        device.axes[EventCode.mtSlot] = nil
        #expect(device.kind == .anonymousMultitouch)
        #expect(device.positionAxes?.x.maximum == 799)
        device.axes[EventCode.absX] = nil
        device.keys = []
        device.properties = []
        #expect(device.kind == .anonymousMultitouch)
        device.keys = [EventCode.toolFinger, EventCode.touch]
        #expect(reason(device)?.hasPrefix("is a touchpad") == true)
    }

    @Test("a panel of protocol A with empty axes falls back to ABS_X and ABS_Y, or is refused")
    func emptyProtocolA() {
        var device = DeviceDescription.multitouch()
        device.axes[EventCode.mtSlot] = nil
        device.axes[EventCode.mtPositionX] = AxisInfo(minimum: 0, maximum: 0)
        #expect(device.kind == .singleTouch)
        device.axes[EventCode.absX] = nil
        #expect(reason(device)?.contains("an empty range in x (0...0)") == true)
    }

    @Test("a mouse and digitizer in one reports touches in ABS_Z and ABS_RX; a pen with pressure does not")
    func displacedAxes() {
        var device = DeviceDescription.pen(isDirect: false)
        device.axes[EventCode.absPressure] = nil
        device.keys.insert(EventCode.buttonLeft)
        #expect(device.kind == .pen(isDirect: false))
        device.axes[EventCode.absZ] = AxisInfo(minimum: 30, maximum: 4040)
        device.axes[EventCode.absRX] = AxisInfo(minimum: 60, maximum: 4035)
        #expect(device.kind == .singleTouch)
        #expect(device.positionAxes?.x.maximum == 4040 && device.positionAxes?.y.minimum == 60)
        device.axes[EventCode.absPressure] = AxisInfo(minimum: 0, maximum: 1023)
        #expect(device.kind == .pen(isDirect: false) && device.positionAxes?.x.maximum == 9999)
    }

    @Test("slots with an empty axis fall back to ABS_X and ABS_Y, or are refused, with the values")
    func emptyAxis() {
        var device = DeviceDescription.multitouch()
        device.axes[EventCode.mtPositionY] = AxisInfo(minimum: 0, maximum: 0)
        #expect(device.kind == .singleTouch)
        device.axes[EventCode.absY] = nil
        #expect(reason(device)?.contains("an empty range in y (0...0)") == true)
        var single = DeviceDescription.singleTouch()
        single.axes[EventCode.absX] = AxisInfo(minimum: 5, maximum: -5)
        #expect(reason(single)?.contains("an empty range in x (5...-5)") == true)
    }

    @Test("a panel with slots needs neither keys nor properties, but is no mouse")
    func bareSlots() {
        var device = DeviceDescription.multitouch()
        (device.keys, device.properties) = ([], [])
        #expect(device.kind == .multitouch(slots: 10))
        device.axes[EventCode.absX] = nil
        #expect(device.kind == .multitouch(slots: 10))
        device.keys = [EventCode.buttonLeft]
        #expect(reason(device)?.hasPrefix("is a mouse with absolute positions") == true)
        device.properties = [EventCode.propertyDirect]
        #expect(device.kind == .multitouch(slots: 10))
    }

    /// What is taken from a complete multitouch panel, and the beginning of the reason if ABS_X and ABS_Y are missing,
    /// too.
    private static let incomplete: [([UInt16], String)] = [
        ([EventCode.mtTrackingID], "has slots but no ABS_MT_TRACKING_ID"),
        ([EventCode.mtPositionX], "has ABS_MT_POSITION_Y but no ABS_MT_POSITION_X"),
        ([EventCode.mtPositionY], "has ABS_MT_POSITION_X but no ABS_MT_POSITION_Y"),
        ([EventCode.mtPositionX, EventCode.mtPositionY], "has slots but no positions"),
        ([EventCode.mtSlot, EventCode.mtPositionY], "has ABS_MT_POSITION_X but no ABS_MT_POSITION_Y"),
    ]

    @Test("incomplete multitouch is read as single touch, or refused with what is missing", arguments: incomplete)
    func incompleteMultitouch(missing: [UInt16], words: String) {
        var device = DeviceDescription.multitouch()
        for axis in missing { device.axes[axis] = nil }
        #expect(device.kind == .singleTouch)
        for isDirect in [true, false] {
            for hasTouch in [true, false] {
                var bare = device
                bare.properties = isDirect ? [EventCode.propertyDirect] : []
                bare.keys = hasTouch ? [EventCode.touch] : []
                (bare.axes[EventCode.absX], bare.axes[EventCode.absY]) = (nil, nil)
                #expect(reason(bare)?.hasPrefix(words) == true, "\(bare.kind)")
                #expect(reason(bare)?.contains("must declare") == true, "\(bare.kind)")
            }
        }
    }

    @Test("one axis of two is named")
    func oneAxis() {
        let cases = [(EventCode.absX, "has ABS_Y but no ABS_X"), (EventCode.absY, "has ABS_X but no ABS_Y")]
        for (missing, words) in cases {
            for device in [DeviceDescription.singleTouch(), .pen()] {
                var device = device
                device.axes[missing] = nil
                #expect(reason(device)?.hasPrefix(words) == true, "\(device.kind)")
            }
        }
    }

    @Test("BTN_TOUCH without a position, mice, keyboards, gamepads and accelerometers are refused with a reason")
    func others() {
        var device = DeviceDescription.singleTouch()
        device.axes = [2: AxisInfo(minimum: 30, maximum: 4040), 3: AxisInfo(minimum: 60, maximum: 4035)]
        #expect(reason(device) == "has BTN_TOUCH but no position (ABS_X and ABS_Y)")
        #expect(reason(DeviceDescription(keys: [EventCode.buttonLeft])) == "is a mouse")
        #expect(reason(DeviceDescription(keys: [30]))?.hasPrefix("is not a touch device") == true)
        #expect(reason(DeviceDescription())?.hasPrefix("is not a touch device") == true)
        var gamepad = DeviceDescription.multitouch()
        gamepad.keys = []
        gamepad.axes[EventCode.absReserved] = AxisInfo(minimum: 0, maximum: 255)
        #expect(reason(gamepad) != nil)
        var tilt = DeviceDescription.singleTouch()
        tilt.properties = [EventCode.propertyAccelerometer]
        #expect(reason(tilt) == "is an accelerometer")
    }

    @Test("pressure counts as measured only if its axis has more than two values")
    func pressure() {
        #expect(DeviceDescription.pen().pressureAxis?.maximum == 1023)
        var panel = DeviceDescription.multitouch()
        #expect(panel.pressureAxis == nil)
        panel.axes[EventCode.mtPressure] = AxisInfo(minimum: 0, maximum: 1)
        #expect(panel.pressureAxis == nil)
        panel.axes[EventCode.mtPressure] = AxisInfo(minimum: 0, maximum: 255)
        #expect(panel.pressureAxis?.maximum == 255)
    }
}
