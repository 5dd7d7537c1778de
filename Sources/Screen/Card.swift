// SPDX-License-Identifier: Apache-2.0
import CLibdrm
import CLinux
import Geometry
import Glibc
import Linux

/// An open `/dev/dri/card*`. Owns the descriptor.
///
/// The first process that opens a card becomes its master automatically (drm_auth.c, `drm_master_open`). Close a card
/// that is not needed at once, or it stays locked for others.
final class Card: ModesettingDevice {
    let path: String
    private var descriptor: FileDescriptor?
    /// -1 after closing, so that calls fail with EBADF instead of reaching a file that reuses the number.
    private var number: CInt

    init(path: String) throws(Errno) {
        self.path = path
        // Non-blocking, so that reading without events does not stop the panel.
        let opened = try FileDescriptor(opening: path, O_RDWR | O_NONBLOCK)
        number = opened.number
        descriptor = consume opened
    }

    func close() {
        number = -1
        descriptor = nil
    }

    // MARK: GET calls. Each copies libdrm's memory and frees it before it returns.

    func driverName() throws(Errno) -> String {
        let version = try fetch { drmGetVersion($0) }
        defer { drmFreeVersion(version) }
        guard let name = version.pointee.name else { return "" }
        let bytes = UnsafeRawBufferPointer(start: name, count: max(0, Int(version.pointee.name_len)))
        return String(decoding: bytes, as: UTF8.self)
    }

    func supportsDumbBuffers() throws(Errno) -> Bool {
        var value: UInt64 = 0
        try check { drmGetCap($0, UInt64(DRM_CAP_DUMB_BUFFER), &value) }
        return value != 0
    }

    func enable(_ capability: ClientCapability) throws(Errno) {
        try check { drmSetClientCap($0, capability.rawValue, 1) }
    }

    // libdrm tries to authenticate a client that does not exist. Only for the master does it fail with "not found".
    var isMaster: Bool { drmIsMaster(number) != 0 }

    func resources() throws(Errno) -> CardResources {
        let answer = try fetch { drmModeGetResources($0) }
        defer { drmModeFreeResources(answer) }
        return CardResources(
            connectors: array(answer.pointee.connectors, answer.pointee.count_connectors),
            crtcs: array(answer.pointee.crtcs, answer.pointee.count_crtcs))
    }

    func connector(_ id: UInt32) throws(Errno) -> Connector {
        let answer = try fetch { drmModeGetConnector($0, id) }
        defer { drmModeFreeConnector(answer) }
        let connector = answer.pointee
        let status: Connector.Status =
            switch connector.connection {
            case DRM_MODE_CONNECTED: .connected
            case DRM_MODE_DISCONNECTED: .disconnected
            default: .unknown
            }
        let isMeasured = connector.mmWidth > 0 && connector.mmHeight > 0
        return Connector(
            id: connector.connector_id, type: connector.connector_type, typeID: connector.connector_type_id,
            status: status,
            millimetres: isMeasured
                ? PixelSize(width: Int(connector.mmWidth), height: Int(connector.mmHeight)) : nil,
            modes: array(connector.modes, connector.count_modes).map(DisplayMode.init),
            encoders: array(connector.encoders, connector.count_encoders), currentEncoder: connector.encoder_id)
    }

    func encoder(_ id: UInt32) throws(Errno) -> Encoder {
        let answer = try fetch { drmModeGetEncoder($0, id) }
        defer { drmModeFreeEncoder(answer) }
        return Encoder(
            id: answer.pointee.encoder_id, currentCRTC: answer.pointee.crtc_id,
            possibleCRTCs: answer.pointee.possible_crtcs)
    }

    func planes() throws(Errno) -> [UInt32] {
        let answer = try fetch { drmModeGetPlaneResources($0) }
        defer { drmModeFreePlaneResources(answer) }
        return array(answer.pointee.planes, CInt(clamping: answer.pointee.count_planes))
    }

    func plane(_ id: UInt32) throws(Errno) -> Plane {
        let answer = try fetch { drmModeGetPlane($0, id) }
        defer { drmModeFreePlane(answer) }
        return Plane(
            id: answer.pointee.plane_id, framebuffer: answer.pointee.fb_id, currentCRTC: answer.pointee.crtc_id,
            possibleCRTCs: answer.pointee.possible_crtcs,
            formats: array(answer.pointee.formats, CInt(clamping: answer.pointee.count_formats)))
    }

