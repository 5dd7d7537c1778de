// SPDX-License-Identifier: Apache-2.0
import Geometry
import Linux

/// How a framebuffer gets on the screen: the one difference between atomic and legacy drivers. When, in which order and
/// what to do about a refusal is ``KMSDisplay``'s business and the same for both (wlroots' `crtc_commit`).
protocol CommitStyle {
    /// For logs.
    var name: String { get }
    /// Sets the mode with `framebuffer` on the primary plane, and takes off what earlier owners of the screen have left
    /// there. Waits for the hardware.
    func modeset(showing framebuffer: UInt32) throws(Errno)
    /// Queues `framebuffer` for the next vblank; an event with `serial` follows. Never waits.
    func flip(to framebuffer: UInt32, damage: Damage, serial: UInt64) throws(Errno)
}
