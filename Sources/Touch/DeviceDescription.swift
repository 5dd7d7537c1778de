// SPDX-License-Identifier: Apache-2.0

/// A device as it describes itself: the same value from a live device and from a recording's header.
public struct DeviceDescription: Equatable, Sendable {
    /// The device's name without control characters, because it is printed on terminals.
    public var name: String {
        didSet { name = Self.printable(name) }
    }
    /// BUS_* of linux/input.h: 3 is USB, 0x18 I2C.
    public var bus: UInt16
    public var vendor: UInt16
    public var product: UInt16
    public var version: UInt16
    /// The device's own number or address (EVIOCGUNIQ), and where it is plugged in (EVIOCGPHYS). As ``firmware``, nil
    /// if unknown and in recordings.
    public var uniq, phys: String?
    /// The versions of the controller as the driver reports them, such as `fw_version=3.02 hw_version=1`.
    public var firmware: String?
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

    /// The maximum number of bytes of ``uniq``, of ``phys``, and of each value of ``firmware``.
    static let textLimit = 64

    /// The printable ASCII characters of a text from a device, at most ``textLimit``, without spaces at the ends. nil
    /// if none is left.
    static func identifier(_ bytes: some Sequence<UInt8>) -> String? {
        let isInk: (UInt8) -> Bool = { 0x21...0x7E ~= $0 }
        var kept = bytes.filter { 0x20...0x7E ~= $0 }.drop { !isInk($0) }.prefix(textLimit)
        while let last = kept.last, !isInk(last) { kept.removeLast() }
        return kept.isEmpty ? nil : String(decoding: kept, as: UTF8.self)
    }

    private static func printable(_ name: String) -> String {
        let scalars = name.unicodeScalars.filter { $0.properties.generalCategory != .control }
        return String(String.UnicodeScalarView(scalars))
    }

    public var kind: TouchKind { TouchKind(self) }

    /// The axes of a contact's position, or nil for an unusable device. For multitouch they are ABS_MT_POSITION_X and
    /// _Y, because drivers give ABS_X and ABS_Y other ranges.
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

    /// The position axes of a device with one contact: ABS_X and ABS_Y.
    ///
    /// An exception are panels that describe themselves as a mouse and a digitizer in one (eGalax, 0eef:0001, in a
    /// recording of 2012): the kernel's hid-input gives ABS_X and ABS_Y to the mouse and the next free axes, ABS_Z and
    /// ABS_RX, to the digitizer, which alone sends BTN_TOUCH. Pen tablets with those axes measure pressure.
    var singleContactAxes: (x: UInt16, y: UInt16) {
        hasDisplacedAxes ? (EventCode.absZ, EventCode.absRX) : (EventCode.absX, EventCode.absY)
    }

    fileprivate var hasDisplacedAxes: Bool {
        keys.isSuperset(of: [EventCode.buttonLeft, EventCode.touch, EventCode.toolPen])
            && axes[EventCode.absPressure] == nil
            && [EventCode.absX, EventCode.absY, EventCode.absZ, EventCode.absRX].allSatisfy {
                axes[$0]?.hasRange == true
            }
    }

    /// The axis of a contact's pressure, or nil if the device does not measure it. An axis of two values only repeats
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

    /// The key that says that the one contact of the device touches. A screen without BTN_TOUCH touches by BTN_LEFT,
    /// like a mouse: eGalax's daemon makes such a device.
    var touchKey: UInt16 { touchesByButton ? EventCode.buttonLeft : EventCode.touch }

    fileprivate var touchesByButton: Bool {
        properties.contains(EventCode.propertyDirect) && keys.contains(EventCode.buttonLeft)
            && keys.isDisjoint(with: [EventCode.touch, EventCode.toolPen, EventCode.stylus]) && !measuresPressure
    }

    /// Whether the device is a gamepad that claims the whole range of axes.
    fileprivate var claimsAllAxes: Bool { axes[EventCode.absReserved] != nil }

    /// Whether the one contact of a device reports a pressure, which says whether it touches.
    fileprivate var measuresPressure: Bool { axes[EventCode.absPressure]?.hasRange ?? false }

    /// The axis of a hovering pen's distance, or nil. Its units are rarely those of a length.
    public var distanceAxis: AxisInfo? {
        switch kind {
        case .multitouch: axes[EventCode.mtDistance]
        case .pen: axes[EventCode.absDistance]
        case .anonymousMultitouch, .singleTouch, .unusable: nil
        }
    }
}

