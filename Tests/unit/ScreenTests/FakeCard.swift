// SPDX-License-Identifier: Apache-2.0
import CLibdrm
import Geometry
import Linux
import TestSupport

@testable import Screen

let xrgb8888 = CLIBDRM_FORMAT_XRGB8888
/// RG16
let rgb565: UInt32 = 0x3631_4752

/// A simulated kernel. It enforces the kernel's rules about flips, master and framebuffers, can fail at any call,
/// completes flips when a test calls ``vblank(at:)``, and records everything it has allocated.
final class FakeCard {
    struct Memory {
        let allocation: DumbAllocation
        let start: UnsafeMutableRawPointer
        var isMapped = false
    }

    let path: String
    // MARK: Properties of the card

    var driver = "fake"
    var resourcesError: Errno?
    var hasDumbBuffers = true
    var supported: [ClientCapability] = [.universalPlanes, .atomic]
    var connectors: [Connector] = []
    var encoders: [Encoder] = []
    var crtcs: [CRTC] = []
    var planeList: [Plane] = []
    /// Values by object and name.
    var properties: [UInt32: [String: UInt64]] = [:]
    var valueNames: [UInt32: [String: String]] = [:]
    /// Added to every row.
    var pitchPadding: UInt32 = 0
    var isMaster = true
    var isGone = false
    /// Complete flips as soon as they are queued, as virtual machines do.
    var completesAtOnce = false
    var losesEvents = false

    // MARK: Faults

    /// The call with this number, counted from 0, fails once.
    var failure: (call: Int, Errno)?
    /// Every call with this name fails.
    var failures: [String: Errno] = [:]

    // MARK: Records

    var log: [String] = []
    var violations: [String] = []
    var memory: [UInt32: Memory] = [:]
    var framebuffers: [UInt32: UInt32] = [:]
    var blobs: Set<UInt32> = []
    var isClosed = false
    var requests: [(request: AtomicRequest, flags: CommitFlags)] = []
    var clips: [[PixelRect]] = []
    var nextID: UInt32 = 1000
    var pending: (framebuffer: UInt32, serial: UInt64)?
    var events: [CardEvent] = []
    let signal: EventSignal
    static let names = [
        "type", "CRTC_ID", "MODE_ID", "ACTIVE", "FB_ID", "SRC_X", "SRC_Y", "SRC_W", "SRC_H", "CRTC_X", "CRTC_Y",
        "CRTC_W", "CRTC_H", "rotation", "alpha", "FB_DAMAGE_CLIPS", "non-desktop", "panel orientation", "GAMMA_LUT",
        "link-status",
    ]

    init(path: String = "/dev/dri/card0") throws {
        self.path = path
        signal = try EventSignal(blocking: false)
    }

    deinit { for memory in memory.values { memory.start.deallocate() } }

    /// Whether everything was freed and no rule was violated.
    var isClean: Bool { memory.isEmpty && framebuffers.isEmpty && blobs.isEmpty && violations.isEmpty }

    func calls(_ name: String) -> Int { log.count { $0 == name } }

    func enter(_ name: String, needsMaster: Bool = false) throws(Errno) {
        if isClosed { violations.append("\(name) after close") }
        log.append(name)
        if let failure, failure.call == log.count - 1 { throw failure.1 }
        if let error = failures[name] { throw error }
        if isGone { throw .noSuchDevice }
        if needsMaster && !isMaster { throw .permissionDenied }
    }

    // MARK: GET calls

    var eventDescriptor: CInt { signal.number }

    func driverName() throws(Errno) -> String {
        try enter("driverName")
        return driver
    }

    func supportsDumbBuffers() throws(Errno) -> Bool {
        try enter("supportsDumbBuffers")
        return hasDumbBuffers
    }

    func enable(_ capability: ClientCapability) throws(Errno) {
        try enter("enable")
        if !supported.contains(capability) { throw .notSupported }
    }

    func resources() throws(Errno) -> CardResources {
        try enter("resources")
        if let resourcesError { throw resourcesError }
        return CardResources(connectors: connectors.map(\.id), crtcs: crtcs.map(\.id))
    }

    func connector(_ id: UInt32) throws(Errno) -> Connector {
        try enter("connector")
        return try find(connectors.first { $0.id == id })
    }

    func encoder(_ id: UInt32) throws(Errno) -> Encoder {
        try enter("encoder")
        return try find(encoders.first { $0.id == id })
    }

    func planes() throws(Errno) -> [UInt32] {
        try enter("planes")
        return planeList.map(\.id)
    }

