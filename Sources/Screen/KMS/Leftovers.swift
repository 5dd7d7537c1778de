// SPDX-License-Identifier: Apache-2.0
import CLibdrm

// What both commit styles must know to take off what earlier owners of the screen have left.

extension ModesettingDevice {
    /// The planes that are part of `crtc`'s picture besides its primary plane.
    func foreignPlanes(on crtc: UInt32, primary: UInt32) -> [UInt32] {
        ((try? planes()) ?? []).filter { $0 != primary && (try? plane($0))?.currentCRTC == crtc }
    }
}

extension Plane {
    /// What a plane's `rotation` must be: we turn the picture while we copy it, because many planes cannot.
    static let unrotated = UInt64(DRM_MODE_ROTATE_0)
}
