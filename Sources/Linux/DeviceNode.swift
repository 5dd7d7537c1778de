// SPDX-License-Identifier: Apache-2.0
import CLibudev
import Glibc

/// Device nodes, such as `/dev/input/event3`.
public enum DeviceNode {
    /// The socket that exists while udevd runs.
    static let udevControl = "/run/udev/control"
    /// Seconds after which a node is opened although udev has not reported it as initialized: in a container that shows
    /// the host's udev, it never does. At boot udev needs a second or two on the slowest boards.
    private static let patience = 5

    /// Whether udev has yet to apply its rules to the device. Until then the node has no group, and the device no
    /// properties such as a calibration.
    public static func awaitsUdev(_ path: String) -> Bool {
        guard access(udevControl, F_OK) == 0, let device = UdevDevice(node: path), !device.isInitialized else {
            return false
        }
        var status = stat()
        guard stat(path, &status) == 0 else { return false }
        // The node's change time, because the driver keeps no other. Setting the clock at boot only shortens the wait.
        return (0..<patience).contains(time(nil) - status.st_ctim.tv_sec)
    }
}

/// Why an existing device node cannot be opened: the cause behind EACCES or EPERM.
public enum NodeRefusal: Equatable, Sendable {
    /// udev has yet to apply its rules, which give the node to a group.
    case notInitialized
    /// The node's group may open it, and the process is not in that group.
    case otherGroup(String, user: String)
    case ownerOnly(owner: String, group: String)
    /// Owner and mode allow it: a device cgroup or a security module refuses.
    case byPolicy

    /// Finds the cause after the kernel has refused. Any thread.
    /// - Parameter writing: whether the node was opened for writing, too.
    public init(of path: String, writing: Bool) {
        var status = stat()
        guard stat(path, &status) == 0 else {
            self = .byPolicy
            return
        }
        self.init(
            isInitialized: !DeviceNode.awaitsUdev(path), status: status, writing: writing, user: geteuid(),
            groups: Self.groups)
    }

    init(isInitialized: Bool, status: stat, writing: Bool, user: uid_t, groups: [gid_t]) {
        let wanted: mode_t = writing ? 0o6 : 0o4
        func allows(_ shift: mode_t) -> Bool { status.st_mode >> shift & wanted == wanted }
        if !isInitialized {
            self = .notInitialized
        } else if user == 0 || user == status.st_uid && allows(6) || groups.contains(status.st_gid) && allows(3)
            || allows(0)
        {
            self = .byPolicy
        } else if allows(3) {
            self = .otherGroup(Self.name(ofGroup: status.st_gid), user: Self.name(ofUser: user))
        } else {
            self = .ownerOnly(owner: Self.name(ofUser: status.st_uid), group: Self.name(ofGroup: status.st_gid))
        }
    }

    private static var groups: [gid_t] {
        let count = getgroups(0, nil)
        var groups = [gid_t](repeating: 0, count: Int(max(count, 0)))
        return [getegid()] + groups.prefix(Int(max(0, getgroups(count, &groups))))
    }

    private static func name(ofUser number: uid_t) -> String {
        var (entry, found): (passwd, UnsafeMutablePointer<passwd>?) = (passwd(), nil)
        return name(number) { buffer, capacity in
            let error = getpwuid_r(number, &entry, buffer, capacity, &found)
            return (found == nil ? nil : entry.pw_name, error)
        }
    }

    private static func name(ofGroup number: gid_t) -> String {
        var (entry, found): (group, UnsafeMutablePointer<group>?) = (group(), nil)
        return name(number) { buffer, capacity in
            let error = getgrgid_r(number, &entry, buffer, capacity, &found)
            return (found == nil ? nil : entry.gr_name, error)
        }
    }

    /// - Parameter find: looks the name up, with memory for the entry. ERANGE asks for more: a group lists its members.
    /// - Returns: the name, or the number if the user or group does not exist.
    private static func name(
        _ number: UInt32,
        _ find: (UnsafeMutablePointer<CChar>, Int) -> (name: UnsafeMutablePointer<CChar>?, error: CInt)
    ) -> String {
        var capacity = 1024
        while capacity <= 1 << 20 {
            let buffer = UnsafeMutablePointer<CChar>.allocate(capacity: capacity)
            defer { buffer.deallocate() }
            let (name, error) = find(buffer, capacity)
            if let name { return String(cString: name) }
            if error != ERANGE { break }
            capacity *= 2
        }
        return "\(number)"
    }
}

extension NodeRefusal: CustomStringConvertible {
    public var description: String {
        switch self {
        case .notInitialized: "udev has not set it up yet"
        case .otherGroup(let group, let user):
            "Permission denied: it belongs to the group \(group), and user \(user) is not in that group "
                + "(usermod -aG \(group) \(user), then log in again; in a service, SupplementaryGroups=\(group))"
        case .ownerOnly(let owner, let group):
            "Permission denied: only its owner \(owner) may open it (its group is \(group)); is udev running, and "
                + "does a udev rule assign the device to a group?"
        case .byPolicy:
            "Permission denied, although its owner and mode allow it; in a service, DeviceAllow= must name it"
        }
    }
}

/// A device as udev knows it. Without udev it has no properties.
public struct UdevDevice: ~Copyable {
    private let context: OpaquePointer
    private let device: OpaquePointer

    /// - Parameter node: e.g. `/dev/input/event3`; symbolic links are followed.
    /// - Returns: nil if it is not a device, or is gone.
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

    /// Its directory in sysfs, without symbolic links.
    public var directory: String? { udev_device_get_syspath(device).map { String(cString: $0) } }

    /// A property from the kernel or a rule, e.g. `LIBINPUT_CALIBRATION_MATRIX`, or nil.
    public func property(_ name: String) -> String? {
        udev_device_get_property_value(device, name).map { String(cString: $0) }
    }
}
