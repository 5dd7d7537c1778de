// SPDX-License-Identifier: Apache-2.0
public import Pad
public import Linux

/// Why a panel could not be asked, or what it said.
public enum ControlClientError: Error, Equatable, Sendable, CustomStringConvertible {
    /// There is no socket, or nobody listens there any more.
    case notRunning(path: String)
    case denied(path: String)
    case cannotConnect(path: String, Errno)
    /// The connection ended without an answer.
    case ended(path: String)
    /// What answered is no panel.
    case notUnderstood(path: String, String)
    /// The panel's own error.
    case refused(PanelError)

    public var description: String {
        switch self {
        case .notRunning(let path):
            "no panel answers at \(path): is inkpanel running? Start it (systemctl start inkpanel), or name its "
                + "--socket"
        case .denied(let path):
            "this user may not connect to \(path): become a member of its group (ls -l \(path)) and log in again"
        case .cannotConnect(let path, let error): "cannot connect to \(path): \(error)"
        case .ended(let path): "the panel at \(path) has ended the connection: its program was stopped, or is starting"
        case .notUnderstood(let path, let reason): "what answers at \(path) is no panel of this version: \(reason)"
        case .refused(let error): error.description
        }
    }
}
