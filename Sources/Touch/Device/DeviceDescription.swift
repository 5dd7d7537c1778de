// SPDX-License-Identifier: Apache-2.0

/// What a device says it is and can do: the same value from a live device and from a recording's header.
public struct DeviceDescription: Equatable, Sendable {
    /// As the device gives it but for control characters: it is printed, and a device must not speak to the terminal.
    public var name: String {
        didSet { name = Self.printable(name) }
    }
    /// BUS_* of linux/input.h: 3 is USB, 0x18 I2C.
    public var bus: UInt16
    public var vendor: UInt16
    public var product: UInt16
    public var version: UInt16
    /// INPUT_PROP_* numbers.
    public var properties: Set<UInt16>
    /// KEY_* and BTN_* numbers.
    public var keys: Set<UInt16>
    /// Absolute axes by ABS_* number.
    public var axes: [UInt16: AxisInfo]

    public init(
        name: String = "", bus: UInt16 = 0, vendor: UInt16 = 0, product: UInt16 = 0, version: UInt16 = 0,
        properties: Set<UInt16> = [], keys: Set<UInt16> = [], axes: [UInt16: AxisInfo] = [:]
    ) {
        self.name = Self.printable(name)
        self.bus = bus
        self.vendor = vendor
        self.product = product
        self.version = version
        self.properties = properties
        self.keys = keys
        self.axes = axes
    }

    private static func printable(_ name: String) -> String {
        let scalars = name.unicodeScalars.filter { $0.properties.generalCategory != .control }
        return String(String.UnicodeScalarView(scalars))
    }

    /// How the device is to be read, by what it can do.
    public var kind: TouchKind { TouchKind(self) }

    /// The axes whose units a contact's position is in: ABS_MT_POSITION_* for multitouch, never its ABS_X and ABS_Y,
    /// whose ranges drivers leave different. Nil for an unusable device.
    public var positionAxes: (x: AxisInfo, y: AxisInfo)? {
        let codes: (UInt16, UInt16)
        switch kind {
        case .multitouch, .anonymousMultitouch: codes = (EventCode.mtPositionX, EventCode.mtPositionY)
        case .singleTouch, .pen: codes = singleContactAxes
        case .unusable: return nil
        }
        guard let x = axes[codes.0], let y = axes[codes.1] else { return nil }
        return (x, y)
    }

    /// Which axes have the place of a device with one contact: ABS_X and ABS_Y.
    ///
    /// But for panels that describe themselves as a mouse and a digitizer at once (eGalax, 0eef:0001, in a recording of
    /// 2012): the kernel's hid-input gives ABS_X and ABS_Y to the mouse and the next free axes, ABS_Z and ABS_RX, to
    /// the digitizer, which alone sends BTN_TOUCH. Pen tablets with those axes measure pressure.
    var singleContactAxes: (x: UInt16, y: UInt16) {
        hasDisplacedAxes ? (EventCode.absZ, EventCode.absRX) : (EventCode.absX, EventCode.absY)
    }

    var hasDisplacedAxes: Bool {
        keys.isSuperset(of: [EventCode.buttonLeft, EventCode.touch, EventCode.toolPen])
            && axes[EventCode.absPressure] == nil
            && [EventCode.absX, EventCode.absY, EventCode.absZ, EventCode.absRX].allSatisfy {
                axes[$0]?.hasRange == true
            }
    }

    /// The axis of a contact's pressure, or nil where the device measures none. An axis with two values only says again
    /// that there is a contact.
    public var pressureAxis: AxisInfo? {
        let code: UInt16
        switch kind {
        case .multitouch, .anonymousMultitouch: code = EventCode.mtPressure
        case .singleTouch, .pen: code = EventCode.absPressure
        case .unusable: return nil
        }
        guard let axis = axes[code], Int64(axis.maximum) - Int64(axis.minimum) > 1 else { return nil }
        return axis
    }

    /// The axis of a pen's distance while it hovers, or nil where the device does not tell. Its units are rarely those
    /// of a length.
    public var distanceAxis: AxisInfo? {
        switch kind {
        case .multitouch: axes[EventCode.mtDistance]
        case .pen: axes[EventCode.absDistance]
        case .anonymousMultitouch, .singleTouch, .unusable: nil
        }
    }
}
