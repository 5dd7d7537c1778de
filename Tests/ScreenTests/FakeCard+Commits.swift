// SPDX-License-Identifier: Apache-2.0
import Geometry
import Linux

@testable import Screen

// What is shown, by the kernel's rules: one flip at a time, none on a CRTC that is off, none without being master.
extension FakeCard {
    func setProperty(_ property: UInt32, of id: UInt32, _ type: ObjectType, to value: UInt64) throws(Errno) {
        try enter("setProperty", needsMaster: true)
        assign(AtomicRequest.Assignment(object: id, property: property, value: value))
    }

    func setCRTC(_ crtc: CRTC, connectors: [UInt32]) throws(Errno) {
        try enter("setCRTC", needsMaster: true)
        guard let index = crtcs.firstIndex(where: { $0.id == crtc.id }) else { throw .noSuchFile }
        crtcs[index] = crtc
        pending = nil
    }

    func hideCursor(onCRTC id: UInt32) throws(Errno) { try enter("hideCursor", needsMaster: true) }

    func disablePlane(_ id: UInt32) throws(Errno) {
        try enter("disablePlane", needsMaster: true)
        guard let index = planeList.firstIndex(where: { $0.id == id }) else { throw .noSuchFile }
        planeList[index].currentCRTC = 0
        planeList[index].framebuffer = 0
    }

    func pageFlip(crtc: UInt32, framebuffer: UInt32, serial: UInt64) throws(Errno) {
        try enter("pageFlip", needsMaster: true)
        try queue(framebuffer, serial, on: crtc)
    }

    func commit(_ request: AtomicRequest, _ flags: CommitFlags, serial: UInt64) throws(Errno) {
        let isTest = flags.contains(.testOnly)
        try enter(isTest ? "test" : flags.contains(.event) ? "flip" : "modeset", needsMaster: true)
        requests.append((request, flags))
        if isTest { return }
        if flags.contains(.event) {
            let framebuffer = request.assignments.first { $0.property == Self.propertyID("FB_ID") }
            guard let framebuffer else { throw .invalidArgument }
            try queue(UInt32(framebuffer.value), serial, on: crtcs[0].id)
        } else {
            pending = nil
            request.assignments.forEach(assign)
        }
    }

    private func assign(_ assignment: AtomicRequest.Assignment) {
        let name = Self.names[Int(assignment.property) - 1]
        properties[assignment.object, default: [:]][name] = assignment.value
        if let plane = planeList.firstIndex(where: { $0.id == assignment.object }) {
            if name == "FB_ID" { planeList[plane].framebuffer = UInt32(assignment.value) }
            if name == "CRTC_ID" { planeList[plane].currentCRTC = UInt32(assignment.value) }
            if name == "FB_ID", planeList[plane].id == 40 { crtcs[0].framebuffer = UInt32(assignment.value) }
        }
        if let crtc = crtcs.firstIndex(where: { $0.id == assignment.object }), name == "MODE_ID" {
            crtcs[crtc].mode = connectors.first?.modes.first
        }
    }

    private func queue(_ framebuffer: UInt32, _ serial: UInt64, on crtc: UInt32) throws(Errno) {
        guard framebuffers[framebuffer] != nil else { throw .noSuchFile }
        if pending != nil || crtcs.first(where: { $0.id == crtc })?.framebuffer == 0 { throw .busy }
        pending = (framebuffer, serial)
        if completesAtOnce { vblank() }
    }

    /// The outstanding flip reaches the screen.
    func vblank(nanoseconds: Int64 = 1_000) {
        guard let flip = pending else { return }
        pending = nil
        crtcs[0].framebuffer = flip.framebuffer
        if !losesEvents { sendEvent(serial: flip.serial, nanoseconds: nanoseconds) }
    }

    func sendEvent(serial: UInt64, nanoseconds: Int64 = 1_000) {
        events.append(CardEvent(crtc: crtcs[0].id, serial: serial, nanoseconds: nanoseconds))
        signal.signal()
    }

    func createBlob(_ mode: DisplayMode) throws(Errno) -> UInt32 {
        try enter("createBlob")
        blobs.insert(newID())
        return nextID
    }

    func createBlob(_ clips: [PixelRect]) throws(Errno) -> UInt32 {
        try enter("createBlob")
        self.clips.append(clips)
        blobs.insert(newID())
        return nextID
    }

    func destroyBlob(_ id: UInt32) throws(Errno) {
        if blobs.remove(id) == nil { violations.append("blob \(id) destroyed twice") }
        try enter("destroyBlob")
    }

    func markDirty(framebuffer: UInt32) throws(Errno) { try enter("markDirty", needsMaster: true) }
}
