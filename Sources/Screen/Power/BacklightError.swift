// SPDX-License-Identifier: Apache-2.0
public import Linux

/// Why the screen's light cannot be changed, and what to do about it.
public enum BacklightError: Error, Equatable, Sendable {
    /// A file of the backlight could not be read.
    case cannotRead(path: String, Errno)
    /// A file of the backlight has no number in it.
    case noNumber(path: String)
    /// A file of the backlight could not be written.
    case cannotWrite(path: String, Errno)
}

extension BacklightError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .cannotRead(let path, let error): "\(path): cannot read: \(error)"
        case .noNumber(let path): "\(path): holds no number"
        case .cannotWrite(let path, .readOnlyFileSystem):
            "\(path): Read-only file system; under systemd the unit needs ReadWritePaths=-/sys/devices"
        case .cannotWrite(let path, let error) where [.permissionDenied, .notPermitted].contains(error):
            "\(path): \(error); a udev rule must give it to the panel's group (72-inkpanel.rules)"
        case .cannotWrite(let path, let error): "\(path): cannot write: \(error)"
        }
    }
}
