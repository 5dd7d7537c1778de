// SPDX-License-Identifier: Apache-2.0
public import Linux

/// Why the panel has no way in for hosts.
public enum ControlSocketError: Error, Equatable, Sendable, CustomStringConvertible {
    case noDirectory(path: String, directory: String)
    /// An address has 107 bytes for a path.
    case pathTooLong(String)
    /// Something else than a socket is there.
    case notASocket(String)
    /// Another program listens there.
    case inUse(String)
    case noSuchGroup(String)
    case cannotGive(path: String, Errno)
    case failed(path: String, Errno)
    /// What the service manager has passed is not what was asked for.
    case inheritance(String)

    public var description: String {
        switch self {
        case .noDirectory(let path, let directory):
            "cannot make the socket \(path): there is no directory \(directory); make it, or have systemd make it "
                + "(RuntimeDirectory=), or name another --socket"
        case .pathTooLong(let path): "the path \(path) is too long for a socket; name a shorter --socket"
        case .notASocket(let path): "\(path) is no socket and is left alone; remove it or name another --socket"
        case .inUse(let path): "another program listens on \(path): is inkpanel running already?"
        case .noSuchGroup(let name): "there is no group \(name); make it, or name another in the configuration"
        case .cannotGive(let path, let error):
            "cannot give the socket \(path) to its group: \(error); the panel's user must be a member of the group"
        case .failed(let path, let error): "cannot make the socket \(path): \(error)"
        case .inheritance(let reason): "the socket from the service manager cannot be used: \(reason)"
        }
    }
}
