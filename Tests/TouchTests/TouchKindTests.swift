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

    @Test("a pen without BTN_TOUCH is refused")
    func penWithoutTip() {
        var device = DeviceDescription.pen()
        device.keys.remove(EventCode.touch)
        #expect(reason(device)?.contains("BTN_TOUCH") == true)
    }

    @Test("a touchpad is refused, single-touch, multitouch or by its pointer property")
    func touchpads() {
        var pad = DeviceDescription.multitouch()
        pad.properties = []
        pad.keys = [EventCode.touch, EventCode.toolFinger, EventCode.buttonLeft]
        #expect(reason(pad) == "is a touchpad")
        var single = DeviceDescription.singleTouch()
        single.keys.insert(EventCode.toolFinger)
        #expect(reason(single) == "is a touchpad")
        var pointer = DeviceDescription.multitouch()
        pointer.properties = [EventCode.propertyPointer]
        #expect(reason(pointer) == "is a touchpad")
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
        #expect(reason(device) == "is a touchpad")
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

    @Test("an axis without a range is refused, with its values")
    func emptyAxis() {
        var device = DeviceDescription.multitouch()
        device.axes[EventCode.mtPositionY] = AxisInfo(minimum: 0, maximum: 0)
        #expect(reason(device)?.contains("an empty range in y (0...0)") == true)
        var single = DeviceDescription.singleTouch()
        single.axes[EventCode.absX] = AxisInfo(minimum: 5, maximum: -5)
        #expect(reason(single)?.contains("an empty range in x (5...-5)") == true)
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
