// SPDX-License-Identifier: Apache-2.0
import CLibdrm
import Geometry
import Linux

@testable import Screen

/// A kernel for tests: it keeps the kernel's rules about flips, master and framebuffers, can fail at any call with any
/// error, completes flips when told to, and keeps account of everything it has handed out.
final class FakeCard: ModesettingDevice {
    struct Memory {
        let allocation: DumbAllocation
        let start: UnsafeMutableRawPointer
        var isMapped = false
    }

    let path: String
    // What the card is
    var driver = "fake"
    var resourcesError: Errno?
    var hasDumbBuffers: UInt64 = 1
    var supported: [ClientCapability] = [.universalPlanes, .atomic]
    var connectors: [Connector] = []
    var encoders: [Encoder] = []
    var crtcs: [CRTC] = []
    var planeList: [Plane] = []
    /// By object, then by name.
    var properties: [UInt32: [String: UInt64]] = [:]
    var valueNames: [UInt32: [String: String]] = [:]
    /// Added to every row.
    var pitchPadding: UInt32 = 0
    var isMaster = true
    var isGone = false
    /// Complete flips as soon as they are queued, as virtual machines do.
    var completesAtOnce = false
    var losesEvents = false

    // Faults
    /// The call with this number, counted from 0, fails once.
    var failure: (call: Int, Errno)?
    /// Every call with this name fails.
    var failures: [String: Errno] = [:]

    // Account
    private(set) var log: [String] = []
    private(set) var violations: [String] = []
    private(set) var memory: [UInt32: Memory] = [:]
    private(set) var framebuffers: [UInt32: UInt32] = [:]
    private(set) var blobs: Set<UInt32> = []
    private(set) var isClosed = false
    private(set) var requests: [(request: AtomicRequest, flags: CommitFlags)] = []
    private(set) var clips: [[PixelRect]] = []
    private var nextID: UInt32 = 1000
    private(set) var pending: (framebuffer: UInt32, serial: UInt64)?
    private var lastFlip: (framebuffer: UInt32, serial: UInt64)?
    private var events: [CardEvent] = []
    private let signal: EventSignal
    private static let names = [
        "type", "CRTC_ID", "MODE_ID", "ACTIVE", "FB_ID", "SRC_X", "SRC_Y", "SRC_W", "SRC_H", "CRTC_X", "CRTC_Y",
        "CRTC_W", "CRTC_H", "rotation", "alpha", "FB_DAMAGE_CLIPS", "non-desktop", "panel orientation", "GAMMA_LUT",
    ]

    init(path: String = "/dev/dri/card0") throws {
        self.path = path
        signal = try EventSignal(blocking: false)
    }

    deinit { for memory in memory.values { memory.start.deallocate() } }

    /// Whether everything handed out was given back.
    var isClean: Bool { memory.isEmpty && framebuffers.isEmpty && blobs.isEmpty && violations.isEmpty }

    func calls(_ name: String) -> Int { log.count { $0 == name } }

    private func enter(_ name: String, needsMaster: Bool = false) throws(Errno) {
        if isClosed { violations.append("\(name) after close") }
        log.append(name)
        if let failure, failure.call == log.count - 1 { throw failure.1 }
        if let error = failures[name] { throw error }
        if isGone { throw .noSuchDevice }
        if needsMaster && !isMaster { throw .permissionDenied }
    }

    // MARK: What there is

    var eventDescriptor: CInt { signal.number }

    func driverName() throws(Errno) -> String {
        try enter("driverName")
        return driver
    }

    func capability(_ capability: CardCapability) throws(Errno) -> UInt64 {
        try enter("capability")
        return hasDumbBuffers
    }

    func enable(_ capability: ClientCapability) throws(Errno) {
        try enter("enable")
        if !supported.contains(capability) { throw .notSupported }
    }

    func resources() throws(Errno) -> CardResources {
        try enter("resources")
        if let resourcesError { throw resourcesError }
        return CardResources(
            connectors: connectors.map(\.id), crtcs: crtcs.map(\.id), encoders: encoders.map(\.id))
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

    private func find<Object>(_ object: Object?) throws(Errno) -> Object {
        guard let object else { throw .noSuchFile }
        return object
    }

    // MARK: What is shown

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
        lastFlip = flip
        if !losesEvents { sendEvent(serial: flip.serial, nanoseconds: nanoseconds) }
    }

    func sendEvent(serial: UInt64, nanoseconds: Int64 = 1_000) {
        events.append(CardEvent(crtc: crtcs[0].id, serial: serial, sequence: 1, nanoseconds: nanoseconds))
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

    // MARK: Buffers

    func createDumbBuffer(_ size: PixelSize) throws(Errno) -> DumbAllocation {
        try enter("createDumbBuffer")
        let pitch = UInt32(size.width * 4) + pitchPadding
        let byteCount = Int(pitch) * size.height
        let allocation = DumbAllocation(handle: newID(), pitch: pitch, byteCount: UInt64(byteCount))
        let start = UnsafeMutableRawPointer.allocate(byteCount: byteCount, alignment: 64)
        // Somebody else's picture.
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

    // The two below count as done even when they are told to fail: the caller can do no more, and the kernel frees
    // the rest when the card is closed.
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

    private func newID() -> UInt32 {
        nextID += 1
        return nextID
    }

    /// The first pixel of what the first CRTC scans out; nil when it is off or shows somebody else's framebuffer.
    func shownPixel(x: Int = 0, y: Int = 0) -> UInt32? {
        guard let handle = framebuffers[crtcs[0].framebuffer], let memory = memory[handle] else { return nil }
        return memory.start.load(fromByteOffset: y * Int(memory.allocation.pitch) + x * 4, as: UInt32.self)
    }
}
