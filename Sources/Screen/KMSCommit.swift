// SPDX-License-Identifier: Apache-2.0
import CLibdrm
import Geometry
import Linux

/// How a framebuffer gets on the screen: the only difference between atomic and legacy drivers. ``KMSDisplay`` decides
/// when and in which order, and handles errors, in the same way for both (like wlroots' `crtc_commit`).
protocol CommitStyle {
    var name: String { get }
    /// Sets the mode with `framebuffer` on the primary plane and removes what earlier programs have left on the screen.
    /// Waits for the hardware.
    func modeset(showing framebuffer: UInt32) throws(Errno)
    /// Queues `framebuffer` for the next vblank; an event with `serial` follows. Does not wait.
    func flip(to framebuffer: UInt32, damage: Damage, serial: UInt64) throws(Errno)
}

/// SETCRTC and PAGE_FLIP, which every driver supports.
struct LegacyCommit: CommitStyle {
    let name = "legacy"
    let device: any ModesettingDevice
    let pipeline: DisplayPipeline

    func modeset(showing framebuffer: UInt32) throws(Errno) {
        resetScreen()
        try device.setCRTC(
            CRTC(id: pipeline.crtc, framebuffer: framebuffer, mode: pipeline.mode),
            connectors: [pipeline.connector.id])
    }

    // PAGE_FLIP has no parameter for damage.
    func flip(to framebuffer: UInt32, damage: Damage, serial: UInt64) throws(Errno) {
        try device.pageFlip(crtc: pipeline.crtc, framebuffer: framebuffer, serial: serial)
    }

    /// Removes the mouse pointer, overlays and rotation of an earlier program, which would stay in front of the
    /// signature. Errors mean that the driver does not have them. Gamma tables are left as they are.
    private func resetScreen() {
        try? device.hideCursor(onCRTC: pipeline.crtc)
        guard let primary = pipeline.primaryPlane else { return }
        for plane in device.otherPlanes(on: pipeline.crtc, primary: primary) { try? device.disablePlane(plane) }
        if let rotation = try? device.properties(of: primary, .plane).named("rotation"),
            rotation.value != Plane.unrotated
        {
            try? device.setProperty(rotation.id, of: primary, .plane, to: Plane.unrotated)
        }
    }
}

/// One atomic request for everything: the kernel makes all changes or none.
struct AtomicCommit: CommitStyle {
    let name = "atomic"

    private struct Properties {
        var connectorCRTC, crtcMode, crtcActive: UInt32
        var planeFramebuffer, planeCRTC: UInt32
        var sourceX, sourceY, sourceWidth, sourceHeight: UInt32
        var crtcX, crtcY, crtcWidth, crtcHeight: UInt32
        /// nil for some drivers, e.g. bochs and virtio-gpu (Linux 6.1).
        var damageClips: UInt32?
    }

    private let device: any ModesettingDevice
    private let pipeline: DisplayPipeline
    private let plane: UInt32
    private let properties: Properties

    /// - Throws: `EOPNOTSUPP` if a property is missing that every atomic driver has.
    init(device: any ModesettingDevice, pipeline: DisplayPipeline) throws(Errno) {
        guard let plane = pipeline.primaryPlane else { throw .notSupported }
        func find(_ name: String, in list: [Property]) throws(Errno) -> UInt32 {
            guard let property = list.named(name) else { throw .notSupported }
            return property.id
        }
        let ofConnector = try device.properties(of: pipeline.connector.id, .connector)
        let ofCRTC = try device.properties(of: pipeline.crtc, .crtc)
        let ofPlane = try device.properties(of: plane, .plane)
        properties = Properties(
            connectorCRTC: try find("CRTC_ID", in: ofConnector),
            crtcMode: try find("MODE_ID", in: ofCRTC), crtcActive: try find("ACTIVE", in: ofCRTC),
            planeFramebuffer: try find("FB_ID", in: ofPlane), planeCRTC: try find("CRTC_ID", in: ofPlane),
            sourceX: try find("SRC_X", in: ofPlane), sourceY: try find("SRC_Y", in: ofPlane),
            sourceWidth: try find("SRC_W", in: ofPlane), sourceHeight: try find("SRC_H", in: ofPlane),
            crtcX: try find("CRTC_X", in: ofPlane), crtcY: try find("CRTC_Y", in: ofPlane),
            crtcWidth: try find("CRTC_W", in: ofPlane), crtcHeight: try find("CRTC_H", in: ofPlane),
            damageClips: ofPlane.named("FB_DAMAGE_CLIPS")?.id)
        self.device = device
        self.pipeline = pipeline
        self.plane = plane
    }

