// SPDX-License-Identifier: Apache-2.0
import Control

/// Where hosts call, and who may.
struct ControlPlan {
    var socket: ControlSocket
    var access: AccessRule
}
