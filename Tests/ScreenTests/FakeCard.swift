// SPDX-License-Identifier: Apache-2.0
import CLibdrm
import Geometry
import Linux

@testable import Screen

/// A kernel for tests: it keeps the kernel's rules about flips, master and framebuffers, can fail at any call with any
/// error, completes flips when told to, and keeps account of everything it has handed out.
final class FakeCard {
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

    /// Whether everything handed out was given back.
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