    func modeset(showing framebuffer: UInt32) throws(Errno) {
        let mode = try device.createBlob(pipeline.mode)
        // The CRTC keeps a reference of its own.
        defer { try? device.destroyBlob(mode) }
        var request = AtomicRequest()
        request.set(properties.connectorCRTC, of: pipeline.connector.id, to: UInt64(pipeline.crtc))
        request.set(properties.crtcMode, of: pipeline.crtc, to: UInt64(mode))
        request.set(properties.crtcActive, of: pipeline.crtc, to: 1)
        request.set(properties.planeFramebuffer, of: plane, to: UInt64(framebuffer))
        request.set(properties.planeCRTC, of: plane, to: UInt64(pipeline.crtc))
        let (width, height) = (UInt64(pipeline.mode.size.width), UInt64(pipeline.mode.size.height))
        request.set(properties.sourceX, of: plane, to: 0)
        request.set(properties.sourceY, of: plane, to: 0)
        // The source rectangle is in 16.16 fixed point, the CRTC's in pixels.
        request.set(properties.sourceWidth, of: plane, to: width << 16)
        request.set(properties.sourceHeight, of: plane, to: height << 16)
        request.set(properties.crtcX, of: plane, to: 0)
        request.set(properties.crtcY, of: plane, to: 0)
        request.set(properties.crtcWidth, of: plane, to: width)
        request.set(properties.crtcHeight, of: plane, to: height)
        resetScreen(in: &request)
        try device.commit(request, [.testOnly, .allowModeset], serial: 0)
        // Since Linux 6.6 virtio-gpu and other virtual drivers hide their cursor plane from clients that do not support
        // hot spots, so remove the pointer with the legacy call as well, once the test has succeeded.
        try? device.hideCursor(onCRTC: pipeline.crtc)
        try device.commit(request, .allowModeset, serial: 0)
    }

    func flip(to framebuffer: UInt32, damage: Damage, serial: UInt64) throws(Errno) {
        var request = AtomicRequest()
        request.set(properties.planeFramebuffer, of: plane, to: UInt64(framebuffer))
        request.set(properties.planeCRTC, of: plane, to: UInt64(pipeline.crtc))
        var clips: UInt32?
        if let property = properties.damageClips, !damage.isEmpty {
            // Without clips the driver updates the whole buffer, which only takes longer.
            clips = try? device.createBlob(damage.rects)
            if let clips { request.set(property, of: plane, to: UInt64(clips)) }
        }
        defer { if let clips { try? device.destroyBlob(clips) } }
        try device.commit(request, [.nonblocking, .event], serial: serial)
    }

    /// Resets what a desktop or a splash screen may have left: pointer and overlay planes, a second connector on our
    /// CRTC (which might not support our mode), rotation, transparency, and colour curves such as a night light.
    private func resetScreen(in request: inout AtomicRequest) {
        for connector in (try? device.resources().connectors) ?? [] where connector != pipeline.connector.id {
            let properties = (try? device.properties(of: connector, .connector)) ?? []
            if let crtc = properties.named("CRTC_ID"), crtc.value == UInt64(pipeline.crtc) {
                request.set(crtc.id, of: connector, to: 0)
            }
        }
        for other in device.otherPlanes(on: pipeline.crtc, primary: plane) {
            let properties = (try? device.properties(of: other, .plane)) ?? []
            for name in ["FB_ID", "CRTC_ID"] {
                if let property = properties.named(name) { request.set(property.id, of: other, to: 0) }
            }
        }
        let neutral: [(object: UInt32, type: ObjectType, name: String, value: UInt64)] = [
            (plane, .plane, "rotation", Plane.unrotated), (plane, .plane, "alpha", 0xFFFF),
            (pipeline.crtc, .crtc, "GAMMA_LUT", 0), (pipeline.crtc, .crtc, "DEGAMMA_LUT", 0),
            (pipeline.crtc, .crtc, "CTM", 0),
            // A modeset after a link failure must reset this (drm_connector.c, "link-status").
            (pipeline.connector.id, .connector, "link-status", Connector.goodLink),
        ]
        for (object, type, name, value) in neutral {
            let property = (try? device.properties(of: object, type))?.named(name)
            if let property, property.value != value { request.set(property.id, of: object, to: value) }
        }
    }
}

extension ModesettingDevice {
    /// The planes on `crtc` besides its primary plane: pointers and overlays of earlier programs.
    fileprivate func otherPlanes(on crtc: UInt32, primary: UInt32) -> [UInt32] {
        ((try? planes()) ?? []).filter { $0 != primary && (try? plane($0))?.currentCRTC == crtc }
    }
}
