// SPDX-License-Identifier: Apache-2.0
import CLibudev
import Glibc

/// What udev knows of a device. Where no udev runs, it knows no properties.
public struct UdevDevice: ~Copyable {
    private let context: OpaquePointer
    private let device: OpaquePointer

    /// - Parameter node: e.g. `/dev/input/event3`; symbolic links are followed.
    /// - Returns: nil when it is no device, or is gone.
    public init?(node: String) {
        var status = stat()
        guard stat(node, &status) == 0 else { return nil }
        let type = status.st_mode & S_IFMT
        guard type == S_IFCHR || type == S_IFBLK, let context = udev_new() else { return nil }
        let letter = CChar(UInt8(ascii: type == S_IFCHR ? "c" : "b"))
        guard let device = udev_device_new_from_devnum(context, letter, status.st_rdev) else {
            udev_unref(context)
            return nil
        }
        self.context = context
        self.device = device
    }

    deinit {
        udev_device_unref(device)
        udev_unref(context)
    }

    /// Whether udev has applied its rules to the device.
    public var isInitialized: Bool { udev_device_get_is_initialized(device) > 0 }

    /// What rules and the kernel say of it, e.g. `LIBINPUT_CALIBRATION_MATRIX`; nil when they do not.
    public func property(_ name: String) -> String? {
        udev_device_get_property_value(device, name).map { String(cString: $0) }
    }
}
