// SPDX-License-Identifier: Apache-2.0
import CLibdrm
import Geometry

// The kernel's mode-setting objects as values: the results of the GET ioctls, copied out of libdrm's memory, and the
// arguments of the others.

/// The objects of a card (`DRM_IOCTL_MODE_GETRESOURCES`).
struct CardResources: Equatable, Sendable {
    var connectors: [UInt32]
    /// The position in this list is the CRTC's *index*, which the `possibleCRTCs` masks refer to.
    var crtcs: [UInt32]
}

/// A socket, or a panel soldered to the board.
struct Connector: Equatable, Sendable {
    enum Status: Equatable, Sendable {
        case connected, disconnected
        /// The hardware cannot detect a screen; usable if there are modes (drmModeConnection in xf86drmMode.h).
        case unknown
    }

    /// `DRM_MODE_LINK_STATUS_GOOD` of the property "link-status".
    static let goodLink: UInt64 = 0

    var id: UInt32
    /// `DRM_MODE_CONNECTOR_*`
    var type: UInt32
    /// Counts the connectors of one type, from 1.
    var typeID: UInt32
    var status: Status
    /// Width and height of the screen; nil if the kernel reports 0.
    var millimetres: PixelSize?
    var modes: [DisplayMode]
    /// All encoders that could drive it.
    var encoders: [UInt32]
    /// The encoder that drives it now; 0 if it is off.
    var currentEncoder: UInt32

    /// The name used in sysfs and on the kernel command line, e.g. `HDMI-A-1`, `DSI-1`.
    var name: String {
        let type = drmModeGetConnectorTypeName(self.type).map { String(cString: $0) } ?? "Unknown"
        return "\(type)-\(typeID)"
    }

    /// Wired to a panel: the device was built to show something there.
    var isBuiltIn: Bool {
        [
            DRM_MODE_CONNECTOR_LVDS, DRM_MODE_CONNECTOR_eDP, DRM_MODE_CONNECTOR_DSI, DRM_MODE_CONNECTOR_DPI,
            DRM_MODE_CONNECTOR_SPI,
        ]
        .contains { UInt32($0) == type }
    }

    /// A socket for a monitor. Connectors of virtual machines, USB adapters and unknown ones are neither.
    var isExternal: Bool {
        [
            DRM_MODE_CONNECTOR_HDMIA, DRM_MODE_CONNECTOR_HDMIB, DRM_MODE_CONNECTOR_DisplayPort,
            DRM_MODE_CONNECTOR_VGA, DRM_MODE_CONNECTOR_DVII, DRM_MODE_CONNECTOR_DVID, DRM_MODE_CONNECTOR_DVIA,
        ]
        .contains { UInt32($0) == type }
    }
}

/// Connects a CRTC to a connector.
struct Encoder: Equatable, Sendable {
    var id: UInt32
    /// The CRTC that feeds it now; 0 if it is off.
    var currentCRTC: UInt32
    /// Bit n: the CRTC with index n can feed it.
    var possibleCRTCs: UInt32
}

/// The state of a CRTC (`DRM_IOCTL_MODE_GETCRTC`), which scans a framebuffer out.
struct CRTC: Equatable, Sendable {
    var id: UInt32
    /// 0 if it shows none.
    var framebuffer: UInt32
    var x: UInt32 = 0
    var y: UInt32 = 0
    /// nil if it is off.
    var mode: DisplayMode?
}

/// A layer of a CRTC's picture.
struct Plane: Equatable, Sendable {
    /// The value of the property `rotation` for an unrotated picture. We rotate while copying, because many planes
    /// cannot rotate.
    static let unrotated = UInt64(DRM_MODE_ROTATE_0)

    var id: UInt32
    /// 0 if it shows none.
    var framebuffer: UInt32
    /// The CRTC it belongs to now; 0 if it is off.
    var currentCRTC: UInt32
    /// Bit n: the CRTC with index n can use it.
    var possibleCRTCs: UInt32
    /// fourcc codes
    var formats: [UInt32]

    /// A fourcc code as text, e.g. `XR24`.
    static func name(ofFormat format: UInt32) -> String {
        String(decoding: (0..<4).map { UInt8(truncatingIfNeeded: format >> ($0 * 8)) }, as: UTF8.self)
    }
}

/// The kinds of objects that have properties (`DRM_MODE_OBJECT_*`).
enum ObjectType: UInt32, Sendable {
    case crtc = 0xcccc_cccc
    case connector = 0xc0c0_c0c0
    case plane = 0xeeee_eeee
}

struct Property: Equatable, Sendable {
    var id: UInt32
    var name: String
    var value: UInt64
    /// The name of an enumerated value.
    var valueName: String?
}

extension [Property] {
    func named(_ name: String) -> Property? { first { $0.name == name } }
}

/// Memory that a CRTC can scan out (`DRM_IOCTL_MODE_CREATE_DUMB`).
struct DumbAllocation: Equatable, Sendable {
    var handle: UInt32
    /// Bytes from one row to the next, chosen by the driver.
    var pitch: UInt32
    var byteCount: UInt64
}

/// Property changes that the kernel makes all together or not at all.
struct AtomicRequest: Equatable, Sendable {
    struct Assignment: Equatable, Sendable {
        let object: UInt32
        let property: UInt32
        let value: UInt64
    }

    private(set) var assignments: [Assignment] = []

    mutating func set(_ property: UInt32, of object: UInt32, to value: UInt64) {
        assignments.append(Assignment(object: object, property: property, value: value))
    }
}

/// Options of an atomic commit (`DRM_MODE_ATOMIC_*`, `DRM_MODE_PAGE_FLIP_EVENT`).
struct CommitFlags: OptionSet, Sendable {
    let rawValue: UInt32

    /// Send a completion event.
    static let event = CommitFlags(rawValue: 0x01)
    /// Only check whether the commit would work.
    static let testOnly = CommitFlags(rawValue: 0x0100)
    /// Return before it is on screen; EBUSY while an earlier commit is under way.
    static let nonblocking = CommitFlags(rawValue: 0x0200)
    /// The screen may go black for a moment.
    static let allowModeset = CommitFlags(rawValue: 0x0400)
}

/// A completed flip, read from a card's descriptor (`drm_event_vblank`).
struct CardEvent: Equatable, Sendable {
    /// 0 on kernels before 4.12.
    var crtc: UInt32
    /// The number passed with the flip.
    var serial: UInt64
    /// When the first pixel was scanned out, in CLOCK_MONOTONIC.
    var time: Timestamp

    /// The flip completions in the bytes of one `read`. Skips other events by their length and stops at an impossible
    /// length.
    static func parse(_ bytes: UnsafeRawBufferPointer) -> [CardEvent] {
        var events: [CardEvent] = []
        var offset = 0
        while bytes.count - offset >= MemoryLayout<drm_event>.size {
            let header = bytes.loadUnaligned(fromByteOffset: offset, as: drm_event.self)
            let length = Int(header.length)
            guard length >= MemoryLayout<drm_event>.size, length <= bytes.count - offset else { break }
            if header.type == UInt32(DRM_EVENT_FLIP_COMPLETE), length >= MemoryLayout<drm_event_vblank>.size {
                let event = bytes.loadUnaligned(fromByteOffset: offset, as: drm_event_vblank.self)
                events.append(
                    CardEvent(
                        crtc: event.crtc_id, serial: event.user_data,
                        time: Timestamp(microseconds: Int64(event.tv_sec) * 1_000_000 + Int64(event.tv_usec))))
            }
            offset += length
        }
        return events
    }
}