    func crtc(_ id: UInt32) throws(Errno) -> CRTC {
        let answer = try fetch { drmModeGetCrtc($0, id) }
        defer { drmModeFreeCrtc(answer) }
        let crtc = answer.pointee
        return CRTC(
            id: crtc.crtc_id, framebuffer: crtc.buffer_id, x: crtc.x, y: crtc.y,
            mode: crtc.mode_valid != 0 ? DisplayMode(crtc.mode) : nil)
    }

    func properties(of id: UInt32, _ type: ObjectType) throws(Errno) -> [Property] {
        let answer = try fetch { drmModeObjectGetProperties($0, id, type.rawValue) }
        defer { drmModeFreeObjectProperties(answer) }
        let count = CInt(clamping: answer.pointee.count_props)
        let values = array(answer.pointee.prop_values, count)
        var properties: [Property] = []
        for (id, value) in zip(array(answer.pointee.props, count), values) {
            properties.append(try property(id, value: value))
        }
        return properties
    }

    private func property(_ id: UInt32, value: UInt64) throws(Errno) -> Property {
        let answer = try fetch { drmModeGetProperty($0, id) }
        defer { drmModeFreeProperty(answer) }
        let name = String(field: answer.pointee.name)
        let named = array(answer.pointee.enums, answer.pointee.count_enums).first { $0.value == value }
        return Property(id: id, name: name, value: value, valueName: named.map { String(field: $0.name) })
    }

    // MARK: SET calls, flips and events

    var eventDescriptor: CInt { number }

    func setProperty(_ property: UInt32, of id: UInt32, _ type: ObjectType, to value: UInt64) throws(Errno) {
        try check { drmModeObjectSetProperty($0, id, type.rawValue, property, value) }
    }

    func setCRTC(_ crtc: CRTC, connectors: [UInt32]) throws(Errno) {
        var connectors = connectors
        let count = CInt(connectors.count)
        if var mode = crtc.mode?.kernelValue {
            try check { drmModeSetCrtc($0, crtc.id, crtc.framebuffer, crtc.x, crtc.y, &connectors, count, &mode) }
        } else {
            try check { drmModeSetCrtc($0, crtc.id, 0, 0, 0, nil, 0, nil) }
        }
    }

    func hideCursor(onCRTC id: UInt32) throws(Errno) { try check { drmModeSetCursor($0, id, 0, 0, 0) } }

    func disablePlane(_ id: UInt32) throws(Errno) {
        try check { drmModeSetPlane($0, id, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0) }
    }

    func pageFlip(crtc: UInt32, framebuffer: UInt32, serial: UInt64) throws(Errno) {
        try check {
            drmModePageFlip($0, crtc, framebuffer, UInt32(DRM_MODE_PAGE_FLIP_EVENT), userData(serial))
        }
    }

    func commit(_ request: AtomicRequest, _ flags: CommitFlags, serial: UInt64) throws(Errno) {
        guard let list = drmModeAtomicAlloc() else { throw Errno(code: ENOMEM) }
        defer { drmModeAtomicFree(list) }
        for assignment in request.assignments {
            let added = drmModeAtomicAddProperty(list, assignment.object, assignment.property, assignment.value)
            // Returns the number of assignments or -errno.
            if added < 0 { throw Errno(code: -added) }
        }
        try check { drmModeAtomicCommit($0, list, flags.rawValue, userData(serial)) }
    }

    func createBlob(_ mode: DisplayMode) throws(Errno) -> UInt32 {
        var value = mode.kernelValue
        var id: UInt32 = 0
        try check { drmModeCreatePropertyBlob($0, &value, MemoryLayout<drmModeModeInfo>.size, &id) }
        return id
    }

    func createBlob(_ clips: [PixelRect]) throws(Errno) -> UInt32 {
        let rects = clips.map {
            drm_mode_rect(
                x1: Int32(clamping: $0.minX), y1: Int32(clamping: $0.minY),
                x2: Int32(clamping: $0.maxX), y2: Int32(clamping: $0.maxY))
        }
        var id: UInt32 = 0
        try check { drmModeCreatePropertyBlob($0, rects, rects.count * MemoryLayout<drm_mode_rect>.stride, &id) }
        return id
    }

