// SPDX-License-Identifier: Apache-2.0
public import Geometry
public import HostAPI

/// The first line of a record: what is needed to interpret it years later.
public struct CaptureHeader: Codable, Equatable, Sendable {
    public static let format = "inkpanel-capture"
    public static let version = 1
    /// The version of records with a ``flow``.
    public static let flowVersion = 2
    /// The largest integer that every JSON reader keeps exactly (RFC 8259, 6).
    package static let largestSequence: Int64 = (1 << 53) - 1

    /// The ``sequence`` of the next capture, at most ``largestSequence``.
    public static func sequence(after last: Int64) -> Int64 { min(last, largestSequence - 1) + 1 }

    public var format: String
    public var version: Int
    /// A ``CaptureID``.
    public var id: String
    /// Wall clock at the start, microseconds since 1970-01-01 UTC.
    public var startedAt: Int64
    /// The position among the records of the store in the order in which they were begun, from 1; nil in older records.
    /// It keeps rising when the clock is set back.
    public var sequence: Int64?
    /// Whether a time service kept the wall clock right at the start; nil in older records.
    public var clockSynchronized: Bool?
    /// The kernel's bound for the error of that clock, in microseconds; nil unless it is synchronized.
    public var clockMaximumError: Int64?
    /// The device's clock at the start, microseconds; sample times count from it.
    public var startedAtDeviceTime: Int64
    /// nil in older records.
    public var date: LocalDate?
    /// Name and version of the program that wrote the record.
    public var program: String
    /// The panel's name; nil in older records.
    public var panel: String?
    /// The devices that could draw, at least one. A stroke names its device by the index in this list.
    public var devices: [CaptureDevice]
    public var screen: CaptureScreen
    public var request: CaptureRequest
    /// The parts of the request that were on the page while the person signed; nil in older records.
    public var shows: ShownFields?
    /// The texts of the page that the fonts did not show as they are; nil for none, and in older records.
    public var missingGlyphs: [MissingGlyphs]?
    /// The role of the host that asked for the capture; nil for an operator, as in older records.
    public var askedBy: HostRole?

    /// The pages that were read, answered and signed; nil for one page to sign on.
    public var flow: RecordedFlow?
    /// The machine that wrote the record; nil in older records.
    public var machine: CaptureMachine?

    /// The version that a record with this header has.
    var neededVersion: Int { flow == nil ? Self.version : Self.flowVersion }

    /// The date as the page showed it. A record without one gets the day in UTC.
    package var shownDate: String {
        date?.text ?? TimestampText.second(microseconds: startedAt).prefix { $0 != "T" } + " UTC"
    }

    /// The role of the host that asked for the capture.
    public var asker: HostRole { askedBy ?? .operator }

    public init(
        id: String, startedAt: Int64, startedAtDeviceTime: Int64, date: LocalDate? = nil, program: String,
        panel: String? = nil, devices: [CaptureDevice], screen: CaptureScreen, request: CaptureRequest,
        shows: ShownFields? = nil, askedBy: HostRole? = nil, machine: CaptureMachine? = nil,
        flow: RecordedFlow? = nil
    ) {
        format = Self.format
        version = flow == nil ? Self.version : Self.flowVersion
        self.flow = flow
        self.id = id
        self.startedAt = startedAt
        self.startedAtDeviceTime = startedAtDeviceTime
        self.date = date
        self.program = program
        self.panel = panel
        self.devices = devices
        self.screen = screen
        self.request = request
        self.shows = shows
        self.askedBy = askedBy
        self.machine = machine
    }
}

/// The machine and the system that wrote a record. What is unknown is nil.
public struct CaptureMachine: Codable, Equatable, Sendable {
    /// 32 hexadecimal digits that differ from boot to boot. Device times of one boot are of one clock.
    public var boot: String?
    /// 32 hexadecimal digits of this installation of the system. They do not give its machine id away.
    public var id: String?
    /// The kernel's release and the kind of processor, such as `6.12.0-1-arm64 aarch64`.
    public var kernel: String?
    /// The fingerprint of the panel's key, for panels that have one.
    public var key: String?

    public init(boot: String? = nil, id: String? = nil, kernel: String? = nil, key: String? = nil) {
        self.boot = boot
        self.id = id
        self.kernel = kernel
        self.key = key
    }
}

/// A touch device as it described itself, and the transform from its units to the screen.
public struct CaptureDevice: Codable, Equatable, Sendable {
    /// One axis (`struct input_absinfo` of linux/input.h), in device units.
    public struct Axis: Codable, Equatable, Sendable {
        public var minimum, maximum: Int32
        /// Units per millimetre; 0 if the driver does not know.
        public var resolution: Int32

