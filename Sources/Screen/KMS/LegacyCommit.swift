// SPDX-License-Identifier: Apache-2.0
import Geometry
import Linux

/// SETCRTC and PAGE_FLIP, which every driver has.
struct LegacyCommit: CommitStyle {
    let device: any ModesettingDevice
    let pipeline: DisplayPipeline

    let name = "legacy"

    func modeset(showing framebuffer: UInt32) throws(Errno) {
        clearLeftovers()
        try device.setCRTC(
            CRTC(id: pipeline.crtc, framebuffer: framebuffer, mode: pipeline.mode),
            connectors: [pipeline.connector.id])
    }

    // PAGE_FLIP knows no damage: the driver takes the whole buffer as changed.
    func flip(to framebuffer: UInt32, damage: Damage, serial: UInt64) throws(Errno) {
        try device.pageFlip(crtc: pipeline.crtc, framebuffer: framebuffer, serial: serial)
    }

    /// A desktop's mouse pointer would stay in the middle of the signature, its overlays in front of it, and its
    /// rotation would turn the picture. Drivers without these things refuse, which is as good.
    private func clearLeftovers() {
        try? device.hideCursor(onCRTC: pipeline.crtc)
        guard let primary = pipeline.primaryPlane else { return }
        for plane in device.foreignPlanes(on: pipeline.crtc, primary: primary) { try? device.disablePlane(plane) }
        if let rotation = try? device.properties(of: primary, .plane).named("rotation"),
            rotation.value != Plane.unrotated
        {
            try? device.setProperty(rotation.id, of: primary, .plane, to: Plane.unrotated)
        }
    }
}
