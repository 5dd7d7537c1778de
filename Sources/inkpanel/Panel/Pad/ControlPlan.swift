// SPDX-License-Identifier: Apache-2.0

/// Where hosts call, and who may.
struct ControlPlan: Equatable, Sendable {
    /// Of the socket.
    var path: String
    /// Whose members may call besides the superuser and the program's own user; nil is nobody.
    var group: String?
}