        public init(minimum: Int32, maximum: Int32, resolution: Int32) {
            self.minimum = minimum
            self.maximum = maximum
            self.resolution = resolution
        }

        /// The position of a value between the ends of the axis, clamped to 0...1.
        public func share(of value: Int32) -> Double {
            guard minimum < maximum else { return 0 }
            let share = (Double(value) - Double(minimum)) / (Double(maximum) - Double(minimum))
            return min(max(share, 0), 1)
        }
    }

    public var name: String
    /// BUS_*, vendor, product and version of `struct input_id`.
    public var bus, vendor, product, version: UInt16
    /// The device's own number or address, and where it is plugged in, as the kernel tells them (EVIOCGUNIQ,
    /// EVIOCGPHYS). As ``firmware``, nil if unknown and in older records.
    public var uniq, phys: String?
    /// Hardware and firmware of the controller as its driver tells them in sysfs: `name=value` with spaces between.
    public var firmware: String?
    public var x, y: Axis
    /// nil if the device measures no pressure; then no sample has one.
    public var pressure: Axis?
    /// The distance of a hovering pen; nil if the device does not report it.
    public var distance: Axis?
    /// The transform from device units to pixels of the screen, calibration and rotation included: x' = a x + c y + e,
    /// y' = b x + d y + f, written as a, b, c, d, e, f as in SVG. ``CaptureHeader/map(of:)`` applies it.
    public var transform: [Double]
    /// The last self-test before the capture; nil without one.
    public var selfTest: DigitizerTest?

    public init(
        name: String, bus: UInt16, vendor: UInt16, product: UInt16, version: UInt16, x: Axis, y: Axis, pressure: Axis?,
        distance: Axis? = nil, transform: [Double]
    ) {
        self.name = name
        self.bus = bus
        self.vendor = vendor
        self.product = product
        self.version = version
        self.x = x
        self.y = y
        self.pressure = pressure
        self.distance = distance
        self.transform = transform
    }

    /// Whether both measure alike: the same device with the same firmware and calibration, wherever it is plugged in.
    public func measures(as other: CaptureDevice) -> Bool {
        (name, bus, vendor, product, version) == (other.name, other.bus, other.vendor, other.product, other.version)
            && uniq == other.uniq && firmware == other.firmware && transform == other.transform
    }
}

extension CaptureHeader {
    /// No screen has more pixels along a side. Bounded numbers need no further checks.
    package static let sideRange = 1...1_000_000

    /// The map that the screen used for a device, in the order of ``devices``.
    ///
    /// nil for another number, if the device's transform is not six finite numbers, or if the screen has no size.
    public func map(of device: Int) -> PictureMap? {
        guard devices.indices.contains(device), Self.sideRange.contains(screen.width),
            Self.sideRange.contains(screen.height)
        else { return nil }
        let (device, numbers) = (devices[device], devices[device].transform)
        guard numbers.count == 6, numbers.allSatisfy(\.isFinite) else { return nil }
        func range(_ axis: CaptureDevice.Axis) -> ClosedRange<Int32> {
            axis.minimum...max(axis.minimum, axis.maximum)
        }
        return PictureMap(
            transform: Transform(
                a: numbers[0], b: numbers[2], tx: numbers[4], c: numbers[1], d: numbers[3], ty: numbers[5]),
            picture: PixelSize(width: screen.width, height: screen.height),
            ranges: screen.clampedLast == true ? nil : (range(device.x), range(device.y)))
    }
}

public struct CaptureScreen: Codable, Equatable, Sendable {
    /// Pixels, as the person saw the screen, after rotation.
    public var width, height: Int
    public var pixelsPerMillimetre: Double
    /// true: the screen clamped positions to its edges after the transform. nil in older records: it first clamped
    /// readings to the ranges of the device's axes.
    public var clampedLast: Bool?
    /// The part of the screen that takes ink: x, y, width, height in pixels.
    public var signingArea: [Int]
    /// nil in older records: pens without settings.
    public var penLook: CapturePenLook?

    public init(
        width: Int, height: Int, pixelsPerMillimetre: Double, clampedLast: Bool? = nil, signingArea: [Int],
        penLook: CapturePenLook? = nil
    ) {
        self.width = width
        self.height = height
        self.pixelsPerMillimetre = pixelsPerMillimetre
        self.clampedLast = clampedLast
        self.signingArea = signingArea
        self.penLook = penLook
    }
}
