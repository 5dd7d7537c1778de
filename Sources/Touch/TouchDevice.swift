// SPDX-License-Identifier: Apache-2.0
import CLibevdev
import Geometry
import Glibc
public import Linux

/// An open touch device. Owns the libevdev context and the descriptor; both end with the value, and with them the grab.
///
/// One thread only, the one that polls ``descriptor``.
public struct TouchDevice: ~Copyable {
    /// The greatest number of events that synchronizing takes from libevdev's queue. A device's state needs fewer.
    private static let synchronizationLimit = 16384

    public let path: String
    public let description: DeviceDescription
    /// Whether the device is grabbed: no other program receives its events.
    public let isExclusive: Bool
    /// Limitations, each a sentence for the log. They are not errors: the panel is usable.
    public let warnings: [String]

    private let context: EvdevContext
    private var tracker: SlotTracker
    private var lastTime: Timestamp
    private var isGone = false

    /// Opens a device, sets its clock to CLOCK_MONOTONIC and reads its state. Contacts that are already down draw
    /// nothing until they lift.
    /// - Parameter grab: whether to keep the events from other readers (a desktop, the console). A failure is a
    ///   warning, not an error: a panel that draws while another program also reads is better than none.
    public init(path: String, grab: Bool = true) throws(TouchError) {
        let context = try EvdevContext(path: path)
        // First: a change of the clock makes the kernel drop queued events and send SYN_DROPPED (evdev.c).
        let clockResult = libevdev_set_clock_id(context.handle, CLOCK_MONOTONIC)
        var description = DeviceDescription(evdev: context.handle)
        if let place = UdevDevice(node: path)?.directory { description.firmware = DeviceFirmware.read(above: place) }
        guard var tracker = SlotTracker(description) else {
            var reason = ""
            if case .unusable(let words) = description.kind { reason = words }
            throw .unusable(path: path, name: description.name, reason: reason)
        }
        var warnings: [String] = []
        if clockResult != 0 {
            warnings.append(
                "\(path): the kernel refuses CLOCK_MONOTONIC (\(Errno(code: -clockResult))); times jump when the "
                    + "clock is set")
        }
        let refusal = grab ? Self.grab(context, path) : nil
        if let refusal { warnings.append(refusal) }
        _ = Self.synchronize(context, isForced: true)
        let now = MonotonicClock.now
        // No contact begins here: those that are down are ignored.
        _ = tracker.resynchronise(
            to: DeviceState(evdev: context.handle, device: description), at: now, ignoringContactsDown: true)
        // Last, because in Swift 6.0 a noncopyable value cannot call its own methods in an initialiser.
        self.path = path
        self.description = description
        self.warnings = warnings
        self.isExclusive = grab && refusal == nil
        self.tracker = tracker
        self.lastTime = now
        self.context = context
    }

    /// The descriptor, for ``Linux/EventPoll``. Valid while this value lives.
    public var descriptor: CInt { context.number }

    /// How often the kernel's buffer overran because it was not read in time.
    public var dropCount: Int { tracker.dropCount }

    /// Reads all waiting reports, the oldest first; never blocks.
    ///
    /// - Returns: the frames, if any. When the device goes away, no frame ends its contacts.
    /// - Throws: ``TouchError/deviceGone(path:)`` once all frames were returned, and at every later call. Remove the
    ///   descriptor from the poll set at once: it stays ready for ever.
    public mutating func read() throws(TouchError) -> [TouchFrame] {
        if isGone { throw .deviceGone(path: path) }
        var frames: [TouchFrame] = []
        while true {
            var raw = input_event()
            let status = libevdev_next_event(context.handle, UInt32(LIBEVDEV_READ_FLAG_NORMAL.rawValue), &raw)
            switch status {
            case CInt(LIBEVDEV_READ_STATUS_SUCCESS.rawValue), CInt(LIBEVDEV_READ_STATUS_SYNC.rawValue):
                let event = InputEvent(raw)
                lastTime = event.time
                if let frame = tracker.update(with: event) { frames.append(frame) }
                // SYNC: the event is SYN_DROPPED, which has ended all contacts. They begin again from the device's
                // present state; the events between are lost.
                if status == CInt(LIBEVDEV_READ_STATUS_SYNC.rawValue), let frame = resynchronise() {
                    frames.append(frame)
                }
            case -EAGAIN: return frames
            case -EINTR: continue
            case -ENODEV:
                isGone = true
                if frames.isEmpty { throw .deviceGone(path: path) }
                return frames
            default:
                // The next call fails again, then without frames to return first.
                if frames.isEmpty { throw .readFailed(path: path, Errno(code: -status)) }
                return frames
            }
        }
    }

    private mutating func resynchronise() -> TouchFrame? {
        if let time = Self.synchronize(context, isForced: false) { lastTime = time }
        return tracker.resynchronise(
            to: DeviceState(evdev: context.handle, device: description), at: lastTime)
    }

