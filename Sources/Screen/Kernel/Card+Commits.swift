// SPDX-License-Identifier: Apache-2.0
import CLibdrm
public import Geometry
import Glibc
public import Linux

// What is shown: the SET calls, flips and events.
extension Card {
    public var eventDescriptor: CInt { number }

    public func setProperty(_ property: UInt32, of id: UInt32, _ type: ObjectType, to value: UInt64) throws(Errno) {
        try check { drmModeObjectSetProperty($0, id, type.rawValue, property, value) }
    }

    public func setCRTC(_ crtc: CRTC, connectors: [UInt32]) throws(Errno) {
        var connectors = connectors
        let count = CInt(connectors.count)
        if var mode = crtc.mode?.kernelValue {
            try check { drmModeSetCrtc($0, crtc.id, crtc.framebuffer, crtc.x, crtc.y, &connectors, count, &mode) }
        } else {
            try check { drmModeSetCrtc($0, crtc.id, 0, 0, 0, nil, 0, nil) }
        }
    }

    public func hideCursor(onCRTC id: UInt32) throws(Errno) { try check { drmModeSetCursor($0, id, 0, 0, 0) } }

    public func disablePlane(_ id: UInt32) throws(Errno) {
        try check { drmModeSetPlane($0, id, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0) }
    }

    public func pageFlip(crtc: UInt32, framebuffer: UInt32, serial: UInt64) throws(Errno) {
        try check {
            drmModePageFlip($0, crtc, framebuffer, UInt32(DRM_MODE_PAGE_FLIP_EVENT), userData(serial))
        }
    }

    public func commit(_ request: AtomicRequest, _ flags: CommitFlags, serial: UInt64) throws(Errno) {
        guard let list = drmModeAtomicAlloc() else { throw Errno(code: ENOMEM) }
        defer { drmModeAtomicFree(list) }
        for assignment in request.assignments {
            let added = drmModeAtomicAddProperty(list, assignment.object, assignment.property, assignment.value)
            // Answers the number of assignments so far, or -errno.
            if added < 0 { throw Errno(code: -added) }
        }
        try check { drmModeAtomicCommit($0, list, flags.rawValue, userData(serial)) }
    }

    public func createBlob(_ mode: DisplayMode) throws(Errno) -> UInt32 {
        var value = mode.kernelValue
        var id: UInt32 = 0
        try check { drmModeCreatePropertyBlob($0, &value, MemoryLayout<drmModeModeInfo>.size, &id) }
        return id
    }

    public func createBlob(_ clips: [PixelRect]) throws(Errno) -> UInt32 {
        let rects = clips.map {
            drm_mode_rect(
                x1: Int32(clamping: $0.minX), y1: Int32(clamping: $0.minY),
                x2: Int32(clamping: $0.maxX), y2: Int32(clamping: $0.maxY))
        }
        var id: UInt32 = 0
        try check { drmModeCreatePropertyBlob($0, rects, rects.count * MemoryLayout<drm_mode_rect>.stride, &id) }
        return id
    }

    public func destroyBlob(_ id: UInt32) throws(Errno) { try check { drmModeDestroyPropertyBlob($0, id) } }

    public func markDirty(framebuffer: UInt32) throws(Errno) {
        try check { drmModeDirtyFB($0, framebuffer, nil, 0) }
    }

    public func readEvents() throws(Errno) -> [CardEvent] {
        // The kernel never splits an event; 1024 bytes are 32 of them, and epoll reports the rest again.
        var buffer = [UInt64](repeating: 0, count: 128)
        let count = buffer.withUnsafeMutableBytes { bytes in
            while true {
                let count = read(number, bytes.baseAddress, bytes.count)
                if count >= 0 || errno != EINTR { return count }
            }
        }
        if count < 0 {
            let error = Errno.current
            // Called for nothing, which is no harm.
            if error == .wouldBlock { return [] }
            throw error
        }
        return buffer.withUnsafeBytes { CardEvent.parse(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
    }

    public func waitForEvents(milliseconds: Int32) {
        var descriptor = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
        // An interruption only shortens the wait.
        _ = poll(&descriptor, 1, milliseconds)
    }

    /// The kernel sends these 64 bits back in the event; it takes them for a pointer only by name.
    private func userData(_ serial: UInt64) -> UnsafeMutableRawPointer? {
        UnsafeMutableRawPointer(bitPattern: UInt(truncatingIfNeeded: serial))
    }
}