    func plane(_ id: UInt32) throws(Errno) -> Plane {
        try enter("plane")
        return try find(planeList.first { $0.id == id })
    }

    func crtc(_ id: UInt32) throws(Errno) -> CRTC {
        try enter("crtc")
        return try find(crtcs.first { $0.id == id })
    }

    func properties(of id: UInt32, _ type: ObjectType) throws(Errno) -> [Property] {
        try enter("properties")
        return (properties[id] ?? [:]).map { name, value in
            Property(id: Self.propertyID(name), name: name, value: value, valueName: valueNames[id]?[name])
        }
    }

    static func propertyID(_ name: String) -> UInt32 { UInt32(1 + (names.firstIndex(of: name) ?? 99)) }

    func find<Object>(_ object: Object?) throws(Errno) -> Object {
        guard let object else { throw .noSuchFile }
        return object
    }
}

// SET calls and flips. One flip at a time; none on a CRTC that is off; only for the master.
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

    /// Completes the outstanding flip.
    func vblank(at time: Timestamp = 1) {
        guard let flip = pending else { return }
        pending = nil
        crtcs[0].framebuffer = flip.framebuffer
        if !losesEvents { sendEvent(serial: flip.serial, at: time) }
    }

    func sendEvent(serial: UInt64, at time: Timestamp = 1) {
        events.append(CardEvent(crtc: crtcs[0].id, serial: serial, time: time))
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

// Buffers. Records violations of the order in which they must be freed.
extension FakeCard: ModesettingDevice {
    func createDumbBuffer(_ size: PixelSize) throws(Errno) -> DumbAllocation {
        try enter("createDumbBuffer")
        let pitch = UInt32(size.width * 4) + pitchPadding
        let byteCount = Int(pitch) * size.height
        let allocation = DumbAllocation(handle: newID(), pitch: pitch, byteCount: UInt64(byteCount))
        let start = UnsafeMutableRawPointer.allocate(byteCount: byteCount, alignment: 64)
        // Another program's picture.
        start.initializeMemory(as: UInt8.self, repeating: 0xA5, count: byteCount)
        memory[allocation.handle] = Memory(allocation: allocation, start: start)
        return allocation
    }

    func map(_ allocation: DumbAllocation) throws(Errno) -> UnsafeMutableRawPointer {
        try enter("map")
        guard let start = memory[allocation.handle]?.start else { throw .noSuchFile }
        memory[allocation.handle]?.isMapped = true
        return start
    }

    func unmap(_ start: UnsafeMutableRawPointer, _ allocation: DumbAllocation) {
        if framebuffers.values.contains(allocation.handle) { violations.append("unmapped before RMFB") }
        if memory[allocation.handle]?.isMapped != true { violations.append("unmapped twice") }
        memory[allocation.handle]?.isMapped = false
    }

    // This and removeFramebuffer free the object even if they fail: the caller can do nothing else, and the kernel
    // frees the rest when the card is closed.
    func destroyDumbBuffer(_ handle: UInt32) throws(Errno) {
        if memory[handle]?.isMapped != false { violations.append("memory freed while mapped or twice") }
        memory.removeValue(forKey: handle)?.start.deallocate()
        try enter("destroyDumbBuffer")
    }

    func addFramebuffer(_ allocation: DumbAllocation, size: PixelSize) throws(Errno) -> UInt32 {
        try enter("addFramebuffer")
        framebuffers[newID()] = allocation.handle
        return nextID
    }

    func removeFramebuffer(_ id: UInt32) throws(Errno) {
        if pending?.framebuffer == id && !isGone { violations.append("RMFB of a queued framebuffer") }
        let isShown = crtcs.contains { $0.framebuffer == id }
        if isShown && !isGone && isMaster && failure == nil && failures.isEmpty {
            violations.append("RMFB of the framebuffer on screen")
        }
        if framebuffers.removeValue(forKey: id) == nil { violations.append("framebuffer removed twice") }
        try enter("removeFramebuffer")
    }

    func readEvents() throws(Errno) -> [CardEvent] {
        try enter("readEvents")
        signal.wait()
        defer { events = [] }
        return events
    }

    func waitForEvents(milliseconds: Int32) { if completesAtOnce { vblank() } }

    func close() {
        if !memory.isEmpty || !framebuffers.isEmpty { violations.append("closed with buffers") }
        isClosed = true
    }

    func newID() -> UInt32 {
        nextID += 1
        return nextID
    }

    /// A pixel that the first CRTC scans out; nil if it is off or shows another program's framebuffer.
    func shownPixel(x: Int = 0, y: Int = 0) -> UInt32? {
        guard let handle = framebuffers[crtcs[0].framebuffer], let memory = memory[handle] else { return nil }
        return memory.start.load(fromByteOffset: y * Int(memory.allocation.pitch) + x * 4, as: UInt32.self)
    }
}

extension FakeCard {
    /// One connected connector, one CRTC, a primary plane (40) and a cursor plane (41) on it, all unused.
    static func panel(
        path: String = "/dev/dri/card0", type: CInt = DRM_MODE_CONNECTOR_DSI, width: UInt16 = 64, height: UInt16 = 48,
        isAtomic: Bool = true
    ) throws -> FakeCard {
        let card = try FakeCard(path: path)
        card.supported = isAtomic ? [.universalPlanes, .atomic] : [.universalPlanes]
        card.addConnector(type: type, width: width, height: height)
        card.encoders = [Encoder(id: 20, currentCRTC: 0, possibleCRTCs: 1)]
        card.crtcs = [CRTC(id: 30, framebuffer: 0, mode: nil)]
        card.properties[30] = ["MODE_ID": 0, "ACTIVE": 0]
        card.addPlane(40, type: "Primary")
        card.addPlane(41, type: "Cursor")
        return card
    }

    func addConnector(
        id: UInt32 = 10, type: CInt, width: UInt16 = 64, height: UInt16 = 48, status: Connector.Status = .connected,
        encoders: [UInt32] = [20], currentEncoder: UInt32 = 0
    ) {
        connectors.append(
            Connector(
                id: id, type: UInt32(type), typeID: UInt32(connectors.count { $0.type == UInt32(type) } + 1),
                status: status, modes: [DisplayMode(width: width, height: height, hertz: 60, type: 1 << 3)],
                encoders: encoders, currentEncoder: currentEncoder))
        properties[id] = ["CRTC_ID": 0]
    }

    func addPlane(_ id: UInt32, type: String, formats: [UInt32] = [xrgb8888], possibleCRTCs: UInt32 = 1) {
        planeList.append(
            Plane(id: id, framebuffer: 0, currentCRTC: 0, possibleCRTCs: possibleCRTCs, formats: formats))
        valueNames[id] = ["type": type]
        properties[id] = [
            "type": 0, "FB_ID": 0, "CRTC_ID": 0, "SRC_X": 0, "SRC_Y": 0, "SRC_W": 0, "SRC_H": 0, "CRTC_X": 0,
            "CRTC_Y": 0, "CRTC_W": 0, "CRTC_H": 0,
        ]
    }

    /// A GPU without outputs, like v3d on a Raspberry Pi.
    static func renderOnly(path: String = "/dev/dri/card0", error: Errno = .notSupported) throws -> FakeCard {
        let card = try FakeCard(path: path)
        card.driver = "v3d"
        card.resourcesError = error
        return card
    }

    /// Adds what a desktop may leave: a picture, pointer, overlay, rotation and transparency.
    func addDesktop() {
        addPlane(42, type: "Overlay")
        for (plane, framebuffer) in [(0, 900), (1, 901), (2, 902)] as [(Int, UInt32)] {
            planeList[plane].currentCRTC = 30
            planeList[plane].framebuffer = framebuffer
        }
        properties[40]?["rotation"] = 4
        properties[40]?["alpha"] = 0x7FFF
        properties[30]?["GAMMA_LUT"] = 77
        crtcs[0].framebuffer = 900
        crtcs[0].mode = connectors[0].modes[0]
        encoders[0].currentCRTC = 30
        connectors[0].currentEncoder = 20
    }
}

extension DisplayMode {
    /// A mode without blanking intervals, as drivers without real timing report it.
    init(width: UInt16, height: UInt16, hertz: UInt32, type: UInt32 = 0) {
        var mode = drmModeModeInfo()
        mode.clock = UInt32(clamping: UInt64(width) * UInt64(height) * UInt64(hertz) / 1000)
        (mode.hdisplay, mode.hsync_start, mode.hsync_end, mode.htotal) = (width, width, width, width)
        (mode.vdisplay, mode.vsync_start, mode.vsync_end, mode.vtotal) = (height, height, height, height)
        mode.vrefresh = hertz
        mode.type = type
        self.init(mode)
    }
}

/// A finder that looks at simulated cards.
func finder(_ cards: FakeCard...) -> DisplayFinder {
    let byPath = Dictionary(uniqueKeysWithValues: cards.map { ($0.path, $0) })
    return DisplayFinder(paths: cards.map(\.path)) { path throws(Errno) in
        guard let card = byPath[path] else { throw .noSuchFile }
        return card
    }
}
