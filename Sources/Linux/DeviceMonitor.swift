// SPDX-License-Identifier: Apache-2.0
import CLibudev
import Glibc

/// Reports devices that are added, removed and changed while the program runs: a libudev monitor.
///
/// One thread only, the one that polls ``descriptor``.
public final class DeviceMonitor {
    public struct Change: Equatable, Sendable {
        public enum Subsystem: String, Sendable, CaseIterable { case drm, input, graphics, backlight, sound }
        public enum Action: Equatable, Sendable {
            case added, removed
            /// Any other event, such as a screen plugged into a connector.
            case changed
        }

        public var subsystem: Subsystem
        public var action: Action
        /// e.g. `/dev/input/event3`; nil for a device without a node, such as a connector.
        public var node: String?
    }

    public enum Report: Equatable, Sendable {
        case change(Change)
        /// The kernel's buffer overran and changes were lost: anything may have happened.
        case lost
    }

    private let context: OpaquePointer
    private let monitor: OpaquePointer

    /// While udevd runs, the monitor listens to its events, which come after it has set nodes' groups; the kernel's
    /// events come before. Without udevd it listens to the kernel. libudev chooses likewise (sd-device-monitor.c).
    /// - Throws: when the kernel refuses a netlink socket, as in a sandbox (`RestrictAddressFamilies=`). In a network
    ///   namespace of its own the socket opens but receives no event; that cannot be detected.
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

    /// Readable when ``next()`` has a report. Valid while this value lives.
    public var descriptor: CInt { udev_monitor_get_fd(monitor) }

    /// The next report, or nil. Never waits.
    public func next() -> Report? {
        while true {
            errno = 0
            // The cause is in errno, as with sd_device_monitor_receive(); ENOBUFS is that of netlink(7).
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

/// Reports changes of owner or mode of device nodes, which udev does not announce: by inotify(7).
///
/// One thread only, the one that polls ``descriptor``.
public final class NodeWatch {
    /// Directories of nodes and their subsystems. The nodes of framebuffers, `fb0`, are in `/dev` itself, as are the
    /// other directories, which appear with their first device.
    private static let folders: [(path: String, subsystem: DeviceMonitor.Change.Subsystem)] = [
        ("/dev/dri", .drm), ("/dev/input", .input), ("/dev", .graphics),
    ]

    private let folders: [(path: String, subsystem: DeviceMonitor.Change.Subsystem)]
    private let file: FileDescriptor
    private var watches: [CInt: DeviceMonitor.Change.Subsystem] = [:]

    /// - Throws: when the user has no inotify instance left (`fs.inotify.max_user_instances`).
    public convenience init() throws(Errno) { try self.init(folders: Self.folders) }

    init(folders: [(path: String, subsystem: DeviceMonitor.Change.Subsystem)]) throws(Errno) {
        self.folders = folders
        let number = try retryingOnInterrupt { inotify_init1(CInt(IN_NONBLOCK) | CInt(IN_CLOEXEC)) }
        file = FileDescriptor(owning: number)
        watchFolders()
    }

    /// Readable when ``changed()`` has a result. Valid while this value lives.
    public var descriptor: CInt { file.number }

    /// The subsystems of nodes whose owner or mode has changed since the last call. Never waits.
    public func changed() -> Set<DeviceMonitor.Change.Subsystem> {
        var changed: Set<DeviceMonitor.Change.Subsystem> = []
        // An event takes 16 bytes and a name of at most 256.
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
                        // The directory went with its last device.
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

    /// Adds directories that have appeared. Watching one again changes nothing.
    private func watchFolders() {
        for (path, subsystem) in folders {
            let wanted = UInt32(IN_ATTRIB) | (subsystem == .graphics ? UInt32(IN_CREATE) : 0) | UInt32(IN_ONLYDIR)
            let watch = inotify_add_watch(file.number, path, wanted)
            if watch >= 0 { watches[watch] = subsystem }
        }
    }
}
