// SPDX-License-Identifier: Apache-2.0
import CLibevdev
import Linux

extension DeviceDescription {
    /// Asks a device what it is, without grabbing it or taking events from anyone. Does not block.
    public static func read(path: String) throws(TouchError) -> DeviceDescription {
        let context = try EvdevContext(path: path)
        return DeviceDescription(evdev: context.handle)
    }

    /// - Parameter evdev: a `struct libevdev *`, which need not have a device behind it.
    init(evdev: OpaquePointer) {
        func has(_ type: UInt16, _ code: UInt16) -> Bool {
            libevdev_has_event_code(evdev, UInt32(type), UInt32(code)) == 1
        }
        self.init(
            name: libevdev_get_name(evdev).map { String(cString: $0) } ?? "",
            bus: UInt16(truncatingIfNeeded: libevdev_get_id_bustype(evdev)),
            vendor: UInt16(truncatingIfNeeded: libevdev_get_id_vendor(evdev)),
            product: UInt16(truncatingIfNeeded: libevdev_get_id_product(evdev)),
            version: UInt16(truncatingIfNeeded: libevdev_get_id_version(evdev)))
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
    /// What libevdev knows the device to hold, right after the device was asked.
    init(evdev: OpaquePointer, device: DeviceDescription) {
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
            // libevdev answers 0 for a slot or an axis the device does not have, so ask for no slot beyond its table:
            // tracking id 0 would be a contact.
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
        self.init(
            slots: slots, currentSlot: max(Int(libevdev_get_current_slot(evdev)), 0),
            isTouching: value(EventCode.typeKey, EventCode.touch) != 0,
            isPenNear: value(EventCode.typeKey, EventCode.toolPen) != 0,
            isRubberNear: value(EventCode.typeKey, EventCode.toolRubber) != 0)
    }
}