/// An absolute axis (`struct input_absinfo`), in device units.
public struct AxisInfo: Equatable, Hashable, Sendable {
    /// Smallest and largest value according to the driver. Devices do send values outside.
    public var minimum: Int32
    public var maximum: Int32
    /// Noise that the kernel filters out.
    public var fuzz: Int32
    public var flat: Int32
    /// Units per millimetre; 0 if the driver does not know, as with most panels.
    public var resolution: Int32
    /// The value when the device was queried.
    public var value: Int32

    public init(
        minimum: Int32, maximum: Int32, fuzz: Int32 = 0, flat: Int32 = 0, resolution: Int32 = 0, value: Int32 = 0
    ) {
        self.minimum = minimum
        self.maximum = maximum
        self.fuzz = fuzz
        self.flat = flat
        self.resolution = resolution
        self.value = value
    }

    public var hasRange: Bool { maximum > minimum }

    /// The number of values that the driver states. Floating point, because it may not fit into 32 bits.
    public var cellCount: Double { hasRange ? Double(maximum) - Double(minimum) + 1 : 1 }

    /// The centre of the cell of `value`, in 0...1 of the axis; beyond that for values outside the range.
    ///
    /// Each value is a cell of equal width. On a digitizer with one unit per pixel value v is then the centre of pixel
    /// v, and any other digitizer still spans the panel exactly.
    public func cellCentre(of value: Int32) -> Double {
        (Double(value) - Double(minimum) + 0.5) / cellCount
    }

    /// `value` in 0...1 from minimum to maximum, including both ends; for quantities such as pressure.
    public func fraction(of value: Int32) -> Double {
        guard hasRange else { return 0 }
        let clamped = min(max(value, minimum), maximum)
        return (Double(clamped) - Double(minimum)) / (Double(maximum) - Double(minimum))
    }
}

/// How to read a device's events, decided by its abilities, never by its name or event number.
///
/// The tests follow udev's `input_id`, which every desktop relies on, so a device that works there works here.
public enum TouchKind: Equatable, Sendable {
    /// Multitouch protocol B (Documentation/input/multi-touch-protocol.rst), with slots `0..<slots`.
    case multitouch(slots: Int)
    /// Multitouch protocol A: contacts without slots, most without tracking ids. The kernel's own drivers have all been
    /// converted to B; drivers of board makers have not.
    case anonymousMultitouch
    /// One contact through BTN_TOUCH (or BTN_LEFT), ABS_X and ABS_Y: resistive panels.
    case singleTouch
    /// A pen that hovers before it touches; `isDirect` if it writes on the screen itself.
    case pen(isDirect: Bool)
    /// Not usable for ink. The reason continues a sentence that starts with "it ".
    case unusable(reason: String)

    /// The kernel's limit (input_mt_init_slots). A description that claims more is not believed.
    public static let slotLimit = 1024

    public init(_ device: DeviceDescription) {
        self = TouchKind.classify(device)
    }

    private static func classify(_ device: DeviceDescription) -> TouchKind {
        let isDirect = device.properties.contains(EventCode.propertyDirect)
        let hasTouch = device.keys.contains(EventCode.touch)
        let hasFinger = device.keys.contains(EventCode.toolFinger)
        let hasPen = device.keys.contains(EventCode.toolPen) || device.keys.contains(EventCode.stylus)
        let (mt, single) = (Positions(multitouch: device), Positions(single: device))
        let hasSlots = device.axes[EventCode.mtSlot] != nil && !device.claimsAllAxes

        if device.properties.contains(EventCode.propertyAccelerometer) {
            return .unusable(reason: "is an accelerometer")
        }
        // Old touchscreen drivers do not set INPUT_PROP_DIRECT, but touchpads have BTN_TOOL_FINGER.
        let isPad = !isDirect && !hasPen && (hasFinger || device.properties.contains(EventCode.propertyPointer))
        if isPad && (mt.isWhole || hasTouch) {
            let sign = hasFinger ? "BTN_TOOL_FINGER" : "INPUT_PROP_POINTER"
            return .unusable(
                reason: "is a touchpad (\(sign) without INPUT_PROP_DIRECT); the driver of a screen must declare "
                    + "INPUT_PROP_DIRECT")
        }
        let isScreen = isDirect || mt.isWhole && !hasSlots
        if device.keys.contains(EventCode.buttonLeft), !hasTouch, !hasPen, !isScreen {
            return .unusable(
                reason: single.isWhole || mt.isWhole
                    ? "is a mouse with absolute positions (BTN_LEFT, but neither BTN_TOUCH nor INPUT_PROP_DIRECT)"
                    : "is a mouse")
        }

        // Some drivers of screens declare neither keys nor INPUT_PROP_DIRECT. A pen tablet's slots are for fingers, and
        // its pen has positions of its own.
        let multitouch = isDirect || !hasPen || single.isAbsent ? multitouch(device, mt, hasSlots: hasSlots) : nil
        if case .success(let kind)? = multitouch { return kind }
        if device.hasDisplacedAxes { return .singleTouch }
        let tellsTouch = hasTouch || device.touchesByButton || (hasPen || isDirect) && device.measuresPressure
        if single.isWhole, !single.isEmpty, tellsTouch {
            return hasPen ? .pen(isDirect: isDirect) : .singleTouch
        }

        // The reason is that of the most that the device has.
        if case .failure(let unfit)? = multitouch, hasSlots || !mt.isAbsent { return .unusable(reason: unfit.reason) }
        if single.isEmpty { return .unusable(reason: single.empty) }
        if single.isWhole, hasPen {
            return .unusable(
                reason: "is a pen that does not report when its tip touches (neither BTN_TOUCH nor ABS_PRESSURE)")
        }
        if single.isWhole, isDirect {
            return .unusable(
                reason: "does not report when it is touched (no BTN_TOUCH, BTN_LEFT or ABS_PRESSURE); its driver must "
                    + "declare BTN_TOUCH")
        }
        if hasTouch || hasPen {
            let what = hasTouch ? "BTN_TOUCH" : "a pen's buttons"
            return .unusable(
                reason: single.isAbsent
                    ? "has \(what) but no position (ABS_X and ABS_Y)" : "has \(single.incomplete)")
        }
        return .unusable(reason: "is not a touch device (no BTN_TOUCH and no multitouch positions)")
    }

