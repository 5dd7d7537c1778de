// SPDX-License-Identifier: Apache-2.0
import CLibudev
import Glibc

/// Tells of devices that come, go and change while the program runs: a monitor of libudev.
///
/// One thread only, the one that waits on ``descriptor``.
public final class DeviceMonitor {
    /// What has happened to a device.
    public struct Change: Equatable, Sendable {
        public enum Subsystem: String, Sendable, CaseIterable { case drm, input, graphics, backlight }
        public enum Action: Equatable, Sendable {
            case added, removed
            /// Anything else, as a connector to which something was plugged.
            case changed
        }

        public var subsystem: Subsystem
        public var action: Action
        /// e.g. `/dev/input/event3`; nil for what has no node, as a connector.
        public var node: String?

        public init(subsystem: Subsystem, action: Action, node: String?) {
            self.subsystem = subsystem
            self.action = action
            self.node = node
        }
    }

    /// While udevd runs this is there, and nodes get their groups from it: its own events come after that, the kernel's
    /// before. Without udevd only the kernel tells. libudev sees to it likewise (sd-device-monitor.c).
    private static let control = "/run/udev/control"

    private let context: OpaquePointer
    private let monitor: OpaquePointer

    /// - Parameter subsystems: those to tell of.
    /// - Throws: when the kernel has no netlink socket for us, as in a sandbox without it (`PrivateNetwork=yes`).
    public init(_ subsystems: [Change.Subsystem] = Change.Subsystem.allCases) throws(Errno) {
        errno = 0
        guard let context = udev_new() else { throw .current }
        let group = access(Self.control, F_OK) == 0 ? "udev" : "kernel"
        guard let monitor = udev_monitor_new_from_netlink(context, group) else {
            let error = Errno.current
            udev_unref(context)
            throw error
        }
        var result: CInt = 0
        for subsystem in subsystems where result >= 0 {
            result = udev_monitor_filter_add_match_subsystem_devtype(monitor, subsystem.rawValue, nil)
        }
        if result >= 0 { result = udev_monitor_enable_receiving(monitor) }
        guard result >= 0 else {
            udev_monitor_unref(monitor)
            udev_unref(context)
            throw Errno(code: -result)
        }
        self.context = context
        self.monitor = monitor
    }

    deinit {
        udev_monitor_unref(monitor)
        udev_unref(context)
    }

    /// Readable when ``next()`` has something. Valid while this value lives.
    public var descriptor: CInt { udev_monitor_get_fd(monitor) }

    /// The next change, or nil. Never waits. Changes may be lost when nobody reads for long: look again at everything
    /// rather than keep books of them.
    public func next() -> Change? {
        while let device = udev_monitor_receive_device(monitor) {
            defer { udev_device_unref(device) }
            guard let name = udev_device_get_subsystem(device).map({ String(cString: $0) }),
                let subsystem = Change.Subsystem(rawValue: name)
            else { continue }
            let action: Change.Action =
                switch udev_device_get_action(device).map({ String(cString: $0) }) {
                case "add"?: .added
                case "remove"?: .removed
                default: .changed
                }
            let node = udev_device_get_devnode(device).map { String(cString: $0) }
            return Change(subsystem: subsystem, action: action, node: node)
        }
        return nil
    }
}
