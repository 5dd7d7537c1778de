// SPDX-License-Identifier: Apache-2.0

/// What a host or an operator does with the capture that runs.
public enum HostCommand: Equatable, Sendable {
    case cancel(RequestID)
    case clear(RequestID)
    /// As the button: the ink is looked at in the same way.
    case accept(RequestID)

    public var id: RequestID {
        switch self {
        case .cancel(let id), .clear(let id), .accept(let id): id
        }
    }
}
