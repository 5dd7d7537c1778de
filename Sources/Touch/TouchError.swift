// SPDX-License-Identifier: Apache-2.0
public import Linux

/// Why a touch device cannot be used, in words for the person who sets the panel up.
public enum TouchError: Error, Equatable, Sendable {
    /// The node may not be opened, now or ever.
    case refused(path: String, NodeRefusal)
    /// `open` failed for another reason.
    case cannotOpen(path: String, Errno)
    /// The file is there and is no evdev device.
    case notAnInputDevice(path: String, Errno)
    /// An input device, but none to sign with; the reason follows "it ".
    case unusable(path: String, name: String, reason: String)
    /// Unplugged, or its driver was unloaded. Close it and wait for a new one.
    case deviceGone(path: String)
    case readFailed(path: String, Errno)
    /// The folder of devices cannot be listed.
    case cannotList(directory: String, Errno)

    /// Whether it is only a matter of permissions.
    public var isDenied: Bool {
        if case .refused = self { true } else { false }
    }

    /// What failed, on what, and what to do about it.
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
            "there is no \(directory): the kernel has no input device, or this container is not given any"
        case .cannotList(let directory, let error): "cannot list \(directory): \(error)"
        }
    }
}

extension TouchError: CustomStringConvertible {
    public var description: String { message }
}
