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

    /// What there is to be told.
    public enum Report: Equatable, Sendable {
        case change(Change)
        /// Nobody read for so long that the kernel threw changes away: anything may have happened.
        case lost
    }

    private let context: OpaquePointer
    private let monitor: OpaquePointer

    /// While udevd runs, nodes get their groups from it: its events come after that, the kernel's before. Without udevd
    /// only the kernel tells. libudev chooses likewise (sd-device-monitor.c).
    /// - Parameter subsystems: those to tell of.
    /// - Throws: when the kernel has no netlink socket for us, as in a sandbox without it (`RestrictAddressFamilies=`).
    ///   In a network namespace of its own it has one that hears nothing, which nobody can tell.
    public init(_ subsystems: [Change.Subsystem] = Change.Subsystem.allCases) throws(Errno) {
        errno = 0
        guard let context = udev_new() else { throw .current }
        let group = access(DeviceNode.udevControl, F_OK) == 0 ? "udev" : "kernel"
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

    /// The next report, or nil. Never waits.
    public func next() -> Report? {
        while true {
            errno = 0
            // It says why there is none in errno, as sd_device_monitor_receive() does; netlink(7) has ENOBUFS.
            guard let device = udev_monitor_receive_device(monitor) else { return errno == ENOBUFS ? .lost : nil }
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
            return .change(Change(subsystem: subsystem, action: action, node: node))
        }
    }
}