    /// Makes libevdev query the device's state and drains the differences from its queue; then its values are the
    /// device's (libevdev.h, "SYN_DROPPED handling").
    /// - Parameter isForced: true without a SYN_DROPPED. After one it must be false: forcing once more makes libevdev
    ///   treat events queued behind the SYN_DROPPED as the answer.
    /// - Returns: the time of the last difference, or nil.
    private static func synchronize(_ context: borrowing EvdevContext, isForced: Bool) -> Timestamp? {
        var raw = input_event()
        var time: Timestamp?
        let force = UInt32(LIBEVDEV_READ_FLAG_FORCE_SYNC.rawValue)
        if isForced, libevdev_next_event(context.handle, force, &raw) < 0 {
            return nil
        }
        for _ in 0..<synchronizationLimit {
            // -EAGAIN is the end. If the device is gone, the next read reports it.
            let status = libevdev_next_event(context.handle, UInt32(LIBEVDEV_READ_FLAG_SYNC.rawValue), &raw)
            guard status >= 0 else { break }
            time = InputEvent(raw).time
        }
        return time
    }

    /// - Returns: a warning if the grab failed.
    private static func grab(_ context: borrowing EvdevContext, _ path: String) -> String? {
        let result = libevdev_grab(context.handle, LIBEVDEV_GRAB)
        if result == 0 { return nil }
        if result == -EBUSY {
            return "\(path) is grabbed by another program, which may keep the touches for itself; if the panel does "
                + "not react, stop that program (an X server, another inkpanel)"
        }
        return "\(path) cannot be grabbed (\(Errno(code: -result))); other programs see the touches too"
    }
}

/// An open evdev file with its libevdev context; both end with the value.
/// Not private: Swift 6.0.3 emits an invalid module for tests of a class that stores a private move-only value.
struct EvdevContext: ~Copyable {
    /// `struct libevdev *`, valid while this value lives.
    let handle: OpaquePointer
    private let descriptor: FileDescriptor

    /// Opens for reading only, which is enough to grab and to set the clock. Non-blocking, so that a FIFO in place of a
    /// device does not block the caller.
    init(path: String) throws(TouchError) {
        let descriptor = try Self.open(path)
        var handle: OpaquePointer?
        let result = libevdev_new_from_fd(descriptor.number, &handle)
        guard result == 0, let handle else { throw .notAnInputDevice(path: path, Errno(code: -result)) }
        self.handle = handle
        self.descriptor = descriptor
    }

    deinit {
        // Before the descriptor closes, which stored properties do after this body.
        libevdev_free(handle)
    }

    var number: CInt { descriptor.number }

    private static func open(_ path: String) throws(TouchError) -> FileDescriptor {
        if DeviceNode.awaitsUdev(path) { throw .refused(path: path, .notInitialized) }
        do {
            return try FileDescriptor(opening: path, O_RDONLY | O_NONBLOCK)
        } catch {
            guard error == .permissionDenied || error == .notPermitted else { throw .cannotOpen(path: path, error) }
            throw .refused(path: path, NodeRefusal(of: path, writing: false))
        }
    }
}

extension DeviceDescription {
    /// Queries a device without grabbing it or consuming its events. Does not block.
    public static func read(path: String) throws(TouchError) -> DeviceDescription {
        let context = try EvdevContext(path: path)
        return DeviceDescription(evdev: context.handle)
    }

    fileprivate init(evdev: OpaquePointer) {
        func has(_ type: UInt16, _ code: UInt16) -> Bool {
            libevdev_has_event_code(evdev, UInt32(type), UInt32(code)) == 1
        }
        self.init(
            name: libevdev_get_name(evdev).map { String(cString: $0) } ?? "",
            bus: UInt16(truncatingIfNeeded: libevdev_get_id_bustype(evdev)),
            vendor: UInt16(truncatingIfNeeded: libevdev_get_id_vendor(evdev)),
            product: UInt16(truncatingIfNeeded: libevdev_get_id_product(evdev)),
            version: UInt16(truncatingIfNeeded: libevdev_get_id_version(evdev)))
        func text(_ value: UnsafePointer<CChar>?) -> String? {
            value.flatMap { Self.identifier(String(cString: $0).utf8) }
        }
        uniq = text(libevdev_get_uniq(evdev))
        phys = text(libevdev_get_phys(evdev))
        for property in 0...EventCode.lastProperty where libevdev_has_property(evdev, UInt32(property)) == 1 {
            properties.insert(property)
        }
        for key in 0...EventCode.lastKey where has(EventCode.typeKey, key) { keys.insert(key) }
        for axis in 0...EventCode.lastAbs where has(EventCode.typeAbs, axis) {
            guard let info = libevdev_get_abs_info(evdev, UInt32(axis))?.pointee else { continue }
            axes[axis] = AxisInfo(
                minimum: info.minimum, maximum: info.maximum, fuzz: info.fuzz, flat: info.flat,
                resolution: info.resolution, value: info.value)
        }
    }
}

