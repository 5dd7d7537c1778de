// SPDX-License-Identifier: Apache-2.0
import Geometry

/// The way of a picture through a card: plane -> CRTC -> connector, and the mode it is shown in.
struct DisplayPipeline: Equatable, Sendable {
    var connector: Connector
    var crtc: UInt32
    /// nil where the kernel does not show primary planes (before 3.15); SETCRTC uses it unseen.
    var primaryPlane: UInt32?
    var mode: DisplayMode
    /// What the CRTC drives at the moment; to restore it, and to take it off.
    var connectorsOnCRTC: [UInt32]
    var orientation: Rotation?
    var driver: String
    var isAtomic: Bool

    /// Which display is taken when there are several: lower is better. A built-in panel is what the device was built
    /// for; what may not be connected at all comes last.
    var rank: Int {
        if connector.status == .unknown { return 2 }
        return connector.isBuiltIn ? 0 : 1
    }
}
