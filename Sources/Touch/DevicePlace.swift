// SPDX-License-Identifier: Apache-2.0

/// The place where a device is attached, if the kernel reports it. The touch and pen devices of one controller have one
/// place.
struct DevicePlace: Equatable, Sendable {
    /// The parts of the controller's path, from the host; empty if unknown.
    private let sysfs, phys: [String]

    /// - Parameters:
    ///   - phys: as ``DeviceDescription/phys``.
    ///   - directory: of the event device in sysfs, without symbolic links.
    init(phys: String?, directory: String? = nil) {
        self.phys = phys.map(Self.parts(ofPhys:)) ?? []
        sysfs = directory.map(Self.parts(ofDirectory:)) ?? []
    }

    /// Whether both devices are of one controller; nil if unknown.
    func isSame(as other: DevicePlace) -> Bool? {
        // Drivers of chips give each the same phys, such as `input/ts`: sysfs is better.
        if !sysfs.isEmpty, !other.sysfs.isEmpty { return sysfs == other.sysfs }
        return phys.isEmpty || other.phys.isEmpty ? nil : phys == other.phys
    }

    /// The number of hubs and buses that both devices share: pen and touch of a display may be devices of their own
    /// behind the display's hub.
    func nearness(to other: DevicePlace) -> Int {
        func shared(_ a: [String], _ b: [String]) -> Int { zip(a, b).prefix { $0 == $1 }.count }
        return !sysfs.isEmpty && !other.sysfs.isEmpty ? shared(sysfs, other.sysfs) : shared(phys, other.phys)
    }

    /// `usb-0000:00:14.0-1.2/input0` is port 2 of the hub at port 1 (usb_make_path in the kernel). Other buses tell a
    /// name, such as `i2c-WACF4838:00`.
    private static func parts(ofPhys phys: String) -> [String] {
        var name = phys[...]
        if let end = name.lastIndex(of: "/"), name[end...].hasPrefix("/input"), name[end...] != "/input" {
            name = name[..<end]
        }
        guard name.hasPrefix("usb-"), let port = name.lastIndex(of: "-") else {
            return name.isEmpty ? [] : [String(name)]
        }
        return [String(name[..<port])] + name[name.index(after: port)...].split(separator: ".").map(String.init)
    }

    /// Leaves out what differs between the devices of a controller: input device, HID device and USB interface.
    private static func parts(ofDirectory directory: String) -> [String] {
        var parts = directory.split(separator: "/").map(String.init)
        if let input = parts.lastIndex(of: "input") { parts.removeSubrange(input...) }
        let isVirtual = parts.prefix(3) == ["sys", "devices", "virtual"]
        if let last = parts.last, isHID(last) {
            // uhid has no bus: its HID devices are beside each other.
            if isVirtual { return parts }
            parts.removeLast()
        }
        // uinput's devices have no controller.
        if isVirtual { return [] }
        if let last = parts.last, isInterface(last) { parts.removeLast() }
        return parts
    }

    /// `0003:056A:00F8.0001`: bus, vendor, product and a number (hid_add_device in the kernel).
    private static func isHID(_ name: String) -> Bool {
        let parts = name.split(whereSeparator: { $0 == ":" || $0 == "." })
        return parts.map(\.count) == [4, 4, 4, 4] && parts.joined().allSatisfy(\.isHexDigit)
    }

    /// `1-1.2:1.0`: bus, ports, configuration and interface (usb_set_configuration in the kernel).
    private static func isInterface(_ name: String) -> Bool {
        let parts = name.split(separator: ":", omittingEmptySubsequences: false)
        return parts.count == 2 && parts[0].contains("-")
            && parts.allSatisfy { $0.allSatisfy { $0.isWholeNumber || $0 == "-" || $0 == "." } }
    }
}

/// How a screen is attached to the board. The kernel does not report which screen a touch device belongs to.
public enum ScreenPlace: Equatable, Sendable {
    /// Its touch controller is at I2C, SPI or a serial line, too.
    case builtIn
    /// A monitor: its touch controller is at USB.
    case external
    /// A framebuffer, or memory.
    case unknown

    /// - Parameter isBuiltIn: nil if unknown.
    public init(isBuiltIn: Bool?) {
        switch isBuiltIn {
        case true?: self = .builtIn
        case false?: self = .external
        case nil: self = .unknown
        }
    }
}

/// How well a touch device fits a screen by its bus. Lower is better.
enum BusFit: Int {
    case same, unknown, other

    init(bus: UInt16, _ place: ScreenPlace?) {
        // BUS_USB, BUS_BLUETOOTH and BUS_VIRTUAL of linux/input.h. Drivers of soldered chips often state no bus.
        let isExternal = bus == 0x03 || bus == 0x05
        switch place {
        case nil, .unknown: self = .unknown
        case .builtIn, .external:
            self = bus == 0x06 ? .unknown : (place == .external) == isExternal ? .same : .other
        }
    }
}