extension DeviceState {
    /// The state that libevdev holds right after it queried the device.
    fileprivate init(evdev: OpaquePointer, device: DeviceDescription) {
        func value(_ type: UInt16, _ code: UInt16) -> Int32 {
            libevdev_get_event_value(evdev, UInt32(type), UInt32(code))
        }
        func has(_ code: UInt16) -> Bool {
            libevdev_has_event_code(evdev, UInt32(EventCode.typeAbs), UInt32(code)) == 1
        }

        var slots: [Slot] = []
        let size = ContactSize(device)
        if case .multitouch(let count) = device.kind {
            let (hasPressure, hasDistance) = (has(EventCode.mtPressure), has(EventCode.mtDistance))
            // libevdev answers 0 for slots and axes that the device does not have, so stay within its table: tracking
            // id 0 would be a contact.
            for slot in 0..<min(count, max(Int(libevdev_get_num_slots(evdev)), 0)) {
                func value(_ code: UInt16) -> Int32 { libevdev_get_slot_value(evdev, UInt32(slot), UInt32(code)) }
                let id = has(EventCode.mtTrackingID) ? value(EventCode.mtTrackingID) : -1
                slots.append(
                    Slot(
                        trackingID: id < 0 ? nil : id, x: value(EventCode.mtPositionX), y: value(EventCode.mtPositionY),
                        pressure: hasPressure ? value(EventCode.mtPressure) : nil,
                        distance: hasDistance ? value(EventCode.mtDistance) : nil,
                        toolType: value(EventCode.mtToolType), major: (size?.majorCode).map(value),
                        minor: (size?.minorCode).map(value)))
            }
        } else {
            slots.append(
                Slot(
                    x: value(EventCode.typeAbs, device.singleContactAxes.x),
                    y: value(EventCode.typeAbs, device.singleContactAxes.y),
                    pressure: has(EventCode.absPressure) ? value(EventCode.typeAbs, EventCode.absPressure) : nil,
                    distance: has(EventCode.absDistance) ? value(EventCode.typeAbs, EventCode.absDistance) : nil))
        }
        func isOn(_ key: UInt16) -> Bool { value(EventCode.typeKey, key) != 0 }
        let others: [(UInt16, ToolIdentity.Kind)] = [
            (EventCode.toolBrush, .brush), (EventCode.toolPencil, .pencil), (EventCode.toolAirbrush, .airbrush),
        ]
        self.init(
            slots: slots, currentSlot: max(Int(libevdev_get_current_slot(evdev)), 0),
            isTouching: isOn(device.kind == .singleTouch ? device.touchKey : EventCode.touch),
            isPenNear: isOn(EventCode.toolPen),
            isRubberNear: isOn(EventCode.toolRubber), isFingerNear: isOn(EventCode.toolFinger),
            isMouseNear: isOn(EventCode.toolMouse), isLensNear: isOn(EventCode.toolLens),
            otherPen: others.first { isOn($0.0) }?.1)
    }
}

/// Why a touch device cannot be used, in words for the person who sets the panel up.
public enum TouchError: Error, Equatable, Sendable {
    /// Permission denied, perhaps only until udev has set the node up.
    case refused(path: String, NodeRefusal)
    /// `open` failed for another reason.
    case cannotOpen(path: String, Errno)
    /// The file exists but is not an evdev device.
    case notAnInputDevice(path: String, Errno)
    /// An input device that cannot draw. The reason continues a sentence that starts with "it ".
    case unusable(path: String, name: String, reason: String)
    /// Unplugged, or its driver was unloaded. Close it and wait for a new one.
    case deviceGone(path: String)
    case readFailed(path: String, Errno)
    /// The directory of devices cannot be listed.
    case cannotList(directory: String, Errno)

    /// Whether only permissions are missing.
    public var isDenied: Bool {
        if case .refused = self { true } else { false }
    }

    /// The failure, the device and the remedy.
    public var message: String {
        switch self {
        case .refused(let path, let refusal): "cannot open \(path): \(refusal)"
        case .cannotOpen(let path, let error) where error == .noSuchFile:
            "cannot open \(path): \(error). Is the device plugged in? Event numbers change from boot to boot"
        case .cannotOpen(let path, let error) where error == .noSuchDevice:
            "cannot open \(path): \(error). The device has just been unplugged"
        case .cannotOpen(let path, let error): "cannot open \(path): \(error)"
        case .notAnInputDevice(let path, let error):
            "\(path) is not an input device (\(error)). Name one of /dev/input/event*"
        case .unusable(let path, let name, let reason):
            "\(path) (\(name)) cannot be used for touch: it \(reason)"
        case .deviceGone(let path): "\(path) is gone: the touch device was unplugged or its driver stopped"
        case .readFailed(let path, let error): "reading \(path) failed: \(error)"
        case .cannotList(let directory, let error) where error == .noSuchFile:
            "there is no \(directory): the kernel has no input devices, or this container cannot see them"
        case .cannotList(let directory, let error): "cannot list \(directory): \(error)"
        }
    }
}

extension TouchError: CustomStringConvertible {
    public var description: String { message }
}