    private struct Unfit: Error {
        let reason: String

        init(_ reason: String) { self.reason = reason }
    }

    /// The kind of a device with multitouch axes, or why they cannot be used.
    private static func multitouch(
        _ device: DeviceDescription, _ positions: Positions, hasSlots: Bool
    ) -> Result<TouchKind, Unfit> {
        guard positions.isWhole else {
            return .failure(
                Unfit("has " + (hasSlots && positions.isAbsent ? "slots but " : "") + positions.incomplete))
        }
        if positions.isEmpty { return .failure(Unfit(positions.empty)) }
        guard hasSlots, let slot = device.axes[EventCode.mtSlot] else { return .success(.anonymousMultitouch) }
        guard device.axes[EventCode.mtTrackingID] != nil else {
            // The kernel has no other sign of a contact in a slot.
            return .failure(
                Unfit(
                    "has slots but no ABS_MT_TRACKING_ID, so it does not report when a contact touches; its driver "
                        + "must declare ABS_MT_TRACKING_ID, or BTN_TOUCH with ABS_X and ABS_Y"))
        }
        return .success(.multitouch(slots: min(max(Int(clamping: Int64(slot.maximum) + 1), 1), slotLimit)))
    }

    /// The position axes that a device declares for contacts in slots, or for a single one.
    private struct Positions {
        let x, y: AxisInfo?
        private let names: (x: String, y: String)

        init(multitouch device: DeviceDescription) {
            let axes = device.claimsAllAxes ? [:] : device.axes
            (x, y) = (axes[EventCode.mtPositionX], axes[EventCode.mtPositionY])
            names = ("ABS_MT_POSITION_X", "ABS_MT_POSITION_Y")
        }

        init(single device: DeviceDescription) {
            (x, y) = (device.axes[EventCode.absX], device.axes[EventCode.absY])
            names = ("ABS_X", "ABS_Y")
        }

        var isWhole: Bool { x != nil && y != nil }
        var isAbsent: Bool { x == nil && y == nil }
        /// Whether an axis has no range. A driver that failed to read the panel's configuration reports 0...0.
        var isEmpty: Bool { isWhole && empty != "" }

        /// The missing axes; continues "has ".
        var incomplete: String {
            switch (x, y) {
            case (nil, nil): "no positions (\(names.x) and \(names.y)); its driver must declare them"
            case (_, nil): "\(names.x) but no \(names.y); its driver must declare it"
            default: "\(names.y) but no \(names.x); its driver must declare it"
            }
        }

        /// Names the first empty axis; continues "it ".
        var empty: String {
            for (axis, name, letter) in [(x, names.x, "x"), (y, names.y, "y")] {
                guard let axis, !axis.hasRange else { continue }
                return "has an empty range in \(letter) (\(axis.minimum)...\(axis.maximum)) of \(name): its driver "
                    + "does not know the panel"
            }
            return ""
        }
    }
}