    func destroyBlob(_ id: UInt32) throws(Errno) { try check { drmModeDestroyPropertyBlob($0, id) } }

    func markDirty(framebuffer: UInt32) throws(Errno) {
        try check { drmModeDirtyFB($0, framebuffer, nil, 0) }
    }

    func readEvents() throws(Errno) -> [CardEvent] {
        // 1024 bytes hold 32 events. The kernel never splits one, and epoll reports the rest again.
        var buffer = [UInt64](repeating: 0, count: 128)
        let count = buffer.withUnsafeMutableBytes { bytes in
            while true {
                let count = read(number, bytes.baseAddress, bytes.count)
                if count >= 0 || errno != EINTR { return count }
            }
        }
        if count < 0 {
            let error = Errno.current
            if error == .wouldBlock { return [] }
            throw error
        }
        return buffer.withUnsafeBytes { CardEvent.parse(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
    }

    func waitForEvents(milliseconds: Int32) {
        var descriptor = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
        // A signal only shortens the wait.
        _ = poll(&descriptor, 1, milliseconds)
    }

    // MARK: Dumb buffers and framebuffers

    func createDumbBuffer(_ size: PixelSize) throws(Errno) -> DumbAllocation {
        var allocation = DumbAllocation(handle: 0, pitch: 0, byteCount: 0)
        try check {
            drmModeCreateDumbBuffer(
                $0, UInt32(clamping: size.width), UInt32(clamping: size.height), 32, 0, &allocation.handle,
                &allocation.pitch, &allocation.byteCount)
        }
        return allocation
    }

    func map(_ allocation: DumbAllocation) throws(Errno) -> UnsafeMutableRawPointer {
        var offset: UInt64 = 0
        try check { drmModeMapDumbBuffer($0, allocation.handle, &offset) }
        guard let start = clinux_map_shared(number, offset, allocation.byteCount) else { throw Errno.current }
        return start
    }

    func unmap(_ start: UnsafeMutableRawPointer, _ allocation: DumbAllocation) {
        munmap(start, Int(allocation.byteCount))
    }

    func destroyDumbBuffer(_ handle: UInt32) throws(Errno) {
        try check { drmModeDestroyDumbBuffer($0, handle) }
    }

    func addFramebuffer(_ allocation: DumbAllocation, size: PixelSize) throws(Errno) -> UInt32 {
        let handles: [UInt32] = [allocation.handle, 0, 0, 0]
        let pitches: [UInt32] = [allocation.pitch, 0, 0, 0]
        let offsets: [UInt32] = [0, 0, 0, 0]
        var id: UInt32 = 0
        try check {
            drmModeAddFB2(
                $0, UInt32(clamping: size.width), UInt32(clamping: size.height), CLIBDRM_FORMAT_XRGB8888, handles,
                pitches, offsets, &id, 0)
        }
        return id
    }

    func removeFramebuffer(_ id: UInt32) throws(Errno) { try check { drmModeRmFB($0, id) } }

    // MARK: Helpers

    /// libdrm's type for these 64 bits is a pointer; the kernel only copies them to the event.
    private func userData(_ serial: UInt64) -> UnsafeMutableRawPointer? {
        UnsafeMutableRawPointer(bitPattern: UInt(truncatingIfNeeded: serial))
    }

    /// Makes a libdrm call that returns 0 or fails: most calls return -errno, some return -1 and set `errno`. libdrm
    /// repeats calls after EINTR and EAGAIN.
    private func check(_ call: (CInt) -> CInt) throws(Errno) {
        let result = call(number)
        if result == 0 { return }
        throw result == -1 ? Errno.current : Errno(code: result < 0 ? -result : result)
    }

    /// Makes a libdrm call that returns memory, which the caller frees, or nil with `errno` set.
    private func fetch<Answer>(
        _ call: (CInt) -> UnsafeMutablePointer<Answer>?
    ) throws(Errno) -> UnsafeMutablePointer<Answer> {
        errno = 0
        if let answer = call(number) { return answer }
        // If libdrm runs out of memory it does not set errno.
        throw errno == 0 ? Errno(code: ENOMEM) : Errno.current
    }
}

/// Copies a C array.
private func array<Element>(_ start: UnsafeMutablePointer<Element>?, _ count: CInt) -> [Element] {
    guard let start, count > 0 else { return [] }
    return Array(UnsafeBufferPointer(start: start, count: Int(count)))
}
