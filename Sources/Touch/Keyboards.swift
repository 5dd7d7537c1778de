// SPDX-License-Identifier: Apache-2.0
import CLibevdev
import Geometry
import Glibc
package import Linux

/// The keyboards, keypads and switches beside the screen, whose keys operate pages.
///
/// They are not grabbed: ``Screen/Console`` switches the keyboard of the terminal behind the picture off, and the
/// kernel's own keys (SysRq) keep their effect. Never blocks. For the main thread.
package final class Keyboards {
    private var keyboards: [KeyInput] = []
    private let settings: KeySettings
    private let directory: String
    private let log: Log

    /// - Parameter directory: of the event devices.
    package init(_ settings: KeySettings, in directory: String = "/dev/input", log: Log) {
        self.settings = settings
        self.directory = directory
        self.log = log
    }

    /// Opens keyboards that are new. A keyboard that cannot be opened is tried again at the next call.
    /// - Returns: the descriptors of the new keyboards, readable when keys wait.
    package func scan() -> [CInt] {
        guard settings.use != .none, let candidates = try? DeviceFinder.list(directory: directory) else { return [] }
        var added: [CInt] = []
        for candidate in candidates where candidate.device?.isKeyboard == true {
            guard !keyboards.contains(where: { $0.path == candidate.path }),
                let input = try? KeyInput(path: candidate.path, PageKeys(settings))
            else { continue }
            log.notice("\(candidate.device?.name ?? "") (\(candidate.path)): its keys operate pages")
            keyboards.append(input)
            added.append(input.descriptor)
        }
        return added
    }

    /// Reads the waiting keys of all keyboards, and closes those that are gone: a closed descriptor leaves a poll set
    /// by itself.
    package func read() -> [PageKey] {
        var keys: [PageKey] = []
        keyboards.removeAll { keyboard in
            guard let read = keyboard.read() else { return true }
            keys += read
            return false
        }
        return keys
    }

    /// Closes all, so that keys that are meant for another terminal press nothing here.
    package func close() { keyboards = [] }
}

/// A keyboard's events.
private final class KeyInput {
    let path: String
    private let context: EvdevContext
    private var keys: PageKeys

    init(path: String, _ keys: PageKeys) throws(TouchError) {
        context = try EvdevContext(path: path)
        _ = libevdev_set_clock_id(context.handle, CLOCK_MONOTONIC)
        self.keys = keys
        self.path = path
    }

    var descriptor: CInt { context.number }

    /// - Returns: nil if the device is gone.
    func read() -> [PageKey]? {
        var read: [PageKey] = []
        var flag = UInt32(LIBEVDEV_READ_FLAG_NORMAL.rawValue)
        while true {
            var raw = input_event()
            let status = libevdev_next_event(context.handle, flag, &raw)
            switch status {
            case CInt(LIBEVDEV_READ_STATUS_SUCCESS.rawValue):
                if let key = keys.key(InputEvent(raw), isShifted: isShifted) { read.append(key) }
            // After SYN_DROPPED, the differences of the state are no keys that somebody has just pressed.
            case CInt(LIBEVDEV_READ_STATUS_SYNC.rawValue): flag = UInt32(LIBEVDEV_READ_FLAG_SYNC.rawValue)
            case -EAGAIN where flag == UInt32(LIBEVDEV_READ_FLAG_SYNC.rawValue):
                flag = UInt32(LIBEVDEV_READ_FLAG_NORMAL.rawValue)
            case -EAGAIN: return read
            case -EINTR: continue
            default: return nil
            }
        }
    }

    private var isShifted: Bool {
        DeviceDescription.shiftKeys.contains {
            libevdev_get_event_value(context.handle, UInt32(EventCode.typeKey), UInt32($0)) != 0
        }
    }
}
