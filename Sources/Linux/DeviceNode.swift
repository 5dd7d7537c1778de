// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Why a device node that exists cannot be opened: what is behind the kernel's EACCES or EPERM.
public enum NodeRefusal: Equatable, Sendable {
    /// udev has not applied its rules to the device yet; they give its node to a group.
    case notInitialized
    /// The node's group may open it, and the process is not in that group.
    case otherGroup(String, user: String)
    /// Only the owner may open it.
    case ownerOnly(owner: String, group: String)
    /// Owner and mode allow it: a device cgroup or a security module refuses.
    case byPolicy

    /// Asks the node and udev, after the kernel has refused. Any thread.
    /// - Parameter writing: whether it was to be opened for writing, too.
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
        getpwuid(number).map { String(cString: $0.pointee.pw_name) } ?? "\(number)"
    }

    private static func name(ofGroup number: gid_t) -> String {
        getgrgid(number).map { String(cString: $0.pointee.gr_name) } ?? "\(number)"
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
            "Permission denied: only its owner \(owner) may open it (its group is \(group)); does udev run, and does a "
                + "rule of it give the device to a group?"
        case .byPolicy:
            "Permission denied, although its owner and mode allow it; in a service, DeviceAllow= must name it"
        }
    }
}

/// Nodes of devices, such as `/dev/input/event3`.
public enum DeviceNode {
    /// While udevd runs, it listens here.
    static let udevControl = "/run/udev/control"
    /// Seconds after which a node is opened although udev does not say that it has set it up: in a container that
    /// shows the host's udev, it never does. At boot, udev takes a second or two on the slowest boards.
    private static let patience = 5

    /// Whether udev will still apply its rules to the device: until then its node has no group, and the device no
    /// properties such as a calibration.
    public static func awaitsUdev(_ path: String) -> Bool {
        guard access(udevControl, F_OK) == 0, let device = UdevDevice(node: path), !device.isInitialized else {
            return false
        }
        var status = stat()
        guard stat(path, &status) == 0 else { return false }
        // The change time, because a driver's node has no other; a clock that is set at boot only shortens the wait.
        return (0..<patience).contains(time(nil) - status.st_ctim.tv_sec)
    }
}

/// Tells when nodes get another owner or mode, of which udev tells nothing: by inotify(7).
///
/// One thread only, the one that waits on ``descriptor``.
public final class NodeWatch {
    /// Folders of nodes, and the subsystem of those in each. The nodes of framebuffers, `fb0`, are in `/dev` itself, as
    /// are the other folders, which come with their first device.
    private static let folders: [(path: String, subsystem: DeviceMonitor.Change.Subsystem)] = [
        ("/dev/dri", .drm), ("/dev/input", .input), ("/dev", .graphics),
    ]

    private let folders: [(path: String, subsystem: DeviceMonitor.Change.Subsystem)]
    private let file: FileDescriptor
    private var watches: [CInt: DeviceMonitor.Change.Subsystem] = [:]

    /// - Throws: where the user has no inotify instance left (`fs.inotify.max_user_instances`).
    public convenience init() throws(Errno) { try self.init(folders: Self.folders) }

    init(folders: [(path: String, subsystem: DeviceMonitor.Change.Subsystem)]) throws(Errno) {
        self.folders = folders
        let number = try retryingOnInterrupt { inotify_init1(CInt(IN_NONBLOCK) | CInt(IN_CLOEXEC)) }
        file = FileDescriptor(owning: number)
        watchFolders()
    }

    /// Readable when ``changed()`` has something. Valid while this value lives.
    public var descriptor: CInt { file.number }

    /// The subsystems of the nodes whose owner or mode has changed since the last call. Never waits.
    public func changed() -> Set<DeviceMonitor.Change.Subsystem> {
        var changed: Set<DeviceMonitor.Change.Subsystem> = []
        // Room for several: an event has 16 bytes and a name of 256 at most.
        var buffer = [UInt8](repeating: 0, count: 4096)
        while let count = try? file.read(into: &buffer), count > 0 {
            buffer[..<count].withUnsafeBytes { bytes in
                var start = 0
                while start + MemoryLayout<inotify_event>.size <= bytes.count {
                    let event = bytes.loadUnaligned(fromByteOffset: start, as: inotify_event.self)
                    let nameStart = start + MemoryLayout<inotify_event>.size
                    let name = bytes[nameStart..<nameStart + Int(event.len)]
                    start = nameStart + Int(event.len)
                    if event.mask & UInt32(IN_Q_OVERFLOW) != 0 { changed.formUnion(folders.map(\.subsystem)) }
                    guard let subsystem = watches[event.wd] else { continue }
                    if event.mask & UInt32(IN_IGNORED) != 0 {
                        // The folder went with its last device.
                        watches[event.wd] = nil
                    } else if subsystem != .graphics || name.starts(with: "fb".utf8) {
                        changed.insert(subsystem)
                    }
                }
            }
        }
        watchFolders()
        return changed
    }

    /// Takes up those that have come. To watch a folder once more changes nothing.
    private func watchFolders() {
        for (path, subsystem) in folders {
            let wanted = UInt32(IN_ATTRIB) | (subsystem == .graphics ? UInt32(IN_CREATE) : 0) | UInt32(IN_ONLYDIR)
            let watch = inotify_add_watch(file.number, path, wanted)
            if watch >= 0 { watches[watch] = subsystem }
        }
    }
}
